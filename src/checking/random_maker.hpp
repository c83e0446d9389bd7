// A generator of random ops, whose operands are existing values of the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/checking/sweep.hpp"
#include "shardy/ir/graph_builder.hpp"

namespace shardy::checking {

inline constexpr std::array kElements = {
    ir::ElementType::F32, ir::ElementType::F32, ir::ElementType::F64, ir::ElementType::I32,
    ir::ElementType::I64, ir::ElementType::UI8, ir::ElementType::I1};

/// Floats of 8 bits. One type has an infinity.
inline constexpr std::array kSmallFloats = {
    ir::ElementType::F8E4M3FN, ir::ElementType::F8E4M3FNUZ, ir::ElementType::F8E5M2FNUZ,
    ir::ElementType::F8E4M3B11FNUZ, ir::ElementType::F8E5M2};

/// The range of a value: whether all elements are integers, and a bound of their magnitudes.
/// Programs are limited to ranges in which sums are exact.
struct ValueRange {
  bool integral = true;
  double bound = 3;
};

/// Returns an array attribute of i64.
inline ir::DenseArrayAttr i64s(std::vector<int64_t> values) {
  return {ir::ElementType::I64, std::move(values)};
}

/// Adds random ops to `main` with existing values as operands.
class RandomMaker {
 public:
  RandomMaker(uint64_t seed, const RandomProgramOptions& options)
      : random_(seed),
        options_(options),
        mesh_(options.free_axes ? random_manual_mesh(random_, options.max_devices)
                                : random_mesh(random_, options.max_devices)) {
    if (options.device_orders) other_mesh_ = other_order(random_, mesh_);
  }

  RandomProgram make();

 private:
  using Step = bool (RandomMaker::*)();

  /// A function. It can be called on values with the known properties of its parameters, if no
  /// other axes are bound at the call.
  struct Callee {
    ir::OpId function;
    std::vector<ValueRange> args;
    BoundAxes bound;
  };

  // ---- Steps: each adds an op and returns true, or returns false --------------------------------
  using StepFunction = bool();
  StepFunction add_unary, add_function, add_binary, add_integer_binary, add_compare, add_select,
      add_clamp, add_convert, add_iota, add_constant, add_broadcast, add_reshape, add_transpose,
      add_reverse, add_reduce, add_dot, add_slice, add_concatenate, add_pad, add_window,
      add_convolution, add_reduce_window, add_select_and_scatter, add_constraint, add_call,
      add_case, add_while, add_named, add_manual, add_group, add_structure, add_barrier,
      add_unreduced, add_collectives, add_process_collective, add_idle_reduction, add_annotation,
      add_dynamic_slice, add_dynamic_update_slice, add_gather, add_scatter, add_index_select,
      add_indexed, add_sort, add_top_k, add_argmax, add_whole_dim, add_batch_norm;
  AxisList any_manual_axes();
  ir::Attribute any_pairs(const AxisList& axes);
  std::optional<ir::Type> exchanged_type(ir::OpSpec& spec, ir::ValueId value, int64_t size);
  std::vector<int64_t> any_offset_dims(std::size_t windows, std::size_t batches);

  // ---- Program ----
  void add_arguments(ir::OpId function);
  void add_ops();
  bool add_step();
  bool add_plain_op();
  void add_steps(int64_t wanted);
  void add_results(ir::OpId function);

  // ---- Helpers ----
  std::size_t rank(ir::ValueId value) const { return type(value).dims().size(); }
  const ir::Type& type(ir::ValueId value) const { return module_.type(value); }
  ir::ElementType element(ir::ValueId value) const { return type(value).element(); }
  std::vector<int64_t> dims(ir::ValueId value) const {
    return {type(value).dims().begin(), type(value).dims().end()};
  }
  ValueRange known(ir::ValueId value) const { return known_[value.index()]; }
  ir::ValueId any() { return random_.pick(values_); }
  std::optional<ir::ValueId> any_like(ir::ValueId model);
  ir::ValueId constant(const ir::Type& type);
  ir::ValueId any_of_type(const ir::Type& wanted);
  ir::ValueId any_indices();
  std::vector<ir::ValueId> any_starts(ir::ValueId tensor);
  std::vector<int64_t> any_part(ir::ValueId tensor);
  ir::Type random_type();
  ir::ElementType random_element();
  /// Returns any sharding of a value on one of the meshes.
  TensorSharding any_sharding(ir::ValueId value, Summands summands = Summands::None);
  std::optional<ir::ValueId> add_constrained(ir::ValueId value, TensorSharding sharding);
  bool add_link(AxisList& unreduced, ReductionOp& reduction, std::vector<ir::ValueId>& chain);
  /// Adds a value, with its known properties, to the candidates for operands of later ops.
  ir::ValueId remember(ir::ValueId value, ValueRange known);
  /// Creates the op with inferred types. Returns false if the op is not valid.
  bool emit(ir::OpSpec spec, ValueRange known);
  bool emit_simple(ir::OpKind kind, std::vector<ir::ValueId> operands, ValueRange known,
                   ir::AttributeMap attributes = {});
  ir::ValueId scalar(ir::ElementType element, int64_t number);
  /// Creates a reducer. A kind that is not a reducer op gives a region that returns its second
  /// argument.
  ir::RegionId reducer(ir::OpKind kind, ir::ElementType element);
  ir::RegionId selector(ir::ElementType element);
  static bool fits(ir::ElementType element, double bound);

  // ---- Regions and functions ----
  template <class Finish>
  void fill_block(ir::BlockId block, const Finish& finish);
  template <class Finish>
  void fill_block(ir::BlockId block, const std::vector<ValueRange>& args, const Finish& finish);
  template <class Finish>
  void fill_isolated(ir::BlockId block, const std::vector<ir::ValueId>& operands,
                     const Finish& finish);
  ValueRange known_outside(ir::ValueId returned) const;
  void end_block(ir::OpKind kind, std::vector<ir::ValueId> values);
  std::vector<ir::ValueId> any_like_all(const std::vector<ir::ValueId>& models);
  std::vector<ir::ValueId> any_values(int64_t most);
  std::vector<ir::Type> types_of(const std::vector<ir::ValueId>& values) const;
  std::vector<int64_t> dims_of(ir::ValueId value) const { return dims(value); }
  ir::ShardingList random_shardings(const std::vector<ir::ValueId>& values);
  void emit_region_op(ir::OpSpec spec, std::string_view shardings,
                      const std::vector<ir::ValueId>& models);
  /// Checks whether ops may have shardings at the current position.
  bool may_shard() const { return bound_.empty() || options_.free_axes; }
  std::vector<std::string> manual_axes();
  std::optional<TensorSharding> manual_sharding(ir::ValueId value, std::vector<std::string>& axes);
  TensorSharding with_free_axes(const TensorSharding& manual, AxisNames axes);
  bool can_call(const Callee& callee) const;
  std::optional<std::vector<ir::ValueId>> any_arguments(const Callee& callee);
  ir::OpId make_function(const std::vector<ir::ValueId>& models);

  Random random_;
  RandomProgramOptions options_;
  Mesh mesh_;
  std::optional<Mesh> other_mesh_;
  ir::Module module_;
  std::optional<ir::Builder> builder_;
  simulation::Tensors inputs_;
  std::vector<ir::ValueId> values_;
  std::vector<ValueRange> known_;
  std::vector<Callee> functions_;
  std::vector<std::vector<int64_t>> group_shapes_;  // shapes of the groups 2i and 2i + 1
  std::vector<ir::ValueId> ungrouped_;  // partial values, and operands and results of collectives
  int64_t num_named_ = 0;
  int64_t depth_ = 0;                    // number of regions around the current op
  BoundAxes bound_ = BoundAxes::none();  // axes that the surrounding manual computations bind
  int64_t last_channel_ = 0;             // last channel of a StableHLO collective
};

}  // namespace shardy::checking
