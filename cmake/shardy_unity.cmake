# A full build that reads the headers once for many sources: the sources of a folder are compiled together, in groups of
# equal size of at most eighteen. Two files of one folder must not have helpers of one name then; files named here stay by themselves: for
# their names, for compile options of their own, or as they compile the bodies of a layer's headers.
set(shardy_unity_size 18)
set(shardy_unity_apart_names
    src/algebra/algebra.cpp
    src/autoshard/chain_bound.cpp
    src/autoshard/elimination.cpp
    src/autoshard/message_passing.cpp
    src/autoshard/problem_json.cpp
    src/ir/ir.cpp
    src/propagation/propagation.cpp
    src/resharding/resharding.cpp
    src/rules/rules.cpp
    src/support/support.cpp
    src/text/attribute_codec.cpp
    src/text/bytes_text.cpp
    src/simulation/kernels/fft.cpp
    src/view/page.cpp
    src/simulation/kernels/elementwise_math.cpp
    src/simulation/kernels/matrix_product.cpp)
list(TRANSFORM shardy_unity_apart_names PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE shardy_unity_apart)

function(shardy_compile_together target)
  get_target_property(sources ${target} SOURCES)
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    if(source MATCHES "\\.cpp$" AND NOT source IN_LIST shardy_unity_apart)
      cmake_path(GET source PARENT_PATH folder)
      string(MD5 key ${folder})
      list(APPEND sources_${key} ${source})
      list(APPEND folders ${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    string(MD5 key ${folder})
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name ${name})
    list(LENGTH sources_${key} count)
    math(EXPR groups "(${count} + ${shardy_unity_size} - 1) / ${shardy_unity_size}")
    set(index 0)
    foreach(source IN LISTS sources_${key})
      math(EXPR group "${index} * ${groups} / ${count}")
      math(EXPR index "${index} + 1")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name}_${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
