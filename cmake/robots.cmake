# What the importer reads robots with: urdfdom (and the console bridge that it prints through), TinyXML-2, Assimp. As plain libraries: their packages define
# more than is needed, and an installed library would have to find them all again.
find_path(URDFDOM_INCLUDE_DIR urdf_parser/urdf_parser.h REQUIRED)
find_path(ASSIMP_INCLUDE_DIR assimp/Importer.hpp REQUIRED)
set(ROBOT_LIBRARIES "")
foreach(name urdfdom_model console_bridge tinyxml2 assimp)
  find_library(ROBOT_${name} ${name} REQUIRED)
  list(APPEND ROBOT_LIBRARIES ${ROBOT_${name}})
endforeach()
add_library(stickslip_robots INTERFACE)
target_include_directories(stickslip_robots SYSTEM INTERFACE ${URDFDOM_INCLUDE_DIR} ${ASSIMP_INCLUDE_DIR})
target_link_libraries(stickslip_robots INTERFACE ${ROBOT_LIBRARIES})
