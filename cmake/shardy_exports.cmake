# Exported symbols of a library. A static library exports none of its dependencies: their symbols are hidden.
# A shared library has an export list: namespace shardy except detail, and shardy.h. So symbols of {fmt},
# nlohmann_json or Eigen in it never conflict with those of a user.

include(CheckLinkerFlag)

option(SHARDY_HIDE_SYMBOLS "Compile a static library with hidden symbols; a shared one has an export list" ON)

function(shardy_hide_symbols target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    shardy_export_listed(${target} ${target})
  elseif(SHARDY_HIDE_SYMBOLS)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()

# The list is made from the symbols of the objects, before `target` is linked; `compiled` has the objects. A linker
# that takes no version script (those of macOS and Windows) shows all.
function(shardy_export_listed target compiled)
  file(CONFIGURE OUTPUT shardy_accepts.map CONTENT "{ local: *; };\n")
  check_linker_flag(CXX LINKER:--version-script=${CMAKE_CURRENT_BINARY_DIR}/shardy_accepts.map
                    SHARDY_LINKER_TAKES_VERSION_SCRIPTS)
  if(NOT SHARDY_LINKER_TAKES_VERSION_SCRIPTS)
    return()
  endif()
  set(map ${PROJECT_BINARY_DIR}/${target}.map)
  set(objects ${PROJECT_BINARY_DIR}/${target}.objects)
  set(script ${PROJECT_SOURCE_DIR}/cmake/shardy_export_list.cmake)
  file(GENERATE OUTPUT ${objects} CONTENT "$<JOIN:$<FILTER:$<TARGET_OBJECTS:${compiled}>,EXCLUDE,[.]gch$>,\n>\n")
  add_custom_command(
    TARGET ${target} PRE_LINK
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJECTS=${objects} -DMAP=${map} -P ${script}
    VERBATIM)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
endfunction()
