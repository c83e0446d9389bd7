# The targets of a finished static build of the same sources, which the Python module links: `pip install .` with
# SHARDY_BUILD_DIR compiles the module only. docs/python.md
foreach(package IN ITEMS fmt tl-expected Threads CLI11)
  find_package(${package} REQUIRED)
endforeach()
find_package(ZLIB QUIET)
set(shardy_finished_targets ${SHARDY_FINISHED_BUILD}/shardy_finished_targets.cmake)
if(NOT EXISTS ${shardy_finished_targets})
  message(FATAL_ERROR "${shardy_finished_targets} does not exist; build with SHARDY_TOOLS=ON and BUILD_SHARED_LIBS=OFF")
endif()
include(${shardy_finished_targets})
