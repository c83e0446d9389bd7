// rng_bit_generator and rng: shards have the same random bits as the global tensor.
// Spec: partitioning 8.20, stablehlo 27.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %s, %0 = rng_bit_generator %state, THREE_FRY : tensor<8xui64> [{"x"}]
//   ->
//   %1 = %state with its counter + 4 * spmd.coord {"x"}
//   %2, %0 = rng_bit_generator %1, THREE_FRY     : tensor<4xui64>
//   %s = %state with its counter + 8
//
//   rng draws the global tensor on each device and slices it; the first op of @main that draws:
//   %0 = rng %a, %b, %shape : tensor<8xf32> [{"x"}]
//   ->
//   %1 = rng %a, %b, %shape {spmd.draw = "main:0"}
//   %0 = dynamic_slice %1, 4 * spmd.coord {"x"}  : tensor<4xf32>
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "partitioning/rng_elements.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

using Algorithm = RngAlgorithm;

/// Division of rows (along the first dim of size > 1) into blocks of words with one counter each.
struct Counting {
  std::size_t dim = 0;         // the dim of the rows
  int64_t row = 1;             // elements per row
  int64_t num_blocks = 0;      // of the global tensor
  std::optional<int64_t> per;  // consecutive elements per block; std::nullopt: pairs, see below
  bool pairs_rows = false;  // a block has elements of two rows; else of one row, along a later dim
  int64_t blocks_per_row = 0;  // per row, or per pair of rows
};

std::size_t first_long_dim(std::span<const int64_t> dims) {
  const auto found = std::ranges::find_if(dims, [](int64_t dim) { return dim > 1; });
  return found == dims.end() ? 0 : static_cast<std::size_t>(found - dims.begin());
}

Counting counting_of(const Type& bits, Algorithm algorithm) {
  Counting counting;
  counting.dim = first_long_dim(bits.dims());
  counting.row = bits.num_elements() / bits.dim(counting.dim);
  const bool is_wide = ir::size_bytes(bits.element()) == 8;
  if (algorithm == Algorithm::Philox || is_wide) {
    counting.per = algorithm == Algorithm::ThreeFry ? 1 : (is_wide ? 2 : 4);
    counting.num_blocks = ceil_div(bits.num_elements(), *counting.per);
    return counting;
  }
  const std::size_t paired = paired_dim(bits.dims());
  const int64_t halves = ceil_div(bits.dim(paired), 2);
  counting.num_blocks = bits.num_elements() / bits.dim(paired) * halves;
  counting.pairs_rows = paired == counting.dim;
  counting.blocks_per_row =
      counting.pairs_rows ? counting.row : counting.row / bits.dim(paired) * halves;
  return counting;
}

class Generator {
 public:
  Generator(Lowering& lowering, OpId op, Algorithm algorithm)
      : lowering_(lowering),
        emit_(lowering.emit()),
        op_(op),
        algorithm_(algorithm),
        bits_(lowering.input().type(lowering.input().result(op, 1))),
        counting_(counting_of(bits_, algorithm)) {}

  void lower();

 private:
  ValueId word(std::size_t index);
  ValueId as_words(ValueId value, ElementType element);
  ValueId blocks(const ScalarIndex& count);
  ValueId start(const ScalarIndex& skipped);
  ValueId state_behind();
  ValueId generated(ValueId state, std::vector<int64_t> dims);
  ValueId rows_of(const ScalarIndex& coord, int64_t tile);
  bool cuts_rows(std::span<const AxisList> axes) const;

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  Algorithm algorithm_;
  Type bits_;
  Counting counting_;
  ValueId state_;  // as ui64
};

ValueId Generator::as_words(ValueId value, ElementType element) {
  const Type& type = lowering_.output().type(value);
  if (type.element() == element) return value;
  return emit_.builder().create_value(OpKind::BitcastConvert, {value}, type.with_element(element));
}

/// Returns a word of the state, as a vector of one element.
ValueId Generator::word(std::size_t index) {
  const auto begin = static_cast<int64_t>(index);
  return emit_.slice(state_, 0, begin, begin + 1);
}

ValueId Generator::blocks(const ScalarIndex& count) {
  const ValueId number = emit_.builder().create_value(OpKind::Convert, {emit_.scalar(count)},
                                                      Type::tensor({}, ElementType::UI64));
  return emit_.reshape(number, {1});
}

/// Returns the state after `skipped` blocks. The counter's high word is separate for Philox, as it
/// may differ from the key.
ValueId Generator::start(const ScalarIndex& skipped) {
  const ValueId low = emit_.binary(OpKind::Add, word(1), blocks(skipped));
  if (algorithm_ == Algorithm::ThreeFry) return emit_.concatenate({word(0), low}, 0);
  const ValueId overflows = emit_.compare(low, word(1), "LT");
  const ValueId carry =
      emit_.builder().create_value(OpKind::Convert, {overflows}, lowering_.output().type(low));
  const std::size_t high = emit_.dim(state_, 0) == 3 ? 2 : 0;
  return emit_.concatenate({word(0), low, emit_.binary(OpKind::Add, word(high), carry)}, 0);
}

/// Returns the next state, which does not depend on the sharding of the bits.
ValueId Generator::state_behind() {
  const int64_t size = emit_.dim(state_, 0);
  const ValueId next = start(ScalarIndex::of(counting_.num_blocks));
  const Type& type = lowering_.input().type(lowering_.input().result(op_, 0));
  return as_words(emit_.slice(next, 0, 0, size), type.element());
}

ValueId Generator::generated(ValueId state, std::vector<int64_t> dims) {
  ir::OpSpec spec{.kind = OpKind::RngBitGenerator};
  spec.operands = {state};
  spec.result_types = {lowering_.output().type(state), bits_.with_dims(std::move(dims))};
  spec.attributes = local_attributes(lowering_.input().attributes(op_));
  ir::EnumAttr name = *lowering_.input().attribute<ir::EnumAttr>(op_, ir::attr::kRngAlgorithm);
  name.value = algorithm_ == Algorithm::Philox
                   ? "PHILOX"
                   : "THREE_FRY";  // DEFAULT could mean another algorithm elsewhere
  spec.attributes.set(ir::attr::kRngAlgorithm, std::move(name));
  return lowering_.output().result(emit_.builder().create(std::move(spec)), 1);
}

ValueId Generator::rows_of(const ScalarIndex& coord, int64_t tile) {
  std::vector<int64_t> dims(bits_.dims().begin(), bits_.dims().end());
  dims[counting_.dim] = tile;
  const ScalarIndex first = emit_.multiply(coord, tile);
  if (counting_.per && tile * counting_.row % *counting_.per == 0) {
    const int64_t blocks = tile * counting_.row / *counting_.per;
    return generated(start(emit_.multiply(coord, blocks)), std::move(dims));
  }
  if (counting_.per) {  // in flat order, from the block with the first element
    const int64_t count = tile * counting_.row;
    const ScalarIndex element = emit_.multiply(first, counting_.row);
    const ValueId made =
        generated(start(emit_.floor_div(element, *counting_.per)), {count + *counting_.per - 1});
    const ScalarIndex begin = emit_.floor_mod(element, *counting_.per);
    return emit_.reshape(emit_.dynamic_slice(made, 0, begin, count), std::move(dims));
  }
  // The shard must be paired along the same dim as the global tensor: rows if their number is even.
  dims[counting_.dim] += tile % 2 == (counting_.pairs_rows ? 1 : 0) ? 1 : 0;
  if (!counting_.pairs_rows) {
    const ValueId made = generated(start(emit_.multiply(first, counting_.blocks_per_row)), dims);
    return emit_.slice(made, counting_.dim, 0, tile);
  }
  const ScalarIndex pair = emit_.floor_div(first, 2);
  const ValueId made = generated(start(emit_.multiply(pair, counting_.blocks_per_row)), dims);
  return emit_.dynamic_slice(made, counting_.dim, emit_.floor_mod(first, 2), tile);
}

/// Checks whether a dim other than that of the rows is sharded.
bool Generator::cuts_rows(std::span<const AxisList> axes) const {
  if (!has_random_elements(bits_)) return false;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (dim != counting_.dim && sharding_size(axes[dim]) > 1) return true;
  }
  return false;
}

void Generator::lower() {
  const ir::Module& input = lowering_.input();
  const PartitionedValue state = lowering_.local(input.operand(op_, 0));
  const std::vector<AxisList> whole_state(1);
  state_ = as_words(lowering_.reshard_to(op_, state, whole_state).value, ElementType::UI64);
  const ValueId next = input.result(op_, 0);
  lowering_.bind(
      next, lowering_.reshard_to(
                op_, lowering_.make(state_behind(), input.type(next), std::vector<AxisList>(1)),
                lowering_.axes_of(next)));
  const ValueId result = input.result(op_, 1);
  const std::vector<AxisList> wanted = lowering_.axes_of(result);
  if (cuts_rows(wanted)) {
    const ValueId made = random_elements(lowering_, algorithm_, bits_, wanted, state_);
    return lowering_.bind(result, lowering_.make(made, bits_, wanted));
  }
  std::vector<AxisList> axes(wanted.size());
  axes[counting_.dim] = wanted[counting_.dim];
  const Tiling tiling = Tiling::of(bits_.dim(counting_.dim), sharding_size(axes[counting_.dim]));
  const ScalarIndex coord = emit_.coord(lowering_.place(), axes[counting_.dim]);
  PartitionedValue made = lowering_.make(rows_of(coord, tiling.tile), bits_, std::move(axes));
  lowering_.bind(result, lowering_.reshard_to(op_, std::move(made), wanted));
}

std::optional<Algorithm> algorithm_of(const ir::Module& module, OpId op) {
  const auto* name = module.attribute<ir::EnumAttr>(op, ir::attr::kRngAlgorithm);
  const Type& state = module.type(module.operand(op, 0));
  const bool is_wide = ir::is_integer(state.element()) && ir::size_bytes(state.element()) == 8;
  if (name == nullptr || !is_wide || state.rank() != 1) return std::nullopt;
  const bool is_three_fry = name->value == "THREE_FRY";
  if (!is_three_fry && name->value != "PHILOX" && name->value != "DEFAULT") return std::nullopt;
  if (state.dim(0) != 2 && (is_three_fry || state.dim(0) != 3)) return std::nullopt;
  return is_three_fry ? Algorithm::ThreeFry : Algorithm::Philox;
}

}  // namespace

/// Spec: partitioning 8.20. The generator state is hidden, so no device can skip part of a draw.
/// Spec: partitioning 8.20.
Status lower_rng(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  for (const ValueId operand : input.operands(op)) {
    const PartitionedValue& value = lowering.local(operand);
    const std::vector<AxisList> whole(value.axes.size());
    operands.push_back(lowering.reshard_to(op, value, whole).value);
  }
  const ValueId result = input.result(op);
  const Type& type = input.type(result);
  const OpId local = lowering.clone(op, std::move(operands), {type});
  const std::vector<AxisList> wanted = lowering.axes_of(result);
  PartitionedValue made =
      lowering.make(lowering.output().result(local), type, std::vector<AxisList>(wanted.size()));
  lowering.bind(result, lowering.reshard_to(op, std::move(made), wanted));
  return {};
}

/// Spec: partitioning 8.20.
Status lower_rng_bit_generator(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<Algorithm> algorithm = algorithm_of(input, op);
  const Type& bits = input.type(input.result(op, 1));
  const std::vector<AxisList> axes = lowering.axes_of(input.result(op, 1));
  const bool is_cut =
      std::ranges::any_of(axes, [](const AxisList& list) { return sharding_size(list) > 1; });
  if (!algorithm || !is_cut || bits.num_elements() == 0) return lower_replicated(lowering, op);
  Generator(lowering, op, *algorithm).lower();
  return {};
}

}  // namespace shardy::partitioning
