// Text form of each attribute type, for parsers of larger texts: `read_value<T>(scanner, aliases)`
// and `attribute_text(value)`. Spec: algebra 10.
#pragma once

#include <cstdint>
#include <shardy/algebra/detail/attribute_text.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

namespace detail {

Result<MeshAxis> read_mesh_axis(Scanner& scanner);

Result<SubAxis> read_sub_axis(Scanner& scanner);

Result<UnresolvedAxisRef> read_axis_ref(Scanner& scanner);

/// Appends the result of `read_one(scanner) -> Result<T>` to `list`.
template <class T, class Read>
Status read_into(Scanner& scanner, std::vector<T>& list, Read read_one) {
  SHARDY_TRY(T element, read_one(scanner));
  list.push_back(std::move(element));
  return {};
}

Result<UnresolvedAxisList> read_axis_list(Scanner& scanner);

Result<UnresolvedDim> read_dim(Scanner& scanner);

/// Reads `["a"=2, "b"=4]`.
Result<std::vector<MeshAxis>> read_mesh_axes(Scanner& scanner);

/// Reads `device_ids=[1, 0]` with at least one id.
Result<std::vector<int64_t>> read_device_ids(Scanner& scanner);

/// Reads `[ element, ... ]`. Elements may be written as `#sdy.name<...>` or as aliases.
template <class T>
Result<std::vector<T>> read_values(Scanner& scanner, AttributeAliases* aliases) {
  std::vector<T> values;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&] {
    return read_into(scanner, values, [&](Scanner& s) { return read_value<T>(s, aliases); });
  }));
  return values;
}

/// Reads the factors of a dim. An empty dim, or `*`, has no factors; the rule is then invalid.
Result<DimMapping> read_dim_mapping(Scanner& scanner);

Result<TensorMapping> read_tensor_mapping(Scanner& scanner);

/// Reads `name={i, k}`; returns an empty list if the text does not continue with `name`.
Result<std::vector<int32_t>> read_group(Scanner& scanner, std::string_view name);

}  // namespace detail

template <>
struct TextForm<MeshAxis> {
  static constexpr std::string_view kMnemonic = "mesh_axis";
  static constexpr bool kBracketed = false;
  static Result<MeshAxis> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const MeshAxis& axis) { return to_string(axis); }
};

template <>
struct TextForm<Mesh> {
  static constexpr std::string_view kMnemonic = "mesh";
  static constexpr bool kBracketed = true;
  static Result<Mesh> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const Mesh& mesh) { return to_string(mesh); }
};

template <>
struct TextForm<SubAxis> {
  static constexpr std::string_view kMnemonic = "sub_axis_info";
  static constexpr bool kBracketed = false;
  static Result<SubAxis> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const SubAxis& sub) { return to_string(sub); }
};

template <>
struct TextForm<UnresolvedAxisRef> {
  static constexpr std::string_view kMnemonic = "axis_ref";
  static constexpr bool kBracketed = false;
  static Result<UnresolvedAxisRef> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const UnresolvedAxisRef& ref) { return to_string(ref); }
};

template <>
struct TextForm<UnresolvedAxisList> {
  static constexpr std::string_view kMnemonic = "axis_ref_list";
  static constexpr bool kBracketed = false;
  static Result<UnresolvedAxisList> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const UnresolvedAxisList& axes) { return to_string(axes); }
};

template <>
struct TextForm<UnresolvedDim> {
  static constexpr std::string_view kMnemonic = "dimension_sharding";
  static constexpr bool kBracketed = false;
  static Result<UnresolvedDim> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const UnresolvedDim& dim) { return to_string(dim); }
};

template <>
struct TextForm<UnresolvedSharding> {
  static constexpr std::string_view kMnemonic = "sharding";
  static constexpr bool kBracketed = true;
  /// Reads `@name` or `mesh<..>`. Errors: any other text, with line:column.
  static Result<MeshOrRef> read_mesh_or_ref(Scanner& scanner, AttributeAliases* aliases);
  static Result<UnresolvedSharding> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const UnresolvedSharding& sharding) { return to_string(sharding); }
};

template <>
struct TextForm<UnresolvedShardings> {
  static constexpr std::string_view kMnemonic = "sharding_per_value";
  static constexpr bool kBracketed = true;
  static Result<UnresolvedShardings> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const UnresolvedShardings& shardings) { return to_string(shardings); }
};

template <>
struct TextForm<UnresolvedAxisLists> {
  static constexpr std::string_view kMnemonic = "list_of_axis_ref_lists";
  static constexpr bool kBracketed = false;
  static Result<UnresolvedAxisLists> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const UnresolvedAxisLists& lists) { return to_string(lists); }
};

template <>
struct TextForm<ManualAxes> {
  static constexpr std::string_view kMnemonic = "manual_axes";
  static constexpr bool kBracketed = false;
  static Result<ManualAxes> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const ManualAxes& names) { return manual_axes_text(names); }
};

template <>
struct TextForm<UnresolvedAllToAll> {
  static constexpr std::string_view kMnemonic = "all_to_all_param";
  static constexpr bool kBracketed = false;
  static Result<UnresolvedAllToAll> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const UnresolvedAllToAll& param) { return to_string(param); }
};

template <>
struct TextForm<UnresolvedAllToAlls> {
  static constexpr std::string_view kMnemonic = "all_to_all_param_list";
  static constexpr bool kBracketed = false;
  static Result<UnresolvedAllToAlls> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const UnresolvedAllToAlls& params) { return to_string(params); }
};

template <>
struct TextForm<DimMapping> {
  static constexpr std::string_view kMnemonic = "dim_mapping";
  static constexpr bool kBracketed = false;
  static Result<DimMapping> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  /// The text begins with a space, which separates the symbols from the mnemonic.
  static std::string print(const DimMapping& dim) { return " " + to_string(dim); }
};

template <>
struct TextForm<TensorMapping> {
  static constexpr std::string_view kMnemonic = "tensor_mapping";
  static constexpr bool kBracketed = false;
  static Result<TensorMapping> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const TensorMapping& mapping) { return to_string(mapping); }
};

/// The text form of the unvalidated parts of a rule.
template <>
struct TextForm<OpShardingRuleParts> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRuleParts> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const OpShardingRuleParts& parts) { return to_string(parts); }
};

template <>
struct TextForm<OpShardingRule> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRule> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const OpShardingRule& rule) { return to_string(rule); }
};

template <>
struct TextForm<PropagationEdges> {
  static constexpr std::string_view kMnemonic = "propagation_edges";
  static constexpr bool kBracketed = true;
  static Result<PropagationEdges> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const PropagationEdges& edges) { return to_string(edges); }
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <limits>
#include <optional>

namespace shardy::detail {

/// Reads `name-3` and returns 3.
SHARDY_INLINE Result<int64_t> read_numbered(Scanner& scanner, std::string_view name) {
  SHARDY_TRY_STATUS(scanner.expect(name));
  SHARDY_TRY_STATUS(scanner.expect("-"));
  return scanner.int64();
}

SHARDY_INLINE Result<EdgeValueRef> read_edge_value(Scanner& scanner) {
  const bool is_operand = scanner.rest().starts_with("operand");
  if (!is_operand && !scanner.rest().starts_with("result")) {
    return scanner.expected("'operand' or 'result'");
  }
  SHARDY_TRY(const int64_t index, read_numbered(scanner, is_operand ? "operand" : "result"));
  return EdgeValueRef{is_operand ? EdgeValueRef::Kind::Operand : EdgeValueRef::Kind::Result, index};
}

SHARDY_INLINE Result<AxisEdge> read_axis_edge(Scanner& scanner) {
  AxisEdge edge;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY(edge.axis, read_axis_ref(scanner));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(edge.source, read_edge_value(scanner));
  SHARDY_TRY_STATUS(scanner.expect("->"));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (scanner.peek() == ']') return scanner.expected("'operand' or 'result'");
  SHARDY_TRY_STATUS(
      read_list(scanner, "]", [&] { return read_into(scanner, edge.targets, read_edge_value); }));
  SHARDY_TRY_STATUS(scanner.expect("}"));
  return edge;
}

SHARDY_INLINE Result<PropagationStepEdges> read_step_edges(Scanner& scanner) {
  PropagationStepEdges step;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY(step.step, read_numbered(scanner, "step"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (scanner.peek() == ']') return scanner.expected("'{'");
  SHARDY_TRY_STATUS(
      read_list(scanner, "]", [&] { return read_into(scanner, step.edges, read_axis_edge); }));
  SHARDY_TRY_STATUS(scanner.expect("}"));
  return step;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<PropagationEdges> TextForm<shardy::PropagationEdges>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
  PropagationEdges edges;
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (scanner.peek() == ']') return scanner.expected("'{'");
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&] {
    return detail::read_into(scanner, edges.steps, detail::read_step_edges);
  }));
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return edges;
}

}  // namespace shardy

namespace shardy::detail {

/// A reader of the factors of one token. The token has no spaces.
class FactorReader {
 public:
  /// Requires: `text` starts at `position` of the scanner's text.
  FactorReader(const Scanner& scanner, std::size_t position, std::string_view text)
      : scanner_(&scanner), position_(position), text_(text) {}

  bool at_end() const { return text_.empty(); }

  Result<int32_t> next();

 private:
  Result<int32_t> numbered();

  tl::unexpected<Error> error(std::string message) const {
    return scanner_->error_at(position_, std::move(message));
  }
  void drop(std::size_t count) {
    text_.remove_prefix(count);
    position_ += count;
  }

  const Scanner* scanner_;
  std::size_t position_;
  std::string_view text_;
};

SHARDY_INLINE Result<int32_t> FactorReader::next() {
  if (text_.starts_with("z_")) return numbered();
  const char c = text_.front();
  if (c < 'i' || c > 'z') {
    return error("expecting symbol from 'i' to 'z'. Received: '" + std::string(1, c) + "'");
  }
  drop(1);
  return c - 'i';
}

SHARDY_INLINE Result<int32_t> FactorReader::numbered() {
  constexpr int32_t kNumLetters = 18;
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max() - (kNumLetters - 1);
  Scanner digits(text_.substr(2));
  const Result<int64_t> number = digits.decimal();
  if (text_.size() == 2 || !is_digit(text_[2]) || text_[2] == '0') {
    return error("expecting positive integer without leading zeros");
  }
  if (!number || *number > kLargest) return error("factor number is too large");
  drop(2 + digits.raw_position());
  return static_cast<int32_t>(*number + (kNumLetters - 1));
}

SHARDY_INLINE Result<FactorReader> factor_token(Scanner& scanner) {
  const std::size_t start = scanner.position();
  if (!scanner.at_ident()) return scanner.expected("a factor symbol");
  SHARDY_TRY(const std::string_view token, scanner.ident());
  return FactorReader(scanner, start, token);
}

SHARDY_INLINE Result<DimMapping> read_dim_mapping(Scanner& scanner) {
  DimMapping dim;
  if (scanner.eat('*') || scanner.peek() == ',' || scanner.peek() == ']') return dim;
  SHARDY_TRY(FactorReader factors, factor_token(scanner));
  while (!factors.at_end()) {
    SHARDY_TRY(const int32_t factor, factors.next());
    dim.push_back(factor);
  }
  return dim;
}

SHARDY_INLINE Result<TensorMapping> read_tensor_mapping(Scanner& scanner) {
  TensorMapping mapping;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    if (mapping.dims.size() == kMaxRank) return scanner.error(too_many_dims());
    SHARDY_TRY(DimMapping dim, read_dim_mapping(scanner));
    mapping.dims.push_back(std::move(dim));
    return {};
  }));
  return mapping;
}

/// Reads `([i], [j])` with at least one tensor.
SHARDY_INLINE Result<std::vector<TensorMapping>> read_tensor_mappings(Scanner& scanner) {
  std::vector<TensorMapping> mappings;
  SHARDY_TRY_STATUS(scanner.expect("("));
  do {
    SHARDY_TRY(TensorMapping mapping, read_tensor_mapping(scanner));
    mappings.push_back(std::move(mapping));
  } while (scanner.eat(','));
  SHARDY_TRY_STATUS(scanner.expect(")"));
  return mappings;
}

/// Reads a token that is exactly one factor symbol.
SHARDY_INLINE Result<int32_t> read_factor(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(FactorReader factors, factor_token(scanner));
  SHARDY_TRY(const int32_t factor, factors.next());
  if (factors.at_end()) return factor;
  return scanner.error_at(start, "expected one factor symbol");
}

/// Reads `{i=4, j=6}`: the sizes of factors 0, 1, ...
SHARDY_INLINE Result<std::vector<int64_t>> read_factor_sizes(Scanner& scanner) {
  std::vector<int64_t> sizes;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    const std::size_t start = scanner.position();
    SHARDY_TRY(const int32_t factor, read_factor(scanner));
    const auto expected = static_cast<int64_t>(sizes.size());
    if (factor != expected) {
      return scanner.error_at(start,
                              "expecting factor indices to be ordered like an iota ({0, 1, 2, "
                              "...}, e.g. {i=#, j=#, k=#}). Expecting '" +
                                  factor_symbol(expected) + "', received: '" +
                                  factor_symbol(factor) + "'");
    }
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(const int64_t size, scanner.int64());
    sizes.push_back(size);
    return {};
  }));
  return sizes;
}

SHARDY_INLINE Result<std::vector<int32_t>> read_group(Scanner& scanner, std::string_view name) {
  std::vector<int32_t> factors;
  if (!scanner.eat(name)) return factors;
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    SHARDY_TRY(const int32_t factor, read_factor(scanner));
    factors.push_back(factor);
    return {};
  }));
  return factors;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<OpShardingRuleParts> TextForm<shardy::OpShardingRuleParts>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
  OpShardingRuleParts parts;
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY(parts.operand_mappings, detail::read_tensor_mappings(scanner));
  SHARDY_TRY_STATUS(scanner.expect("->"));
  SHARDY_TRY(parts.result_mappings, detail::read_tensor_mappings(scanner));
  if (scanner.peek() == '{') {
    SHARDY_TRY(parts.factor_sizes, detail::read_factor_sizes(scanner));
  }
  SHARDY_TRY(parts.reduction, detail::read_group(scanner, "reduction"));
  SHARDY_TRY(parts.need_replication, detail::read_group(scanner, "need_replication"));
  SHARDY_TRY(parts.permutation, detail::read_group(scanner, "permutation"));
  SHARDY_TRY(parts.blocked, detail::read_group(scanner, "blocked_propagation"));
  parts.is_custom = scanner.eat(',');
  if (parts.is_custom) {
    SHARDY_TRY_STATUS(scanner.expect("custom"));
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return parts;
}

SHARDY_INLINE Result<OpShardingRule> TextForm<shardy::OpShardingRule>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(OpShardingRuleParts parts, TextForm<OpShardingRuleParts>::read(scanner, aliases));
  return OpShardingRule::make(std::move(parts)).map_error([&](Error error) {
    error.location = scanner.location(start);
    return error;
  });
}

}  // namespace shardy

namespace shardy::detail {

/// The replicated and unreduced clauses of a sharding that have been read.
struct ShardingClauses {
  std::optional<UnresolvedAxisList> replicated;
  std::optional<UnresolvedAxisList> unreduced;
  ReductionOp reduction_op = ReductionOp::Sum;
};

}  // namespace shardy::detail

namespace shardy::detail {

SHARDY_INLINE Result<MeshAxis> read_mesh_axis(Scanner& scanner) {
  SHARDY_TRY(std::string name, scanner.string());
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(const int64_t size, scanner.int64());
  return MeshAxis{std::move(name), size};
}

SHARDY_INLINE Result<SubAxis> read_sub_axis(Scanner& scanner) {
  SHARDY_TRY_STATUS(scanner.expect("("));
  SHARDY_TRY(const int64_t pre, scanner.int64());
  SHARDY_TRY_STATUS(scanner.expect(")"));
  SHARDY_TRY(const int64_t size, scanner.int64());
  return SubAxis{pre, size};
}

SHARDY_INLINE Result<UnresolvedAxisRef> read_axis_ref(Scanner& scanner) {
  SHARDY_TRY(std::string name, scanner.string());
  if (!scanner.eat(':')) return UnresolvedAxisRef{std::move(name), std::nullopt};
  SHARDY_TRY(const SubAxis sub, read_sub_axis(scanner));
  return UnresolvedAxisRef{std::move(name), sub};
}

SHARDY_INLINE Result<UnresolvedAxisList> read_axis_list(Scanner& scanner) {
  UnresolvedAxisList axes;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(
      read_list(scanner, "}", [&] { return read_into(scanner, axes, read_axis_ref); }));
  return axes;
}

/// Reads the axes of a dim after `{`, up to and including `}`.
SHARDY_INLINE Status read_dim_axes(Scanner& scanner, UnresolvedDim& dim) {
  dim.is_closed = true;
  if (scanner.eat('}')) return {};
  while (true) {
    if (scanner.eat('?')) {
      dim.is_closed = false;
      return scanner.expect("}");
    }
    SHARDY_TRY_STATUS(read_into(scanner, dim.axes, read_axis_ref));
    if (scanner.eat('}')) return {};
    if (!scanner.eat(',')) return scanner.expected("',' or '}'");
  }
}

SHARDY_INLINE Result<int64_t> read_priority(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(const std::string_view token, scanner.ident());
  const std::string_view number = token.substr(1);
  const bool is_number = !number.empty() && std::ranges::all_of(number, is_digit);
  if (token.front() != 'p' || !is_number) {
    return scanner.error_at(start,
                            "expecting priority in format 'p<number>', got: " + std::string(token));
  }
  if (number.size() > 1 && number.front() == '0') {
    return scanner.error_at(start, "priorities with leading zeros are not allowed");
  }
  Scanner digits(number);
  const Result<int64_t> priority = digits.decimal();
  if (!priority) return scanner.error_at(start, "expecting integer priority");
  return *priority;
}

SHARDY_INLINE Result<UnresolvedDim> read_dim(Scanner& scanner) {
  UnresolvedDim dim;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_dim_axes(scanner, dim));
  if (scanner.at_ident()) {
    SHARDY_TRY(dim.priority, read_priority(scanner));
  }
  return dim;
}

SHARDY_INLINE ReductionOp read_reduction_op(Scanner& scanner) {
  for (const ReductionOp op : {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min}) {
    if (scanner.eat(to_string(op))) return op;
  }
  return ReductionOp::Sum;
}

/// Reads one clause, after its comma.
SHARDY_INLINE Status read_clause(Scanner& scanner, ShardingClauses& clauses) {
  const std::size_t start = scanner.position();
  const bool is_replicated = scanner.eat("replicated");
  if (!is_replicated && !scanner.eat("unreduced")) {
    return scanner.error("expected valid named axis list after comma");
  }
  std::optional<UnresolvedAxisList>& axes = is_replicated ? clauses.replicated : clauses.unreduced;
  if (axes) return scanner.error_at(start, "duplicate clause");
  if (is_replicated) {
    SHARDY_TRY_STATUS(scanner.expect("="));
  } else if (scanner.eat('=')) {
    clauses.reduction_op = read_reduction_op(scanner);
  }
  SHARDY_TRY(axes, read_axis_list(scanner));
  // An empty clause is equivalent to a missing one.
  if (!is_replicated && axes->empty()) clauses.reduction_op = ReductionOp::Sum;
  return {};
}

/// Reads `, replicated={"x"}, unreduced={"y"}`. Each clause may occur once.
SHARDY_INLINE Status read_clauses(Scanner& scanner, UnresolvedSharding& sharding) {
  ShardingClauses clauses;
  while (scanner.eat(',')) {
    SHARDY_TRY_STATUS(read_clause(scanner, clauses));
  }
  sharding.replicated = std::move(clauses.replicated).value_or(UnresolvedAxisList{});
  sharding.unreduced = std::move(clauses.unreduced).value_or(UnresolvedAxisList{});
  sharding.reduction_op = clauses.reduction_op;
  return {};
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<MeshAxis> TextForm<shardy::MeshAxis>::read(Scanner& scanner,
                                                                AttributeAliases* /*aliases*/) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(MeshAxis axis, detail::read_mesh_axis(scanner));
  if (axis.size >= 1) return axis;
  return scanner.error_at(start, "axis size must be at least 1, got: " + std::to_string(axis.size));
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Result<std::vector<MeshAxis>> read_mesh_axes(Scanner& scanner) {
  std::vector<MeshAxis> axes;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(
      read_list(scanner, "]", [&] { return read_into(scanner, axes, read_mesh_axis); }));
  return axes;
}

SHARDY_INLINE Result<std::vector<int64_t>> read_device_ids(Scanner& scanner) {
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(scanner.expect("device_ids"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (!scanner.at_int()) return scanner.expected("an integer");
  SHARDY_TRY_STATUS(read_list(
      scanner, "]", [&] { return read_into(scanner, ids, [](Scanner& s) { return s.int64(); }); }));
  return ids;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<Mesh> TextForm<shardy::Mesh>::read(Scanner& scanner,
                                                        AttributeAliases* /*aliases*/) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY(std::vector<MeshAxis> axes, detail::read_mesh_axes(scanner));
  std::vector<int64_t> ids;
  if (scanner.eat(',')) {
    SHARDY_TRY(ids, detail::read_device_ids(scanner));
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return Mesh::make(std::move(axes), std::move(ids)).map_error([&](Error error) {
    error.location = scanner.location(start);
    return error;
  });
}

SHARDY_INLINE Result<MeshOrRef> TextForm<shardy::UnresolvedSharding>::read_mesh_or_ref(
    Scanner& scanner, AttributeAliases* aliases) {
  if (scanner.peek() == '@') return scanner.symbol();
  if (scanner.eat("mesh")) return TextForm<Mesh>::read(scanner, aliases);
  if (scanner.peek() == '#') return read_value<Mesh>(scanner, aliases);
  return scanner.expected("'@' or 'mesh'");
}

SHARDY_INLINE Result<UnresolvedSharding> TextForm<shardy::UnresolvedSharding>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY(MeshOrRef mesh, read_mesh_or_ref(scanner, aliases));
  UnresolvedSharding sharding{std::move(mesh), {}};
  SHARDY_TRY_STATUS(scanner.expect(","));
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    if (sharding.dims.size() == kMaxRank) return scanner.error(too_many_dims());
    return detail::read_into(scanner, sharding.dims, detail::read_dim);
  }));
  SHARDY_TRY_STATUS(detail::read_clauses(scanner, sharding));
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return sharding;
}

SHARDY_INLINE Result<UnresolvedShardings> TextForm<shardy::UnresolvedShardings>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY(UnresolvedShardings shardings,
             detail::read_values<UnresolvedSharding>(scanner, aliases));
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return shardings;
}

SHARDY_INLINE Result<ManualAxes> TextForm<shardy::ManualAxes>::read(Scanner& scanner,
                                                                    AttributeAliases* /*aliases*/) {
  ManualAxes names;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&] {
    return detail::read_into(scanner, names, [](Scanner& s) { return s.string(); });
  }));
  return names;
}

SHARDY_INLINE Result<UnresolvedAllToAll> TextForm<shardy::UnresolvedAllToAll>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
  UnresolvedAllToAll param;
  const std::size_t start = scanner.position();
  SHARDY_TRY(param.axes, detail::read_axis_list(scanner));
  if (param.axes.empty()) return scanner.error_at(start, "expected at least one axis");
  SHARDY_TRY_STATUS(scanner.expect(":"));
  SHARDY_TRY(param.source_dim, scanner.int64());
  SHARDY_TRY_STATUS(scanner.expect("->"));
  SHARDY_TRY(param.target_dim, scanner.int64());
  return param;
}

SHARDY_INLINE Result<UnresolvedAxisLists> TextForm<UnresolvedAxisLists>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  return detail::read_values<UnresolvedAxisList>(scanner, aliases);
}

SHARDY_INLINE Result<UnresolvedAllToAlls> TextForm<UnresolvedAllToAlls>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  return detail::read_values<UnresolvedAllToAll>(scanner, aliases);
}

}  // namespace shardy

namespace shardy {

SHARDY_INLINE Result<AttributeHead> read_attribute_head(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("#"));
  SHARDY_TRY(const std::string_view name, scanner.ident());
  if (name == "sdy" && scanner.eat('<')) {
    SHARDY_TRY(const std::string_view mnemonic, scanner.ident());
    return AttributeHead{{}, std::string(mnemonic), true};
  }
  if (name.starts_with("sdy.")) return AttributeHead{{}, std::string(name.substr(4)), false};
  if (name.find('.') == std::string_view::npos) return AttributeHead{std::string(name), {}, false};
  return scanner.error_at(
      start, "expected an attribute of the dialect sdy, found '#" + std::string(name) + "'");
}

SHARDY_INLINE Result<SubAxis> TextForm<SubAxis>::read(Scanner& scanner,
                                                      AttributeAliases* /*aliases*/) {
  return detail::read_sub_axis(scanner);
}

SHARDY_INLINE Result<UnresolvedAxisRef> TextForm<UnresolvedAxisRef>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
  return detail::read_axis_ref(scanner);
}

SHARDY_INLINE Result<UnresolvedAxisList> TextForm<UnresolvedAxisList>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
  return detail::read_axis_list(scanner);
}

SHARDY_INLINE Result<UnresolvedDim> TextForm<UnresolvedDim>::read(Scanner& scanner,
                                                                  AttributeAliases* /*aliases*/) {
  return detail::read_dim(scanner);
}

SHARDY_INLINE Result<DimMapping> TextForm<DimMapping>::read(Scanner& scanner,
                                                            AttributeAliases* /*aliases*/) {
  return detail::read_dim_mapping(scanner);
}

SHARDY_INLINE Result<TensorMapping> TextForm<TensorMapping>::read(Scanner& scanner,
                                                                  AttributeAliases* /*aliases*/) {
  return detail::read_tensor_mapping(scanner);
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Result<const Alias*> find_alias(std::string_view name,
                                              const AttributeAliases* aliases) {
  const auto unknown = [&] { return fail("unknown attribute alias: #" + std::string(name)); };
  if (aliases == nullptr) return unknown();
  const Alias* found = aliases->find(name);
  for (std::size_t hops = 0; hops <= aliases->size(); ++hops) {
    if (found == nullptr) return unknown();
    Scanner scanner(found->text);
    const Result<AttributeHead> head = read_attribute_head(scanner);
    if (!head || head->name.empty()) return found;
    found = aliases->find(head->name);
  }
  return fail("attribute alias refers to itself: #" + std::string(name));
}

}  // namespace shardy::detail
#endif  // SHARDY_BODIES
