// Elements of rng_bit_generator as a function of the block number, by scalar ops in one
// stablehlo.map. Spec: partitioning 8.20, stablehlo 27.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %s, %0 = rng_bit_generator %state, THREE_FRY : tensor<4x6xui32> [{}, {"x"}]
//   ->
//   %1[r, c] = 12 * (r / 2) + r % 2 + 2 * (c + 3 * spmd.coord {"x"})   : element numbers, 4x3
//   %0 = stablehlo.map(%1): word %1 % 2 of block %1 / 2                : tensor<4x3xui32>
#include "partitioning/rng_elements.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "partitioning/bit_patterns.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

std::size_t paired_dim(std::span<const int64_t> dims) {
  auto found = std::ranges::find_if(dims, [](int64_t dim) { return dim % 2 == 0; });
  if (found == dims.end()) found = std::ranges::max_element(dims);
  return static_cast<std::size_t>(found - dims.begin());
}

namespace {

/// Returns the unsigned type of an element's size, in whole bytes; std::nullopt for smaller
/// elements.
std::optional<ElementType> word_type(ElementType element) {
  return ir::info(element).bits < 8 ? std::nullopt : integer_of_width(element);
}

Type scalar(ElementType element) { return Type::tensor({}, element); }

/// A builder of arithmetic on unsigned scalars at the end of a block.
class Words {
 public:
  explicit Words(Emitter& emit) : emit_(emit) {}

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
  /// Returns the choice with that index.
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

/// The state of the generator as scalars captured by the map.
struct GeneratorState {
  ValueId key;
  ValueId low;   // of the counter
  ValueId high;  // Philox only
};

using Block = std::vector<ValueId>;  // words of 32 bits

Block three_fry(Words& words, const GeneratorState& state, ValueId block) {
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

Block philox(Words& words, const GeneratorState& state, ValueId block) {
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

/// Conversion of words of blocks to elements.
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
ValueId element_of(Words& words, const Form& form, const GeneratorState& state, ValueId number) {
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

/// Row-major element numbers, as a sum of one term per dim.
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
      const ValueId all = emit_.broadcast(Words(emit_).to(part, number_type()), shape_, mapped);
      sum = sum.valid() ? emit_.binary(OpKind::Add, sum, all) : all;
    }
    return sum;
  }

  /// Returns a type that represents all numbers, which are at most twice the number of elements.
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
  /// Returns the global positions of the own elements along a dim.
  ValueId places(std::size_t dim) {
    const int64_t tile = shape_[dim];
    const ScalarIndex begin = emit_.multiply(emit_.coord(lowering_.place(), axes_[dim]), tile);
    const ValueId first = emit_.broadcast(emit_.scalar(begin), std::vector<int64_t>{tile}, {});
    return emit_.binary(OpKind::Add, emit_.iota(tile), first);
  }
  /// Maps both elements of a pair to their block number.
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
  Words words(body);
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  const ValueId place = words.to(module.args(block)[0], ElementType::UI64);
  terminator.operands = {element_of(words, form, state, place)};
  body.builder().create(std::move(terminator));
  return region;
}

}  // namespace

bool has_random_elements(const Type& bits) {
  return !ir::is_complex(bits.element()) && word_type(bits.element()).has_value();
}

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

}  // namespace shardy::partitioning
