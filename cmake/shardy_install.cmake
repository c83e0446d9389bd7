# Installs the libraries with their header sets, the command line and the package files. What needs the library is a
# part of the package by itself, so that find_package(shardy COMPONENTS algebra) works without it.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shardy)
install(
  TARGETS shardy_headers shardy_algebra
  EXPORT shardy-header-targets
  FILE_SET HEADERS COMPONENT development)
install(EXPORT shardy-header-targets NAMESPACE shardy:: DESTINATION ${package_dir} COMPONENT development)
if(SHARDY_LIBRARY)
  install(
    TARGETS shardy_shardy
    EXPORT shardy-library-targets
    ARCHIVE COMPONENT development
    LIBRARY COMPONENT library NAMELINK_COMPONENT development
    RUNTIME COMPONENT library
    FILE_SET HEADERS COMPONENT development)
  install(EXPORT shardy-library-targets NAMESPACE shardy:: DESTINATION ${package_dir} COMPONENT development)
endif()
if(TARGET shardy)
  # The command finds a shared library beside it, wherever the tree is moved to.
  file(RELATIVE_PATH lib_of_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(shardy PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_of_bin}")
  install(TARGETS shardy COMPONENT command)
  if(TARGET shardy_pages)
    set(pages ${PROJECT_BINARY_DIR}/src/tools/pages)
    install(
      FILES ${pages}/shardy.bash
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME shardy
      COMPONENT command)
    install(FILES ${pages}/_shardy DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
    install(FILES ${pages}/shardy.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
    install(FILES ${pages}/shardy.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  endif()
endif()

configure_package_config_file(
  cmake/shardy-config.cmake.in ${PROJECT_BINARY_DIR}/shardy-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/shardy-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/shardy-config.cmake
              ${PROJECT_BINARY_DIR}/shardy-config-version.cmake DESTINATION ${package_dir} COMPONENT development)

# shardy.pc finds its prefix from its own path, so that the installed tree can be moved.
if(SHARDY_LIBRARY)
  file(RELATIVE_PATH SHARDY_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  set(SHARDY_PC_ZLIB "")
  if(SHARDY_NEEDS_ZLIB)
    set(SHARDY_PC_ZLIB " -lz")
  endif()
  configure_file(cmake/shardy.pc.in ${PROJECT_BINARY_DIR}/shardy.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/shardy.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()
