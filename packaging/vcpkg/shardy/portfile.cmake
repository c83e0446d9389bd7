# An overlay port of the checkout that it stands in: vcpkg install shardy --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(
  OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES library SHARDY_LIBRARY
           tools SHARDY_TOOLS)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS} -DSHARDY_TESTS=OFF -DSHARDY_BENCHMARKS=OFF -DSHARDY_PYTHON=OFF -DSHARDY_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME shardy CONFIG_PATH lib/cmake/shardy)
if("library" IN_LIST FEATURES)
  vcpkg_fixup_pkgconfig()
endif()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES shardy AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
