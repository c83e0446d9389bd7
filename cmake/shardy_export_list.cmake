# cmake -DNM=nm -DOBJECTS=FILE -DMAP=FILE -P shardy_export_list.cmake
#
# Writes the version script of a shared library: of the symbols that the objects (a file that names one a line) define
# those of namespace shardy, of hashes of its types, and of shardy.h. Weak functions are left out, which are inline
# ones and instances of templates: whoever calls them has them. Namespaces detail are left out: no inline function of a
# public header calls a function there that is not inline. tests/install checks this list.
file(STRINGS ${OBJECTS} objects)
execute_process(
  COMMAND ${NM} --defined-only --extern-only --format=posix ${objects}
  OUTPUT_VARIABLE text
  ERROR_VARIABLE error
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM}: ${error}")
endif()
# NAME KIND ADDRESS SIZE: functions and data that are not weak, then weak data.
string(REGEX MATCHALL "(_Z[A-Za-z0-9_]+|shardy_[a-z0-9_]+) [TDBRV] " symbols "${text}")
list(TRANSFORM symbols REPLACE " . $" "")
list(REMOVE_DUPLICATES symbols)
set(own ${symbols})
list(FILTER own INCLUDE REGEX "^(shardy_|_Z(T[A-Za-z0-9_]*|GV)?N[VKRO]*(St4hashIN)?6shardy)")
set(names ${own})
list(FILTER names EXCLUDE REGEX "6shardy([0-9]+[a-z_]+)?6detail")
list(SORT names)
list(LENGTH names count)
if(count EQUAL 0)
  message(FATAL_ERROR "no symbol of namespace shardy in the objects of ${OBJECTS}")
endif()
list(JOIN names ";\n    " lines)
file(WRITE ${MAP} "{\n  global:\n    ${lines};\n  local:\n    *;\n};\n")
