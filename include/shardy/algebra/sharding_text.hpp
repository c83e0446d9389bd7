#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/text_form.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <shardy/support/tight_list.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// One sharding per value: results, operands or block arguments. Text: `<[<@m, [{"a"}]>]>`.
using SpelledShardings = std::vector<SpelledSharding>;
/// Text: `[{"a"}, {}]`.
using SpelledAxisLists = std::vector<SpelledAxisList>;
/// Names of whole axes. Text: `{"a", "b"}`.
using ManualAxes = std::vector<std::string>;

/// Axes that an all-to-all moves from one dim to another. Text: `{"b"}: 0->2`.
struct SpelledAllToAll {
  SpelledAxisList axes;
  int64_t source_dim = 0;
  int64_t target_dim = 0;

  friend bool operator==(const SpelledAllToAll&, const SpelledAllToAll&) = default;
  friend std::strong_ordering operator<=>(const SpelledAllToAll&, const SpelledAllToAll&) = default;
};
using SpelledAllToAlls = std::vector<SpelledAllToAll>;

inline std::string to_string(const SpelledShardings& shardings) {
  return "<[" + detail::joined(shardings) + "]>";
}
inline std::string to_string(const SpelledAxisLists& lists) {
  return "[" + detail::joined(lists) + "]";
}
inline std::string to_string(const SpelledAllToAll& param) {
  return to_string(param.axes) + ": " + std::to_string(param.source_dim) + "->" +
         std::to_string(param.target_dim);
}
inline std::string to_string(const SpelledAllToAlls& params) {
  return "[" + detail::joined(params) + "]";
}
inline std::string manual_axes_text(const ManualAxes& names) {
  return "{" + detail::joined(names, [](const std::string& name) { return in_quotes(name); }) + "}";
}

namespace detail {

inline Result<MeshAxis> read_mesh_axis(Scanner& scanner) {
  SHARDY_TRY(std::string name, scanner.string());
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(const int64_t size, scanner.int64());
  return MeshAxis{std::move(name), size};
}

inline Result<SubAxis> read_sub_axis(Scanner& scanner) {
  SHARDY_TRY_STATUS(scanner.expect("("));
  SHARDY_TRY(const int64_t pre, scanner.int64());
  SHARDY_TRY_STATUS(scanner.expect(")"));
  SHARDY_TRY(const int64_t size, scanner.int64());
  return SubAxis{pre, size};
}

inline Result<SpelledAxisRef> read_axis_ref(Scanner& scanner) {
  SHARDY_TRY(std::string name, scanner.string());
  if (!scanner.eat(':')) return SpelledAxisRef{std::move(name), std::nullopt};
  SHARDY_TRY(const SubAxis sub, read_sub_axis(scanner));
  return SpelledAxisRef{std::move(name), sub};
}

/// Appends what `read_one(scanner) -> Result<T>` reads to `list`.
template <class T, class Read>
Status read_into(Scanner& scanner, std::vector<T>& list, Read read_one) {
  SHARDY_TRY(T element, read_one(scanner));
  append_read(list, std::move(element), scanner.text(), scanner.raw_position());
  return {};
}

inline Result<SpelledAxisList> read_axis_list(Scanner& scanner) {
  SpelledAxisList axes;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(
      read_list(scanner, "}", [&] { return read_into(scanner, axes, read_axis_ref); }));
  return axes;
}

/// After the `{`; returns with the `}` read.
inline Status read_dim_axes(Scanner& scanner, SpelledDim& dim) {
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

inline Result<int64_t> read_priority(Scanner& scanner) {
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

inline Result<SpelledDim> read_dim(Scanner& scanner) {
  SpelledDim dim;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_dim_axes(scanner, dim));
  if (scanner.at_ident()) {
    SHARDY_TRY(dim.priority, read_priority(scanner));
  }
  return dim;
}

/// The replicated and unreduced clauses of one sharding, as far as they were read.
struct ShardingClauses {
  std::optional<SpelledAxisList> replicated;
  std::optional<SpelledAxisList> unreduced;
  ReductionOp reduction_op = ReductionOp::Sum;
};

inline ReductionOp read_reduction_op(Scanner& scanner) {
  for (const ReductionOp op : {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min}) {
    if (scanner.eat(to_string(op))) return op;
  }
  return ReductionOp::Sum;
}

/// After the comma.
inline Status read_clause(Scanner& scanner, ShardingClauses& clauses) {
  const std::size_t start = scanner.position();
  const bool is_replicated = scanner.eat("replicated");
  if (!is_replicated && !scanner.eat("unreduced")) {
    return scanner.error("expected valid named axis list after comma");
  }
  std::optional<SpelledAxisList>& axes = is_replicated ? clauses.replicated : clauses.unreduced;
  if (axes) return scanner.error_at(start, "duplicate clause");
  if (is_replicated) {
    SHARDY_TRY_STATUS(scanner.expect("="));
  } else if (scanner.eat('=')) {
    clauses.reduction_op = read_reduction_op(scanner);
  }
  SHARDY_TRY(axes, read_axis_list(scanner));
  // An empty clause is as good as none.
  if (!is_replicated && axes->empty()) clauses.reduction_op = ReductionOp::Sum;
  return {};
}

}  // namespace detail

template <>
struct TextForm<MeshAxis> {
  static constexpr std::string_view kMnemonic = "mesh_axis";
  static constexpr bool kBracketed = false;
  static Result<MeshAxis> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    const std::size_t start = scanner.position();
    SHARDY_TRY(MeshAxis axis, detail::read_mesh_axis(scanner));
    if (axis.size >= 1) return axis;
    return scanner.error_at(start,
                            "axis size must be at least 1, got: " + std::to_string(axis.size));
  }
  static std::string print(const MeshAxis& axis) { return to_string(axis); }
};

namespace detail {

/// `["a"=2, "b"=4]`
inline Result<std::vector<MeshAxis>> read_mesh_axes(Scanner& scanner) {
  std::vector<MeshAxis> axes;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(
      read_list(scanner, "]", [&] { return read_into(scanner, axes, read_mesh_axis); }));
  return axes;
}

/// `device_ids=[1, 0]`, at least one.
inline Result<std::vector<int64_t>> read_device_ids(Scanner& scanner) {
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(scanner.expect("device_ids"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (!scanner.at_int()) return scanner.expected("an integer");
  SHARDY_TRY_STATUS(read_list(
      scanner, "]", [&] { return read_into(scanner, ids, [](Scanner& s) { return s.int64(); }); }));
  return ids;
}

}  // namespace detail

template <>
struct TextForm<Mesh> {
  static constexpr std::string_view kMnemonic = "mesh";
  static constexpr bool kBracketed = true;
  static Result<Mesh> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    const std::size_t start = scanner.position();
    SHARDY_TRY_STATUS(scanner.expect("<"));
    SHARDY_TRY(std::vector<MeshAxis> axes, detail::read_mesh_axes(scanner));
    std::vector<int64_t> ids;
    if (scanner.eat(',')) {
      SHARDY_TRY(ids, detail::read_device_ids(scanner));
    }
    SHARDY_TRY_STATUS(scanner.expect(">"));
    return Mesh::make(std::move(axes), std::move(ids)).map_error([&](Error error) {
      error.at = scanner.location(start);
      return error;
    });
  }
  static std::string print(const Mesh& mesh) { return to_string(mesh); }
};

template <>
struct TextForm<SubAxis> {
  static constexpr std::string_view kMnemonic = "sub_axis_info";
  static constexpr bool kBracketed = false;
  static Result<SubAxis> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_sub_axis(scanner);
  }
  static std::string print(const SubAxis& sub) { return to_string(sub); }
};

template <>
struct TextForm<SpelledAxisRef> {
  static constexpr std::string_view kMnemonic = "axis_ref";
  static constexpr bool kBracketed = false;
  static Result<SpelledAxisRef> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_axis_ref(scanner);
  }
  static std::string print(const SpelledAxisRef& ref) { return to_string(ref); }
};

template <>
struct TextForm<SpelledAxisList> {
  static constexpr std::string_view kMnemonic = "axis_ref_list";
  static constexpr bool kBracketed = false;
  static Result<SpelledAxisList> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_axis_list(scanner);
  }
  static std::string print(const SpelledAxisList& axes) { return to_string(axes); }
};

template <>
struct TextForm<SpelledDim> {
  static constexpr std::string_view kMnemonic = "dimension_sharding";
  static constexpr bool kBracketed = false;
  static Result<SpelledDim> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_dim(scanner);
  }
  static std::string print(const SpelledDim& dim) { return to_string(dim); }
};

template <>
struct TextForm<SpelledSharding> {
  static constexpr std::string_view kMnemonic = "sharding";
  static constexpr bool kBracketed = true;
  static Result<MeshOrRef> read_mesh_or_ref(Scanner& scanner, AttributeAliases* aliases) {
    if (scanner.peek() == '@') return scanner.symbol();
    if (scanner.eat("mesh")) return TextForm<Mesh>::read(scanner, aliases);
    if (scanner.peek() == '#') return read_value<Mesh>(scanner, aliases);
    return scanner.expected("'@' or 'mesh'");
  }
  static Result<SpelledSharding> read(Scanner& scanner, AttributeAliases* aliases) {
    SHARDY_TRY_STATUS(scanner.expect("<"));
    SHARDY_TRY(MeshOrRef mesh, read_mesh_or_ref(scanner, aliases));
    SpelledSharding sharding{std::move(mesh), {}};
    SHARDY_TRY_STATUS(scanner.expect(","));
    SHARDY_TRY_STATUS(scanner.expect("["));
    SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
      if (sharding.dims.size() == kMaxRank) return scanner.error(too_many_dims());
      return detail::read_into(scanner, sharding.dims, detail::read_dim);
    }));
    detail::ShardingClauses clauses;
    while (scanner.eat(',')) {
      SHARDY_TRY_STATUS(detail::read_clause(scanner, clauses));
    }
    SHARDY_TRY_STATUS(scanner.expect(">"));
    sharding.replicated = std::move(clauses.replicated).value_or(SpelledAxisList{});
    sharding.unreduced = std::move(clauses.unreduced).value_or(SpelledAxisList{});
    sharding.reduction_op = clauses.reduction_op;
    return sharding;
  }
  static std::string print(const SpelledSharding& sharding) { return to_string(sharding); }
};

namespace detail {

/// `[ element, ... ]` where each element may stand in its long form or as an alias.
template <class T>
Result<std::vector<T>> read_values(Scanner& scanner, AttributeAliases* aliases) {
  std::vector<T> values;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&] {
    return read_into(scanner, values, [&](Scanner& s) { return read_value<T>(s, aliases); });
  }));
  return values;
}

}  // namespace detail

template <>
struct TextForm<SpelledShardings> {
  static constexpr std::string_view kMnemonic = "sharding_per_value";
  static constexpr bool kBracketed = true;
  static Result<SpelledShardings> read(Scanner& scanner, AttributeAliases* aliases) {
    SHARDY_TRY_STATUS(scanner.expect("<"));
    SHARDY_TRY(SpelledShardings shardings, detail::read_values<SpelledSharding>(scanner, aliases));
    SHARDY_TRY_STATUS(scanner.expect(">"));
    return shardings;
  }
  static std::string print(const SpelledShardings& shardings) { return to_string(shardings); }
};

template <>
struct TextForm<SpelledAxisLists> {
  static constexpr std::string_view kMnemonic = "list_of_axis_ref_lists";
  static constexpr bool kBracketed = false;
  static Result<SpelledAxisLists> read(Scanner& scanner, AttributeAliases* aliases) {
    return detail::read_values<SpelledAxisList>(scanner, aliases);
  }
  static std::string print(const SpelledAxisLists& lists) { return to_string(lists); }
};

template <>
struct TextForm<ManualAxes> {
  static constexpr std::string_view kMnemonic = "manual_axes";
  static constexpr bool kBracketed = false;
  static Result<ManualAxes> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    ManualAxes names;
    SHARDY_TRY_STATUS(scanner.expect("{"));
    SHARDY_TRY_STATUS(read_list(scanner, "}", [&] {
      return detail::read_into(scanner, names, [](Scanner& s) { return s.string(); });
    }));
    return names;
  }
  static std::string print(const ManualAxes& names) { return manual_axes_text(names); }
};

template <>
struct TextForm<SpelledAllToAll> {
  static constexpr std::string_view kMnemonic = "all_to_all_param";
  static constexpr bool kBracketed = false;
  static Result<SpelledAllToAll> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    SpelledAllToAll param;
    const std::size_t start = scanner.position();
    SHARDY_TRY(param.axes, detail::read_axis_list(scanner));
    if (param.axes.empty()) return scanner.error_at(start, "expected at least one axis");
    SHARDY_TRY_STATUS(scanner.expect(":"));
    SHARDY_TRY(param.source_dim, scanner.int64());
    SHARDY_TRY_STATUS(scanner.expect("->"));
    SHARDY_TRY(param.target_dim, scanner.int64());
    return param;
  }
  static std::string print(const SpelledAllToAll& param) { return to_string(param); }
};

template <>
struct TextForm<SpelledAllToAlls> {
  static constexpr std::string_view kMnemonic = "all_to_all_param_list";
  static constexpr bool kBracketed = false;
  static Result<SpelledAllToAlls> read(Scanner& scanner, AttributeAliases* aliases) {
    return detail::read_values<SpelledAllToAll>(scanner, aliases);
  }
  static std::string print(const SpelledAllToAlls& params) { return to_string(params); }
};

}  // namespace shardy

template <>
struct std::hash<shardy::SpelledAllToAll> {
  std::size_t operator()(const shardy::SpelledAllToAll& param) const noexcept {
    return shardy::hash_combine(shardy::hash_range(param.axes),
                                shardy::hash_of(param.source_dim, param.target_dim));
  }
};
