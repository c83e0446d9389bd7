// Modules for the tests of this layer, right or wrong: some meshes, a function, op by op.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/type_text.hpp"
#include "support/catch.hpp"

namespace shardy_test {

using namespace shardy::ir;  // NOLINT(google-build-using-namespace): the layer under test
using shardy::AxisList;
using shardy::AxisRef;
using shardy::Mesh;
using shardy::Result;
using shardy::TensorSharding;

/// Returns the type with this text. Throws if the text is not a type.
inline Type type_of(std::string_view text) { return parse_type(text).value(); }

inline std::vector<Type> types_of(const std::vector<std::string>& texts) {
  std::vector<Type> types;
  for (const std::string& text : texts) types.push_back(type_of(text));
  return types;
}

using AttributeEntries = std::initializer_list<std::pair<std::string, Attribute>>;
inline AttributeMap attributes(AttributeEntries list) {
  AttributeMap map;
  for (const auto& [name, value] : list) map.set(name, value);
  return map;
}
inline Attribute integers(std::vector<int64_t> values) {
  return DenseArrayAttr{ElementType::I64, std::move(values)};
}
inline Attribute integer(int64_t value) { return IntegerAttr{value, ElementType::I64}; }

// Axes of the mesh @m.
inline constexpr AxisRef kX{0, 1, 2};
inline constexpr AxisRef kY{1, 1, 4};
inline constexpr AxisRef kYMajor{1, 1, 2};
inline constexpr AxisRef kYMinor{1, 2, 2};

/// A region with one block. What it returns comes from an op of its own, "test.make".
struct RegionText {
  std::vector<std::string> args = {};
  std::vector<std::string> returned = {};
  OpKind terminator = OpKind::StablehloReturn;
};

/// Meshes @m <["x"=2, "y"=4]>, @same, @shuffled (the same axes), @other <["a"=8]>, @max, a function
/// `@callee : (tensor<2xf32>) -> tensor<3xi32>` without body, and @main with an empty block.
/// Ops that `op` makes are located at "op 1", "op 2", ...
class ModuleMaker {
 public:
  ModuleMaker() {
    module.add_mesh("m", mesh("<[\"x\"=2, \"y\"=4]>"));
    module.add_mesh("same", mesh("<[\"x\"=2, \"y\"=4]>"));
    module.add_mesh("shuffled", mesh("<[\"x\"=2, \"y\"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>"));
    module.add_mesh("other", mesh("<[\"a\"=8]>"));
    module.add_mesh("max", mesh("<[], device_ids=[3]>"));
    module.declare_function("callee", {type_of("tensor<2xf32>")}, {type_of("tensor<3xi32>")});
    main = module.add_function("main", {}, {});
    module.set_location(main, module.add_location("main"));
    block = module.entry(main);
  }

  static Mesh mesh(std::string_view text) { return shardy::parse_mesh(text).value(); }
  Mesh mesh_named(std::string_view name) const { return module.find_mesh(name).value(); }

  /// `<@m, [{"x"}, {}]>`
  TensorSharding sharding(std::string_view text) const {
    const auto spelled = shardy::parse_sharding(text);
    CAPTURE(text);
    REQUIRE(spelled);
    const auto found =
        shardy::mesh_of(*spelled, [&](const std::string& name) { return module.find_mesh(name); });
    REQUIRE(found);
    const Result<TensorSharding> resolved = shardy::resolve(*spelled, *found);
    if (!resolved) FAIL(resolved.error().message);
    return *resolved;
  }
  ShardingList shardings(const std::vector<std::string>& texts) const {
    ShardingList list;
    for (const std::string& text : texts) list.shardings.push_back(sharding(text));
    return list;
  }

  /// A new argument of @main, with that sharding if there is one.
  ValueId argument(std::string_view type, std::string_view with_sharding = {}) {
    const ValueId value = module.add_argument(module.entry(main), type_of(type));
    AttributeMap attributes;
    if (!with_sharding.empty()) attributes.set("sdy.sharding", sharding(with_sharding));
    module.function(main).arg_attributes.push_back(std::move(attributes));
    return value;
  }

  /// At the end of `block`.
  OpId op(OpSpec spec) {
    spec.location = module.add_location("op " + std::to_string(++num_ops_));
    const OpId made = module.create(std::move(spec));
    module.append(block, made);
    return made;
  }
  ValueId value(OpSpec spec) { return module.result(op(std::move(spec))); }
  /// An unknown op that makes values out of nothing; it has no location.
  std::vector<ValueId> make(BlockId where, const std::vector<std::string>& types) {
    const OpId made = module.create(OpSpec{.name = "test.make", .result_types = types_of(types)});
    module.append(where, made);
    return module.results(made);
  }
  RegionId region(const RegionText& text) {
    const RegionId made = module.new_region();
    const BlockId body = module.new_block(made, types_of(text.args));
    const std::vector<ValueId> returned = make(body, text.returned);
    module.append(body, module.create(OpSpec{.kind = text.terminator, .operands = returned}));
    return made;
  }
  /// Ends @main, which returns nothing unless values are given.
  void finish(std::vector<ValueId> returned = {}) {
    op({.kind = OpKind::FuncReturn, .operands = std::move(returned)});
  }

  Module module;
  OpId main;
  BlockId block;  // where ops go

 private:
  int num_ops_ = 0;
};

}  // namespace shardy_test
