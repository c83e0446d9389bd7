// Rules of decompositions and solvers: batch dims pass through, the last two dims do not.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

namespace detail {

void add_batch(RuleBuilder& builder, Shape shape);

inline Factor replicated(int64_t size) {
  return {.size = size, .kind = FactorKind::NeedReplication};
}

}  // namespace detail

/// Example: 6x4x4: `([i, j, k])->([i, j, k]) {i=6, j=4, k=4} need_replication={j, k}`.
/// Spec: rules 8.6.
Result<OpShardingRule> cholesky_rule(Shape shape);

/// Options of a triangular_solve.
struct TriangularSolveOptions {
  bool left_side = false;     // whether `a` is on the left of the unknown
  bool transposes_a = false;  // whether `a` is transposed, or its adjoint is taken
};

/// The result has the shape of `b`.
///
/// Example: 6x4x4 on the left of 6x4x7:
/// `([i, j, l], [i, j, k])->([i, l, k]) {i=6, j=4, k=7, l=4} need_replication={j, k, l}`.
/// Spec: rules 8.27.
Result<OpShardingRule> triangular_solve_rule(Shape a, Shape b,
                                             const TriangularSolveOptions& options);

/// Eigenvectors and eigenvalues. Example: 8x4x4 -> 8x4x4, 8x4:
/// `([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}`. Spec: rules 8.10.
Result<OpShardingRule> eigh_rule(Shape shape);

/// The matrix and the list of scalar factors, `taus`, of a QR decomposition.
///
/// Example: 6x5x3 -> 6x5x3, 6x3: `([i, j, k])->([i, j, k], [i, l]) {i=6, j=5, k=3, l=3}
/// need_replication={j, k, l}`. Spec: rules 8.10.
Result<OpShardingRule> qr_rule(Shape shape, Shape taus);

/// Example: 6x5x3, 6x2 -> 6x5x3: `([i, j, k], [i, l])->([i, j, k]) {i=6, j=5, k=3, l=2}
/// need_replication={j, k, l}`. Spec: rules 8.10.
Result<OpShardingRule> householder_product_rule(Shape shape, Shape taus);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <optional>
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
#endif  // SHARDY_BODIES
