# The targets that the layers fill, and the functions their CMakeLists.txt use.

# A project that adds this one to its build links what our targets link, from its own folders. What it brings along
# itself, by FetchContent for one, is taken as it is.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
if(NOT TARGET fmt::fmt)
  find_package(fmt 9 REQUIRED)
endif()
if(NOT TARGET tl::expected)
  find_package(tl-expected REQUIRED)
endif()
if(SHARDY_LIBRARY)
  if(NOT TARGET Threads::Threads)
    find_package(Threads REQUIRED)
  endif()
  if(NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  endif()
  if(NOT TARGET nlohmann_json::nlohmann_json)
    find_package(nlohmann_json 3.11 REQUIRED)
  endif()
endif()
unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)

# Before the first target: a target takes the launcher that is set when it is added.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SHARDY_CCACHE ccache)
  if(SHARDY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${SHARDY_CCACHE})
  endif()
endif()

# Precompiled headers that nearly every source includes, compiled once per set of flags. Turned off, a build finds
# sources that lack an #include.
option(SHARDY_PRECOMPILE "Precompile common headers: a faster full build" OFF)

# Ours only, never exported: an embedder keeps its own warning level.
add_library(shardy_warnings INTERFACE)
target_compile_options(shardy_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                                 -Wold-style-cast
                                                 # misfires on std::optional<std::span> at -O2
                                                 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
# g++ 12 misfires on the sum of two std::strings, at -O3 and where <string> is precompiled.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(shardy_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow
                                                   -Wno-restrict)
endif()
# Sources that are compiled together need 1 GB; g++ collects garbage first at 256 MB, which is a tenth of the time.
if(SHARDY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(shardy_warnings INTERFACE --param=ggc-min-heapsize=1048576)
endif()

# The headers of the layers that can do without the library: support, algebra, resharding, the types and modules
# of ir, rules, propagation.
add_library(shardy_headers INTERFACE)
add_library(shardy::headers ALIAS shardy_headers)
target_compile_features(shardy_headers INTERFACE cxx_std_20)
target_link_libraries(shardy_headers INTERFACE fmt::fmt tl::expected)
target_compile_definitions(
  shardy_headers
  INTERFACE $<BUILD_INTERFACE:$<$<OR:$<CONFIG:Debug>,$<BOOL:${SHARDY_ASSERTS}>>:SHARDY_ENABLE_ASSERTS>>)
set_target_properties(shardy_headers PROPERTIES EXPORT_NAME headers VERIFY_INTERFACE_HEADER_SETS
                                                                    ${PROJECT_IS_TOP_LEVEL})

# The same with their bodies, which each source compiles: nothing to link.
add_library(shardy_algebra INTERFACE)
add_library(shardy::algebra ALIAS shardy_algebra)
target_link_libraries(shardy_algebra INTERFACE shardy_headers)
target_compile_definitions(shardy_algebra INTERFACE SHARDY_HEADER_ONLY)
set_target_properties(shardy_algebra PROPERTIES EXPORT_NAME algebra)
# Layers by their names, as components of the package are called.
foreach(layer IN ITEMS support resharding ir rules propagation)
  add_library(shardy::${layer} ALIAS shardy_algebra)
endforeach()

# Everything. Eigen and JSON are taken as include paths of our own sources, so that a static library
# does not hand them on to whoever links it.
add_library(shardy_shardy)
if(SHARDY_LIBRARY)
  add_library(shardy::shardy ALIAS shardy_shardy)
  foreach(layer IN ITEMS passes partitioning simulation text checking report view autoshard c_api)
    add_library(shardy::${layer} ALIAS shardy_shardy)
  endforeach()
  target_link_libraries(shardy_shardy PUBLIC Threads::Threads)
else()
  set_target_properties(shardy_shardy PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
target_link_libraries(shardy_shardy PUBLIC shardy_headers)
# Every product and every sum is rounded by itself (stablehlo 16.4): no fused multiply-add.
target_compile_options(
  shardy_shardy PRIVATE $<TARGET_PROPERTY:shardy_warnings,INTERFACE_COMPILE_OPTIONS>
                        -ffp-contract=off)
# As a shared library it calls itself directly, as a static one would.
target_compile_options(shardy_shardy PRIVATE -fno-semantic-interposition)
target_link_options(shardy_shardy PRIVATE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:LINKER:-Bsymbolic-functions>)
if(SHARDY_LIBRARY)
  target_include_directories(
    shardy_shardy SYSTEM
    PRIVATE $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>
            $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)
endif()
target_include_directories(shardy_shardy PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_sources(
  shardy_shardy PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                       FILES ${PROJECT_SOURCE_DIR}/include/shardy/shardy.hpp)
set_target_properties(
  shardy_shardy
  PROPERTIES EXPORT_NAME shardy
             OUTPUT_NAME shardy
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             POSITION_INDEPENDENT_CODE ON
             DEFINE_SYMBOL ""
             VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
include(cmake/shardy_exports.cmake)
shardy_hide_symbols(shardy_shardy)

set(shardy_precompiled <algorithm> <map> <memory> <optional> <span> <string> <utility> <variant>
                       <vector> <fmt/format.h> <tl/expected.hpp> "shardy/ir/module.hpp")
if(SHARDY_PRECOMPILE)
  list(TRANSFORM shardy_precompiled REPLACE "^shardy.+" "${PROJECT_SOURCE_DIR}/include/\\0")
  target_precompile_headers(shardy_shardy PRIVATE ${shardy_precompiled})
endif()
# These ask for the bodies of their layer's headers, and must not have seen a header before.
foreach(layer algebra ir propagation resharding rules support)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${layer}/${layer}.cpp
                              TARGET_DIRECTORY shardy_shardy PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endforeach()

function(shardy_add_if_present folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# shardy_add_test(<layer>_test SOURCES a_test.cpp ... LINK shardy::shardy)
#
# One Catch2 executable, build/<preset>/tests/<layer>_test; ctest knows its cases as <layer>/<case>.
# The name of a case holds no semicolon and no backslash: ctest would not find it, and fail it.
function(shardy_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  # Tests see the private headers of compiled layers, too.
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${arg_LINK} shardy_warnings Catch2::Catch2WithMain)
  # Catches exceptions of an assertion around the case, not around each assertion.
  target_compile_definitions(${name} PRIVATE CATCH_CONFIG_FAST_COMPILE)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(SHARDY_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM shardy_test_headers)
  endif()
  # Each test file has a namespace of its name, so that no two helpers collide.
  if(SHARDY_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
  string(REGEX REPLACE "_test$" "" layer ${name})
  # A case that the executable does not find by its name must fail: version 2 fails only with an option.
  if(Catch2_VERSION VERSION_LESS 3)
    set(no_match_is_error EXTRA_ARGS --warn NoTests)
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${layer}/" ${no_match_is_error} PROPERTIES TIMEOUT 600
                                                                                       LABELS ${layer})
endfunction()
