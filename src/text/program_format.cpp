#include "text/program_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace shardy::text {

namespace {

constexpr const char* kFromJax =
    "JAX prints the text of a program: jax.jit(f).lower(...).as_text()";

/// A kind of file that is not a program: its first bytes, its name, and how to get a program from
/// it.
struct FileKind {
  std::string_view magic;
  std::string_view what;
  std::string_view way_out;
};

using namespace std::string_view_literals;

constexpr std::array kBinaryKinds = {
    FileKind{"\x1F\x8B"sv, "is compressed by gzip", "decompress it with gunzip"},
    FileKind{"(\xB5\x2F\xFD"sv, "is compressed by zstd", "decompress it with unzstd"},
    FileKind{"PK\x03\x04"sv, "is a zip archive, not a program",
             "arrays of NumPy (.npz) are inputs: shardy run PROGRAM --input FILE.npz"},
    FileKind{"\x93NUMPY"sv, "is an array of NumPy, not a program",
             "arrays are inputs: shardy run PROGRAM --input FILE.npy"},
    FileKind{"\x7F"
             "ELF"sv,
             "is compiled code, not a program of tensors", ""},
    FileKind{"\xFF\xFE"sv, "is text in UTF-16",
             "programs are UTF-8: iconv -f UTF-16 -t UTF-8 FILE"},
    FileKind{"\xFE\xFF"sv, "is text in UTF-16",
             "programs are UTF-8: iconv -f UTF-16 -t UTF-8 FILE"}};

tl::unexpected<Error> refuse(std::string_view what, std::vector<std::string> notes) {
  std::erase(notes, std::string());
  return tl::unexpected(Error{.message = std::string(what), .notes = std::move(notes)});
}

constexpr std::string_view kBytecode = "ML\xEFR";

/// Returns the error for bytecode. A portable artifact of StableHLO has the name of its producer
/// after the version.
tl::unexpected<Error> refuse_bytecode(std::string_view text) {
  constexpr std::size_t kHead = 64;
  if (text.substr(0, kHead).find("StableHLO_v") != std::string_view::npos) {
    return refuse("is a portable artifact of StableHLO (bytecode), not text",
                  {"stablehlo-translate --deserialize FILE prints it as text", kFromJax});
  }
  return refuse("is bytecode of MLIR, not text",
                {"stablehlo-opt FILE prints it as text, or sdy_opt if it has sdy ops", kFromJax});
}

/// Checks whether the text has a zero byte or many bytes that are not printable.
bool is_binary(std::string_view text) {
  constexpr std::size_t kLooked = 4096;
  constexpr std::ptrdiff_t kMost = 8;
  const std::string_view begin = text.substr(0, kLooked);
  const auto is_hidden = [](char c) {
    return (c >= '\0' && c < '\t') || (c > '\r' && c < ' ' && c != '\x1B');
  };
  return begin.find('\0') != std::string_view::npos ||
         std::ranges::count_if(begin, is_hidden) > kMost;
}

/// Returns the first word of the text after blanks and comments.
std::string_view first_word(std::string_view text) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with("//")) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

bool looks_like_mlir(std::string_view text) {
  if (text.starts_with("#!")) return false;
  return begins_with_one_of(text, {"module", "func.", "builtin.", "sdy.", "stablehlo.", "\"builtin",
                                   "\"func", "\"sdy", "\"stablehlo", "#", "!", "%", "{-#"});
}

/// Checks whether the word may start an op: `a.b` or `"a.b"`.
bool may_be_an_op(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '"';
  };
  const std::string_view word(text.begin(), std::ranges::find_if_not(text, is_part));
  return word.find('.') != std::string_view::npos;
}

/// Returns the first line, or its beginning if it is long.
std::string quoted_beginning(std::string_view text) {
  constexpr std::size_t kMost = 40;
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return "`" + std::string(line.substr(0, kMost)) + (line.size() > kMost ? "..." : "") + "`";
}

}  // namespace

std::optional<Format> format_of(const std::string& path) {
  if (path.ends_with(".json")) return Format::Json;
  if (path.ends_with(".mlir")) return Format::Mlir;
  return std::nullopt;
}

Result<Format> format_of_text(std::string_view text, std::optional<Format> named) {
  if (text.starts_with(kBytecode)) return refuse_bytecode(text);
  for (const FileKind& kind : kBinaryKinds) {
    if (text.starts_with(kind.magic)) return refuse(kind.what, {std::string(kind.way_out)});
  }
  const std::string_view first = first_word(text);
  // The MLIR reader reports errors in such texts.
  if (looks_like_mlir(first)) return Format::Mlir;
  if (first.empty() && text.find("//") == std::string_view::npos) {
    return refuse(text.empty() ? "is empty" : "contains only white space",
                  {"programs are MLIR text or JSON graphs", kFromJax});
  }
  if (first.starts_with("HloModule")) {
    return refuse("is HLO text, not StableHLO",
                  {"hlo-translate --hlo-to-mlir FILE converts it to StableHLO",
                   "JAX prints StableHLO with lowered.as_text(), not with as_text(\"hlo\") or "
                   "compiled.as_text()"});
  }
  if (first.starts_with("{ lambda")) {
    return refuse("is a jaxpr, not StableHLO", {kFromJax});
  }
  if (begins_with_one_of(first, {"{", "["})) return Format::Json;
  if (is_binary(text)) {
    return refuse("is not text: it contains bytes of binary files",
                  {"programs are MLIR text or JSON graphs", kFromJax});
  }
  if (named) return *named;
  if (first.empty() || may_be_an_op(first)) return Format::Mlir;
  return refuse("is neither MLIR text nor JSON: it begins with " + quoted_beginning(first),
                {"programs are MLIR text or JSON graphs", kFromJax});
}

}  // namespace shardy::text
