# cmake -DSOURCE=FOLDER -DTEMPLATE=FILE -DOUTPUT=FILE -DOPTIONS=TEXT -P shardy_build_info.cmake
#
# Writes the source of build_info() of the command line: the commit of SOURCE if it is the top of a git tree, "+" after
# it if files of the tree differ from the commit. OUTPUT keeps its time if nothing changed.
set(SHARDY_OPTIONS_LINE "${OPTIONS}")
set(SHARDY_COMMIT_LINE "")
if(EXISTS ${SOURCE}/.git)
  execute_process(
    COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit
    RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
    if(NOT changed EQUAL 0)
      string(APPEND commit "+")
    endif()
    set(SHARDY_COMMIT_LINE "\\ncommit ${commit}")
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
