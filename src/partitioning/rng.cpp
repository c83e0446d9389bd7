// Lowers random number ops, and computes random elements individually from their global index.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/families.hpp"
#include "partitioning/lowering.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Elements -----------------------------------------------------------------------------------

// Elements of rng_bit_generator as a function of their block number, by scalar ops in one
// stablehlo.map. Spec: partitioning 8.20, stablehlo 27.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %s, %0 = rng_bit_generator %state, THREE_FRY : tensor<4x6xui32> [{}, {"x"}]
//   ->
//   %1[r, c] = 12 * (r / 2) + r % 2 + 2 * (c + 3 * spmd.coord {"x"})   : element numbers, 4x3
//   %0 = stablehlo.map(%1): word %1 % 2 of block %1 / 2                : tensor<4x3xui32>

namespace {

enum class RngAlgorithm : uint8_t { Philox, ThreeFry };

/// Returns the dim along which the two words of a block are adjacent. Spec: stablehlo 27.
std::size_t paired_dim(std::span<const int64_t> dims) {
  auto found = std::ranges::find_if(dims, [](int64_t dim) { return dim % 2 == 0; });
  if (found == dims.end()) found = std::ranges::max_element(dims);
  return static_cast<std::size_t>(found - dims.begin());
}

/// Returns the unsigned type with the size of the element; std::nullopt for elements smaller than a
/// byte.
std::optional<ElementType> word_type(ElementType element) {
  return ir::info(element).bits < 8 ? std::nullopt : integer_of_width(element);
}

Type scalar(ElementType element) { return Type::tensor({}, element); }

/// A builder of arithmetic on unsigned scalars at the end of a block.
class ScalarArithmetic {
 public:
  explicit ScalarArithmetic(Emitter& emit) : emit_(emit) {}

  ValueId number(uint64_t value, ElementType element) {
    return emit_.constant(ir::int_splat_literal(scalar(element), static_cast<int64_t>(value)));
  }
  ValueId binary(OpKind kind, ValueId a, ValueId b) { return emit_.binary(kind, a, b); }
  ValueId add(ValueId a, ValueId b) { return binary(OpKind::Add, a, b); }
  ValueId exclusive(ValueId a, ValueId b) { return binary(OpKind::Xor, a, b); }
  ValueId add(ValueId a, uint32_t b) { return add(a, number(b, ElementType::UI32)); }
  ValueId to(ValueId value, ElementType element) {
    const Type type = emit_.module().type(value).with_element(element);
    if (type == emit_.module().type(value)) return value;
    return emit_.builder().create_value(OpKind::Convert, {value}, type);
  }
  ValueId shifted(OpKind kind, ValueId value, uint64_t by) {
    return by == 0 ? value : binary(kind, value, number(by, emit_.module().type(value).element()));
  }
  ValueId low(ValueId wide) {
    const ValueId mask = number(0xFFFFFFFFU, ElementType::UI64);
    return to(binary(OpKind::And, wide, mask), ElementType::UI32);
  }
  ValueId high(ValueId wide) {
    return to(shifted(OpKind::ShiftRightLogical, wide, 32), ElementType::UI32);
  }
  ValueId joined(ValueId low, ValueId high) {
    const ValueId upper = shifted(OpKind::ShiftLeft, to(high, ElementType::UI64), 32);
    return binary(OpKind::Or, to(low, ElementType::UI64), upper);
  }
  ValueId rotated(ValueId x, uint64_t by) {
    return binary(OpKind::Or, shifted(OpKind::ShiftLeft, x, by),
                  shifted(OpKind::ShiftRightLogical, x, 32 - by));
  }
  /// Returns choices[index].
  ValueId picked(std::span<const ValueId> choices, ValueId index) {
    ValueId value = choices.back();
    for (std::size_t at = choices.size() - 1; at-- > 0;) {
      const ValueId is_this = emit_.compare(index, number(at, ElementType::UI64), "EQ");
      value = emit_.select(is_this, choices[at], value);
    }
    return value;
  }

  Emitter& emit() { return emit_; }

 private:
  Emitter& emit_;
};

/// The generator state as scalars, which the map captures.
struct GeneratorState {
  ValueId key;
  ValueId low;   // low word of the counter
  ValueId high;  // high word of the counter; Philox only
};

using Block = std::vector<ValueId>;  // 32-bit words

Block three_fry(ScalarArithmetic& words, const GeneratorState& state, ValueId block) {
  constexpr std::array<std::array<uint64_t, 4>, 2> kRotations = {
      {{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const ValueId counter = words.add(state.low, block);
  std::array<ValueId, 3> keys = {words.low(state.key), words.high(state.key), {}};
  keys[2] = words.exclusive(words.exclusive(keys[0], keys[1]),
                            words.number(0x1BD11BDAU, ElementType::UI32));
  ValueId x0 = words.add(words.low(counter), keys[0]);
  ValueId x1 = words.add(words.high(counter), keys[1]);
  for (std::size_t group = 0; group < 5; ++group) {
    for (const uint64_t rotation : kRotations[group % 2]) {
      x0 = words.add(x0, x1);
      x1 = words.exclusive(words.rotated(x1, rotation), x0);
    }
    x0 = words.add(x0, keys[(group + 1) % 3]);
    x1 = words.add(words.add(x1, keys[(group + 2) % 3]), static_cast<uint32_t>(group + 1));
  }
  return {x0, x1};
}

Block philox(ScalarArithmetic& words, const GeneratorState& state, ValueId block) {
  const ValueId low = words.add(state.low, block);
  const ValueId overflows = words.emit().compare(low, state.low, "LT");
  const ValueId high = words.add(state.high, words.to(overflows, ElementType::UI64));
  Block counter = {words.low(low), words.high(low), words.low(high), words.high(high)};
  std::array<ValueId, 2> key = {words.low(state.key), words.high(state.key)};
  const ValueId factor0 = words.number(0xD2511F53U, ElementType::UI64);
  const ValueId factor1 = words.number(0xCD9E8D57U, ElementType::UI64);
  for (int round = 0; round < 10; ++round) {
    const auto times = [&](ValueId word, ValueId factor) {
      return words.binary(OpKind::Multiply, words.to(word, ElementType::UI64), factor);
    };
    const ValueId p = times(counter[0], factor0);
    const ValueId q = times(counter[2], factor1);
    const ValueId first = words.exclusive(words.exclusive(words.high(q), counter[1]), key[0]);
    const ValueId third = words.exclusive(words.exclusive(words.high(p), counter[3]), key[1]);
    counter = {first, words.low(q), third, words.low(p)};
    key = {words.add(key[0], 0x9E3779B9U), words.add(key[1], 0xBB67AE85U)};
  }
  return counter;
}

/// The conversion of the words of a block to elements.
struct Form {
  RngAlgorithm algorithm;
  ElementType word;
  bool is_wide() const { return word == ElementType::UI64; }
  /// Returns the number of elements per block.
  int64_t per_block() const {
    const int64_t words = algorithm == RngAlgorithm::Philox ? 4 : 2;
    return is_wide() ? words / 2 : words;
  }
};

/// Returns element `number % per_block` of block `number / per_block`.
ValueId element_of(ScalarArithmetic& words, const Form& form, const GeneratorState& state,
                   ValueId number) {
  const auto per = static_cast<uint64_t>(form.per_block());
  const uint64_t shift = per == 4 ? 2 : per == 2 ? 1 : 0;
  const ValueId block = words.shifted(OpKind::ShiftRightLogical, number, shift);
  Block made = form.algorithm == RngAlgorithm::Philox ? philox(words, state, block)
                                                      : three_fry(words, state, block);
  if (form.is_wide()) {
    Block wide;
    for (std::size_t at = 0; at < made.size(); at += 2) {
      wide.push_back(words.joined(made[at], made[at + 1]));
    }
    made = std::move(wide);
  }
  const ValueId index = words.binary(OpKind::And, number, words.number(per - 1, ElementType::UI64));
  const ValueId word = words.picked(made, index);
  if (form.is_wide() || form.word == ElementType::UI32) return word;
  const uint64_t mask = form.word == ElementType::UI8 ? 0xFF : 0xFFFF;
  return words.to(words.binary(OpKind::And, word, words.number(mask, ElementType::UI32)),
                  form.word);
}

/// Row-major element numbers as a sum of one term per dim.
class ElementNumbers {
 public:
  ElementNumbers(Lowering& lowering, const Type& bits, std::span<const AxisList> axes)
      : lowering_(lowering),
        emit_(lowering.emit()),
        bits_(bits),
        axes_(axes),
        shape_(lowering.local_dims(bits, axes)) {}

  ValueId of(const Form& form) {
    const bool is_paired = form.algorithm == RngAlgorithm::ThreeFry && !form.is_wide();
    const std::size_t paired = is_paired ? paired_dim(bits_.dims()) : shape_.size();
    ValueId sum;
    int64_t stride = is_paired ? 2 : 1;
    for (std::size_t dim = shape_.size(); dim-- > 0;) {
      const ValueId place = places(dim);
      const ValueId part = dim == paired ? pairs(place, stride) : times(place, stride);
      stride *= dim == paired ? ceil_div(bits_.dim(dim), 2) : bits_.dim(dim);
      const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
      const ValueId all =
          emit_.broadcast(ScalarArithmetic(emit_).to(part, number_type()), shape_, mapped);
      sum = sum.valid() ? emit_.binary(OpKind::Add, sum, all) : all;
    }
    return sum;
  }

  /// Returns a type that can represent all numbers, which are at most twice the number of elements.
  ElementType number_type() const {
    return bits_.num_elements() < (int64_t{1} << 31) ? ElementType::UI32 : ElementType::UI64;
  }

 private:
  ValueId splat(int64_t value, std::size_t count) {
    return emit_.splat({static_cast<int64_t>(count)},
                       ir::int_splat_literal(scalar(ElementType::I64), value));
  }
  ValueId times(ValueId place, int64_t stride) {
    return emit_.binary(OpKind::Multiply, place, splat(stride, size_of(place)));
  }
  std::size_t size_of(ValueId vector) { return static_cast<std::size_t>(emit_.dim(vector, 0)); }
  /// Returns the global positions of the local elements along a dim.
  ValueId places(std::size_t dim) {
    const int64_t tile = shape_[dim];
    const ScalarIndex begin = emit_.multiply(emit_.coord(lowering_.place(), axes_[dim]), tile);
    const ValueId first = emit_.broadcast(emit_.scalar(begin), std::vector<int64_t>{tile}, {});
    return emit_.binary(OpKind::Add, emit_.iota(tile), first);
  }
  /// Maps positions to numbers such that both elements of a pair have an equal block number.
  ValueId pairs(ValueId place, int64_t stride) {
    const ValueId two = splat(2, size_of(place));
    const ValueId pair = emit_.binary(OpKind::Divide, place, two);
    const ValueId side = emit_.binary(OpKind::Remainder, place, two);
    return emit_.binary(OpKind::Add, times(pair, stride), side);
  }

  Lowering& lowering_;
  Emitter& emit_;
  const Type& bits_;
  std::span<const AxisList> axes_;
  std::vector<int64_t> shape_;
};

ir::RegionId element_region(ir::Module& module, const Form& form, const GeneratorState& state,
                            ElementType number) {
  const ir::RegionId region = module.new_region();
  const std::vector<Type> args = {scalar(number)};
  const ir::BlockId block = module.new_block(region, args);
  Emitter body(module);
  body.set_block(block);
  ScalarArithmetic words(body);
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  const ValueId place = words.to(module.args(block)[0], ElementType::UI64);
  terminator.operands = {element_of(words, form, state, place)};
  body.builder().create(std::move(terminator));
  return region;
}

/// Checks whether random_elements supports elements of this width.
bool has_random_elements(const Type& bits) {
  return !ir::is_complex(bits.element()) && word_type(bits.element()).has_value();
}

/// Computes the local shard of a tensor of random bits from the global positions of its elements.
/// `state` has 64-bit words. Requires: has_random_elements. Spec: partitioning 8.20.
ValueId random_elements(Lowering& lowering, RngAlgorithm algorithm, const Type& bits,
                        std::span<const AxisList> axes, ValueId state) {
  Emitter& emit = lowering.emit();
  const Form form = {algorithm, *word_type(bits.element())};
  const auto word = [&](int64_t index) {
    return emit.reshape(emit.slice(state, 0, index, index + 1), {});
  };
  ElementNumbers places(lowering, bits, axes);
  const ValueId numbers = places.of(form);
  GeneratorState words = {word(0), word(1), {}};
  if (algorithm == RngAlgorithm::Philox) words.high = emit.dim(state, 0) == 3 ? word(2) : words.key;
  std::vector<int64_t> dims(emit.dims(numbers).begin(), emit.dims(numbers).end());
  std::vector<int64_t> all(dims.size());
  for (std::size_t dim = 0; dim < all.size(); ++dim) all[dim] = static_cast<int64_t>(dim);
  ir::OpSpec spec{.kind = OpKind::Map};
  spec.operands = {numbers};
  spec.result_types = {Type::tensor(std::move(dims), form.word)};
  spec.attributes.set(ir::attr::kDimensions, ir::DenseArrayAttr{ElementType::I64, std::move(all)});
  spec.regions = {element_region(lowering.output(), form, words, places.number_type())};
  const ValueId made = lowering.output().result(emit.builder().create(std::move(spec)));
  if (form.word == bits.element()) return made;
  const Type type = lowering.output().type(made).with_element(bits.element());
  return emit.builder().create_value(OpKind::BitcastConvert, {made}, type);
}

}  // namespace

// ---- Lowerings ----------------------------------------------------------------------------------

// rng_bit_generator and rng: the shards have the random bits of the global tensor. Spec:
// partitioning 8.20, stablehlo 27.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %s, %0 = rng_bit_generator %state, THREE_FRY : tensor<8xui64> [{"x"}]
//   ->
//   %1 = %state with its counter + 4 * spmd.coord {"x"}
//   %2, %0 = rng_bit_generator %1, THREE_FRY     : tensor<4xui64>
//   %s = %state with its counter + 8
//
// rng: each device draws the global tensor and slices it. "main:0" numbers the first draw of @main:
//   %0 = rng %a, %b, %shape : tensor<8xf32> [{"x"}]
//   ->
//   %1 = rng %a, %b, %shape {spmd.draw = "main:0"}
//   %0 = dynamic_slice %1, 4 * spmd.coord {"x"}  : tensor<4xf32>

namespace {

/// The division of rows into blocks of words that share one counter value. Rows are along the first
/// dim of size > 1.
struct Counting {
  std::size_t dim = 0;     // the first dim of size > 1
  int64_t row = 1;         // elements per row
  int64_t num_blocks = 0;  // number in the global tensor
  // Consecutive elements per block; std::nullopt: a block has two elements that are not adjacent.
  std::optional<int64_t> per;
  bool pairs_rows =
      false;  // the two elements are in two rows; false: in one row, along a later dim
  int64_t blocks_per_row = 0;  // per row, or per pair of rows if `pairs_rows`
};

std::size_t first_long_dim(std::span<const int64_t> dims) {
  const auto found = std::ranges::find_if(dims, [](int64_t dim) { return dim > 1; });
  return found == dims.end() ? 0 : static_cast<std::size_t>(found - dims.begin());
}

Counting counting_of(const Type& bits, RngAlgorithm algorithm) {
  Counting counting;
  counting.dim = first_long_dim(bits.dims());
  counting.row = bits.num_elements() / bits.dim(counting.dim);
  const bool is_wide = ir::size_bytes(bits.element()) == 8;
  if (algorithm == RngAlgorithm::Philox || is_wide) {
    counting.per = algorithm == RngAlgorithm::ThreeFry ? 1 : (is_wide ? 2 : 4);
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
  Generator(Lowering& lowering, OpId op, RngAlgorithm algorithm)
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
  ValueId next_state();
  ValueId generated(ValueId state, std::vector<int64_t> dims);
  ValueId rows_of(const ScalarIndex& coord, int64_t tile);
  bool shards_rows(std::span<const AxisList> axes) const;

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  RngAlgorithm algorithm_;
  Type bits_;
  Counting counting_;
  ValueId state_;  // the state as ui64 words
};

ValueId Generator::as_words(ValueId value, ElementType element) {
  const Type& type = lowering_.output().type(value);
  if (type.element() == element) return value;
  return emit_.builder().create_value(OpKind::BitcastConvert, {value}, type.with_element(element));
}

/// Returns one word of the state as a vector of one element.
ValueId Generator::word(std::size_t index) {
  const auto begin = static_cast<int64_t>(index);
  return emit_.slice(state_, 0, begin, begin + 1);
}

ValueId Generator::blocks(const ScalarIndex& count) {
  const ValueId number = emit_.builder().create_value(OpKind::Convert, {emit_.scalar(count)},
                                                      Type::tensor({}, ElementType::UI64));
  return emit_.reshape(number, {1});
}

/// Returns the state after `skipped` blocks. For Philox, the high word of the counter is a separate
/// word.
ValueId Generator::start(const ScalarIndex& skipped) {
  const ValueId low = emit_.binary(OpKind::Add, word(1), blocks(skipped));
  if (algorithm_ == RngAlgorithm::ThreeFry) return emit_.concatenate({word(0), low}, 0);
  const ValueId overflows = emit_.compare(low, word(1), "LT");
  const ValueId carry =
      emit_.builder().create_value(OpKind::Convert, {overflows}, lowering_.output().type(low));
  const std::size_t high = emit_.dim(state_, 0) == 3 ? 2 : 0;
  return emit_.concatenate({word(0), low, emit_.binary(OpKind::Add, word(high), carry)}, 0);
}

/// Returns the state after the op. It does not depend on the sharding of the bits.
ValueId Generator::next_state() {
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
  name.value = algorithm_ == RngAlgorithm::Philox
                   ? "PHILOX"
                   : "THREE_FRY";  // another library may map DEFAULT to another algorithm
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
  if (counting_.per) {  // in flat order, from the block that contains the first local element
    const int64_t count = tile * counting_.row;
    const ScalarIndex element = emit_.multiply(first, counting_.row);
    const ValueId made =
        generated(start(emit_.floor_div(element, *counting_.per)), {count + *counting_.per - 1});
    const ScalarIndex begin = emit_.floor_mod(element, *counting_.per);
    return emit_.reshape(emit_.dynamic_slice(made, 0, begin, count), std::move(dims));
  }
  // The local op must pair elements along the same dim as the global op. It pairs rows if their
  // number is even.
  dims[counting_.dim] += tile % 2 == (counting_.pairs_rows ? 1 : 0) ? 1 : 0;
  if (!counting_.pairs_rows) {
    const ValueId made = generated(start(emit_.multiply(first, counting_.blocks_per_row)), dims);
    return emit_.slice(made, counting_.dim, 0, tile);
  }
  const ScalarIndex pair = emit_.floor_div(first, 2);
  const ValueId made = generated(start(emit_.multiply(pair, counting_.blocks_per_row)), dims);
  return emit_.dynamic_slice(made, counting_.dim, emit_.floor_mod(first, 2), tile);
}

/// Checks whether a dim other than `counting_.dim` is sharded.
bool Generator::shards_rows(std::span<const AxisList> axes) const {
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
  lowering_.bind(next,
                 lowering_.reshard_to(
                     op_, lowering_.make(next_state(), input.type(next), std::vector<AxisList>(1)),
                     lowering_.axes_of(next)));
  const ValueId result = input.result(op_, 1);
  const std::vector<AxisList> wanted = lowering_.axes_of(result);
  if (shards_rows(wanted)) {
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

std::optional<RngAlgorithm> algorithm_of(const ir::Module& module, OpId op) {
  const auto* name = module.attribute<ir::EnumAttr>(op, ir::attr::kRngAlgorithm);
  const Type& state = module.type(module.operand(op, 0));
  const bool is_wide = ir::is_integer(state.element()) && ir::size_bytes(state.element()) == 8;
  if (name == nullptr || !is_wide || state.rank() != 1) return std::nullopt;
  const bool is_three_fry = name->value == "THREE_FRY";
  if (!is_three_fry && name->value != "PHILOX" && name->value != "DEFAULT") return std::nullopt;
  if (state.dim(0) != 2 && (is_three_fry || state.dim(0) != 3)) return std::nullopt;
  return is_three_fry ? RngAlgorithm::ThreeFry : RngAlgorithm::Philox;
}

}  // namespace

/// Lowers rng. The generator state is hidden, so no device can skip part of a draw. Spec:
/// partitioning 8.20.
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

/// Lowers rng_bit_generator. Spec: partitioning 8.20.
Status lower_rng_bit_generator(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<RngAlgorithm> algorithm = algorithm_of(input, op);
  const Type& bits = input.type(input.result(op, 1));
  const std::vector<AxisList> axes = lowering.axes_of(input.result(op, 1));
  const bool is_dim_sharded =
      std::ranges::any_of(axes, [](const AxisList& list) { return sharding_size(list) > 1; });
  if (!algorithm || !is_dim_sharded || bits.num_elements() == 0)
    return lower_replicated(lowering, op);
  Generator(lowering, op, *algorithm).lower();
  return {};
}

}  // namespace shardy::partitioning
