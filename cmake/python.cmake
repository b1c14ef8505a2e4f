# The Python module: the extension stickslip._core from src/python, beside the package in python/stickslip. The build tree holds
# the whole package in python/, so that it runs from there.
function(stickslip_python)
  # Debian's own Python, for which its packages of NumPy and SciPy are; not another that is first on the path.
  find_program(STICKSLIP_PYTHON_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "The Python that the module is built for")
  find_program(STICKSLIP_PYTHON_EXECUTABLE python3 REQUIRED)
  set(Python_EXECUTABLE ${STICKSLIP_PYTHON_EXECUTABLE})
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
  find_path(PYBIND11_INCLUDE_DIR pybind11/pybind11.h REQUIRED)
  set(package ${PROJECT_BINARY_DIR}/python/stickslip)

  set(docstrings ${PROJECT_BINARY_DIR}/generated/docstrings.h)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
  add_custom_command(OUTPUT ${docstrings}
    COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/python_docstrings.py ${PROJECT_SOURCE_DIR}/include ${docstrings}
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/python_docstrings.py ${headers}
    COMMENT "Taking docstrings from the headers" VERBATIM)

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/*.cpp)
  Python_add_library(stickslip_python MODULE WITH_SOABI ${sources} ${docstrings})
  set_target_properties(stickslip_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
  target_include_directories(stickslip_python PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR})
  target_include_directories(stickslip_python SYSTEM PRIVATE ${PYBIND11_INCLUDE_DIR})
  target_link_libraries(stickslip_python PRIVATE stickslip stickslip_flags stickslip_suitesparse fmt::fmt
    nlohmann_json::nlohmann_json)
  # Types that the precompiled header knows are visible, those that come after it hidden.
  target_compile_options(stickslip_python PRIVATE -O1 -Wno-attributes)
  target_precompile_headers(stickslip_python REUSE_FROM stickslip_calm_pch)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/python/module.cpp PROPERTIES COMPILE_DEFINITIONS
    STICKSLIP_VERSION="${PROJECT_VERSION}" SKIP_UNITY_BUILD_INCLUSION ON)

  # The package itself, as links: a change of it needs no build.
  file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/stickslip/*.py ${PROJECT_SOURCE_DIR}/python/stickslip/*.pyi
       ${PROJECT_SOURCE_DIR}/python/stickslip/py.typed)
  file(MAKE_DIRECTORY ${package})
  foreach(module ${modules})
    get_filename_component(name ${module} NAME)
    file(CREATE_LINK ${module} ${package}/${name} SYMBOLIC)
  endforeach()

  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sys; print(f'python{sys.version_info.major}.{sys.version_info.minor}')"
    OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(STICKSLIP_PYTHON_DIR ${CMAKE_INSTALL_LIBDIR}/${version}/site-packages CACHE STRING "Where `cmake --install` puts the Python package")
  install(TARGETS stickslip_python LIBRARY DESTINATION ${STICKSLIP_PYTHON_DIR}/stickslip COMPONENT python)
  install(FILES ${modules} DESTINATION ${STICKSLIP_PYTHON_DIR}/stickslip COMPONENT python)
endfunction()

# The tests of the module, by pytest.
function(stickslip_python_tests)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/python/test_*.py)
  foreach(test ${tests})
    get_filename_component(name ${test} NAME_WE)
    string(REPLACE test_ "" name ${name})
    add_test(NAME Python.${name} COMMAND ${STICKSLIP_PYTHON_EXECUTABLE} -m pytest -q -p no:cacheprovider ${test})
    set_tests_properties(Python.${name} PROPERTIES LABELS python TIMEOUT 300
      ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1;STICKSLIP_BUILD=${PROJECT_BINARY_DIR}")
  endforeach()
endfunction()
