# Tests the installed, packaged and exported library from outside.
if(NOT SHARDY_INSTALL)
  return()
endif()
set(install_tests ${CMAKE_CURRENT_SOURCE_DIR}/install)
set(stage ${PROJECT_BINARY_DIR}/stage)
set(consumers ${PROJECT_BINARY_DIR}/consumer)

# A stage of an older checkout may hold headers that were removed.
add_test(NAME install/clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${stage} ${consumers})
add_test(NAME install/stage COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config
                                    $<CONFIG> --prefix ${stage})
set_tests_properties(install/clean PROPERTIES FIXTURES_SETUP clean_stage)
set_tests_properties(install/stage PROPERTIES FIXTURES_REQUIRED clean_stage FIXTURES_SETUP stage)

# shardy_add_consumer(NAME FOLDER OPTION...): a foreign project of tests/install, configured, built and tested.
function(shardy_add_consumer name folder)
  add_test(
    NAME install/${name}
    COMMAND
      ${CMAKE_CTEST_COMMAND} --build-and-test ${folder} ${consumers}/${name} --build-generator ${CMAKE_GENERATOR}
      --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
      -DCMAKE_BUILD_TYPE=$<CONFIG> ${ARGN} --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error)
  set_tests_properties(install/${name} PROPERTIES FIXTURES_REQUIRED "stage;clean_stage")
endfunction()
shardy_add_consumer(consumer ${install_tests} -DCMAKE_PREFIX_PATH=${stage}
                    -DHEADERS_OF_CHECKOUT=${PROJECT_SOURCE_DIR}/include)
# Without Eigen, nlohmann_json and threads to be found.
shardy_add_consumer(components ${install_tests}/components -DCMAKE_PREFIX_PATH=${stage})
shardy_add_consumer(subdirectory ${install_tests}/embedded -DCHECKOUT=${PROJECT_SOURCE_DIR} -DWAY=subdirectory)
shardy_add_consumer(fetch_content ${install_tests}/embedded -DCHECKOUT=${PROJECT_SOURCE_DIR} -DWAY=fetch)

if(TARGET shardy_pages)
  add_test(NAME install/pages COMMAND ${Python3_EXECUTABLE} ${install_tests}/pages_test.py ${stage})
  set_tests_properties(install/pages PROPERTIES FIXTURES_REQUIRED stage)
endif()
find_program(SHARDY_DPKG_DEB dpkg-deb)
if(SHARDY_DPKG_DEB AND TARGET shardy_pages)
  add_test(NAME install/deb
           COMMAND ${Python3_EXECUTABLE} -B ${install_tests}/deb_test.py ${CMAKE_CPACK_COMMAND} ${CMAKE_COMMAND}
                   ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/packages ${CMAKE_CXX_COMPILER} "${CMAKE_CXX_FLAGS}")
endif()
add_test(NAME install/recipes COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/check_recipes.py)

# A shared library of the same objects, where they are compiled for one: the library is not compiled twice.
get_target_property(type shardy_shardy TYPE)
set(shared_library "")
if(type STREQUAL "SHARED_LIBRARY")
  set(shared_library shardy_shardy)
elseif(NOT SHARDY_HIDE_SYMBOLS)
  set(shared_library shardy_relinked)
  add_library(shardy_relinked SHARED $<FILTER:$<TARGET_OBJECTS:shardy_shardy>,EXCLUDE,[.]gch$>)
  target_link_libraries(shardy_relinked PRIVATE fmt::fmt Threads::Threads)
  if(SHARDY_NEEDS_ZLIB)
    find_package(ZLIB REQUIRED)
    target_link_libraries(shardy_relinked PRIVATE ZLIB::ZLIB)
  endif()
  target_link_options(shardy_relinked PRIVATE LINKER:-Bsymbolic-functions)
  set_target_properties(
    shardy_relinked
    PROPERTIES OUTPUT_NAME shardy
               LINKER_LANGUAGE CXX
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shared)
  shardy_export_listed(shardy_relinked shardy_shardy)
endif()
if(shared_library AND SHARDY_LINKER_TAKES_VERSION_SCRIPTS)
  set(embedders $<TARGET_OBJECTS:c_page> $<TARGET_OBJECTS:c_errors>)
  if(TARGET api_test)
    list(APPEND embedders $<FILTER:$<TARGET_OBJECTS:api_test>,EXCLUDE,[.]gch$>)
  endif()
  add_test(
    NAME install/exports
    COMMAND ${Python3_EXECUTABLE} ${install_tests}/exports_test.py ${CMAKE_NM} $<TARGET_FILE:${shared_library}>
            ${PROJECT_BINARY_DIR}/${shared_library}.map ${embedders}
    COMMAND_EXPAND_LISTS)
  add_test(NAME install/matrix
           COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/package_matrix.py ${stage}
                   ${PROJECT_BINARY_DIR}/package_matrix --shared $<TARGET_FILE:${shared_library}>)
  # It is the longest test: started last, it would run alone at the end.
  set_tests_properties(install/matrix PROPERTIES FIXTURES_REQUIRED stage TIMEOUT 1500 PROCESSORS 2 COST 240)
endif()
