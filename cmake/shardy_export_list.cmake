# cmake -DNM=nm -DOBJECTS=FILE -DMAP=FILE -P shardy_export_list.cmake
#
# Writes the version script of a shared library: of the symbols that the objects (a file that names one a line) define
# those of namespace shardy, of hashes of its types, and of shardy.h. Weak functions are left out, which are inline
# ones and instances of templates: whoever calls them has them. What is in a namespace detail is left out, but for what
# inline functions of public headers call; tests/install checks this list.
set(of_headers
    "detail::StepMeter"
    "detail::contract_failed"
    "detail::is_iota"
    "detail::read_axis_list"
    "detail::read_axis_ref"
    "detail::read_dim"
    "detail::read_dim_mapping"
    "detail::read_sub_axis"
    "detail::read_tensor_mapping"
    "ir::detail::TypePrinter"
    "ir::detail::WalkedRegions"
    "rules::detail::GatherFactoring"
    "rules::detail::holds"
    "rules::detail::shapes_of")

# `detail::read_dim` as it is mangled: 6detail8read_dim.
set(kept "")
foreach(name IN LISTS of_headers)
  string(REPLACE "::" ";" parts ${name})
  set(mangled "")
  foreach(part IN LISTS parts)
    string(LENGTH ${part} length)
    string(APPEND mangled "${length}${part}")
  endforeach()
  list(APPEND kept ${mangled})
endforeach()
list(JOIN kept "|" kept)

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
set(details ${own})
list(FILTER details INCLUDE REGEX "6shardy(${kept})[^a-z_]")
list(APPEND names ${details})
list(SORT names)
list(LENGTH names count)
if(count EQUAL 0)
  message(FATAL_ERROR "no symbol of namespace shardy in the objects of ${OBJECTS}")
endif()
list(JOIN names ";\n    " lines)
file(WRITE ${MAP} "{\n  global:\n    ${lines};\n  local:\n    *;\n};\n")
