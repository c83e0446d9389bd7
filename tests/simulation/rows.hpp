// Tables of operands and results of ops in text. A row has one element of each operand and result.
//
//   # comment
//   add i8 ui8           an op; the rows below are run with each of these types for all operands
//   127 1 = -128
//   convert f32 -> i8    the element type of the result, if it differs
//   compare.LT.TOTALORDER f32 -> i1
//   exponential complex<f32>
//   0 0 = 1 0            two numbers per complex element
#pragma once

#include <fstream>
#include <optional>
#include <shardy/ir/detail/number.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "simulation/programs.hpp"

namespace shardy_test {

/// The numbers of one element: one number, or the real and the imaginary part.
using ElementText = std::vector<std::string>;

struct Row {
  int line = 0;
  std::vector<ElementText> operands;
  ElementText result;
};

struct RowGroup {
  std::string op;  // "compare.LT", "chlo.erf"; other ops have no dialect prefix
  std::vector<ElementType> types;
  std::optional<ElementType> result;
  std::vector<Row> rows;
};

inline ElementType element_named(const std::string& name) {
  const auto element = shardy::ir::parse_element_type(name);
  if (!element) FAIL("no element type: " + name);
  return *element;
}

inline RowGroup parse_header(const std::vector<std::string>& words) {
  RowGroup group{words.front(), {}, std::nullopt, {}};
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == "->") {
      group.result = element_named(words.at(at + 1));
      break;
    }
    group.types.push_back(element_named(words[at]));
  }
  return group;
}

inline std::vector<ElementText> grouped(const std::vector<std::string>& words, std::size_t size) {
  std::vector<ElementText> elements;
  for (std::size_t at = 0; at < words.size(); at += size) {
    elements.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(at),
                          words.begin() + static_cast<std::ptrdiff_t>(at + size));
  }
  return elements;
}

inline std::size_t numbers_of(ElementType element) {
  return shardy::ir::is_complex(element) ? 2 : 1;
}

inline Row parse_row(const std::vector<std::string>& words, const RowGroup& group, int line) {
  const auto equals = std::find(words.begin(), words.end(), "=");
  const std::size_t size = numbers_of(group.types.front());
  return {line, grouped({words.begin(), equals}, size), {equals + 1, words.end()}};
}

inline std::vector<RowGroup> read_rows(const std::string& path) {
  std::ifstream file(path);
  if (!file) FAIL("cannot read " + path);
  std::vector<RowGroup> groups;
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    std::istringstream stream(text.substr(0, text.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (std::find(words.begin(), words.end(), "=") == words.end()) {
      groups.push_back(parse_header(words));
    } else {
      groups.back().rows.push_back(parse_row(words, groups.back(), line));
    }
  }
  return groups;
}

// ---- Elements ----------------------------------------------------------------------------------

inline void append_number(std::vector<std::byte>& bytes, const std::string& text,
                          ElementType element) {
  std::vector<std::byte> encoded;
  if (shardy::ir::is_float(element)) {
    encoded = shardy::ir::encode(std::strtod(text.c_str(), nullptr), element);
  } else if (text.front() == '-') {
    encoded = shardy::ir::encode_int(std::strtoll(text.c_str(), nullptr, 0), element);
  } else {
    const uint64_t value = std::strtoull(text.c_str(), nullptr, 0);
    encoded = shardy::ir::encode_int(static_cast<int64_t>(value), element);
  }
  bytes.insert(bytes.end(), encoded.begin(), encoded.end());
}

inline ElementType real_part_type(ElementType element) {
  if (element == ElementType::Complex64) return ElementType::F32;
  return element == ElementType::Complex128 ? ElementType::F64 : element;
}

/// Returns a vector of these elements.
inline Tensor tensor_of(ElementType element, const std::vector<ElementText>& elements) {
  std::vector<std::byte> bytes;
  for (const ElementText& numbers : elements) {
    for (const std::string& number : numbers) append_number(bytes, number, real_part_type(element));
  }
  const auto count = static_cast<int64_t>(elements.size());
  const Result<Tensor> made = Tensor::make(Type::tensor({count}, element), bytes);
  REQUIRE(made);
  return *made;
}

/// Returns the vector of operand `index` of all rows.
inline Tensor operand_of(const RowGroup& group, ElementType element, std::size_t index) {
  std::vector<ElementText> elements;
  for (const Row& row : group.rows) elements.push_back(row.operands.at(index));
  return tensor_of(element, elements);
}

inline Tensor results_of(const RowGroup& group, ElementType element) {
  std::vector<ElementText> elements;
  for (const Row& row : group.rows) elements.push_back(row.result);
  return tensor_of(element, elements);
}

inline OpKind kind_named(const std::string& name) {
  const std::string full = name.starts_with("chlo.") ? name : "stablehlo." + name;
  for (const auto& row : shardy::ir::kOps) {
    if (row.name == full) return row.kind;
  }
  FAIL("no op: " + name);
  return OpKind::Unknown;
}

/// Splits "compare.LT.TOTALORDER" at the dots. The dialect `chlo.` is not a separate part.
inline std::vector<std::string> parts_of(const std::string& op) {
  std::vector<std::string> parts;
  std::istringstream stream(op);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  if (parts.front() == "chlo") return {op};
  return parts;
}

/// Runs the kernel once for all rows. Returns the vector of results.
inline Tensor run_rows(const RowGroup& group, ElementType element) {
  Tensors operands;
  for (std::size_t index = 0; index < group.rows.front().operands.size(); ++index) {
    operands.push_back(operand_of(group, element, index));
  }
  const std::vector<std::string> parts = parts_of(group.op);
  return evaluate_graph(operands, [&](GraphBuilder& graph, const Values& values) {
    if (parts[0] == "compare") {
      return Values{
          graph.compare(values[0], values[1], parts[1], parts.size() > 2 ? parts[2] : "")};
    }
    if (parts[0] == "convert") return Values{graph.convert(values[0], *group.result)};
    if (parts[0] == "reduce_precision") {
      return Values{graph.reduce_precision(values[0], std::stoll(parts[1]), std::stoll(parts[2]))};
    }
    return Values{graph.value_of({.kind = kind_named(group.op), .operands = values})};
  })[0];
}

}  // namespace shardy_test
