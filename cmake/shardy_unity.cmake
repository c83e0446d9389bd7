# A full build that reads the headers once for many sources: the sources of a folder are compiled together, twelve at a
# time. Two files of one folder must not have helpers of one name then; files named here stay by themselves: for
# their names, for compile options of their own, or as they compile the bodies of a layer's headers.
set(shardy_unity_size 12)
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
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    string(MD5 key ${folder})
    if(NOT source MATCHES "\\.cpp$" OR source IN_LIST shardy_unity_apart)
      continue()
    endif()
    if(NOT DEFINED count_${key})
      set(count_${key} 0)
    endif()
    math(EXPR part "${count_${key}} / ${shardy_unity_size}")
    math(EXPR count_${key} "${count_${key}} + 1")
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name ${name})
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP
                                                                                ${name}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
