// Attributes: typed constants attached to ops, functions and values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/shared.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace shardy::ir {

class Attribute;
struct NamedAttribute;

/// `unit`: an attribute without a value.
struct UnitAttr {
  bool operator==(const UnitAttr&) const = default;
};
/// `3 : i64`.
struct IntegerAttr {
  int64_t value = 0;                    // unsigned 64-bit values keep their bits
  ElementType type = ElementType::I64;  // of the value
  bool operator==(const IntegerAttr&) const = default;
};
/// `1.5 : f32`. Compares bits: -0 and 0 differ, and a NaN equals itself.
struct FloatAttr {
  double value = 0;                     // bits of f32 and narrower are exact in it
  ElementType type = ElementType::F32;  // of the value
  friend bool operator==(const FloatAttr& a, const FloatAttr& b);
};
/// `@name`.
struct SymbolAttr {
  std::string name;  // without the `@`
  bool operator==(const SymbolAttr&) const;
};
/// A type, as in `function_type`.
struct TypeAttr {
  Type type;  // the type
  bool operator==(const TypeAttr&) const;
};
/// An enumerator: kind `stablehlo.comparison_direction`, value `LT`.
struct EnumAttr {
  std::string kind;   // name of the enumeration, with its dialect
  std::string value;  // the word
  bool operator==(const EnumAttr&) const = default;
};
/// `array<i64: 1, 2>`; booleans as 0 and 1 with element I1.
struct DenseArrayAttr {
  ElementType element = ElementType::I64;  // of the values
  std::vector<int64_t> values;             // sign-extended; booleans 0 and 1
  bool operator==(const DenseArrayAttr&) const;
};
/// An attribute of a foreign dialect, or one that this library does not model, as its text.
struct OpaqueAttr {
  std::string text;  // as in the text
  bool operator==(const OpaqueAttr&) const;
};

/// `[a, b]`.
struct ArrayAttr {
  std::vector<Attribute> elements;  // in order
  bool operator==(const ArrayAttr&) const;
};

/// Named attributes, sorted by name, each name once.
class AttributeMap {
 public:
  AttributeMap();
  AttributeMap(const AttributeMap& other);
  AttributeMap(AttributeMap&& other) noexcept;
  AttributeMap& operator=(const AttributeMap& other);
  AttributeMap& operator=(AttributeMap&& other) noexcept;
  ~AttributeMap();
  /// Requires: sorted by name, each name once.
  static AttributeMap from_sorted(std::vector<NamedAttribute> entries);
  /// The entries, to be changed.
  std::vector<NamedAttribute> take() &&;

  /// The attribute of that name, or null.
  const Attribute* find(std::string_view name) const;
  /// Returns whether there is an attribute of that name.
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Adds or replaces.
  void set(std::string_view name, Attribute value);
  /// Removes an attribute. Returns true if it existed.
  bool erase(std::string_view name);

  std::size_t size() const;  // how many there are
  /// Returns whether there is none.
  bool empty() const { return size() == 0; }
  const NamedAttribute* begin() const;  // of the entries by name
  const NamedAttribute* end() const;    // of the entries by name

  /// The attribute of that name if it has type T, or null.
  template <typename T>
  const T* get(std::string_view name) const;
  /// The same, to be changed.
  template <typename T>
  T* edit(std::string_view name);

  bool operator==(const AttributeMap&) const;

 private:
  /// From this size on, lookups use binary search.
  static constexpr std::size_t kMany = 16;
  /// Returns the index of the first entry that is not less than the name.
  std::size_t place_of(std::string_view name) const;

  std::vector<NamedAttribute> entries_;
};

/// Dim lists of `dot_general`. Spec: stablehlo, dot_general.
using shardy::DotDims;
/// Dims of `chlo.ragged_dot`: one dim of lhs is split into groups, whose sizes are an operand; rhs
/// may have a dim with one slice per group.
struct RaggedDotDims {
  std::vector<int64_t> lhs_batch, rhs_batch;              // in pairs
  std::vector<int64_t> lhs_contracting, rhs_contracting;  // in pairs
  std::vector<int64_t> lhs_ragged;                        // one dim, which comes in groups
  std::vector<int64_t> rhs_group;                         // at most one, with a slice per group
  bool operator==(const RaggedDotDims&) const;
};
/// Dim lists of `gather`. Spec: stablehlo, gather.
struct GatherDims {
  std::vector<int64_t> offset_dims = {};                  // of the result: those of the slices
  std::vector<int64_t> collapsed_slice_dims = {};         // of the operand: not in the result
  std::vector<int64_t> operand_batching_dims = {};        // in pairs with the next
  std::vector<int64_t> start_indices_batching_dims = {};  // of the start indices
  std::vector<int64_t> start_index_map = {};              // dim of the operand for each index
  int64_t index_vector_dim = 0;                           // of the start indices; their rank: none
  bool operator==(const GatherDims&) const;
};
/// Dim lists of `scatter`. Spec: stablehlo, scatter.
struct ScatterDims {
  std::vector<int64_t> update_window_dims = {};             // of the updates: those of the windows
  std::vector<int64_t> inserted_window_dims = {};           // of the input: not in the updates
  std::vector<int64_t> input_batching_dims = {};            // in pairs with the next
  std::vector<int64_t> scatter_indices_batching_dims = {};  // of the scatter indices
  std::vector<int64_t> scatter_dims_to_operand_dims = {};   // dim of the input for each index
  int64_t index_vector_dim = 0;  // of the scatter indices; their rank: none
  bool operator==(const ScatterDims&) const;
};
/// Dim numbers of `convolution`. Spec: stablehlo, convolution.
struct ConvolutionDims {
  int64_t input_batch = 0, input_feature = 0;  // dims of the input
  std::vector<int64_t> input_spatial = {};     // other dims of the input, in window order
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;  // dims of the kernel
  std::vector<int64_t> kernel_spatial = {};      // other dims of the kernel, in window order
  int64_t output_batch = 0, output_feature = 0;  // dims of the output
  std::vector<int64_t> output_spatial = {};      // other dims of the output, in window order
  bool operator==(const ConvolutionDims&) const;
};

/// One dim of a tensor that windows move over. Spec: stablehlo 24.2.
struct WindowDim {
  int64_t size = 1;             // positions in a window
  int64_t stride = 1;           // from one window to the next
  int64_t base_dilation = 1;    // from one element of the tensor to the next
  int64_t window_dilation = 1;  // from one position of a window to the next
  int64_t low = 0;              // padding, may be negative
  int64_t high = 0;             // padding at the end, may be negative
  bool reversed = false;        // whether the kernel is read backwards

  /// Checks whether every window has one element, so that window i is element i, except for
  /// dilation.
  bool passes() const { return size == 1 && stride == 1 && low == 0 && high == 0; }
  bool operator==(const WindowDim&) const = default;
};

/// Shardings of several values: results, operands or block arguments. Spec: algebra 6.1.
struct ShardingList {
  std::vector<TensorSharding> shardings;  // one for each value
  bool operator==(const ShardingList&) const;
};
/// The same with names of meshes and axes, before they are resolved.
struct UnresolvedShardingList {
  std::vector<UnresolvedSharding> shardings;  // one for each value
  bool operator==(const UnresolvedShardingList&) const;
};

/// One axis list, read on its mesh: reduction axes, axes of `coord`.
struct AxesAttr {
  Mesh mesh;      // that the axes belong to
  AxisList axes;  // in the order of the text
  bool operator==(const AxesAttr&) const;
};
/// The same with names of axes, before they are resolved.
struct UnresolvedAxesAttr {
  std::vector<UnresolvedAxisRef> axes;  // in the order of the text
  bool operator==(const UnresolvedAxesAttr&) const;
};
/// One axis list per dim: gathering, slicing, reduce-scatter axes. Spec: dialect 4.3.
struct AxesListsAttr {
  Mesh mesh;                    // that the axes belong to
  std::vector<AxisList> lists;  // one for each dim
  bool operator==(const AxesListsAttr&) const;
};
/// The same with names of axes, before they are resolved.
struct UnresolvedAxesListsAttr {
  std::vector<std::vector<UnresolvedAxisRef>> lists;  // one for each dim
  bool operator==(const UnresolvedAxesListsAttr&) const;
};
/// Parameters of `sdy.all_to_all`. Spec: dialect 4.4.
struct AllToAllParam {
  AxisList axes;           // moved axes
  int64_t source_dim = 0;  // that the axes leave
  int64_t target_dim = 0;  // that the axes join
  bool operator==(const AllToAllParam&) const;
};
/// All parameters of one `sdy.all_to_all`.
struct AllToAllAttr {
  Mesh mesh;                          // that the axes belong to
  std::vector<AllToAllParam> params;  // by ascending source dim
  bool operator==(const AllToAllAttr&) const;
};
/// The same with names of axes, before they are resolved.
struct UnresolvedAllToAllParam {
  std::vector<UnresolvedAxisRef> axes;  // moved axes
  int64_t source_dim = 0;               // that the axes leave
  int64_t target_dim = 0;               // that the axes join
  bool operator==(const UnresolvedAllToAllParam&) const;
};
/// The same with names of axes, before they are resolved.
struct UnresolvedAllToAllAttr {
  std::vector<UnresolvedAllToAllParam> params;  // by ascending source dim
  bool operator==(const UnresolvedAllToAllAttr&) const;
};
/// Full axes, by name, along which a manual computation is written per device. Spec: algebra 6.2.
struct ManualAxesAttr {
  std::vector<std::string> names;  // in the order of the text
  bool operator==(const ManualAxesAttr&) const;
};

/// Source rank of `spmd.permute` as a function of the receiving rank. Spec: partitioning 4.3.
struct PermuteMap {
  /// Kind of the function of the rank.
  enum class Kind : uint8_t { Shift, Rotate, Mirror, Affine, Relabel, Remesh, Pairs };
  Kind kind = Kind::Shift;            // which function it is
  std::vector<int64_t> numbers = {};  // Shift, Rotate: [d]. Affine: [a, b, c, j, M, rho]. Pairs:
                                      // flat source, target device ids. Relabel: offsets of the
                                      // coordinates along list2, or none.
  AxisList source_order = {};         // Relabel: list1, the order in which a source's rank is read
  AxisList receiver_order = {};  // Relabel: list2, the order in which a receiver's rank is read
  Mesh mesh = {};                // Remesh: the source's mesh. Relabel: the mesh of the lists
  bool operator==(const PermuteMap&) const;
};

/// A list of types, and the index of T in it.
template <class... Ts>
struct FormList {
  static constexpr std::size_t kSize = sizeof...(Ts);  // how many types there are
  /// The position of T; kSize if it is not in the list.
  template <class T>
  static constexpr std::size_t index_of() {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<T, Ts> || (++index, false)) || ...));
    return index;
  }
  /// True if T is in the list.
  template <class T>
  static constexpr bool contains() {
    return index_of<T>() < kSize;
  }
};

/// A typed constant. A closed set of forms; OpaqueAttr holds the text of other attributes.
///
/// A handle to an immutable value: cheap to copy, compares by content. Not a std::variant, which
/// would compile a table of thirty copies, moves and comparisons into every including source file.
class Attribute {
 public:
  /// All forms, in the order of their numbers.
  using Forms =
      FormList<UnitAttr, bool, IntegerAttr, FloatAttr, std::string, SymbolAttr, TypeAttr, EnumAttr,
               DenseArrayAttr, ArrayAttr, AttributeMap, Literal, OpaqueAttr, DotDims, RaggedDotDims,
               GatherDims, ScatterDims, ConvolutionDims, Mesh, UnresolvedSharding, TensorSharding,
               UnresolvedShardingList, ShardingList, UnresolvedAxesAttr, AxesAttr,
               UnresolvedAxesListsAttr, AxesListsAttr, UnresolvedAllToAllAttr, AllToAllAttr,
               ManualAxesAttr, OpShardingRule, PermuteMap>;

  /// The unit attribute.
  Attribute() = default;
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
  template <class T, class Form = std::remove_cvref_t<T>,
            class = std::enable_if_t<Forms::contains<Form>()>>
  /// An attribute of one of the forms.
  Attribute(T&& value)
      : value_(Shared<Value>::template make<Holder<Form>>(std::forward<T>(value))) {}
  // An array, so that a literal 0 is not a null pointer.
  /// A string attribute.
  template <std::size_t kSize>
  Attribute(const char (&text)[kSize])  // NOLINT(google-explicit-constructor,*-avoid-c-arrays)
      : Attribute(std::string(text)) {}

  /// The position of its form in Forms.
  std::size_t form() const { return value_ ? value_->form->index : Forms::index_of<UnitAttr>(); }
  /// The value if it has that form, or null.
  template <class T>
  const T* as() const;
  /// The value for modification: no other handle sees the change. Copies a shared value first.
  template <class T>
  T* edit();
  /// visitor(value) for the value of any form; the results of all forms have the same type.
  template <class Visitor>
  auto visit(Visitor&& visitor) const {
    return visit_forms(visitor, static_cast<const Forms*>(nullptr));
  }
  friend bool operator==(const Attribute& a, const Attribute& b) {
    if (a.value_ == b.value_) return true;
    if (a.form() != b.form()) return false;
    return !a.value_ || !b.value_ || a.value_->form->equal(*a.value_, *b.value_);
  }

 private:
  struct Value;
  struct Form {
    std::size_t index;                          // in Forms
    bool (*equal)(const Value&, const Value&);  // of two values of this form
    void (*destroy)(const Value*);              // of this form
  };
  struct Value : OwnerCount {
    explicit Value(const Form* of) : form(of) {}
    static void destroy(const Value* value) { value->form->destroy(value); }
    const Form* form;
  };
  template <class T>
  struct Holder : Value {
    template <class From>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): holders are not copied
    explicit Holder(From&& from) : Value(&kForm), held(std::forward<From>(from)) {}
    static bool same(const Value& a, const Value& b) {
      return static_cast<const Holder&>(a).held == static_cast<const Holder&>(b).held;
    }
    static void end(const Value* value) { delete static_cast<const Holder*>(value); }
    static constexpr Form kForm{Forms::index_of<T>(), &Holder::same, &Holder::end};
    T held;
  };

  template <class Visitor, class... Ts>
  auto visit_forms(Visitor& visitor, const FormList<Ts...>* /*forms*/) const {
    using Answer = std::invoke_result_t<Visitor&, const UnitAttr&>;
    using Call = Answer (*)(Visitor&, const Attribute&);
    static constexpr std::array<Call, sizeof...(Ts)> kCalls{
        [](Visitor& call, const Attribute& self) -> Answer { return call(*self.as<Ts>()); }...};
    return kCalls[form()](visitor, *this);
  }

  Shared<Value> value_;  // null: the unit attribute
};

template <class T>
const T* Attribute::as() const {
  static_assert(Forms::contains<T>());
  if (form() != Forms::index_of<T>()) return nullptr;
  if constexpr (std::is_same_v<T, UnitAttr>) {
    static constexpr UnitAttr kUnit;
    return &kUnit;
  } else {
    return &static_cast<const Holder<T>*>(value_.get())->held;
  }
}

template <class T>
T* Attribute::edit() {
  static_assert(!std::is_same_v<T, UnitAttr>, "a unit attribute has no value to change");
  const T* held = as<T>();
  if (held == nullptr) return nullptr;
  if (!value_.is_only_owner()) {
    *this = Attribute(T(*held));
    held = as<T>();
  }
  // Holders are never const objects; this handle is the only one.
  return const_cast<T*>(held);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// An entry of an AttributeMap.
struct NamedAttribute {
  std::string name;  // its name, with the dialect of a foreign one
  Attribute value;   // its value
  bool operator==(const NamedAttribute&) const;
};

inline std::size_t AttributeMap::size() const { return entries_.size(); }
inline const NamedAttribute* AttributeMap::begin() const { return entries_.data(); }
inline const NamedAttribute* AttributeMap::end() const { return begin() + size(); }

template <typename T>
const T* AttributeMap::get(std::string_view name) const {
  const Attribute* attribute = find(name);
  return attribute ? attribute->as<T>() : nullptr;
}

template <typename T>
T* AttributeMap::edit(std::string_view name) {
  if (!contains(name)) return nullptr;
  return entries_[place_of(name)].value.edit<T>();
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE bool operator==(const FloatAttr& a, const FloatAttr& b) {
  return a.type == b.type && std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
}
// Written explicitly, because clang 14 fails on defaulted members that depend on each other in a
// cycle.

SHARDY_INLINE bool NamedAttribute::operator==(const NamedAttribute& other) const {
  return name == other.name && value == other.value;
}

SHARDY_INLINE AttributeMap::AttributeMap() = default;
SHARDY_INLINE AttributeMap::AttributeMap(const AttributeMap& other) = default;
SHARDY_INLINE AttributeMap::AttributeMap(AttributeMap&& other) noexcept = default;
SHARDY_INLINE AttributeMap& AttributeMap::operator=(const AttributeMap& other) = default;
SHARDY_INLINE AttributeMap& AttributeMap::operator=(AttributeMap&& other) noexcept = default;
SHARDY_INLINE AttributeMap::~AttributeMap() = default;

SHARDY_INLINE bool AttributeMap::erase(std::string_view name) {
  if (!contains(name)) return false;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(place_of(name)));
  return true;
}

SHARDY_INLINE bool SymbolAttr::operator==(const SymbolAttr&) const = default;
SHARDY_INLINE bool TypeAttr::operator==(const TypeAttr&) const = default;
SHARDY_INLINE bool DenseArrayAttr::operator==(const DenseArrayAttr&) const = default;
SHARDY_INLINE bool OpaqueAttr::operator==(const OpaqueAttr&) const = default;
SHARDY_INLINE bool RaggedDotDims::operator==(const RaggedDotDims&) const = default;
SHARDY_INLINE bool GatherDims::operator==(const GatherDims&) const = default;
SHARDY_INLINE bool ScatterDims::operator==(const ScatterDims&) const = default;
SHARDY_INLINE bool ConvolutionDims::operator==(const ConvolutionDims&) const = default;
SHARDY_INLINE bool ShardingList::operator==(const ShardingList&) const = default;
SHARDY_INLINE bool UnresolvedShardingList::operator==(const UnresolvedShardingList&) const =
    default;
SHARDY_INLINE bool AxesAttr::operator==(const AxesAttr&) const = default;
SHARDY_INLINE bool UnresolvedAxesAttr::operator==(const UnresolvedAxesAttr&) const = default;
SHARDY_INLINE bool AxesListsAttr::operator==(const AxesListsAttr&) const = default;
SHARDY_INLINE bool UnresolvedAxesListsAttr::operator==(const UnresolvedAxesListsAttr&) const =
    default;
SHARDY_INLINE bool AllToAllParam::operator==(const AllToAllParam&) const = default;
SHARDY_INLINE bool AllToAllAttr::operator==(const AllToAllAttr&) const = default;
SHARDY_INLINE bool UnresolvedAllToAllParam::operator==(const UnresolvedAllToAllParam&) const =
    default;
SHARDY_INLINE bool UnresolvedAllToAllAttr::operator==(const UnresolvedAllToAllAttr&) const =
    default;
SHARDY_INLINE bool ManualAxesAttr::operator==(const ManualAxesAttr&) const = default;
SHARDY_INLINE bool PermuteMap::operator==(const PermuteMap&) const = default;

SHARDY_INLINE bool ArrayAttr::operator==(const ArrayAttr& other) const {
  return std::ranges::equal(elements, other.elements);
}

SHARDY_INLINE bool AttributeMap::operator==(const AttributeMap& other) const {
  return std::ranges::equal(entries_, other.entries_);
}

SHARDY_INLINE AttributeMap AttributeMap::from_sorted(std::vector<NamedAttribute> entries) {
  AttributeMap map;
  map.entries_ = std::move(entries);
  return map;
}

SHARDY_INLINE std::vector<NamedAttribute> AttributeMap::take() && {
  return std::exchange(entries_, {});
}

SHARDY_INLINE std::size_t AttributeMap::place_of(std::string_view name) const {
  const auto at = std::ranges::lower_bound(
      entries_, name, {}, [](const NamedAttribute& entry) { return std::string_view(entry.name); });
  return static_cast<std::size_t>(at - entries_.begin());
}

SHARDY_INLINE const Attribute* AttributeMap::find(std::string_view name) const {
  if (size() > kMany) {
    const NamedAttribute* const at = begin() + place_of(name);
    return at != end() && at->name == name ? &at->value : nullptr;
  }
  for (const NamedAttribute& entry : entries_) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

SHARDY_INLINE void AttributeMap::set(std::string_view name, Attribute value) {
  const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(place_of(name));
  if (at != entries_.end() && at->name == name) {
    at->value = std::move(value);
  } else {
    entries_.insert(at, NamedAttribute{std::string(name), std::move(value)});
  }
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
