// Bodies of linear.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/rules/linear.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <string>

namespace shardy::rules::detail {

SHARDY_INLINE Status verify_matrix(Shape shape, std::size_t rank, std::string_view what) {
  if (shape.size() >= 2 && shape.size() == rank) return {};
  return fail(std::string(what) + " must be matrices of one rank, got rank " +
              std::to_string(shape.size()));
}

SHARDY_INLINE void add_batch(RuleBuilder& builder, Shape shape) {
  for (std::size_t dim = 0; dim + 2 < shape.size(); ++dim) {
    builder.add_same(dim, {.size = shape[dim]});
  }
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> cholesky_rule(Shape shape) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, shape.size(), "operands"));
  RuleBuilder builder({shape.size()}, {shape.size()});
  detail::add_batch(builder, shape);
  for (std::size_t dim = shape.size() - 2; dim < shape.size(); ++dim) {
    builder.add_same(dim, detail::replicated(shape[dim]));
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> triangular_solve_rule(Shape a, Shape b,
                                                           const TriangularSolveOptions& options) {
  SHARDY_TRY_STATUS(detail::verify_matrix(a, b.size(), "operands"));
  RuleBuilder builder({a.size(), b.size()}, {b.size()});
  detail::add_batch(builder, a);
  const auto row = static_cast<int64_t>(a.size()) - 2;
  const int64_t column = row + 1;
  const auto size = [](Shape shape, int64_t dim) {
    return detail::replicated(shape[static_cast<std::size_t>(dim)]);
  };
  // The dim of `a` along which `b` is consumed, and the other one, which the result has instead.
  const bool consumes_column = options.left_side == options.transposes_a;
  const int64_t consumed = consumes_column ? column : row;
  const int64_t produced = consumes_column ? row : column;
  if (options.left_side) {
    builder.add({consumed, row}, {std::nullopt}, size(a, consumed));
    builder.add({std::nullopt, column}, {column}, size(b, column));
    builder.add({produced, std::nullopt}, {row}, size(a, produced));
  } else {
    builder.add({std::nullopt, row}, {row}, size(b, row));
    builder.add({consumed, column}, {std::nullopt}, size(a, consumed));
    builder.add({produced, std::nullopt}, {column}, size(a, produced));
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> eigh_rule(Shape shape) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, shape.size(), "operands"));
  const auto row = static_cast<int64_t>(shape.size()) - 2;
  RuleBuilder builder({shape.size()}, {shape.size(), shape.size() - 1});
  detail::add_batch(builder, shape);
  builder.add({row}, {row, std::nullopt}, {.size = shape[shape.size() - 2]});
  builder.add({row + 1}, {row + 1, row}, {.size = shape.back()});
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> qr_rule(Shape shape, Shape taus) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, taus.size() + 1, "operands"));
  const auto row = static_cast<int64_t>(shape.size()) - 2;
  RuleBuilder builder({shape.size()}, {shape.size(), taus.size()});
  detail::add_batch(builder, shape);
  builder.add({row}, {row, std::nullopt}, detail::replicated(shape[shape.size() - 2]));
  builder.add({row + 1}, {row + 1, std::nullopt}, detail::replicated(shape.back()));
  builder.add({std::nullopt}, {std::nullopt, row}, detail::replicated(taus.back()));
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> householder_product_rule(Shape shape, Shape taus) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, taus.size() + 1, "operands"));
  const auto row = static_cast<int64_t>(shape.size()) - 2;
  RuleBuilder builder({shape.size(), taus.size()}, {shape.size()});
  detail::add_batch(builder, shape);
  builder.add({row, std::nullopt}, {row}, detail::replicated(shape[shape.size() - 2]));
  builder.add({row + 1, std::nullopt}, {row + 1}, detail::replicated(shape.back()));
  builder.add({std::nullopt, row}, {std::nullopt}, detail::replicated(taus.back()));
  return builder.build();
}

}  // namespace shardy::rules
