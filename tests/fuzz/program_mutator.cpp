#include "fuzz/program_mutator.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/text/mlir.hpp"

namespace fuzz {

using shardy::checking::Random;

namespace {

enum class TokenKind { Value, Symbol, String, Number, Word, Braces };

struct Token {
  TokenKind kind;
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.' ||
         c == '$';
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// `{"x", ?}`: braces that hold no other braces, on one line.
std::optional<std::size_t> end_of_braces(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find_first_of("{}\n", begin + 1);
  if (end == std::string_view::npos || text[end] != '}') return std::nullopt;
  return end + 1;
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    Token token{TokenKind::Word, at, at + 1};
    if (c == '%' || c == '@') {
      token.kind = c == '%' ? TokenKind::Value : TokenKind::Symbol;
      token.end = end_of_word(text, at + 1);
    } else if (c == '"') {
      token.kind = TokenKind::String;
      token.end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    } else if (is_digit(c)) {
      token.kind = TokenKind::Number;
      token.end = end_of_digits(text, at);
    } else if (is_word(c)) {
      token.end = end_of_word(text, at);
    } else if (c == '{' && end_of_braces(text, at)) {
      tokens.push_back({TokenKind::Braces, at, *end_of_braces(text, at)});
      ++at;
      continue;
    } else {
      ++at;
      continue;
    }
    tokens.push_back(token);
    at = token.end;
  }
  return tokens;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// The text with `name` in place of each token that is `old`.
std::string renamed(std::string_view text, std::string_view old, std::string_view name) {
  std::string result;
  std::size_t done = 0;
  for (const Token& token : tokens_of(text)) {
    if (token.begin < done || text.substr(token.begin, token.end - token.begin) != old) continue;
    result.append(text.substr(done, token.begin - done)).append(name);
    done = token.end;
  }
  return result.append(text.substr(done));
}

/// `%3 = op ... : tensor<4xf32>`: a line that defines one tensor, whose type it ends with.
struct Definition {
  std::size_t line;
  std::string name, type;
  std::size_t rank;
};

std::vector<Definition> definitions_in(const std::vector<std::string>& lines) {
  std::vector<Definition> found;
  for (std::size_t number = 0; number < lines.size(); ++number) {
    const std::string& line = lines[number];
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] != '%') continue;
    const std::size_t end = end_of_word(line, begin + 1);
    const std::size_t type = line.rfind(" tensor<");
    if (line.substr(end, 3) != " = " || type == std::string::npos) continue;
    const std::string text = line.substr(type + 1, line.find_last_not_of('\n') - type);
    const auto parsed = shardy::ir::parse_type(text);
    if (!parsed || !parsed->is_tensor()) continue;
    found.push_back({number, line.substr(begin, end - begin), text, parsed->dims().size()});
  }
  return found;
}

}  // namespace

std::optional<ProgramMutator> ProgramMutator::make(std::string text) {
  auto module = shardy::text::parse_mlir(text);
  if (!module) return std::nullopt;
  return ProgramMutator(std::move(text), *std::move(module));
}

void ProgramMutator::mutate(Random& random, int64_t count) {
  constexpr int kTries = 12;
  for (int64_t change = 0; change < count; ++change) {
    for (int tries = 0; tries < kTries && !accept(changed(random)); ++tries) {
    }
  }
}

bool ProgramMutator::accept(std::string text) {
  if (text.empty() || text == text_) return false;
  auto module = shardy::text::parse_mlir(text);
  if (!module) return false;
  text_ = std::move(text);
  module_ = *std::move(module);
  return true;
}

std::string ProgramMutator::changed(Random& random) const {
  switch (random.between(0, 5)) {
    case 0:
      return without_line(random);
    case 1:
    case 2:
      return with_sharded_value(random);
    default:
      return with_other_token(random);
  }
}

/// Another token of that kind, or a small number.
std::string ProgramMutator::with_other_token(Random& random) const {
  const std::vector<Token> tokens = tokens_of(text_);
  if (tokens.empty()) return {};
  const Token& old = random.pick(tokens);
  std::vector<Token> others;
  std::ranges::copy_if(tokens, std::back_inserter(others),
                       [&](const Token& token) { return token.kind == old.kind; });
  const Token& other = random.pick(others);
  std::string by = text_.substr(other.begin, other.end - other.begin);
  if (old.kind == TokenKind::Number && random.chance(2)) by = std::to_string(random.between(0, 6));
  if (old.kind == TokenKind::Braces && random.chance(3)) by = random.chance(2) ? "{}" : "{?}";
  return text_.substr(0, old.begin) + by + text_.substr(old.end);
}

std::string ProgramMutator::without_line(Random& random) const {
  std::vector<std::string> lines = lines_of(text_);
  lines[static_cast<std::size_t>(random.between(0, static_cast<int64_t>(lines.size()) - 1))] = "";
  return joined(lines);
}

/// `<@mesh, [..]>` on a mesh of the program; empty if it has none.
std::string ProgramMutator::sharding_text(Random& random, std::size_t rank) const {
  const std::vector<shardy::ir::OpId> meshes = module_.meshes();
  if (meshes.empty()) return {};
  const shardy::ir::OpId op = random.pick(meshes);
  const auto* mesh = module_.attribute<shardy::Mesh>(op, "mesh");
  if (mesh == nullptr || mesh->axes().empty()) return {};
  const auto summands =
      random.chance(4) ? shardy::checking::Summands::Some : shardy::checking::Summands::None;
  const shardy::TensorSharding sharding =
      shardy::checking::random_sharding(random, *mesh, rank, shardy::BoundAxes::none(), summands);
  return to_string(sharding.with_mesh({*mesh, std::string(module_.symbol_name(op))}));
}

/// A tensor goes through an op that has a sharding; later uses take the result, or some do.
std::string ProgramMutator::with_sharded_value(Random& random) const {
  std::vector<std::string> lines = lines_of(text_);
  const std::vector<Definition> definitions = definitions_in(lines);
  if (definitions.empty()) return {};
  const Definition& value = random.pick(definitions);
  const std::string sharding = sharding_text(random, value.rank);
  if (sharding.empty()) return {};
  const std::string name = "%mutated" + std::to_string(text_.size());
  static const std::vector<std::string> kOps = {
      "sdy.sharding_constraint VALUE SHARDING", "sdy.reshard VALUE SHARDING",
      "sdy.propagation_barrier VALUE allowed_direction=FORWARD",
      "stablehlo.negate VALUE {sdy.sharding = #sdy.sharding_per_value<[SHARDING]>}"};
  std::string op = random.pick(kOps);
  const auto put = [&](std::string_view word, const std::string& by) {
    const std::size_t at = op.find(word);
    if (at != std::string::npos) op.replace(at, word.size(), by);
  };
  put("VALUE", value.name);
  put("SHARDING", sharding);
  for (std::size_t line = value.line + 1; line < lines.size(); ++line) {
    if (!random.chance(4)) lines[line] = renamed(lines[line], value.name, name);
  }
  lines[value.line] += name + " = " + op + " : " + value.type + "\n";
  return joined(lines);
}

}  // namespace fuzz
