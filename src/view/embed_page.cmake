# Writes a source file with the files of the page: cmake -DOUT=FILE.cpp -DPAGE=FOLDER -DD3=FILE -DD3_LICENCE=FILE
# -DDAGRE=FILE -DDAGRE_LICENCE=FILE -P embed_page.cmake. An empty D3 or DAGRE is a package that was not found.
cmake_minimum_required(VERSION 3.25)

set(arrays "")
set(rows "")
set(missing "")
set(count 0)

# Adds the file at `path` under `name`. Scripts and styles must not end the element that holds them.
function(add_page_file name path)
  file(READ ${path} text)
  foreach(end IN ITEMS "</[sS][cC][rR][iI][pP][tT]" "</[sS][tT][yY][lL][eE]" "<!--")
    if(NOT name STREQUAL "page.html" AND text MATCHES "${end}")
      message(FATAL_ERROR "${path}: a file of the page must not contain ${end}")
    endif()
  endforeach()
  file(READ ${path} hex HEX)
  file(SHA256 ${path} digest)
  file(SIZE ${path} size)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  set(arrays "${arrays}constexpr unsigned char kFile${count}[] = {${bytes}0};\n" PARENT_SCOPE)
  set(rows "${rows}    {\"${name}\", text_of(kFile${count}, ${size}), \"${digest}\"},\n" PARENT_SCOPE)
  math(EXPR count "${count} + 1")
  set(count ${count} PARENT_SCOPE)
endfunction()

# Adds a library after its licence. Its file is made beside OUT, as the digest is that of all.
macro(add_library_file name path licence package)
  if("${path}" STREQUAL "" OR NOT EXISTS "${path}")
    string(APPEND missing "    \"${package}\",\n")
  else()
    file(READ ${path} script)
    set(terms "")
    if(EXISTS "${licence}")
      file(READ ${licence} terms)
      string(REPLACE "*/" "* /" terms "${terms}")
    endif()
    file(WRITE ${OUT}.${name} "/*\n${name}, as Debian's package ${package} has it.\n\n${terms}*/\n${script}")
    add_page_file(library/${name} ${OUT}.${name})
  endif()
endmacro()

add_page_file(page.html ${PAGE}/page.html)
add_library_file(d3.min.js "${D3}" "${D3_LICENCE}" node-d3)
add_library_file(dagre.min.js "${DAGRE}" "${DAGRE_LICENCE}" node-dagre-layout)
file(STRINGS ${PAGE}/files.txt names)
foreach(name IN LISTS names)
  add_page_file(${name} ${PAGE}/${name})
endforeach()

file(
  WRITE ${OUT}
  "// Made by embed_page.cmake.
#include \"view/page_files.hpp\"

namespace shardy::view {

namespace {

${arrays}
std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

const PageFile kFiles[] = {
${rows}};
constexpr std::string_view kMissing[] = {
${missing}    \"\"};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }
std::span<const std::string_view> missing_packages() {
  return std::span(kMissing).first(std::size(kMissing) - 1);
}

}  // namespace shardy::view
")
