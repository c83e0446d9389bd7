# Tests of the page in Debian's Chromium (chromium, chromium-driver, python3-selenium), without network.
find_program(SHARDY_CHROMIUM chromium)
find_program(SHARDY_CHROMEDRIVER chromedriver)
find_program(SHARDY_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(shardy_has_selenium 1)
if(SHARDY_SYSTEM_PYTHON)
  execute_process(COMMAND ${SHARDY_SYSTEM_PYTHON} -c "import selenium" RESULT_VARIABLE shardy_has_selenium OUTPUT_QUIET ERROR_QUIET)
endif()

# One browser at a time. These tests start early, beside tests without a browser.
if(TARGET shardy AND SHARDY_CHROMIUM AND SHARDY_CHROMEDRIVER AND shardy_has_selenium EQUAL 0)
  foreach(test IN ITEMS page first_visit manners)
    add_test(NAME view/${test} COMMAND ${SHARDY_SYSTEM_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/${test}_test.py $<TARGET_FILE:shardy>
                                       ${PROJECT_SOURCE_DIR})
    set_tests_properties(view/${test} PROPERTIES TIMEOUT 1500 RESOURCE_LOCK chromium COST 90)
  endforeach()
  add_test(NAME view/hostile_page COMMAND ${SHARDY_SYSTEM_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/hostile_page_test.py $<TARGET_FILE:shardy>)
  set_tests_properties(view/hostile_page PROPERTIES TIMEOUT 1500 RESOURCE_LOCK chromium COST 90)
else()
  message(STATUS "no tests of the page: chromium, chromium-driver or python3-selenium is missing")
endif()
