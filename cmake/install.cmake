# What `cmake --install` gives users: library, headers, program, and a package for find_package(stickslip).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS stickslip EXPORT stickslip-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/stickslip DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)
install(EXPORT stickslip-targets NAMESPACE stickslip:: DESTINATION ${package_dir})
configure_package_config_file(cmake/stickslip-config.cmake.in ${PROJECT_BINARY_DIR}/stickslip-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stickslip-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stickslip-config.cmake ${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
  DESTINATION ${package_dir})
