# The page of the viewer, web/viewer.html, becomes a text in room `record`. It is bundled from web/ with node and kept in the
# repository, so that building the program needs neither node nor its packages; a test says when it is not current.
function(stickslip_web room)
  set(page ${PROJECT_SOURCE_DIR}/web/viewer.html)
  set(output ${PROJECT_BINARY_DIR}/generated/viewer_page.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${page} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    DEPENDS ${page} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    COMMENT "Embedding the viewer" VERBATIM)
  target_sources(room_${room} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES UNITY_GROUP ${room})
endfunction()

# The tests of the viewer, in headless Chromium, and the target `viewer`, which makes the page anew. Both work on a copy of web/
# in the build tree, so that several build trees do not disturb each other. Tests that need the program get its name.
function(stickslip_web_tests)
  find_program(NODE NAMES node nodejs REQUIRED)
  find_program(NPM npm REQUIRED)
  set(source ${PROJECT_SOURCE_DIR}/web)
  set(web ${PROJECT_BINARY_DIR}/web)
  add_custom_command(OUTPUT ${web}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/package.json ${source}/package-lock.json ${web}
    COMMAND ${CMAKE_COMMAND} -E chdir ${web} ${NPM} ci --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${web}/packages.stamp
    DEPENDS ${source}/package.json ${source}/package-lock.json
    COMMENT "Fetching the packages of the viewer" VERBATIM)
  add_custom_target(web_tests ALL
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${web}/src ${web}/tests
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${source}/src ${web}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${source}/tests ${web}/tests
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/build.mjs ${source}/tsconfig.json ${web}
    DEPENDS ${web}/packages.stamp VERBATIM)
  add_custom_target(viewer COMMAND ${NODE} build.mjs ${source}/viewer.html WORKING_DIRECTORY ${web}
    COMMENT "Bundling the viewer" VERBATIM)
  add_dependencies(viewer web_tests)

  set(environment STICKSLIP_VIEWER_PAGE=${source}/viewer.html)
  if(TARGET stickslip_cli)
    list(APPEND environment STICKSLIP_PROGRAM=$<TARGET_FILE:stickslip_cli>)
  endif()
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${source}/tests ${source}/tests/*.test.mjs)
  foreach(test ${tests})
    string(REPLACE .test.mjs "" name ${test})
    add_test(NAME Web.${name} COMMAND ${NODE} --test tests/${test} WORKING_DIRECTORY ${web})
    # The longest of all tests come first, so that none of them runs alone at the end.
    set_tests_properties(Web.${name} PROPERTIES LABELS web TIMEOUT 300 COST 100 ENVIRONMENT "${environment}")
  endforeach()
  add_test(NAME Web.types COMMAND ${NODE} node_modules/typescript/bin/tsc --noEmit WORKING_DIRECTORY ${web})
  set_tests_properties(Web.types PROPERTIES LABELS web)
endfunction()
