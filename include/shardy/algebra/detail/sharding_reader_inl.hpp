// Bodies of text_form.hpp: shardings and what they are made of.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/algebra/text_form.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::detail {

/// The replicated and unreduced clauses of one sharding, as far as they were read.
struct ShardingClauses {
  std::optional<SpelledAxisList> replicated;
  std::optional<SpelledAxisList> unreduced;
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

SHARDY_INLINE Result<SpelledAxisRef> read_axis_ref(Scanner& scanner) {
  SHARDY_TRY(std::string name, scanner.string());
  if (!scanner.eat(':')) return SpelledAxisRef{std::move(name), std::nullopt};
  SHARDY_TRY(const SubAxis sub, read_sub_axis(scanner));
  return SpelledAxisRef{std::move(name), sub};
}

SHARDY_INLINE Result<SpelledAxisList> read_axis_list(Scanner& scanner) {
  SpelledAxisList axes;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(
      read_list(scanner, "}", [&] { return read_into(scanner, axes, read_axis_ref); }));
  return axes;
}

/// After the `{`; returns with the `}` read.
SHARDY_INLINE Status read_dim_axes(Scanner& scanner, SpelledDim& dim) {
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

SHARDY_INLINE Result<SpelledDim> read_dim(Scanner& scanner) {
  SpelledDim dim;
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

/// After the comma.
SHARDY_INLINE Status read_clause(Scanner& scanner, ShardingClauses& clauses) {
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

/// `, replicated={"x"}, unreduced={"y"}`, each at most once.
SHARDY_INLINE Status read_clauses(Scanner& scanner, SpelledSharding& sharding) {
  ShardingClauses clauses;
  while (scanner.eat(',')) {
    SHARDY_TRY_STATUS(read_clause(scanner, clauses));
  }
  sharding.replicated = std::move(clauses.replicated).value_or(SpelledAxisList{});
  sharding.unreduced = std::move(clauses.unreduced).value_or(SpelledAxisList{});
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

SHARDY_INLINE Result<MeshOrRef> TextForm<shardy::SpelledSharding>::read_mesh_or_ref(
    Scanner& scanner, AttributeAliases* aliases) {
  if (scanner.peek() == '@') return scanner.symbol();
  if (scanner.eat("mesh")) return TextForm<Mesh>::read(scanner, aliases);
  if (scanner.peek() == '#') return read_value<Mesh>(scanner, aliases);
  return scanner.expected("'@' or 'mesh'");
}

SHARDY_INLINE Result<SpelledSharding> TextForm<shardy::SpelledSharding>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY(MeshOrRef mesh, read_mesh_or_ref(scanner, aliases));
  SpelledSharding sharding{std::move(mesh), {}};
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

SHARDY_INLINE Result<SpelledShardings> TextForm<shardy::SpelledShardings>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY(SpelledShardings shardings, detail::read_values<SpelledSharding>(scanner, aliases));
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

SHARDY_INLINE Result<SpelledAllToAll> TextForm<shardy::SpelledAllToAll>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
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

SHARDY_INLINE Result<SpelledAxisLists> TextForm<SpelledAxisLists>::read(Scanner& scanner,
                                                                        AttributeAliases* aliases) {
  return detail::read_values<SpelledAxisList>(scanner, aliases);
}

SHARDY_INLINE Result<SpelledAllToAlls> TextForm<SpelledAllToAlls>::read(Scanner& scanner,
                                                                        AttributeAliases* aliases) {
  return detail::read_values<SpelledAllToAll>(scanner, aliases);
}

}  // namespace shardy
