// Rules of ops with structured attributes, read from an op: windows, gathers, solvers, collectives.
#pragma once

#include <cstdint>
#include <shardy/rules/bitcast.hpp>
#include <shardy/rules/linear.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_options.hpp>
#include <string_view>

namespace shardy::rules::detail {

RuleResult all_gather_of(const OpView& op, const RuleOptions&);

RuleResult reduce_scatter_of(const OpView& op, const RuleOptions&);

RuleResult all_to_all_of(const OpView& op, const RuleOptions&);

RuleResult batch_norm_inference_of(const OpView& op, const RuleOptions&);

inline RuleResult bitcast_of(const OpView& op, const RuleOptions&) {
  return bitcast_rule(op.operand_shape(0), op.result_shape());
}

inline RuleResult cholesky_of(const OpView& op, const RuleOptions&) {
  return cholesky_rule(op.operand_shape(0));
}

RuleResult convolution_of(const OpView& op, const RuleOptions& options);

/// Returns the lowering rule of a convolution: of a sharded spatial dim, the taps are sharded
/// if the kernel is and the result is not. Spec: partitioning 1.2 (I4).
RuleResult convolution_lowering_of(const OpView& op);

RuleResult fft_of(const OpView& op, const RuleOptions&);

RuleResult gather_of(const OpView& op, const RuleOptions&);

/// Returns whether the body of a scatter combines each value with its update by one and the same
/// op, whose results can be combined in turn. Spec: rules 8.16.
bool has_reducing_body(const OpView& op);

RuleResult scatter_of(const OpView& op, const RuleOptions&);

RuleResult reduce_window_of(const OpView& op, const RuleOptions& options);

RuleResult select_and_scatter_of(const OpView& op, const RuleOptions& options);

RuleResult select_and_scatter_lowering_of(const OpView& op);

RuleResult rng_bit_generator_of(const OpView& op, const RuleOptions&);

RuleResult sort_of(const OpView& op, const RuleOptions&);

RuleResult triangular_solve_of(const OpView& op, const RuleOptions&);

}  // namespace shardy::rules::detail

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/library_ops_inl.hpp>
#endif
