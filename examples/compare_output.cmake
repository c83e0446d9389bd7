# cmake -DPROGRAM=... [-DARGUMENT=...] -DEXPECTED=... -P compare_output.cmake
# SHARDY_UPDATE_GOLDEN=1 in the environment writes EXPECTED instead.
execute_process(
  COMMAND ${PROGRAM} ${ARGUMENT}
  OUTPUT_VARIABLE output
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENT}: exit status ${status}\n${output}")
endif()
if("$ENV{SHARDY_UPDATE_GOLDEN}")
  file(WRITE ${EXPECTED} "${output}")
endif()
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${EXPECTED} says:\n${expected}\nbut the program prints:\n${output}")
endif()
