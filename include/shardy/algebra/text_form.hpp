// Text of each type as an attribute, for readers of bigger texts: `read_value<T>(scanner,
// aliases)`, `attribute_text(value)`. Spec: algebra 10.
#pragma once

#include <cstdint>
#include <shardy/algebra/detail/attribute_text.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/rule_text.hpp>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

namespace detail {

Result<MeshAxis> read_mesh_axis(Scanner& scanner);

Result<SubAxis> read_sub_axis(Scanner& scanner);

Result<SpelledAxisRef> read_axis_ref(Scanner& scanner);

/// Appends what `read_one(scanner) -> Result<T>` reads to `list`.
template <class T, class Read>
Status read_into(Scanner& scanner, std::vector<T>& list, Read read_one) {
  SHARDY_TRY(T element, read_one(scanner));
  list.push_back(std::move(element));
  return {};
}

Result<SpelledAxisList> read_axis_list(Scanner& scanner);

Result<SpelledDim> read_dim(Scanner& scanner);

/// `["a"=2, "b"=4]`
Result<std::vector<MeshAxis>> read_mesh_axes(Scanner& scanner);

/// `device_ids=[1, 0]`, at least one.
Result<std::vector<int64_t>> read_device_ids(Scanner& scanner);

/// `[ element, ... ]` where each element may stand in its long form or as an alias.
template <class T>
Result<std::vector<T>> read_values(Scanner& scanner, AttributeAliases* aliases) {
  std::vector<T> values;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&] {
    return read_into(scanner, values, [&](Scanner& s) { return read_value<T>(s, aliases); });
  }));
  return values;
}

/// Reads the factors of a dim. An empty dim, or `*`, has no factors; it makes no valid rule.
Result<DimMapping> read_dim_mapping(Scanner& scanner);

Result<TensorMapping> read_tensor_mapping(Scanner& scanner);

/// `name={i, k}`, or nothing.
Result<std::vector<int32_t>> read_group(Scanner& scanner, std::string_view name);

}  // namespace detail

template <>
struct TextForm<MeshAxis> {
  static constexpr std::string_view kMnemonic = "mesh_axis";
  static constexpr bool kBracketed = false;
  static Result<MeshAxis> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const MeshAxis& axis) { return to_string(axis); }
};

template <>
struct TextForm<Mesh> {
  static constexpr std::string_view kMnemonic = "mesh";
  static constexpr bool kBracketed = true;
  static Result<Mesh> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const Mesh& mesh) { return to_string(mesh); }
};

template <>
struct TextForm<SubAxis> {
  static constexpr std::string_view kMnemonic = "sub_axis_info";
  static constexpr bool kBracketed = false;
  static Result<SubAxis> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_sub_axis(scanner);
  }
  static std::string print(const SubAxis& sub) { return to_string(sub); }
};

template <>
struct TextForm<SpelledAxisRef> {
  static constexpr std::string_view kMnemonic = "axis_ref";
  static constexpr bool kBracketed = false;
  static Result<SpelledAxisRef> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_axis_ref(scanner);
  }
  static std::string print(const SpelledAxisRef& ref) { return to_string(ref); }
};

template <>
struct TextForm<SpelledAxisList> {
  static constexpr std::string_view kMnemonic = "axis_ref_list";
  static constexpr bool kBracketed = false;
  static Result<SpelledAxisList> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_axis_list(scanner);
  }
  static std::string print(const SpelledAxisList& axes) { return to_string(axes); }
};

template <>
struct TextForm<SpelledDim> {
  static constexpr std::string_view kMnemonic = "dimension_sharding";
  static constexpr bool kBracketed = false;
  static Result<SpelledDim> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_dim(scanner);
  }
  static std::string print(const SpelledDim& dim) { return to_string(dim); }
};

template <>
struct TextForm<SpelledSharding> {
  static constexpr std::string_view kMnemonic = "sharding";
  static constexpr bool kBracketed = true;
  /// `@name` or `mesh<..>`. Errors: what was expected, with its place.
  static Result<MeshOrRef> read_mesh_or_ref(Scanner& scanner, AttributeAliases* aliases);
  static Result<SpelledSharding> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const SpelledSharding& sharding) { return to_string(sharding); }
};

template <>
struct TextForm<SpelledShardings> {
  static constexpr std::string_view kMnemonic = "sharding_per_value";
  static constexpr bool kBracketed = true;
  static Result<SpelledShardings> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const SpelledShardings& shardings) { return to_string(shardings); }
};

template <>
struct TextForm<SpelledAxisLists> {
  static constexpr std::string_view kMnemonic = "list_of_axis_ref_lists";
  static constexpr bool kBracketed = false;
  static Result<SpelledAxisLists> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const SpelledAxisLists& lists) { return to_string(lists); }
};

template <>
struct TextForm<ManualAxes> {
  static constexpr std::string_view kMnemonic = "manual_axes";
  static constexpr bool kBracketed = false;
  static Result<ManualAxes> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const ManualAxes& names) { return manual_axes_text(names); }
};

template <>
struct TextForm<SpelledAllToAll> {
  static constexpr std::string_view kMnemonic = "all_to_all_param";
  static constexpr bool kBracketed = false;
  static Result<SpelledAllToAll> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const SpelledAllToAll& param) { return to_string(param); }
};

template <>
struct TextForm<SpelledAllToAlls> {
  static constexpr std::string_view kMnemonic = "all_to_all_param_list";
  static constexpr bool kBracketed = false;
  static Result<SpelledAllToAlls> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const SpelledAllToAlls& params) { return to_string(params); }
};

template <>
struct TextForm<DimMapping> {
  static constexpr std::string_view kMnemonic = "dim_mapping";
  static constexpr bool kBracketed = false;
  static Result<DimMapping> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_dim_mapping(scanner);
  }
  /// With a space, as the symbols would run into the mnemonic.
  static std::string print(const DimMapping& dim) { return " " + to_string(dim); }
};

template <>
struct TextForm<TensorMapping> {
  static constexpr std::string_view kMnemonic = "tensor_mapping";
  static constexpr bool kBracketed = false;
  static Result<TensorMapping> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_tensor_mapping(scanner);
  }
  static std::string print(const TensorMapping& mapping) { return to_string(mapping); }
};

/// Reads the parts of a rule without validating them.
template <>
struct TextForm<OpShardingRuleParts> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRuleParts> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const OpShardingRuleParts& parts) { return to_string(parts); }
};

template <>
struct TextForm<OpShardingRule> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRule> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const OpShardingRule& rule) { return to_string(rule); }
};

template <>
struct TextForm<PropagationEdges> {
  static constexpr std::string_view kMnemonic = "propagation_edges";
  static constexpr bool kBracketed = true;
  static Result<PropagationEdges> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const PropagationEdges& edges) { return to_string(edges); }
};

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/propagation_edges_reader_inl.hpp>
#include <shardy/algebra/detail/rule_reader_inl.hpp>
#include <shardy/algebra/detail/sharding_reader_inl.hpp>
#include <shardy/algebra/detail/text_form_inl.hpp>
#endif
