#include "checking/smaller_dims.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/ir_names.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/op_sharding_rule.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/detail/math.hpp"
#include "support/quantities.hpp"

namespace shardy::checking {

namespace {

// ---- Blocks ------------------------------------------------------------------------------------

/// Classes of dims. Each class has the largest block size that divides all sizes and offsets that
/// were added to it.
class BlockClasses {
 public:
  /// Adds a dim in a class of its own and returns its index.
  std::size_t add(int64_t size) {
    parent_.push_back(parent_.size());
    block_.push_back(std::max<int64_t>(size, 1));
    return parent_.size() - 1;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t from = find(a);
    const std::size_t to = find(b);
    block_[to] = std::gcd(block_[from], block_[to]);
    parent_[from] = to;
  }
  /// Limits the blocks of the class to sizes that divide `number`. 0 is a multiple of all sizes.
  void divide(std::size_t at, int64_t number) {
    const std::size_t root = find(at);
    block_[root] = std::gcd(block_[root], number);
  }
  /// Keeps the sizes of the class.
  void keep(std::size_t at) { divide(at, 1); }
  int64_t block(std::size_t at) { return block_[find(at)]; }

 private:
  std::size_t find(std::size_t at) {
    while (parent_[at] != at) {
      parent_[at] = parent_[parent_[at]];
      at = parent_[at];
    }
    return at;
  }

  std::vector<std::size_t> parent_;
  std::vector<int64_t> block_;  // block size at the root of each class
};

/// Divisors of integer values: each element of a value is a multiple of its divisor. The divisor of
/// zero is 0, that of an unknown value is 1.
class Divisors {
 public:
  explicit Divisors(const Module& module) : of_(module.num_values(), 1) {
    for (const OpId op : ir::pre_order(module)) {
      if (module.num_results(op) == 1) of_[module.result(op).index()] = divisor(module, op);
    }
  }
  int64_t of(ValueId value) const { return of_[value.index()]; }

 private:
  int64_t divisor(const Module& module, OpId op) const {
    const Type& type = module.type(module.result(op));
    if (!type.is_static_tensor() || !ir::is_integer(type.element())) return 1;
    switch (module.kind(op)) {
      case OpKind::Constant:
        return of_constant(module, op);
      case OpKind::Multiply:
        return checked_mul(of(module.operand(op, 0)), of(module.operand(op, 1))).value_or(1);
      case OpKind::Add:
      case OpKind::Subtract:
      case OpKind::Maximum:
      case OpKind::Minimum:
      case OpKind::Clamp:
      case OpKind::SpmdFloorMod:
        return common(module, op, 0, module.num_operands(op));
      case OpKind::Select:
        return common(module, op, 1, 3);
      case OpKind::BroadcastInDim:
      case OpKind::Convert:
      case OpKind::DynamicSlice:
      case OpKind::Reshape:
      case OpKind::Slice:
      case OpKind::Transpose:
        return common(module, op, 0, 1);
      default:
        return 1;
    }
  }
  int64_t common(const Module& module, OpId op, std::size_t first, std::size_t end) const {
    int64_t divisor = 0;
    for (std::size_t index = first; index < end; ++index) {
      const ValueId operand = module.operand(op, index);
      if (!ir::is_integer(module.type(operand).element())) return 1;
      divisor = std::gcd(divisor, of(operand));
    }
    return divisor;
  }
  static int64_t of_constant(const Module& module, OpId op) {
    const auto* literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
    if (literal == nullptr) return 1;
    const std::size_t size = ir::size_bytes(literal->type().element());
    int64_t divisor = 0;
    for (std::size_t at = 0; at < literal->stored().size(); at += size) {
      const int64_t number =
          ir::decode_int(literal->stored().subspan(at, size), literal->type().element());
      if (number == std::numeric_limits<int64_t>::min()) return 1;
      divisor = std::gcd(divisor, number);
    }
    return divisor;
  }

  std::vector<int64_t> of_;
};

bool is_inexact_tensor(const Module& module, ValueId value) {
  const Type& type = module.type(value);
  return type.is_tensor() && (ir::is_float(type.element()) || ir::is_complex(type.element()));
}

/// The values that depend on float arguments, which are random elements of the field in exact runs.
class RandomValues {
 public:
  RandomValues(const Module& module, OpId main) : module_(module), kinds_(module.num_values()) {
    for (const ValueId arg : module.args(module.entry(main))) {
      if (is_inexact_tensor(module, arg)) mark(arg, Kind::Random);
    }
    const std::vector<OpId> ops = ir::pre_order(module);
    do {  // a pass per level of loops and calls whose results are random only through their bodies
      has_changed_ = false;
      for (const OpId op : ops) visit(op);
    } while (has_changed_);
  }

  /// Checks whether the value has random elements of the field.
  bool is_random(ValueId value) const { return kinds_[value.index()] == Kind::Random; }
  /// Checks whether the value depends on comparisons of random elements, such as a mask, a number
  /// of elements, or an index of the largest element.
  bool is_chosen(ValueId value) const { return kinds_[value.index()] == Kind::Chosen; }

 private:
  enum class Kind : uint8_t { Fixed, Chosen, Random };

  void mark(ValueId value, Kind kind) {
    if (!is_inexact_tensor(module_, value)) kind = std::min(kind, Kind::Chosen);
    if (kinds_[value.index()] >= kind) return;
    kinds_[value.index()] = kind;
    has_changed_ = true;
  }
  void visit(OpId op) {
    if (module_.is(op, OpKind::FuncCall)) return visit_call(op);
    if (module_.has_trait(op, ir::kDataFlow)) return visit_edges(op);
    Kind kind = Kind::Fixed;
    for (const ValueId operand : module_.operands(op)) {
      kind = std::max(kind, kinds_[operand.index()]);
    }
    for (const ValueId result : module_.results(op)) mark(result, kind);
  }
  void visit_call(OpId op) {
    const std::optional<OpId> callee = ir::callee_of(module_, op);
    if (!callee || module_.is_external(*callee)) return;
    const std::span<const ValueId> args = module_.args(module_.entry(*callee));
    const std::vector<ValueId> returned = module_.returned_values(*callee);
    for (std::size_t index = 0; index < args.size(); ++index) {
      mark(args[index], kinds_[module_.operand(op, index).index()]);
    }
    for (std::size_t index = 0; index < returned.size(); ++index) {
      mark(module_.result(op, index), kinds_[returned[index].index()]);
    }
  }
  void visit_edges(OpId op) {
    std::vector<ValueId> owners = ir::result_edge_owners(module_, op);
    for (const ValueId owner : ir::block_arg_edge_owners(module_, op)) owners.push_back(owner);
    for (const ValueId owner : owners) {
      Kind kind = Kind::Fixed;
      for (const ir::Use& use : ir::edge_sources(module_, owner)) {
        kind = std::max(kind, kinds_[module_.operand(use.op, use.operand).index()]);
      }
      mark(owner, kind);
      for (const ValueId target : ir::non_owner_targets(module_, owner)) mark(target, kind);
    }
  }

  const Module& module_;
  std::vector<Kind> kinds_;
  bool has_changed_ = false;
};

std::size_t static_rank(const Module& module, ValueId value) {
  const Type& type = module.type(value);
  return type.is_static_tensor() ? type.dims().size() : 0;
}

std::vector<ValueId> operands_and_results(const Module& module, OpId op) {
  std::vector<ValueId> values = module.operands(op);
  for (const ValueId result : module.results(op)) values.push_back(result);
  return values;
}

std::span<const int64_t> numbers_of(const Module& module, OpId op, std::string_view name) {
  const auto* list = module.attribute<ir::DenseArrayAttr>(op, name);
  return list == nullptr ? std::span<const int64_t>() : std::span(list->values);
}

// ---- Dims of one program -----------------------------------------------------------------------

/// Ops whose sharding rule describes how they treat all elements of a factor alike.
constexpr OpKind kRuledOps[] = {OpKind::BroadcastInDim, OpKind::Convolution, OpKind::Dot,
                                OpKind::DotGeneral,     OpKind::Gather,      OpKind::Reduce,
                                OpKind::Reshape,        OpKind::Scatter,     OpKind::Sort,
                                OpKind::Transpose};

/// Adds the dims of a program to classes and joins the dims that its ops relate.
class ProgramDims {
 public:
  ProgramDims(const Module& module, OpId main, const rules::Registry& rules, BlockClasses& classes)
      : module_(module),
        rules_(rules),
        classes_(classes),
        divisors_(module),
        random_(module, main) {
    for (uint32_t index = 0; index < module.num_values(); ++index) {
      first_.push_back(num_dims_);
      for (std::size_t dim = 0; dim < static_rank(module, ValueId(index)); ++dim) {
        const std::size_t at = classes.add(module.type(ValueId(index)).dim(dim));
        if (num_dims_++ == 0) offset_ = at;
      }
    }
    for (const OpId op : ir::pre_order(module)) visit(op);
  }

  /// Returns the index of a dim in the classes.
  std::size_t at(ValueId value, std::size_t dim) const {
    return offset_ + first_[value.index()] + dim;
  }
  int64_t divisor(ValueId value) const { return divisors_.of(value); }

 private:
  void visit(OpId op) {
    const OpKind kind = module_.kind(op);
    const bool is_ruled = std::ranges::find(kRuledOps, kind) != std::end(kRuledOps);
    if (is_ruled || module_.has_trait(op, ir::kElementwise)) return join_by_rule(op);
    if (ir::is_computation(module_, op)) return keep_all(op);
    if (module_.has_trait(op, ir::kDataFlow)) return join_edges(op);
    if (ir::is_spmd(kind) || ir::is_sdy_collective(kind) ||
        module_.has_trait(op, ir::kSdyAnnotation)) {
      return join_results(op);
    }
    switch (kind) {
      case OpKind::Concatenate:
        return join_concatenated(op);
      case OpKind::Constant:
      case OpKind::SdyConstant:
        return visit_constant(op);
      case OpKind::DynamicSlice:
        return join_dynamic_slice(op);
      case OpKind::DynamicUpdateSlice:
        return join_dynamic_update(op);
      case OpKind::Func:
      case OpKind::FuncReturn:  // calls and the caller of the classes join them
        return;
      case OpKind::FuncCall:
        return join_call(op);
      case OpKind::Iota:
        return visit_iota(op);
      case OpKind::Pad:
        return join_padded(op);
      case OpKind::Slice:
        return join_slice(op);
      case OpKind::StablehloReturn:
        if (module_.has_trait(module_.parent_op(op), ir::kDataFlow)) return;
        return keep_all(op);
      default:
        return keep_all(op);
    }
  }

  void keep(ValueId value) {
    for (std::size_t dim = 0; dim < static_rank(module_, value); ++dim) {
      classes_.keep(at(value, dim));
    }
  }
  /// Keeps the sizes of all values of an op, with the arguments of its regions.
  void keep_all(OpId op) {
    for (const ValueId value : operands_and_results(module_, op)) keep(value);
    for (const ir::RegionId region : module_.regions(op)) {
      for (const BlockId block : module_.blocks(region)) {
        for (const ValueId argument : module_.args(block)) keep(argument);
      }
    }
  }

  void join(ValueId a, ValueId b) {
    if (static_rank(module_, a) != static_rank(module_, b)) {
      keep(a);
      return keep(b);
    }
    for (std::size_t dim = 0; dim < static_rank(module_, a); ++dim) {
      classes_.join(at(a, dim), at(b, dim));
    }
  }

  /// Joins the dims of operand i and of result i. Collectives exchange whole blocks.
  void join_results(OpId op) {
    if (module_.num_results(op) == 0 || module_.num_operands(op) == 0) return;
    if (module_.num_results(op) != module_.num_operands(op)) return keep_all(op);
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      join(module_.operand(op, index), module_.result(op, index));
    }
  }

  void join_edges(OpId op) {
    for (const ValueId owner : ir::result_edge_owners(module_, op)) {
      for (const ir::Use& use : ir::edge_sources(module_, owner)) {
        join(owner, module_.operand(use.op, use.operand));
      }
      for (const ValueId target : ir::non_owner_targets(module_, owner)) join(owner, target);
    }
  }

  void join_call(OpId op) {
    const std::optional<OpId> callee = ir::callee_of(module_, op);
    if (!callee || module_.is_external(*callee)) return keep_all(op);
    const std::span<const ValueId> args = module_.args(module_.entry(*callee));
    const std::vector<ValueId> returned = module_.returned_values(*callee);
    for (std::size_t index = 0; index < args.size(); ++index) {
      join(module_.operand(op, index), args[index]);
    }
    for (std::size_t index = 0; index < returned.size(); ++index) {
      join(module_.result(op, index), returned[index]);
    }
  }

  void visit_constant(OpId op) {
    const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
    if (literal == nullptr || !literal->is_splat()) keep_all(op);
  }

  void visit_iota(OpId op) {
    const auto* dim = module_.attribute<IntegerAttr>(op, ir::attr::kIotaDimension);
    if (dim == nullptr) return keep_all(op);
    classes_.keep(at(module_.result(op), static_cast<std::size_t>(dim->value)));
  }

  void join_concatenated(OpId op) {
    for (const ValueId operand : module_.operands(op)) join(operand, module_.result(op));
  }

  void join_slice(OpId op) {
    const std::span<const int64_t> starts = numbers_of(module_, op, ir::attr::kStartIndices);
    const std::span<const int64_t> strides = numbers_of(module_, op, ir::attr::kStrides);
    const std::size_t rank = static_rank(module_, module_.result(op));
    if (starts.size() != rank || strides.size() != rank) return keep_all(op);
    join(module_.operand(op, 0), module_.result(op));
    for (std::size_t dim = 0; dim < rank; ++dim) {
      classes_.divide(at(module_.result(op), dim), starts[dim]);
      if (strides[dim] != 1) classes_.keep(at(module_.result(op), dim));
    }
  }

  void join_padded(OpId op) {
    const std::size_t rank = static_rank(module_, module_.result(op));
    join(module_.operand(op, 0), module_.result(op));
    for (const std::string_view name : {ir::attr::kEdgePaddingLow, ir::attr::kEdgePaddingHigh}) {
      const std::span<const int64_t> padding = numbers_of(module_, op, name);
      if (padding.size() != rank) return keep_all(op);
      for (std::size_t dim = 0; dim < rank; ++dim) {
        classes_.divide(at(module_.result(op), dim), padding[dim]);
      }
    }
    const std::span<const int64_t> interior = numbers_of(module_, op, ir::attr::kInteriorPadding);
    for (std::size_t dim = 0; dim < rank; ++dim) {
      if (interior.size() != rank || interior[dim] != 0) {
        classes_.keep(at(module_.result(op), dim));
      }
    }
  }

  /// Joins a part of a value with the value. Operands from `first` on are the offsets of the part.
  void join_part(OpId op, ValueId whole, ValueId part, std::size_t first) {
    join(whole, part);
    for (std::size_t dim = 0; dim < static_rank(module_, part); ++dim) {
      if (module_.type(whole).dim(dim) == module_.type(part).dim(dim)) continue;
      classes_.divide(at(part, dim), divisor(module_.operand(op, first + dim)));
    }
  }
  void join_dynamic_slice(OpId op) { join_part(op, module_.operand(op, 0), module_.result(op), 1); }
  void join_dynamic_update(OpId op) {
    join(module_.operand(op, 0), module_.result(op));
    join_part(op, module_.operand(op, 0), module_.operand(op, 1), 2);
  }

  // Sharding rules.

  /// Keeps the size of a reduction factor if the op does not reduce random values along it in any
  /// order. A sum of other values, such as a count, depends on the size; other ops may compare it
  /// with a constant. If random elements choose what is counted, few elements may never reach this
  /// constant, so all dims keep their sizes.
  void visit_reduction(OpId op, int32_t factor, const OpShardingRule& rule, std::size_t at) {
    bool has_chosen = false;
    const std::span<const TensorMapping> operands = rule.operands();
    for (std::size_t index = 0; index < operands.size(); ++index) {
      if (!contains_factor(operands[index], factor)) continue;
      const ValueId operand = module_.operand(op, index);
      if (random_.is_random(operand) && reduces_in_any_order(op)) return;
      has_chosen = has_chosen || random_.is_chosen(operand);
    }
    classes_.keep(at);
    if (has_chosen) keep_all(op);
  }
  /// Checks whether a reduction of the op does not depend on the order of its elements.
  bool reduces_in_any_order(OpId op) const {
    const OpKind kind = module_.kind(op);
    if (kind != OpKind::Reduce && kind != OpKind::Scatter) return true;
    return ir::recognized_reducers(module_, op, module_.num_results(op)).has_value();
  }

  void join_by_rule(OpId op) {
    const std::vector<ValueId> values = operands_and_results(module_, op);
    const rules::RuleResult rule = rules_.lowering_rule_for(rules::OpView(module_, op));
    if (!rule || !*rule || (*rule)->num_tensors() != values.size()) return keep_all(op);
    std::vector<std::size_t> factors;
    for (const int64_t size : (*rule)->factor_sizes()) factors.push_back(classes_.add(size));
    for (std::size_t tensor = 0; tensor < values.size(); ++tensor) {
      const std::vector<DimMapping>& dims = (*rule)->tensor(tensor).dims;
      if (dims.size() != static_rank(module_, values[tensor])) return keep_all(op);
      for (std::size_t dim = 0; dim < dims.size(); ++dim) {
        join_factors(op, {values[tensor], dim}, dims[dim], **rule, factors);
      }
    }
    for (int32_t factor = 0; factor < (*rule)->num_factors(); ++factor) {
      const FactorKind kind = (*rule)->factor_kind(factor);
      const std::size_t node = factors[static_cast<std::size_t>(factor)];
      if (kind == FactorKind::Reduction) {
        visit_reduction(op, factor, **rule, node);
      } else if (kind != FactorKind::PassThrough) {
        classes_.keep(node);
      }
    }
    keep_indexed(op);
  }

  /// Joins a dim with its minor-most factor. Elements of a block of the dim differ only in the
  /// index of this factor; so the other factors keep their sizes.
  void join_factors(OpId op, std::pair<ValueId, std::size_t> place, const DimMapping& mapping,
                    const OpShardingRule& rule, const std::vector<std::size_t>& factors) {
    const int64_t size = module_.type(place.first).dim(place.second);
    if (size == 1 && module_.is(op, OpKind::BroadcastInDim)) return;
    int64_t product = 1;
    std::optional<std::size_t> minor;
    for (const int32_t factor : mapping) {
      const auto node = static_cast<std::size_t>(factor);
      product *= rule.factor_size(factor);
      if (rule.factor_size(factor) == 1) continue;
      if (minor) classes_.keep(factors[*minor]);
      minor = node;
    }
    if (product != size) {
      classes_.keep(at(place.first, place.second));
      for (const int32_t factor : mapping) classes_.keep(factors[static_cast<std::size_t>(factor)]);
    } else if (minor) {
      classes_.join(at(place.first, place.second), factors[*minor]);
    }
  }

  void keep_dims(ValueId value, std::span<const int64_t> dims) {
    for (const int64_t dim : dims) classes_.keep(at(value, static_cast<std::size_t>(dim)));
  }

  /// Keeps the dims along which windows move and indices point.
  void keep_indexed(OpId op) {
    if (const auto* dims =
            module_.attribute<ir::ConvolutionDims>(op, ir::attr::kDimensionNumbers)) {
      keep_dims(module_.operand(op, 0), dims->input_spatial);
      keep_dims(module_.operand(op, 1), dims->kernel_spatial);
      keep_dims(module_.result(op), dims->output_spatial);
    }
    if (const auto* dims = module_.attribute<ir::GatherDims>(op, ir::attr::kDimensionNumbers)) {
      keep_dims(module_.operand(op, 0), dims->start_index_map);
    }
    if (const auto* dims =
            module_.attribute<ir::ScatterDims>(op, ir::attr::kScatterDimensionNumbers)) {
      for (std::size_t index = 0; index < module_.num_results(op); ++index) {
        keep_dims(module_.operand(op, index), dims->scatter_dims_to_operand_dims);
      }
    }
  }

  const Module& module_;
  const rules::Registry& rules_;
  BlockClasses& classes_;
  const Divisors divisors_;
  const RandomValues random_;
  std::vector<std::size_t> first_;  // number of dims of all values before each value
  std::size_t num_dims_ = 0;
  std::size_t offset_ = 0;  // index of the first dim in the classes
};

// ---- Smaller sizes -----------------------------------------------------------------------------

/// Gives a program the smaller sizes.
class Shrinker {
 public:
  Shrinker(const ProgramDims& dims, BlockClasses& classes, int64_t block)
      : dims_(dims), classes_(classes), small_(block) {}

  /// Returns a number along a dim, such as its size or an offset, after the change.
  int64_t scaled(std::size_t at, int64_t number) const {
    const int64_t block = classes_.block(at);
    return block <= small_ ? number : number / block * small_;
  }
  int64_t block(std::size_t at) const { return classes_.block(at); }
  int64_t smaller_block(std::size_t at) const { return std::min(classes_.block(at), small_); }

  /// Returns the type of a value, or of the global value that it is a shard of.
  Type scaled(ValueId value, const Type& type) const {
    if (!type.is_static_tensor()) return type;
    std::vector<int64_t> sizes;
    for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
      sizes.push_back(scaled(dims_.at(value, dim), type.dim(dim)));
    }
    return type.with_dims(std::move(sizes));
  }

  Module apply(const Module& before) const {
    Module module = before;
    const std::vector<OpId> ops = ir::pre_order(before);
    for (const OpId op : ops) change_numbers(before, module, op);
    for (uint32_t index = 0; index < before.num_values(); ++index) {
      const ValueId value(index);
      module.set_type(value, scaled(value, before.type(value)));
    }
    for (const OpId op : ops) change_constant(module, op);
    for (const OpId function : before.functions()) {
      if (!before.is_external(function)) change_signature(before, module, function);
    }
    return module;
  }

 private:
  void change_numbers(const Module& before, Module& module, OpId op) const {
    module.attributes(op).erase(ir::kShardingRuleAttr);  // has the sizes of factors
    switch (before.kind(op)) {
      case OpKind::Slice:
        scale(before, module, op, ir::attr::kStartIndices);
        return scale(before, module, op, ir::attr::kLimitIndices);
      case OpKind::Pad:
        scale(before, module, op, ir::attr::kEdgePaddingLow);
        return scale(before, module, op, ir::attr::kEdgePaddingHigh);
      case OpKind::Gather:
        return scale(before, module, op, ir::attr::kSliceSizes);
      case OpKind::DynamicSlice:
        scale(before, module, op, ir::attr::kSliceSizes);
        return scale_offsets(before, module, op, before.result(op), 1);
      case OpKind::DynamicUpdateSlice:
        return scale_offsets(before, module, op, before.operand(op, 1), 2);
      default:
        return;
    }
  }

  /// Scales a list with a number per dim of the first operand. Keeps a number that the block does
  /// not divide, such as the slice size 1 of a batching dim.
  void scale(const Module& before, Module& module, OpId op, std::string_view name) const {
    auto* list = module.attributes(op).edit<ir::DenseArrayAttr>(name);
    if (list == nullptr) return;
    for (std::size_t dim = 0; dim < list->values.size(); ++dim) {
      const std::size_t at = dims_.at(before.operand(op, 0), dim);
      if (list->values[dim] % block(at) == 0) list->values[dim] = scaled(at, list->values[dim]);
    }
  }

  /// Divides the offsets of a part by the size of a block and multiplies them by the smaller size.
  void scale_offsets(const Module& before, Module& module, OpId op, ValueId part,
                     std::size_t first) const {
    for (std::size_t dim = 0; dim < before.type(part).dims().size(); ++dim) {
      const std::size_t at = dims_.at(part, dim);
      const bool is_whole =
          before.type(part).dim(dim) == before.type(before.operand(op, 0)).dim(dim);
      if (is_whole || block(at) == smaller_block(at)) continue;
      const ValueId offset = before.operand(op, first + dim);
      if (dims_.divisor(offset) == 0) continue;
      const ValueId number = with_number(module, op, OpKind::Divide, offset, block(at));
      module.set_operand(op, first + dim,
                         with_number(module, op, OpKind::Multiply, number, smaller_block(at)));
    }
  }
  static ValueId with_number(Module& module, OpId op, OpKind kind, ValueId value, int64_t number) {
    const Type type = module.type(value);
    ir::OpSpec constant{.kind = OpKind::Constant, .result_types = {type}};
    constant.attributes.set(ir::attr::kValue, ir::int_splat_literal(type, number));
    const OpId made = module.create(std::move(constant));
    const OpId changed = module.create(
        {.kind = kind, .operands = {value, module.result(made)}, .result_types = {type}});
    module.insert_before(op, made);
    module.insert_before(op, changed);
    return module.result(changed);
  }

  static void change_constant(Module& module, OpId op) {
    const auto* literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
    if (literal == nullptr || module.num_results(op) != 1 || !literal->is_splat()) return;
    const std::span<const std::byte> element = literal->stored();
    const Type& type = module.type(module.result(op));
    if (!type.is_static_tensor() || type == literal->type()) return;
    module.attributes(op).set(ir::attr::kValue,
                              *ir::Literal::make_splat(type, {element.begin(), element.end()}));
  }

  void change_signature(const Module& before, Module& module, OpId function) const {
    ir::FunctionData& data = module.function(function);
    const std::span<const ValueId> args = before.args(before.entry(function));
    const std::vector<ValueId> returned = before.returned_values(function);
    for (std::size_t index = 0; index < returned.size(); ++index) {
      data.result_types[index] = module.type(returned[index]);
    }
    change_global_types(args, data.arg_attributes);
    change_global_types(returned, data.result_attributes);
  }
  void change_global_types(std::span<const ValueId> values,
                           std::vector<AttributeMap>& attributes) const {
    for (std::size_t index = 0; index < std::min(values.size(), attributes.size()); ++index) {
      auto* type = attributes[index].edit<ir::TypeAttr>(passes::kGlobalTypeAttr);
      if (type != nullptr) type->type = scaled(values[index], type->type);
    }
  }

  const ProgramDims& dims_;
  BlockClasses& classes_;
  const int64_t small_;
};

// ---- Two programs ------------------------------------------------------------------------------

/// The dims of a program and of its partitioned form in common classes.
class CommonDims {
 public:
  /// `main` and `local_main` are the main functions, with bodies.
  CommonDims(const Module& module, OpId main, const Module& program, OpId local_main,
             const rules::Registry& rules)
      : module_(module),
        program_(program),
        main_(main),
        local_main_(local_main),
        of_module_(module, main, rules, classes_),
        of_program_(program, local_main, rules, classes_) {}

  /// Joins the arguments and results of the main functions. Returns false if they do not match.
  bool join() {
    const auto args = module_.args(module_.entry(main_));
    const auto local_args = program_.args(program_.entry(local_main_));
    keep_given(args);
    return join_all(args, local_args, simulation::whole_arguments(program_, local_main_)) &&
           join_all(module_.returned_values(main_), program_.returned_values(local_main_),
                    simulation::whole_results(program_, local_main_));
  }

  Shrinker of_module(int64_t block) { return {of_module_, classes_, block}; }
  Shrinker of_program(int64_t block) { return {of_program_, classes_, block}; }
  const ProgramDims& module_dims() const { return of_module_; }

 private:
  bool join_all(std::span<const ValueId> values, std::span<const ValueId> locals,
                const std::vector<simulation::WholeValue>& whole) {
    if (values.size() != locals.size() || values.size() != whole.size()) return false;
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (whole[index].type != module_.type(values[index])) return false;
      const std::size_t rank = static_rank(module_, values[index]);
      if (rank != static_rank(program_, locals[index])) return false;
      for (std::size_t dim = 0; dim < rank; ++dim) {
        join(values[index], locals[index], dim, whole[index].sharding);
      }
    }
    return true;
  }
  /// Keeps the sizes of arguments whose elements exact runs use as given, such as indices. Fewer of
  /// them may miss an element on which a fault depends.
  void keep_given(std::span<const ValueId> args) {
    for (const ValueId arg : args) {
      if (is_inexact_tensor(module_, arg)) continue;
      for (std::size_t dim = 0; dim < static_rank(module_, arg); ++dim) {
        classes_.keep(of_module_.at(arg, dim));
      }
    }
  }
  /// Joins a dim with its shard. A dim whose shards have padding keeps its size.
  void join(ValueId value, ValueId local, std::size_t dim,
            const std::optional<TensorSharding>& sharding) {
    const int64_t shards =
        sharding && sharding->rank() > dim ? sharding->dim(dim).sharded_size() : 1;
    const bool is_even =
        checked_mul(program_.type(local).dim(dim), shards) == module_.type(value).dim(dim);
    if (!is_even) classes_.keep(of_module_.at(value, dim));
    classes_.join(of_module_.at(value, dim), of_program_.at(local, dim));
  }

  const Module& module_;
  const Module& program_;
  const OpId main_;
  const OpId local_main_;
  BlockClasses classes_;
  ProgramDims of_module_;
  ProgramDims of_program_;
};

/// The share of the work of a program that all runs with smaller dims may have.
constexpr int64_t kRunsShare = 8;

/// Returns the number of elements that the ops write and of the products that they add.
int64_t work_of(const Module& module, const rules::Registry& rules) {
  int64_t work = 0;
  for (const OpId op : ir::pre_order(module)) {
    int64_t elements = 0;
    for (const ValueId result : module.results(op)) {
      if (module.type(result).is_static_tensor()) elements += module.type(result).num_elements();
    }
    const bool is_product = module.is(op, OpKind::DotGeneral) || module.is(op, OpKind::Convolution);
    if (is_product) {
      const rules::RuleResult rule = rules.lowering_rule_for(rules::OpView(module, op));
      if (rule && *rule) {
        elements = 1;
        for (const int64_t size : (*rule)->factor_sizes())
          elements = saturating_mul(elements, size);
      }
    }
    work = checked_add(work, elements).value_or(std::numeric_limits<int64_t>::max());
  }
  return work;
}

/// Returns the first elements of each block.
Result<simulation::Tensor> first_of_blocks(const simulation::Tensor& input, const Type& type,
                                           const std::vector<int64_t>& blocks,
                                           const std::vector<int64_t>& smaller) {
  if (!type.is_static_tensor() || type == input.type()) return input;
  SHARDY_TRY(simulation::TensorWriter out, simulation::TensorWriter::make(type));
  const std::size_t size = ir::size_bytes(type.element());
  std::vector<int64_t> at(type.dims().size());
  for (int64_t element = 0; element < type.num_elements(); ++element) {
    int64_t from = 0;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      const int64_t index = at[dim] / smaller[dim] * blocks[dim] + at[dim] % smaller[dim];
      from = from * input.type().dim(dim) + index;
    }
    std::memcpy(out.data() + static_cast<std::size_t>(element) * size,
                input.data() + static_cast<std::size_t>(from) * size, size);
    for (std::size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < type.dim(dim)) break;
      at[dim] = 0;
    }
  }
  return std::move(out).finish();
}

Result<simulation::Tensors> smaller_inputs(const Module& module, const simulation::Tensors& inputs,
                                           const ProgramDims& dims, const Shrinker& shrinker) {
  simulation::Tensors smaller;
  const std::span<const ValueId> args = module.args(module.entry(*module.main_function()));
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    std::vector<int64_t> blocks;
    std::vector<int64_t> sizes;
    for (std::size_t dim = 0; dim < static_rank(module, args[index]); ++dim) {
      blocks.push_back(shrinker.block(dims.at(args[index], dim)));
      sizes.push_back(shrinker.smaller_block(dims.at(args[index], dim)));
    }
    const Type type = shrinker.scaled(args[index], inputs[index].type());
    SHARDY_TRY(simulation::Tensor made, first_of_blocks(inputs[index], type, blocks, sizes));
    smaller.push_back(std::move(made));
  }
  return smaller;
}

/// Returns the changes of sizes, the largest first: "1,024 to 20, 256 to 10".
std::string changes_text(const Module& before, const Module& after) {
  std::set<std::pair<int64_t, int64_t>, std::greater<>> changes;
  for (uint32_t index = 0; index < before.num_values(); ++index) {
    for (std::size_t dim = 0; dim < static_rank(before, ValueId(index)); ++dim) {
      const int64_t size = before.type(ValueId(index)).dim(dim);
      const int64_t smaller = after.type(ValueId(index)).dim(dim);
      if (size != smaller) changes.emplace(size, smaller);
    }
  }
  std::string text;
  for (const auto& [size, smaller] : changes) {
    text += text.empty() ? "" : ", ";
    text += grouped(size) + " to " + grouped(smaller);
  }
  return text;
}

}  // namespace

std::optional<SmallerProgram> with_smaller_dims(const Module& module, const Module& program,
                                                const simulation::Tensors& inputs,
                                                const rules::Registry& rules,
                                                const SmallerDimOptions& options) {
  const int64_t work = work_of(module, rules);
  if (work < options.least_work) return std::nullopt;
  const OpId main = *module.main_function();
  const std::optional<OpId> local_main = program.find_symbol(module.symbol_name(main));
  if (!local_main || program.is_external(*local_main)) return std::nullopt;
  CommonDims dims(module, main, program, *local_main, rules);
  if (!dims.join()) return std::nullopt;
  const Shrinker shrinker = dims.of_module(options.block);
  SmallerProgram smaller;
  smaller.module = shrinker.apply(module);
  smaller.sizes = changes_text(module, smaller.module);
  if (smaller.sizes.empty()) return std::nullopt;
  smaller.program = dims.of_program(options.block).apply(program);
  Result<simulation::Tensors> made = smaller_inputs(module, inputs, dims.module_dims(), shrinker);
  if (!made || !ir::verify(smaller.module, 1).empty() || !ir::verify(smaller.program, 1).empty()) {
    return std::nullopt;
  }
  smaller.inputs = *std::move(made);
  const int64_t affordable =
      work / kRunsShare / std::max<int64_t>(work_of(smaller.module, rules), 1);
  smaller.num_runs = std::clamp<int64_t>(affordable, 1, options.max_runs);
  return smaller;
}

}  // namespace shardy::checking
