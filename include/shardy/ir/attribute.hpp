// Attributes: typed constants attached to ops, functions and values. Literals: the elements of a
// static tensor.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/shared.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace shardy::ir {

/// A constant tensor of static shape: its elements, row-major, or one element that is repeated (a
/// splat).
///
/// An element takes size_bytes(element) bytes in host byte order: i1 one byte 0 or 1, integers of
/// fewer than 8 bits one byte with sign or zero extension, bf16 and f16 two bytes, complex numbers
/// two floats. Literals are immutable and cheap to copy. Equality compares types and elements: a
/// splat equals a literal that stores each element.
class Literal {
 public:
  /// Makes a literal of row-major elements. Errors: `type` is not a static tensor; `bytes` and the
  /// type differ in size.
  static Result<Literal> make(Type type, std::vector<std::byte> bytes);

  /// Makes a splat. Errors: `type` is not a static tensor; `element` does not have the size of one
  /// element.
  static Result<Literal> make_splat(Type type, std::vector<std::byte> element);

  /// Returns the type of the tensor.
  const Type& type() const { return held().type; }
  /// Returns true if the literal stores one element for all positions.
  bool is_splat() const { return held().splat; }
  /// Returns the stored bytes: all elements, or the one element of a splat.
  std::span<const std::byte> stored() const { return span_of(held().bytes); }
  /// Returns the number of elements of the tensor.
  int64_t num_elements() const { return type().num_elements(); }
  /// Returns the bytes of element `index` in row-major order. Requires: 0 <= index <
  /// num_elements().
  std::span<const std::byte> element_bytes(int64_t index) const;
  /// Returns element `index`, in row-major order, as a T. Requires: T has the size of an element; 0
  /// <= index < num_elements().
  template <typename T>
  T at(int64_t index) const {
    const std::span<const std::byte> bytes = element_bytes(index);
    SHARDY_EXPECTS(bytes.size() == sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  /// Returns the bytes of all elements, row-major, also for a splat.
  std::vector<std::byte> expanded() const;
  /// Returns the elements with another type. Requires: equal element types and numbers of elements.
  Literal reshaped(Type type) const;

  friend bool operator==(const Literal& a, const Literal& b) {
    return a.data_ == b.data_ || (a.type() == b.type() && same_elements(a, b));
  }

 private:
  struct Data {
    Type type;
    std::vector<std::byte> bytes;
    bool splat;
  };
  Literal(Type type, std::vector<std::byte> bytes, bool splat);

  static bool same_elements(const Literal& a, const Literal& b);

  /// Returns the content. A moved-from literal has none.
  const Data& held() const {
    SHARDY_EXPECTS(data_ != nullptr);
    return *data_;
  }

  std::shared_ptr<const Data> data_;
};

class Attribute;
struct NamedAttribute;

/// A unit attribute: its presence is its only information, as of `indices_are_sorted` in MLIR text.
struct UnitAttr {
  bool operator==(const UnitAttr&) const = default;
};
/// An integer with its type: `3 : i64`.
struct IntegerAttr {
  int64_t value = 0;                    // ui64 numbers keep their 64 bits
  ElementType type = ElementType::I64;  // element type of the integer
  bool operator==(const IntegerAttr&) const = default;
};
/// A float with its type: `1.5 : f32`. Equality compares bits: -0 and 0 differ, and a NaN equals
/// itself.
struct FloatAttr {
  double value = 0;  // the float; f32 and narrower formats are represented exactly
  ElementType type = ElementType::F32;  // element type of the float
  friend bool operator==(const FloatAttr& a, const FloatAttr& b);
};
/// A reference to a symbol: `@name`.
struct SymbolAttr {
  std::string name;  // without the `@`
  bool operator==(const SymbolAttr&) const;
};
/// A type as an attribute, such as `function_type` of a function.
struct TypeAttr {
  Type type;  // the type that the attribute contains
  bool operator==(const TypeAttr&) const;
};
/// A value of an enumeration: kind `stablehlo.comparison_direction`, value `LT`.
struct EnumAttr {
  std::string kind;   // name of the enumeration with its dialect
  std::string value;  // keyword of the value, such as `LT`
  bool operator==(const EnumAttr&) const = default;
};
/// A list of numbers: `array<i64: 1, 2>`. Booleans have element type I1 and are stored as 0 and 1.
struct DenseArrayAttr {
  ElementType element = ElementType::I64;  // element type of the list
  std::vector<int64_t> values;             // elements, sign-extended; booleans are 0 and 1
  bool operator==(const DenseArrayAttr&) const;
};
/// An attribute of a dialect or a kind that this library does not model. The attribute is kept as
/// text.
struct OpaqueAttr {
  std::string text;  // MLIR text of the attribute
  bool operator==(const OpaqueAttr&) const;
};

/// A list of attributes: `[a, b]`.
struct ArrayAttr {
  std::vector<Attribute> elements;  // elements in the order of the text
  bool operator==(const ArrayAttr&) const;
};

/// Attributes by name: entries sorted by name, with unique names.
///
/// Copies share the entries until one of them changes.
class AttributeMap {
 public:
  AttributeMap();
  AttributeMap(const AttributeMap& other);
  AttributeMap(AttributeMap&& other) noexcept;
  AttributeMap& operator=(const AttributeMap& other);
  AttributeMap& operator=(AttributeMap&& other) noexcept;
  ~AttributeMap();
  /// Makes a map of `entries`. Requires: the entries are sorted by name, and no name is repeated.
  static AttributeMap from_sorted(std::vector<NamedAttribute> entries);
  /// Moves the entries out of the map, for modification.
  std::vector<NamedAttribute> take() &&;

  /// Returns the attribute named `name`, or null if the map has none.
  const Attribute* find(std::string_view name) const;
  /// Returns whether the map has an attribute named `name`.
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Sets the attribute named `name`, and replaces an existing value.
  void set(std::string_view name, Attribute value);
  /// Removes the attribute named `name`. Returns true if the attribute existed.
  bool erase(std::string_view name);

  std::size_t size() const;  // number of entries
  /// Returns whether the map has no entries.
  bool empty() const { return size() == 0; }
  const NamedAttribute* begin() const;  // first entry, in order of names
  const NamedAttribute* end() const;    // end of the entries

  /// Returns the attribute named `name` if it has type T, and null otherwise.
  template <typename T>
  const T* get(std::string_view name) const;
  /// Returns the attribute named `name` for modification if it has type T, and null otherwise.
  template <typename T>
  T* edit(std::string_view name);

  bool operator==(const AttributeMap&) const;

 private:
  /// Lookups in maps of at least `kMany` entries use binary search.
  static constexpr std::size_t kMany = 16;
  struct Entries;
  /// Returns the index of the first entry whose name is not less than `name`.
  std::size_t place_of(std::string_view name) const;
  /// Returns entries that no other map shares, with room for `added` more.
  Entries& own(std::size_t added = 0);

  Shared<Entries> entries_;  // null for an empty map
};

/// Dim lists of `dot_general`. Spec: stablehlo, dot_general.
using shardy::DotDims;
/// Dims of `chlo.ragged_dot`. The elements of one dim of lhs form groups; an operand has the group
/// sizes. rhs may have a dim with one slice per group.
struct RaggedDotDims {
  std::vector<int64_t> lhs_batch, rhs_batch;              // paired batch dims
  std::vector<int64_t> lhs_contracting, rhs_contracting;  // paired dims
  std::vector<int64_t> lhs_ragged;  // the one dim of lhs whose elements form groups
  std::vector<int64_t> rhs_group;   // dim of rhs with one slice per group; at most one element
  bool operator==(const RaggedDotDims&) const;
};
/// Dim lists of `gather`. Spec: stablehlo, gather.
struct GatherDims {
  std::vector<int64_t> offset_dims = {};  // result dims that index elements of a slice
  /// Operand dims of slice size 1, not in the result.
  std::vector<int64_t> collapsed_slice_dims = {};
  /// Operand dims that correspond to start_indices_batching_dims.
  std::vector<int64_t> operand_batching_dims = {};
  /// Dims of start_indices that are batched with operand dims.
  std::vector<int64_t> start_indices_batching_dims = {};
  /// Element i: operand dim that component i of an index vector addresses.
  std::vector<int64_t> start_index_map = {};
  /// Dim of start_indices with the index vectors; if equal to their rank, each element is an index.
  int64_t index_vector_dim = 0;
  bool operator==(const GatherDims&) const;
};
/// Dim lists of `scatter`. Spec: stablehlo, scatter.
struct ScatterDims {
  std::vector<int64_t> update_window_dims = {};    // update dims that index elements of a window
  std::vector<int64_t> inserted_window_dims = {};  // input dims of window size 1, not in updates
  /// Input dims that correspond to scatter_indices_batching_dims.
  std::vector<int64_t> input_batching_dims = {};
  /// Dims of scatter_indices that are batched with input dims.
  std::vector<int64_t> scatter_indices_batching_dims = {};
  /// Element i: input dim that component i of an index vector addresses.
  std::vector<int64_t> scatter_dims_to_operand_dims = {};
  /// Dim of scatter_indices with the index vectors; if equal to their rank, each element is an
  /// index.
  int64_t index_vector_dim = 0;
  bool operator==(const ScatterDims&) const;
};
/// Dim numbers of `convolution`. Spec: stablehlo, convolution.
struct ConvolutionDims {
  int64_t input_batch = 0, input_feature = 0;  // batch and feature dim of the input
  std::vector<int64_t> input_spatial = {};     // spatial dims of the input, in window order
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;  // feature dims of the kernel
  std::vector<int64_t> kernel_spatial = {};      // spatial dims of the kernel, in window order
  int64_t output_batch = 0, output_feature = 0;  // batch and feature dim of the output
  std::vector<int64_t> output_spatial = {};      // spatial dims of the output, in window order
  bool operator==(const ConvolutionDims&) const;
};

/// Window parameters of one dim. Spec: stablehlo 24.2.
struct WindowDim {
  int64_t size = 1;    // number of window positions
  int64_t stride = 1;  // distance between the starts of consecutive windows
  /// Distance between consecutive tensor elements; holes contain the init value.
  int64_t base_dilation = 1;
  int64_t window_dilation = 1;  // distance between consecutive window positions
  int64_t low = 0;              // padding before the dim; negative numbers remove elements
  int64_t high = 0;             // padding after the dim; negative numbers remove elements
  bool reversed = false;        // window_reversal: the kernel is read in reverse order

  /// Checks whether window i contains only element i, apart from dilation: size 1, stride 1 and no
  /// padding.
  bool passes() const { return size == 1 && stride == 1 && low == 0 && high == 0; }
  bool operator==(const WindowDim&) const = default;
};

/// Shardings of several results, operands or block arguments. Spec: algebra 6.1.
struct ShardingList {
  std::vector<TensorSharding> shardings;  // one sharding per value
  bool operator==(const ShardingList&) const;
};
/// A ShardingList before names of meshes and axes are resolved.
struct UnresolvedShardingList {
  std::vector<UnresolvedSharding> shardings;  // one sharding per value
  bool operator==(const UnresolvedShardingList&) const;
};

/// One axis list with its mesh, such as the reduction axes of `sdy.all_reduce` or the axes of
/// `spmd.coord`.
struct AxesAttr {
  Mesh mesh;      // mesh of the axes
  AxisList axes;  // axes in the order of the text
  bool operator==(const AxesAttr&) const;
};
/// An AxesAttr before names of axes are resolved.
struct UnresolvedAxesAttr {
  std::vector<UnresolvedAxisRef> axes;  // axes in the order of the text
  bool operator==(const UnresolvedAxesAttr&) const;
};
/// One axis list per dim with their mesh: gathering, slicing or reduce-scatter axes. Spec: dialect
/// 4.3.
struct AxesListsAttr {
  Mesh mesh;                    // mesh of the axes
  std::vector<AxisList> lists;  // one axis list per dim
  bool operator==(const AxesListsAttr&) const;
};
/// An AxesListsAttr before names of axes are resolved.
struct UnresolvedAxesListsAttr {
  std::vector<std::vector<UnresolvedAxisRef>> lists;  // one axis list per dim
  bool operator==(const UnresolvedAxesListsAttr&) const;
};
/// Axes that one `sdy.all_to_all` moves from one dim to another. Spec: dialect 4.4.
struct AllToAllParam {
  AxisList axes;           // moved axes
  int64_t source_dim = 0;  // dim that loses the axes
  int64_t target_dim = 0;  // dim that gets the axes
  bool operator==(const AllToAllParam&) const;
};
/// All parameters of one `sdy.all_to_all`.
struct AllToAllAttr {
  Mesh mesh;                          // mesh of the axes
  std::vector<AllToAllParam> params;  // parameters in ascending order of source_dim
  bool operator==(const AllToAllAttr&) const;
};
/// An AllToAllParam before names of axes are resolved.
struct UnresolvedAllToAllParam {
  std::vector<UnresolvedAxisRef> axes;  // moved axes
  int64_t source_dim = 0;               // dim that loses the axes
  int64_t target_dim = 0;               // dim that gets the axes
  bool operator==(const UnresolvedAllToAllParam&) const;
};
/// An AllToAllAttr before names of axes are resolved.
struct UnresolvedAllToAllAttr {
  std::vector<UnresolvedAllToAllParam> params;  // parameters in ascending order of source_dim
  bool operator==(const UnresolvedAllToAllAttr&) const;
};
/// Manual axes of a manual computation, by name. Spec: algebra 6.2.
struct ManualAxesAttr {
  std::vector<std::string> names;  // names in the order of the text
  bool operator==(const ManualAxesAttr&) const;
};

/// Function from the receiving device to the source device of `spmd.permute`. Spec: partitioning
/// 4.3.
struct PermuteMap {
  /// Kind of the function.
  enum class Kind : uint8_t { Shift, Rotate, Mirror, Affine, Relabel, Remesh, Pairs };
  Kind kind = Kind::Shift;  // kind of the function
  /// Parameters of the kind. Shift, Rotate: [d]. Affine: [a, b, c, j, M, rho], which may repeat; a
  /// receiver has the source of the first six that give it one. Pairs: flat source,
  /// target device ids. Relabel: empty, or offsets of the coordinates along list2, which may be
  /// followed by offsets of the source's coordinates along list1.
  std::vector<int64_t> numbers = {};
  AxisList source_order = {};    // Relabel: list1, the axis order of the source's linear index
  AxisList receiver_order = {};  // Relabel: list2, the axis order of the receiver's linear index
  Mesh mesh = {};                // Remesh: the source's mesh. Relabel: the mesh of list1 and list2
  bool operator==(const PermuteMap&) const;
};

/// A list of types with the index of each type.
template <class... Ts>
struct FormList {
  static constexpr std::size_t kSize = sizeof...(Ts);  // number of types
  /// Returns the index of T, or kSize if the list does not contain T.
  template <class T>
  static constexpr std::size_t index_of() {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<T, Ts> || (++index, false)) || ...));
    return index;
  }
  /// Returns true if the list contains T.
  template <class T>
  static constexpr bool contains() {
    return index_of<T>() < kSize;
  }
};

/// A typed constant. The set of forms is closed; OpaqueAttr holds the text of all other attributes.
///
/// An Attribute is a handle to an immutable value: copies are cheap, comparisons compare content.
/// The class is not a std::variant, because each including source file would then compile a table
/// of thirty copies, moves and comparisons.
class Attribute {
 public:
  /// All forms, in the order of their indices.
  using Forms =
      FormList<UnitAttr, bool, IntegerAttr, FloatAttr, std::string, SymbolAttr, TypeAttr, EnumAttr,
               DenseArrayAttr, ArrayAttr, AttributeMap, Literal, OpaqueAttr, DotDims, RaggedDotDims,
               GatherDims, ScatterDims, ConvolutionDims, Mesh, UnresolvedSharding, TensorSharding,
               UnresolvedShardingList, ShardingList, UnresolvedAxesAttr, AxesAttr,
               UnresolvedAxesListsAttr, AxesListsAttr, UnresolvedAllToAllAttr, AllToAllAttr,
               ManualAxesAttr, OpShardingRule, PermuteMap>;

  /// Makes the unit attribute.
  Attribute() = default;
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
  template <class T, class Form = std::remove_cvref_t<T>,
            class = std::enable_if_t<Forms::contains<Form>()>>
  /// Makes an attribute from a value of one of the forms.
  Attribute(T&& value)
      : value_(Shared<FormValue>::template make<Holder<Form>>(std::forward<T>(value))) {}
  // The parameter is an array, so that a literal 0 does not convert to a null pointer.
  /// Makes a string attribute.
  template <std::size_t kSize>
  Attribute(const char (&text)[kSize])  // NOLINT(google-explicit-constructor,*-avoid-c-arrays)
      : Attribute(std::string(text)) {}

  /// Returns the index of the attribute's form in Forms.
  std::size_t form() const { return value_ ? value_->form->index : Forms::index_of<UnitAttr>(); }
  /// Returns the value if the form is T, and null otherwise.
  template <class T>
  const T* as() const;
  /// Returns the value for modification if the form is T, and null otherwise. A value that other
  /// handles share is copied first, so the other handles do not change.
  template <class T>
  T* edit();
  /// Returns visitor(value). The result type of `visitor` must be equal for all forms.
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
  struct FormValue;
  struct FormFunctions {
    std::size_t index;                                  // index of the form in Forms
    bool (*equal)(const FormValue&, const FormValue&);  // compares two values of this form
    void (*destroy)(const FormValue*);                  // destroys a value of this form
  };
  struct FormValue : OwnerCount {
    explicit FormValue(const FormFunctions* of) : form(of) {}
    static void destroy(const FormValue* value) { value->form->destroy(value); }
    const FormFunctions* form;
  };
  template <class T>
  struct Holder : FormValue {
    template <class From>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): holders are not copied
    explicit Holder(From&& from) : FormValue(&kForm), held(std::forward<From>(from)) {}
    static bool same(const FormValue& a, const FormValue& b) {
      return static_cast<const Holder&>(a).held == static_cast<const Holder&>(b).held;
    }
    static void end(const FormValue* value) { delete static_cast<const Holder*>(value); }
    static constexpr FormFunctions kForm{Forms::index_of<T>(), &Holder::same, &Holder::end};
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

  Shared<FormValue> value_;  // null for the unit attribute
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
  // The cast is valid, because no holder is a const object.
  return const_cast<T*>(held);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// The name of an attribute. Equal names share their text, so a name has the size of a pointer.
///
/// The first names that a process uses are never freed; the others have an owner count. So a
/// process that reads any number of names keeps few of them.
class AttributeName {
 public:
  AttributeName() = default;
  /// Makes the name `text`.
  AttributeName(std::string_view text);  // NOLINT(google-explicit-constructor)
  /// Makes the name `text`.
  AttributeName(const std::string& text)  // NOLINT(google-explicit-constructor)
      : AttributeName(std::string_view(text)) {}
  /// Makes the name `text`.
  AttributeName(const char* text)  // NOLINT(google-explicit-constructor)
      : AttributeName(std::string_view(text)) {}
  AttributeName(const AttributeName& other) : text_(other.text_) { own(); }
  AttributeName(AttributeName&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
  AttributeName& operator=(AttributeName other) noexcept {
    std::swap(text_, other.text_);
    return *this;
  }
  ~AttributeName() {
    if (text_ != nullptr && !text_->is_permanent) release();
  }

  /// Returns the text of the name.
  std::string_view view() const {
    return text_ != nullptr ? std::string_view(text_->text) : std::string_view();
  }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  /// Returns whether the name is empty.
  bool empty() const { return view().empty(); }

  friend bool operator==(const AttributeName& a, const AttributeName& b) {
    return a.text_ == b.text_ || a.view() == b.view();
  }
  /// Compares the name with a text.
  template <class T, class = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>>
  friend bool operator==(const AttributeName& a, const T& b) {
    return a.view() == std::string_view(b);
  }
  friend std::strong_ordering operator<=>(const AttributeName& a, const AttributeName& b) {
    return a.view() <=> b.view();
  }

 private:
  struct Text {
    std::string text;
    bool is_permanent = false;
    std::atomic<std::size_t> owners{1};  // unused if `is_permanent`
  };
  /// The number of names that are never freed, and of places for them.
  static constexpr std::size_t kMostPermanent = 1024;
  static constexpr std::size_t kPlaces = 2 * kMostPermanent;

  static Text* find_or_add(std::string_view text);
  void own() const {
    if (text_ != nullptr && !text_->is_permanent) ++text_->owners;
  }
  void release() const;

  Text* text_ = nullptr;  // null for the empty name
};

/// An entry of an AttributeMap: a name with a value.
struct NamedAttribute {
  AttributeName name;  // name; with the dialect if the attribute is discardable
  Attribute value;     // value of the attribute
  bool operator==(const NamedAttribute&) const;
};

/// The entries that maps share: this header, then `size` entries in the same block of memory.
struct AttributeMap::Entries : OwnerCount {
  /// Makes an empty list with room for `capacity` entries.
  static Shared<Entries> make(std::size_t capacity);
  /// Deletes the list.
  static void destroy(const Entries* entries);
  /// Returns the first entry.
  NamedAttribute* data() const {
    return reinterpret_cast<NamedAttribute*>(const_cast<Entries*>(this) + 1);  // NOLINT
  }
  /// Returns the entries.
  std::span<NamedAttribute> list() const { return {data(), size}; }
  /// Adds an entry at `index`. Requires: size < capacity.
  void insert(std::size_t index, NamedAttribute entry);

  uint32_t size = 0;      // number of entries
  uint32_t capacity = 0;  // number of entries for which the block has room

 private:
  explicit Entries(std::size_t room) : capacity(static_cast<uint32_t>(room)) {}
};

inline std::size_t AttributeMap::size() const { return entries_ ? entries_->size : 0; }
inline const NamedAttribute* AttributeMap::begin() const {
  return entries_ ? entries_->data() : nullptr;
}
inline const NamedAttribute* AttributeMap::end() const { return begin() + size(); }

template <typename T>
const T* AttributeMap::get(std::string_view name) const {
  const Attribute* attribute = find(name);
  return attribute ? attribute->as<T>() : nullptr;
}

template <typename T>
T* AttributeMap::edit(std::string_view name) {
  if (get<T>(name) == nullptr) return nullptr;
  const std::size_t place = place_of(name);
  return own().data()[place].value.template edit<T>();
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE Literal::Literal(Type type, std::vector<std::byte> bytes, bool splat)
    : data_(std::make_shared<const Data>(Data{std::move(type), std::move(bytes), splat})) {}

SHARDY_INLINE Result<Literal> Literal::make(Type type, std::vector<std::byte> bytes) {
  if (!type.is_static_tensor()) return fail("a literal needs a static tensor type");
  if (static_cast<int64_t>(bytes.size()) != type.num_bytes()) {
    return fail("literal has " + std::to_string(bytes.size()) + " bytes, its type needs " +
                std::to_string(type.num_bytes()));
  }
  return Literal(std::move(type), std::move(bytes), false);
}

SHARDY_INLINE Result<Literal> Literal::make_splat(Type type, std::vector<std::byte> element) {
  if (!type.is_static_tensor()) return fail("a literal needs a static tensor type");
  if (element.size() != size_bytes(type.element())) {
    return fail("a splat literal holds exactly one element");
  }
  return Literal(std::move(type), std::move(element), true);
}

SHARDY_INLINE std::span<const std::byte> Literal::element_bytes(int64_t index) const {
  SHARDY_EXPECTS(index >= 0 && index < num_elements());
  const std::size_t size = size_bytes(type().element());
  return stored().subspan(is_splat() ? 0 : static_cast<std::size_t>(index) * size, size);
}

SHARDY_INLINE std::vector<std::byte> Literal::expanded() const {
  if (!is_splat()) return held().bytes;
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(type().num_bytes()));
  for (int64_t index = 0; index < num_elements(); ++index) {
    bytes.insert(bytes.end(), held().bytes.begin(), held().bytes.end());
  }
  return bytes;
}

SHARDY_INLINE Literal Literal::reshaped(Type type) const {
  SHARDY_EXPECTS(type.element() == this->type().element());
  SHARDY_EXPECTS(type.num_elements() == num_elements());
  return {std::move(type), held().bytes, is_splat()};
}

SHARDY_INLINE bool Literal::same_elements(const Literal& a, const Literal& b) {
  if (a.num_elements() == 0) return true;
  if (a.is_splat() == b.is_splat()) return a.held().bytes == b.held().bytes;
  const std::size_t size = size_bytes(a.type().element());
  for (int64_t index = 0; index < a.num_elements(); ++index) {
    if (std::memcmp(a.element_bytes(index).data(), b.element_bytes(index).data(), size) != 0) {
      return false;
    }
  }
  return true;
}

SHARDY_INLINE bool operator==(const FloatAttr& a, const FloatAttr& b) {
  return a.type == b.type && std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
}
// The special members are not defaulted, because clang 14 rejects defaulted members that depend on
// each other in a cycle.

SHARDY_INLINE bool NamedAttribute::operator==(const NamedAttribute& other) const {
  return name == other.name && value == other.value;
}

SHARDY_INLINE AttributeName::AttributeName(std::string_view text)
    : text_(text.empty() ? nullptr : find_or_add(text)) {}

SHARDY_INLINE void AttributeName::release() const {
  if (text_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete text_;
}

/// Returns the permanent text, or a text with one owner if all places for permanent texts are
/// taken.
SHARDY_INLINE AttributeName::Text* AttributeName::find_or_add(std::string_view text) {
  static std::array<std::atomic<Text*>, kPlaces> table{};
  static std::atomic<std::size_t> num_permanent{0};
  constexpr std::size_t kLongest = 64;  // characters of a permanent name
  std::size_t place = std::hash<std::string_view>()(text);
  for (std::size_t step = 0; text.size() <= kLongest && step < kPlaces; ++step, ++place) {
    std::atomic<Text*>& slot = table[place % kPlaces];
    Text* known = slot.load(std::memory_order_acquire);
    if (known == nullptr) {
      if (num_permanent.fetch_add(1, std::memory_order_relaxed) >= kMostPermanent) {
        num_permanent.store(kMostPermanent, std::memory_order_relaxed);
        break;
      }
      auto added = std::make_unique<Text>();
      added->text = text;
      added->is_permanent = true;
      if (slot.compare_exchange_strong(known, added.get(), std::memory_order_acq_rel)) {
        return added.release();
      }
    }
    if (known->text == text) return known;
  }
  auto own = std::make_unique<Text>();
  own->text = text;
  return own.release();
}

SHARDY_INLINE AttributeMap::AttributeMap() = default;
SHARDY_INLINE AttributeMap::AttributeMap(const AttributeMap& other) = default;
SHARDY_INLINE AttributeMap::AttributeMap(AttributeMap&& other) noexcept = default;
SHARDY_INLINE AttributeMap& AttributeMap::operator=(const AttributeMap& other) = default;
SHARDY_INLINE AttributeMap& AttributeMap::operator=(AttributeMap&& other) noexcept = default;
SHARDY_INLINE AttributeMap::~AttributeMap() = default;

SHARDY_INLINE bool AttributeMap::erase(std::string_view name) {
  if (!contains(name)) return false;
  const std::size_t place = place_of(name);
  if (size() == 1) {
    entries_ = {};
    return true;
  }
  Entries& entries = own();
  std::move(entries.data() + place + 1, entries.data() + entries.size, entries.data() + place);
  std::destroy_at(entries.data() + --entries.size);
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
  return entries_ == other.entries_ || std::equal(begin(), end(), other.begin(), other.end());
}

SHARDY_INLINE AttributeMap AttributeMap::from_sorted(std::vector<NamedAttribute> entries) {
  AttributeMap map;
  if (entries.empty()) return map;
  Entries& own = map.own(entries.size());
  std::uninitialized_move(entries.begin(), entries.end(), own.data());
  own.size = static_cast<uint32_t>(entries.size());
  return map;
}

SHARDY_INLINE std::vector<NamedAttribute> AttributeMap::take() && {
  if (empty()) return {};
  const std::span<NamedAttribute> list = own().list();
  std::vector<NamedAttribute> entries(std::make_move_iterator(list.begin()),
                                      std::make_move_iterator(list.end()));
  entries_ = {};
  return entries;
}

SHARDY_INLINE Shared<AttributeMap::Entries> AttributeMap::Entries::make(std::size_t capacity) {
  static_assert(sizeof(Entries) == 16 && sizeof(Entries) % alignof(NamedAttribute) == 0);
  SHARDY_EXPECTS(capacity <= UINT32_MAX);
  void* const memory = ::operator new(sizeof(Entries) + capacity * sizeof(NamedAttribute));
  return Shared<Entries>::adopt(new (memory) Entries(capacity));
}

SHARDY_INLINE void AttributeMap::Entries::destroy(const Entries* entries) {
  std::destroy_n(entries->data(), entries->size);
  ::operator delete(
      const_cast<Entries*>(entries));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

SHARDY_INLINE void AttributeMap::Entries::insert(std::size_t index, NamedAttribute entry) {
  NamedAttribute* const at = data() + index;
  NamedAttribute* const last = data() + size;
  if (at == last) {
    std::construct_at(last, std::move(entry));
  } else {
    std::construct_at(last, std::move(*(last - 1)));
    std::move_backward(at, last - 1, last);
    *at = std::move(entry);
  }
  ++size;
}

SHARDY_INLINE AttributeMap::Entries& AttributeMap::own(std::size_t added) {
  const std::size_t needed = size() + added;
  const bool is_own = entries_.is_only_owner();
  if (!is_own || needed > entries_->capacity) {
    // Room that doubles makes n insertions take linear time.
    const std::size_t room = is_own ? std::max<std::size_t>(needed, 2 * size()) : needed;
    Shared<Entries> entries = Entries::make(room);
    auto& copy = const_cast<Entries&>(*entries);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (is_own) {
      std::ranges::uninitialized_move(entries_->list(), std::span(copy.data(), size()));
    } else if (entries_) {
      std::ranges::uninitialized_copy(entries_->list(), std::span(copy.data(), size()));
    }
    copy.size = static_cast<uint32_t>(size());
    entries_ = std::move(entries);
  }
  return const_cast<Entries&>(*entries_);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

SHARDY_INLINE std::size_t AttributeMap::place_of(std::string_view name) const {
  const std::span<const NamedAttribute> list(begin(), size());
  const auto at = std::ranges::lower_bound(
      list, name, {}, [](const NamedAttribute& entry) { return entry.name.view(); });
  return static_cast<std::size_t>(at - list.begin());
}

SHARDY_INLINE const Attribute* AttributeMap::find(std::string_view name) const {
  if (size() > kMany) {
    const NamedAttribute* const at = begin() + place_of(name);
    return at != end() && at->name == name ? &at->value : nullptr;
  }
  for (const NamedAttribute& entry : *this) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

SHARDY_INLINE void AttributeMap::set(std::string_view name, Attribute value) {
  const std::size_t place = place_of(name);
  if (place < size() && begin()[place].name == name) {
    own().data()[place].value = std::move(value);
  } else {
    own(1).insert(place, NamedAttribute{name, std::move(value)});
  }
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
