// Rules of decompositions and solvers: batch dims pass through, the last two dims do not.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>

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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/linear_inl.hpp>
#endif
