#include "shardy/ir/detail/attribute_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::ir {

namespace {

/// Adds parts to one hash, in order.
class Hasher {
 public:
  std::size_t hash() const { return hash_; }

  template <class... Parts>
  void add(const Parts&... parts) {
    (mix(hash_of(parts)), ...);
  }
  void mix(std::size_t hash) { hash_ = hash_combine(hash_, hash); }
  void add_bytes(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) mix(static_cast<std::size_t>(byte));
  }
  template <class... Ranges>
  void add_ranges(const Ranges&... ranges) {
    (mix(hash_range(ranges)), ...);
  }
  template <class Lists>
  void add_lists(const Lists& lists) {
    for (const auto& list : lists) mix(hash_range(list));
    mix(lists.size());
  }

 private:
  std::size_t hash_ = 0;
};

/// Hashes the content of an attribute, with one overload per attribute form.
struct FormHash {
  Hasher& to;

  void operator()(const UnitAttr&) const {}
  void operator()(bool value) const { to.add(value); }
  void operator()(const IntegerAttr& integer) const {
    to.add(integer.value, static_cast<int>(integer.type));
  }
  void operator()(const FloatAttr& number) const {
    to.add(std::bit_cast<uint64_t>(number.value), static_cast<int>(number.type));
  }
  void operator()(const std::string& text) const { to.add(text); }
  void operator()(const SymbolAttr& symbol) const { to.add(symbol.name); }
  void operator()(const TypeAttr& type) const { to.mix(hash_of_type(type.type)); }
  void operator()(const EnumAttr& value) const { to.add(value.kind, value.value); }
  void operator()(const DenseArrayAttr& array) const {
    to.add(static_cast<int>(array.element));
    to.add_ranges(array.values);
  }
  void operator()(const ArrayAttr& array) const {
    for (const Attribute& element : array.elements) to.mix(hash_of_attribute(element));
    to.mix(array.elements.size());
  }
  void operator()(const AttributeMap& map) const { to.mix(hash_of_attributes(map)); }
  void operator()(const Literal& literal) const { add_elements(literal); }
  void operator()(const OpaqueAttr& opaque) const { to.add(opaque.text); }
  void operator()(const DotDims& dims) const {
    to.add_ranges(dims.lhs_batch, dims.rhs_batch, dims.lhs_contracting, dims.rhs_contracting);
  }
  void operator()(const RaggedDotDims& dims) const {
    to.add_ranges(dims.lhs_batch, dims.rhs_batch, dims.lhs_contracting, dims.rhs_contracting,
                  dims.lhs_ragged, dims.rhs_group);
  }
  void operator()(const GatherDims& dims) const {
    to.add_ranges(dims.offset_dims, dims.collapsed_slice_dims, dims.operand_batching_dims,
                  dims.start_indices_batching_dims, dims.start_index_map);
    to.add(dims.index_vector_dim);
  }
  void operator()(const ScatterDims& dims) const {
    to.add_ranges(dims.update_window_dims, dims.inserted_window_dims, dims.input_batching_dims,
                  dims.scatter_indices_batching_dims, dims.scatter_dims_to_operand_dims);
    to.add(dims.index_vector_dim);
  }
  void operator()(const ConvolutionDims& dims) const {
    to.add(dims.input_batch, dims.input_feature, dims.kernel_input_feature,
           dims.kernel_output_feature, dims.output_batch, dims.output_feature);
    to.add_ranges(dims.input_spatial, dims.kernel_spatial, dims.output_spatial);
  }
  void operator()(const Mesh& mesh) const { to.add(mesh); }
  void operator()(const UnresolvedSharding& sharding) const { to.add(sharding); }
  void operator()(const TensorSharding& sharding) const { to.add(sharding); }
  void operator()(const UnresolvedShardingList& list) const { to.add_ranges(list.shardings); }
  void operator()(const ShardingList& list) const { to.add_ranges(list.shardings); }
  void operator()(const UnresolvedAxesAttr& axes) const { to.add_ranges(axes.axes); }
  void operator()(const AxesAttr& axes) const { to.add_ranges(axes.axes); }
  void operator()(const UnresolvedAxesListsAttr& axes) const { to.add_lists(axes.lists); }
  void operator()(const AxesListsAttr& axes) const { to.add_lists(axes.lists); }
  void operator()(const UnresolvedAllToAllAttr& all) const { add_params(all.params); }
  void operator()(const AllToAllAttr& all) const { add_params(all.params); }
  void operator()(const ManualAxesAttr& axes) const { to.add_ranges(axes.names); }
  void operator()(const OpShardingRule& rule) const { to.add(rule); }
  void operator()(const PermuteMap& map) const {
    to.add(static_cast<int>(map.kind));
    to.add_ranges(map.numbers, map.source_order, map.receiver_order);
  }

 private:
  /// Adds the first element, then each element that differs from the first one, with its position.
  /// A splat and the same elements written out therefore get the same hash.
  void add_elements(const Literal& literal) const {
    to.mix(hash_of_type(literal.type()));
    const std::size_t size = size_bytes(literal.type().element());
    const std::span<const std::byte> stored = literal.stored();
    if (literal.num_elements() == 0 || stored.empty()) return;
    const std::span<const std::byte> first = stored.first(size);
    to.add_bytes(first);
    for (std::size_t at = size; at < stored.size(); at += size) {
      if (std::ranges::equal(stored.subspan(at, size), first)) continue;
      to.mix(at);
      to.add_bytes(stored.subspan(at, size));
    }
  }
  template <class Params>
  void add_params(const Params& params) const {
    for (const auto& param : params) {
      to.add_ranges(param.axes);
      to.add(param.source_dim, param.target_dim);
    }
  }
};

}  // namespace

std::size_t hash_of_type(const Type& type) {
  if (!type.is_tensor()) return hash_of(to_string(type));
  return hash_combine(hash_of(static_cast<int>(type.element())), hash_range(type.dims()));
}

std::size_t hash_of_attribute(const Attribute& attribute) {
  Hasher hasher;
  hasher.add(attribute.form());
  attribute.visit(FormHash{hasher});
  return hasher.hash();
}

std::size_t hash_of_attributes(const AttributeMap& attributes) {
  Hasher hasher;
  for (const NamedAttribute& entry : attributes) {
    hasher.add(std::string_view(entry.name));
    hasher.mix(hash_of_attribute(entry.value));
  }
  return hasher.hash();
}

}  // namespace shardy::ir
