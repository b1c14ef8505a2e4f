# The page of the viewer: web/ bundled into one HTML file with node, which becomes a text in room `record`.
#
# The bundle is made in the build tree, so that several build trees do not disturb each other.
function(stickslip_web room)
  set(output ${PROJECT_BINARY_DIR}/generated/viewer_page.cpp)
  if(NOT STICKSLIP_WEB)
    file(CONFIGURE OUTPUT ${output} CONTENT "#include \"record/viewer_page.h\"\nstd::string_view stickslip::viewer_page() { return {}; }\n")
    target_sources(room_${room} PRIVATE ${output})
    return()
  endif()
  find_program(NODE NAMES node nodejs REQUIRED)
  find_program(NPM npm REQUIRED)
  set(web ${PROJECT_BINARY_DIR}/web)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
  add_custom_command(OUTPUT ${web}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/package.json ${PROJECT_SOURCE_DIR}/web/package-lock.json ${web}
    COMMAND ${CMAKE_COMMAND} -E chdir ${web} ${NPM} ci --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${web}/packages.stamp
    DEPENDS ${PROJECT_SOURCE_DIR}/web/package.json ${PROJECT_SOURCE_DIR}/web/package-lock.json
    COMMENT "Fetching the packages of the viewer" VERBATIM)
  add_custom_command(OUTPUT ${web}/dist/viewer.html
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${web}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web/src ${web}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/build.mjs ${PROJECT_SOURCE_DIR}/web/tsconfig.json ${web}
    COMMAND ${CMAKE_COMMAND} -E chdir ${web} ${NODE} build.mjs
    DEPENDS ${web}/packages.stamp ${sources} ${PROJECT_SOURCE_DIR}/web/build.mjs ${PROJECT_SOURCE_DIR}/web/tsconfig.json
    COMMENT "Bundling the viewer" VERBATIM)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${web}/dist/viewer.html -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    DEPENDS ${web}/dist/viewer.html ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    COMMENT "Embedding the viewer" VERBATIM)
  target_sources(room_${room} PRIVATE ${output})
endfunction()

# The tests of the viewer, in headless Chromium; those that need the program get its name.
function(stickslip_web_tests)
  if(NOT STICKSLIP_WEB)
    return()
  endif()
  find_program(NODE NAMES node nodejs REQUIRED)
  set(web ${PROJECT_BINARY_DIR}/web)
  add_custom_target(web_tests ALL
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${web}/tests
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web/tests ${web}/tests
    DEPENDS ${web}/dist/viewer.html VERBATIM)
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/web/tests ${PROJECT_SOURCE_DIR}/web/tests/*.test.mjs)
  foreach(test ${tests})
    string(REPLACE .test.mjs "" name ${test})
    add_test(NAME Web.${name} COMMAND ${NODE} --test tests/${test} WORKING_DIRECTORY ${web})
    set_tests_properties(Web.${name} PROPERTIES LABELS web TIMEOUT 300)
    if(TARGET stickslip_cli)
      set_tests_properties(Web.${name} PROPERTIES ENVIRONMENT STICKSLIP_PROGRAM=$<TARGET_FILE:stickslip_cli>)
    endif()
  endforeach()
  add_test(NAME Web.types COMMAND ${NODE} node_modules/typescript/bin/tsc --noEmit WORKING_DIRECTORY ${web})
  set_tests_properties(Web.types PROPERTIES LABELS web)
endfunction()
