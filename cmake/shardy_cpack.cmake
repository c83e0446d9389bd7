# `cpack -G DEB` in the build folder: the Debian packages libshardy-dev, shardy (the command line) and, of a shared
# library, libshardy0.2. Version 0.2 is in the name because versions that differ in it do not mix.
#
# Two packages of one build are equal, and so are those of two builds with equal compilers and paths: times of files
# are SOURCE_DATE_EPOCH, by default the time of the commit.
set(CPACK_GENERATOR DEB)
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%ct
    OUTPUT_VARIABLE shardy_epoch
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
# CPack reads its configuration before it makes a package, and with it this time.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/shardy_package_time.cmake)
file(
  CONFIGURE OUTPUT ${CPACK_PROJECT_CONFIG_FILE}
  CONTENT "if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND NOT \"@shardy_epoch@\" STREQUAL \"\")\n  set(ENV{SOURCE_DATE_EPOCH} \"@shardy_epoch@\")\nendif()\n"
  @ONLY)
set(CPACK_PACKAGE_NAME shardy)
set(CPACK_PACKAGE_VENDOR "shardy++")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Sharding of tensor programs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL development)
if(TARGET shardy)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "shardy++ maintainers <maintainers@shardy.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libshardy-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev (>= 9), libexpected-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "C++ and C headers, library and CMake package of shardy++. The headers of\n shardy::algebra need {fmt} and tl::expected alone.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME shardy)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "The command line: shards tensor programs, partitions them into one program per\n device, and proves the result by running it.")

get_target_property(library_type shardy_shardy TYPE)
if(library_type STREQUAL "SHARED_LIBRARY")
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libshardy${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library of shardy++.")
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
         ", ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
endif()
# Package dependencies from the libraries that the program is linked with; needs dpkg-dev. Its own library is named above.
find_program(SHARDY_SHLIBDEPS dpkg-shlibdeps)
if(SHARDY_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
