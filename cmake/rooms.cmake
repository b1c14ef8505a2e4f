# Rooms of the house. Each is an object library; its tests link only the rooms it may use, so that a forbidden dependency
# does not link. `stickslip_library()` joins all rooms into the one library that users link.

# Flags that every one of our own files is compiled with; never leave the build tree.
add_library(stickslip_flags INTERFACE)
# Left out: what is wrong about Eigen in g++ 12, and what is meant for headers, which files that are compiled as one are not.
target_compile_options(stickslip_flags INTERFACE -Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-maybe-uninitialized)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(stickslip_flags INTERFACE -Wno-subobject-linkage)
  # The compiler looks for garbage among what the precompiled headers hold, too, which are hundreds of megabytes and none of it: a tenth of its time.
  target_compile_options(stickslip_flags INTERFACE "SHELL:--param ggc-min-heapsize=1500000")
endif()
if(STICKSLIP_WERROR)
  target_compile_options(stickslip_flags INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)   # guesses of the optimiser, wrong about std::string and std::sort in g++ 12
    target_compile_options(stickslip_flags INTERFACE -Wno-error=array-bounds -Wno-error=restrict -Wno-error=stringop-overflow)
  endif()
endif()
# The instruction set decides how Eigen aligns and frees memory: everything that shares Eigen objects must agree on it, so the
# library hands it on to its users.
set(STICKSLIP_MARCH "")
if(STICKSLIP_ARCH)
  set(STICKSLIP_MARCH -march=${STICKSLIP_ARCH})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(STICKSLIP_MARCH -march=x86-64-v3)
endif()
target_compile_options(stickslip_flags INTERFACE ${STICKSLIP_MARCH})
if(STICKSLIP_SANITIZE)
  target_compile_options(stickslip_flags INTERFACE -fsanitize=${STICKSLIP_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(stickslip_flags INTERFACE -fsanitize=${STICKSLIP_SANITIZE})
endif()

# HDF5's C library, as a target.
add_library(stickslip_hdf5 INTERFACE)
target_include_directories(stickslip_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(stickslip_hdf5 INTERFACE ${HDF5_C_LIBRARIES})

# Boost's headers (Beast, Asio), as a target without the definitions of Boost::headers, which would keep the precompiled header from being used.
add_library(stickslip_boost INTERFACE)
target_include_directories(stickslip_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})

# The layout of our types does not depend on the instruction set.
set(STICKSLIP_PUBLIC_DEFINITIONS EIGEN_MAX_STATIC_ALIGN_BYTES=16)

# Precompiled headers. What they hold of our own is what nearly every file of theirs includes: parsing it, and instantiating what its inline
# functions use of Eigen, is a third of the time of a file.
file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
add_library(stickslip_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
target_precompile_headers(stickslip_pch PRIVATE <Eigen/Core> <Eigen/Geometry> <Eigen/Dense> <fmt/format.h> <algorithm>
  <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span> <string> <string_view> <variant> <vector>
  <stickslip/problem/contact_problem.h> <math/eigen_once.h> <math/eigen_often.h>)
target_include_directories(stickslip_pch PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# Every definition that a room is compiled with must stand here too: with others the compiler silently does without it.
target_link_libraries(stickslip_pch PRIVATE Eigen3::Eigen fmt::fmt stickslip_flags stickslip_suitesparse)
target_compile_definitions(stickslip_pch PRIVATE ${STICKSLIP_PUBLIC_DEFINITIONS})

# Rooms that read, write and serve are not where the time goes: they compile faster with less optimisation, and share the JSON library.
add_library(stickslip_calm_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
target_compile_options(stickslip_calm_pch PRIVATE -O1)
target_precompile_headers(stickslip_calm_pch PRIVATE <Eigen/Core> <Eigen/Geometry> <Eigen/Dense> <fmt/format.h> <nlohmann/json.hpp> <algorithm>
  <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span> <string> <string_view> <variant> <vector>
  <stickslip/scene/scene.h> <stickslip/step/stepper.h> <math/eigen_once.h> <math/eigen_often.h>)
target_include_directories(stickslip_calm_pch PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(stickslip_calm_pch PRIVATE Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json stickslip_flags stickslip_suitesparse)
target_compile_definitions(stickslip_calm_pch PRIVATE ${STICKSLIP_PUBLIC_DEFINITIONS})

# With ccache a precompiled header is looked up by the files that it was made from (CCACHE_DEPEND), not by what the preprocessor makes of it: that takes the old
# header for its own if it is still there, and then the old one is what comes out of the cache.
function(stickslip_own_pch)
  if(CCACHE)
    set_target_properties(${ARGN} PROPERTIES CXX_COMPILER_LAUNCHER
      "${STICKSLIP_CCACHE};CCACHE_DEPEND=1;${CCACHE}")
  endif()
endfunction()
stickslip_own_pch(stickslip_pch stickslip_calm_pch)

# A program that only calls the library, with the precompiled header of calm rooms. That is of -fPIC code; programs get -fPIE by
# default, and then it is not used.
function(stickslip_calm_program name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 14)
  target_compile_options(${name} PRIVATE -fPIC -O1)
  target_precompile_headers(${name} REUSE_FROM stickslip_calm_pch)
endfunction()

set(STICKSLIP_ROOMS "")

# The files of a folder are compiled as one: reading the headers, and instantiating what they share of Eigen, is most of the time
# of a small file. A name in an unnamed namespace is therefore one of its folder.
# CALM: not worth full optimisation.
function(stickslip_joined)
  foreach(source ${ARGN})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(group ${folder} NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

function(stickslip_room name)
  cmake_parse_arguments(ARG "CALM" "" "USES;LENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS src/${name}/*.cpp src/${name}/*/*.cpp)
  set(closure ${ARG_USES})
  foreach(used ${ARG_USES})
    list(APPEND closure ${ROOM_${used}_CLOSURE})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set(libraries ${ARG_LIBRARIES})
  foreach(used ${closure})
    list(APPEND libraries ${ROOM_${used}_LIBRARIES})
  endforeach()
  if(sources)
    add_library(room_${name} OBJECT ${sources})
    target_include_directories(room_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(room_${name} PRIVATE Eigen3::Eigen fmt::fmt stickslip_flags ${libraries})
    target_compile_definitions(room_${name} PRIVATE ${STICKSLIP_PUBLIC_DEFINITIONS})
    set_target_properties(room_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    stickslip_joined(${sources})
    if(ARG_CALM)
      target_compile_options(room_${name} PRIVATE -O1)
      target_precompile_headers(room_${name} REUSE_FROM stickslip_calm_pch)
    else()
      target_precompile_headers(room_${name} REUSE_FROM stickslip_pch)
    endif()
  endif()
  set(ROOM_${name}_CLOSURE ${closure} PARENT_SCOPE)
  set(ROOM_${name}_LIBRARIES ${ARG_LIBRARIES} PARENT_SCOPE)
  set(STICKSLIP_ROOMS ${STICKSLIP_ROOMS} ${name} PARENT_SCOPE)
endfunction()

function(stickslip_library)
  set(objects "")
  foreach(room ${STICKSLIP_ROOMS})
    if(TARGET room_${room})
      list(APPEND objects $<TARGET_OBJECTS:room_${room}>)
    endif()
  endforeach()
  add_library(stickslip ${objects})
  add_library(stickslip::stickslip ALIAS stickslip)
  target_include_directories(stickslip PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(stickslip PUBLIC cxx_std_20)
  target_compile_options(stickslip PUBLIC ${STICKSLIP_MARCH})
  target_compile_definitions(stickslip PUBLIC ${STICKSLIP_PUBLIC_DEFINITIONS})
  target_link_libraries(stickslip PUBLIC Eigen3::Eigen
    PRIVATE fmt::fmt TBB::tbb PNG::PNG ZLIB::ZLIB Threads::Threads Qhull::qhull_r ${HDF5_C_LIBRARIES} ${SUITESPARSE_LIBRARIES} ${ROBOT_LIBRARIES})
  if(STICKSLIP_SANITIZE)
    target_link_options(stickslip PUBLIC -fsanitize=${STICKSLIP_SANITIZE})
  endif()
  set_target_properties(stickslip PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# One precompiled header for all tests.
function(stickslip_test_pch)
  add_library(stickslip_test_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
  target_compile_options(stickslip_test_pch PRIVATE -O1)
  target_precompile_headers(stickslip_test_pch PRIVATE <gtest/gtest.h> <gmock/gmock.h> <Eigen/Core> <Eigen/Geometry> <Eigen/Dense>
    <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <random> <span> <string>
    <string_view> <variant> <vector> <stickslip/step/stepper.h> <math/eigen_once.h> <math/eigen_often.h>)
  target_include_directories(stickslip_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(stickslip_test_pch PRIVATE Eigen3::Eigen fmt::fmt stickslip_flags stickslip_suitesparse GTest::gtest GTest::gmock)
  target_compile_definitions(stickslip_test_pch PRIVATE ${STICKSLIP_PUBLIC_DEFINITIONS})
  stickslip_own_pch(stickslip_test_pch)
endfunction()

# Where tests find the sources and the program (tests/places.h).
function(stickslip_test_places)
  set(program "")
  if(STICKSLIP_CLI)
    set(program $<TARGET_FILE:stickslip_cli>)
  endif()
  set(places ${CMAKE_BINARY_DIR}/test_places.cpp)
  file(GENERATE OUTPUT ${places} CONTENT "#include \"places.h\"
namespace stickslip::places {
const char kSourceDir[] = R\"(${PROJECT_SOURCE_DIR})\";
const char kProgram[] = R\"(${program})\";
}
")
  add_library(stickslip_test_places OBJECT ${places})
  target_include_directories(stickslip_test_places PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set(STICKSLIP_TEST_PLACES $<TARGET_OBJECTS:stickslip_test_places> PARENT_SCOPE)
endfunction()

# A test program `test_<name>` from tests/<name>/*.cpp, linked with one room and the rooms that room may use.
function(stickslip_test name room)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(objects "")
  set(libraries "")
  foreach(used ${room} ${ROOM_${room}_CLOSURE})
    if(TARGET room_${used})
      list(APPEND objects $<TARGET_OBJECTS:room_${used}>)
    endif()
    list(APPEND libraries ${ROOM_${used}_LIBRARIES})
  endforeach()
  add_executable(test_${name} ${sources} ${objects} ${STICKSLIP_TEST_PLACES})
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 17)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE ${STICKSLIP_PUBLIC_DEFINITIONS})
  target_link_libraries(test_${name} PRIVATE Eigen3::Eigen fmt::fmt stickslip_flags GTest::gtest GTest::gmock GTest::gtest_main ${libraries})
  # The precompiled header is of -fPIC code; programs get -fPIE by default, and then it is not used.
  set_target_properties(test_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(test_${name} PRIVATE -fPIC -O1)
  target_precompile_headers(test_${name} REUSE_FROM stickslip_test_pch)
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${name})
endfunction()
