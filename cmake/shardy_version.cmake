# shardy_version: the version in include/shardy/version.h.
set(shardy_version "")
foreach(part IN ITEMS MAJOR MINOR PATCH)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/shardy/version.h line
       REGEX "^#define SHARDY_VERSION_${part} [0-9]+$")
  string(REGEX REPLACE ".* " "" number "${line}")
  list(APPEND shardy_version "${number}")
endforeach()
list(JOIN shardy_version "." shardy_version)
