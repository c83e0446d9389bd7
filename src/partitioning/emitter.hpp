// A builder of ops of the per-device program: index arithmetic, local data movement, communication.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partitioning/ir_names.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Returns the numbers as a vector.
inline std::vector<int64_t> copy(std::span<const int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// A mesh and its name in the module; it determines device coordinates.
struct DeviceOrder {
  Mesh mesh;
  std::string mesh_name;
};

/// An i64 scalar of the program, constant-folded where possible.
struct ScalarIndex {
  std::optional<int64_t> constant;
  ir::ValueId value;  // invalid if `constant` is set

  static ScalarIndex of(int64_t number) { return {number, ir::ValueId()}; }
};

/// A builder that appends ops to a block. Folds arithmetic on constant indices.
class Emitter {
 public:
  explicit Emitter(ir::Module& module) : module_(&module), builder_(module, module.body()) {}

  ir::Module& module() const { return *module_; }
  ir::Builder& builder() { return builder_; }
  void set_block(ir::BlockId block) { builder_ = ir::Builder(*module_, block); }
  void set_builder(const ir::Builder& builder) { builder_ = builder; }
  void set_location(ir::LocationId location) { builder_.set_location(location); }
  /// Inserts the next ops before `op`; they get the location of `op`.
  void start_before(ir::OpId op) {
    builder_ = ir::Builder::before(*module_, op);
    builder_.set_location(module_->location(op));
  }
  std::span<const int64_t> dims(ir::ValueId value) const { return module_->type(value).dims(); }
  int64_t dim(ir::ValueId value, std::size_t index) const { return dims(value)[index]; }

  // ---- Index arithmetic (partitioning 4.1) ----
  ir::ValueId scalar(const ScalarIndex& index);
  ScalarIndex add(const ScalarIndex& a, const ScalarIndex& b);
  ScalarIndex subtract(const ScalarIndex& a, const ScalarIndex& b);
  ScalarIndex multiply(const ScalarIndex& a, int64_t factor);
  ScalarIndex floor_div(const ScalarIndex& a, int64_t divisor);
  ScalarIndex floor_mod(const ScalarIndex& a, int64_t divisor);
  ScalarIndex clamp(const ScalarIndex& a, int64_t low, int64_t high);
  /// Returns the rank of the device over the axes, a mixed-radix number with the first axis as the
  /// major digit. A constant 0 if the axes have size 1.
  ScalarIndex coord(const DeviceOrder& place, std::span<const AxisRef> axes);

  // ---- Constants ----
  ir::ValueId constant(const ir::Literal& literal);
  /// Returns a tensor with `element` everywhere. Requires: `element` has rank 0.
  ir::ValueId splat(std::vector<int64_t> dims, const ir::Literal& element);
  /// Returns a value whose elements have only bits 0.
  ir::ValueId zeros(const ir::Type& type);
  /// Returns a value with undefined elements.
  ir::ValueId undefined(const ir::Type& type);
  /// Returns the numbers [0, size) as i64.
  ir::ValueId iota(int64_t size);

  // ---- Local data movement (partitioning 5.2, 5.3) ----
  ir::ValueId reshape(ir::ValueId value, std::vector<int64_t> dims);
  /// Returns the transposed value: its dim i is dim order[i] of `value`.
  ir::ValueId transpose(ir::ValueId value, std::vector<int64_t> order);
  /// Broadcasts a scalar, or a vector along `dim`, to the shape.
  ir::ValueId broadcast(ir::ValueId value, std::span<const int64_t> dims,
                        std::span<const int64_t> mapped);
  ir::ValueId slice(ir::ValueId value, std::size_t dim, int64_t begin, int64_t end,
                    int64_t stride = 1);
  ir::ValueId dynamic_slice(ir::ValueId value, std::size_t dim, const ScalarIndex& begin,
                            int64_t size);
  struct PadAmounts {
    int64_t low = 0;
    int64_t high = 0;
    int64_t interior = 0;
  };
  /// Pads a dim with `fill`, a scalar. If `fill` is invalid, the padding is undefined.
  ir::ValueId pad(ir::ValueId value, std::size_t dim, const PadAmounts& edges,
                  ir::ValueId fill = ir::ValueId());
  ir::ValueId concatenate(std::vector<ir::ValueId> values, std::size_t dim);
  ir::ValueId reverse(ir::ValueId value, std::vector<int64_t> dims);
  /// Reduces the dims, which are in ascending order, starting with `init` (rank 0).
  ir::ValueId reduce(ir::ValueId value, std::span<const std::size_t> dims, ir::OpKind reducer,
                     ir::ValueId init);
  ir::ValueId reduce(ir::ValueId value, std::size_t dim, ir::OpKind reducer, ir::ValueId init) {
    return reduce(value, std::span(&dim, 1), reducer, init);
  }

  // ---- Elementwise ----
  /// Converts to i64. Unsigned numbers above the range of i64 become its maximum. Requires:
  /// integers.
  ir::ValueId to_i64(ir::ValueId value);
  /// Clamps every element to [low, high].
  ir::ValueId clamp(ir::ValueId value, int64_t low, int64_t high);
  ir::ValueId compare(ir::ValueId a, ir::ValueId b, std::string_view direction);
  ir::ValueId both(ir::ValueId a, ir::ValueId b);
  ir::ValueId select(ir::ValueId predicate, ir::ValueId on_true, ir::ValueId on_false);
  ir::ValueId binary(ir::OpKind kind, ir::ValueId a, ir::ValueId b);

  // ---- Communication (partitioning 4.2) ----
  // A collective whose groups have one device returns its operand. `or` of floats or complex
  // numbers combines their bit patterns (5.7).
  ir::ValueId all_gather(ir::ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                         std::size_t dim);
  ir::ValueId all_reduce(ir::ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                         ir::OpKind reducer);
  ir::ValueId reduce_scatter(ir::ValueId value, const DeviceOrder& place,
                             std::span<const AxisRef> axes, std::size_t dim, ir::OpKind reducer);
  ir::ValueId all_to_all(ir::ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                         std::size_t split_dim, std::size_t concat_dim);
  /// Emits a collective of any kind: the op `spec`, with this operand and with the attributes of
  /// its groups besides its own.
  ir::ValueId collective(ir::ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                         ir::OpSpec spec);
  ir::ValueId permute(ir::ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                      ir::PermuteMap map);
  /// Creates a region that combines two scalars.
  ir::RegionId reducer_region(ir::OpKind reducer, ir::ElementType element);

 private:
  ScalarIndex index_op(ir::OpKind kind, const ScalarIndex& a, const ScalarIndex& b);
  /// Returns the attributes `own` with those of the groups along the axes.
  ir::AttributeMap group(const DeviceOrder& place, std::span<const AxisRef> axes,
                         ir::AttributeMap own = {}) const;

  ir::Module* module_;
  ir::Builder builder_;
};

// ---- Bit patterns -------------------------------------------------------------------------------

// Conversion of elements to integers with the same bits, so that `or` can combine them. Spec:
// partitioning 5.7.

/// Returns the op that restores a value if one device of a group has each element and all other
/// devices have `nothing_beside`. The op is `or`. For floats without an integer type of their width
/// it is `add`, which is exact because these floats have neither NaN nor infinity.
ir::OpKind exact_combiner(ir::ElementType element);

/// Returns the element that devices without the value contribute, as a scalar.
ir::Literal nothing_beside(ir::ElementType element);

/// Returns the neutral element of the reducer, as a scalar. For `or` of floats, the element whose
/// bits are neutral.
ir::Literal neutral_to(ir::OpKind reducer, ir::ElementType element);

/// Returns the unsigned integer type of the element's width; std::nullopt if none exists.
std::optional<ir::ElementType> integer_of_width(ir::ElementType element);

/// Checks whether `or` of elements of this type combines their bit patterns: floats and complex
/// numbers.
bool has_hidden_bits(ir::ElementType element);

/// Converts to unsigned integers with the same bits. Complex numbers become real and imaginary
/// parts along a leading dim of size 2. Requires: has_hidden_bits.
ir::ValueId to_bits(Emitter& emit, ir::ValueId value);

/// Converts the result of to_bits back to `element`.
ir::ValueId from_bits(Emitter& emit, ir::ValueId bits, ir::ElementType element);

}  // namespace shardy::partitioning
