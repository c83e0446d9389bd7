#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "op_facts.hpp"
#include "shardy/algebra/einsum_rule.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::ir {

namespace {

/// Resolves the attributes of all ops, one op at a time.
class Resolver {
 public:
  explicit Resolver(Module& module) : module_(module) {}

  void resolve_op(OpId op) {
    op_ = op;
    if (attributes().contains(kShardingAttr)) {  // most ops have no sharding
      resolve_list(kShardingAttr, detail::result_types(module_, op), "result ");
    }
    resolve_einsum();
    const OpKind kind = module_.kind(op);
    if (kind == OpKind::Func) return resolve_function();
    if (is_computation(module_, op)) return resolve_computation();
    const std::string_view single = detail::single_sharding_attr(kind);
    if (!single.empty()) resolve_single(single);
    if (is_sdy_collective(kind)) resolve_collective_axes();
    if (is_spmd(kind)) resolve_spmd_axes();
  }

  Diagnostics take_errors() { return std::move(errors_); }

 private:
  AttributeMap& attributes() { return module_.attributes(op_); }

  auto lookup() const {
    return [this](const std::string& name) {
      std::optional<Mesh> mesh = nearest_mesh(module_, op_, name);
      if (!mesh) unknown_mesh_ = name;
      return mesh;
    };
  }

  void report(Error error) {
    error = with_op_name(module_.name(op_), std::move(error));
    error.location = module_.source_location(op_);
    if (const auto name = std::exchange(unknown_mesh_, std::nullopt)) {
      std::ranges::move(known_meshes(*name), std::back_inserter(error.notes));
    }
    errors_.push_back(std::move(error));
  }

  /// Returns notes that list the mesh names of the module.
  std::vector<std::string> known_meshes(std::string_view name) const {
    std::vector<std::string_view> names;
    std::string list;
    for (const OpId mesh : module_.meshes()) {
      names.push_back(module_.symbol_name(mesh));
      list += (list.empty() ? "" : ", ") + symbol_text(names.back());
    }
    if (names.empty()) return {"the module has no mesh"};
    std::vector<std::string> notes;
    if (const auto meant = closest(name, names)) {
      notes.push_back("did you mean " + symbol_text(*meant) + "?");
    }
    notes.push_back("the meshes of the module: " + list);
    return notes;
  }

  /// Stores a resolved attribute under `name`, or reports the error.
  template <typename T>
  void store(std::string_view name, Result<T> value) {
    if (value) {
      attributes().set(name, *std::move(value));
    } else {
      report(std::move(value).error());
    }
  }

  Result<TensorSharding> resolve_one(const UnresolvedSharding& unresolved, const Type& type) const {
    return resolve_unmarked(unresolved, type).map_error(about_sharding);
  }

  Result<TensorSharding> resolve_unmarked(const UnresolvedSharding& unresolved,
                                          const Type& type) const {
    SHARDY_TRY(const Mesh mesh, mesh_of(unresolved, lookup()));
    if (!mesh.is_maximal() && is_unshardable_tuple(type)) {
      return fail("ops can only have a sharding for a tuple of size 1: '" + to_string(type) + "'");
    }
    return shardy::resolve(unresolved, mesh, CheckedShape(type).view());
  }

  void resolve_single(std::string_view name) {
    const auto* unresolved = attributes().get<UnresolvedSharding>(name);
    if (!unresolved || module_.num_results(op_) == 0) return;
    store(name, resolve_one(*unresolved, module_.type(module_.result(op_))));
  }

  void resolve_list(std::string_view name, std::span<const Type> types, std::string_view prefix) {
    const auto* unresolved = attributes().get<UnresolvedShardingList>(name);
    if (!unresolved) return;
    Result<ShardingList> list = resolve_each(unresolved->shardings, types);
    if (!list) list = tl::unexpected(with_prefix(prefix, std::move(list).error()));
    store(name, std::move(list));
  }

  /// Resolves the only sharding of an op without results. The message of an error has the prefix of
  /// a single value. Returns std::nullopt if the sharding has axes, which only the sharding of a
  /// value may have. Spec: algebra 9.3.
  Result<std::optional<TensorSharding>> resolve_alone(const UnresolvedSharding& unresolved) const {
    const auto numbered = [](Error error) {
      return with_prefix("- ", about_sharding(std::move(error)));
    };
    SHARDY_TRY(const Mesh mesh, mesh_of(unresolved, lookup()).map_error(numbered));
    if (!mesh.is_maximal() && !unresolved.is_fully_replicated()) return std::nullopt;
    SHARDY_TRY(TensorSharding sharding,
               resolve_without_value(unresolved, mesh).map_error(numbered));
    return std::optional(std::move(sharding));
  }

  Result<ShardingList> resolve_each(std::span<const UnresolvedSharding> unresolved,
                                    std::span<const Type> types) const {
    if (types.empty() && unresolved.size() == 1) {
      SHARDY_TRY(std::optional<TensorSharding> alone, resolve_alone(unresolved[0]));
      if (alone) return ShardingList{{*std::move(alone)}};
    }
    SHARDY_TRY(std::vector<TensorSharding> resolved,
               resolve_per_value(unresolved, types.size(), lookup(), [&](std::size_t index) {
                 return resolve_one(unresolved[index], types[index]);
               }));
    return ShardingList{std::move(resolved)};
  }

  // ---- Rules ------------------------------------------------------------------------------------

  /// Converts a rule written like an einsum to a sharding rule for the shapes of the op.
  void resolve_einsum() {
    const auto* text = attributes().get<std::string>(kShardingRuleAttr);
    if (!text) return;
    Result<OpShardingRule> rule = rule_of_einsum(*text);
    if (!rule) rule = tl::unexpected(with_prefix("sharding rule: ", std::move(rule).error()));
    store(kShardingRuleAttr, std::move(rule));
  }

  Result<OpShardingRule> rule_of_einsum(const std::string& text) const {
    SHARDY_TRY(const EinsumRule einsum, parse_einsum_rule(text));
    SHARDY_TRY(const auto operands, static_shapes(detail::operand_types(module_, op_)));
    SHARDY_TRY(const auto results, static_shapes(detail::result_types(module_, op_)));
    return shardy::resolve(einsum, operands, results);
  }

  static Result<std::vector<std::vector<int64_t>>> static_shapes(const std::vector<Type>& types) {
    std::vector<std::vector<int64_t>> shapes;
    for (const Type& type : types) {
      if (!type.is_static_tensor()) {
        return fail("expected a ranked tensor with a static shape. type: '" + to_string(type) +
                    "'");
      }
      const auto dims = type.dims();
      shapes.emplace_back(dims.begin(), dims.end());
    }
    return shapes;
  }

  // ---- Functions and computations ---------------------------------------------------------------

  struct ResolvedAttribute {
    Type type;                          // type of the value
    std::optional<Attribute> sharding;  // not set before the first value
  };

  void resolve_function() {
    FunctionData& data = module_.function(op_);
    using Kind = DiagnosticSubject::Kind;
    resolve_values(data.arg_attributes, module_.arg_types(op_), Kind::Argument);
    resolve_values(data.result_attributes, data.result_types, Kind::Result);
  }

  void resolve_values(std::vector<AttributeMap>& values, const std::vector<Type>& types,
                      DiagnosticSubject::Kind kind) {
    // The last resolved attribute of each written sharding, which many values share.
    std::unordered_map<UnresolvedSharding, ResolvedAttribute> known;
    for (std::size_t index = 0; index < std::min(values.size(), types.size()); ++index) {
      const auto* unresolved = values[index].get<UnresolvedSharding>(kShardingAttr);
      if (!unresolved) continue;
      ResolvedAttribute& last = known[*unresolved];
      if (!last.sharding || last.type != types[index]) {
        Result<TensorSharding> sharding = resolve_one(*unresolved, types[index]);
        if (!sharding) {
          report(about_function_value(kind, index, std::move(sharding).error()));
          continue;
        }
        last = {types[index], *std::move(sharding)};
      }
      values[index].set(kShardingAttr, *last.sharding);
    }
  }

  void resolve_computation() {
    const bool is_manual = module_.is(op_, OpKind::SdyManualComputation);
    resolve_list(attr::kInShardings, detail::operand_types(module_, op_),
                 is_manual ? "operand " : "in_shardings ");
    resolve_list(attr::kOutShardings, detail::result_types(module_, op_),
                 is_manual ? "result " : "out_shardings ");
  }

  // ---- Axes -------------------------------------------------------------------------------------

  /// Resolves the axes on the mesh of out_sharding. Skips them if out_sharding has an error.
  void resolve_collective_axes() {
    const auto* out = attributes().get<TensorSharding>(attr::kOutSharding);
    if (!out) return;
    const Mesh mesh = out->mesh();
    for (const std::string_view name :
         {attr::kGatheringAxes, attr::kSlicingAxes, attr::kReduceScatterAxes, attr::kAxes,
          attr::kReductionAxes, attr::kParams}) {
      resolve_axes(name, mesh);
    }
  }

  void resolve_axes(std::string_view name, const Mesh& mesh) {
    if (const auto* one = attributes().get<UnresolvedAxesAttr>(name)) {
      const std::string_view what = name == attr::kReductionAxes ? "reduction" : "r2u";
      store(name, resolve_sorted_axis_list(one->axes, mesh, what).map([&](AxisList axes) {
        return AxesAttr{mesh, std::move(axes)};
      }));
    } else if (const auto* lists = attributes().get<UnresolvedAxesListsAttr>(name)) {
      store(name, resolve_axis_lists(lists->lists, mesh).map([&](std::vector<AxisList> axes) {
        return AxesListsAttr{mesh, std::move(axes)};
      }));
    } else if (const auto* params = attributes().get<UnresolvedAllToAllAttr>(name)) {
      store(name, resolve_params(*params, mesh));
    }
  }

  static Result<AllToAllAttr> resolve_params(const UnresolvedAllToAllAttr& unresolved,
                                             const Mesh& mesh) {
    std::vector<UnresolvedAxisList> lists;
    lists.reserve(unresolved.params.size());
    for (const UnresolvedAllToAllParam& param : unresolved.params) lists.push_back(param.axes);
    SHARDY_TRY(std::vector<AxisList> axes, resolve_axis_lists(lists, mesh));
    AllToAllAttr resolved{mesh, {}};
    for (std::size_t index = 0; index < axes.size(); ++index) {
      resolved.params.push_back(AllToAllParam{std::move(axes[index]),
                                              unresolved.params[index].source_dim,
                                              unresolved.params[index].target_dim});
    }
    return resolved;
  }

  /// Resolves the axes on the mesh that the attribute `mesh` names.
  void resolve_spmd_axes() {
    const auto* unresolved = attributes().get<UnresolvedAxesAttr>(attr::kAxes);
    const auto* symbol = attributes().get<SymbolAttr>(attr::kMesh);
    if (!unresolved || !symbol) return;
    const std::optional<Mesh> mesh = lookup()(symbol->name);
    if (!mesh) return report(fail_unknown_mesh(symbol->name).value());
    store(attr::kAxes, resolve_axis_list(unresolved->axes, *mesh).map([&](AxisList axes) {
      return AxesAttr{*mesh, std::move(axes)};
    }));
  }

  Module& module_;
  OpId op_;
  mutable std::optional<std::string>
      unknown_mesh_;  // the unknown mesh name that was looked up last
  Diagnostics errors_;
};

}  // namespace

Diagnostics resolve(Module& module) {
  Resolver resolver(module);
  detail::walk(
      module, module.body(), [](OpId) { return true; }, [&](OpId op) { resolver.resolve_op(op); },
      [](OpId) {});
  return resolver.take_errors();
}

}  // namespace shardy::ir
