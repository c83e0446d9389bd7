// The graph: structure, uses, order, symbols, copies.
#include <algorithm>
#include <random>

#include "ir/module_maker.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy_test::module_test {
namespace {

using Ops = std::vector<OpId>;

const Type kF32 = Type::tensor({2}, ElementType::F32);

/// A function whose block is filled by hand.
struct Fixture {
  Fixture() : function(module.add_function("f", std::vector{kF32, kF32}, {kF32})) {
    block = module.entry(function);
    a = module.args(block)[0];
    b = module.args(block)[1];
  }
  OpId op(std::vector<ValueId> operands, OpKind kind = OpKind::Add) {
    return Builder(module, block)
        .create({.kind = kind, .operands = std::move(operands), .result_types = {kF32}});
  }
  Ops ops() const {
    const auto range = module.ops(block);
    return {range.begin(), range.end()};
  }

  Module module;
  OpId function;
  BlockId block;
  ValueId a, b;
};

constexpr std::string_view kDialects[] = {"builtin.", "func.", "stablehlo.", "chlo.",
                                          "sdy.",     "spmd.", "check.",     "interpreter."};

// ---- The op table -------------------------------------------------------------------------------

TEST_CASE("every op is found only by its name", "[ir][op_table]") {
  for (std::size_t index = 0; index < kNumKnownOps; ++index) {
    const auto kind = static_cast<OpKind>(index);
    const std::string name(info(kind).name);
    CAPTURE(name);
    CHECK(info(kind).kind == kind);
    CHECK(find_op(name) == kind);
    CHECK(find_op(name + "x") == OpKind::Unknown);
  }
  CHECK(find_op("") == OpKind::Unknown);
  CHECK(find_op("stablehlo") == OpKind::Unknown);
}

TEST_CASE("each trait lists the ops of the specification", "[ir][op_table]") {
  const auto with = [](OpTrait trait) {
    std::vector<std::string> names;
    for (const OpInfo& op : kOps) {
      if ((op.traits & trait) != 0) names.emplace_back(op.name);
    }
    std::ranges::sort(names);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(with(kEdge) == Names{"sdy.data_flow_edge", "sdy.func_data_flow_edge"});
  CHECK(with(kPlace) ==
        Names{"spmd.coord", "spmd.device_id", "stablehlo.partition_id", "stablehlo.replica_id"});
  CHECK(with(kControlFlow) == Names{"sdy.manual_computation", "sdy.named_computation",
                                    "stablehlo.case", "stablehlo.if", "stablehlo.while"});
  CHECK(with(kSameShardings) == Names{"sdy.propagation_barrier", "sdy.reshard",
                                      "sdy.sharding_constraint", "stablehlo.uniform_dequantize",
                                      "stablehlo.uniform_quantize"});
  CHECK(with(kStretching).size() == 21);
  CHECK(is_sdy_collective(OpKind::SdyAllGather));
  CHECK_FALSE(is_sdy_collective(OpKind::SpmdAllGather));
  CHECK(dialect_of(OpKind::Unknown) == Dialect::None);
}

TEST_CASE("traits that exclude or imply each other do so for every op", "[ir][op_table]") {
  for (std::size_t index = 0; index < kNumKnownOps; ++index) {
    const auto kind = static_cast<OpKind>(index);
    CAPTURE(info(kind).name);
    CHECK((!has_trait(kind, kReturnLike) || has_trait(kind, kTerminator)));
    CHECK((!has_trait(kind, kCommutative) || has_trait(kind, kSameType)));
    CHECK((!has_trait(kind, kElementwise) || has_trait(kind, kPure)));
    CHECK((!has_trait(kind, kCollective) || !has_trait(kind, kSdyAnnotation)));
    CHECK((!has_trait(kind, kPointwise) || !has_trait(kind, kElementwise)));
    CHECK((!has_trait(kind, kPointwise) || has_trait(kind, kPure)));
    CHECK((!has_trait(kind, kStretching) || !has_trait(kind, kPointwise)));
    CHECK((!has_trait(kind, kEdge) || has_trait(kind, kSdyAnnotation)));
    CHECK((!has_trait(kind, kEffects) || !has_trait(kind, kPure)));
    CHECK(info(kind).name.starts_with(kDialects[static_cast<std::size_t>(dialect_of(kind))]));
  }
}

// ---- Uses ---------------------------------------------------------------------------------------

TEST_CASE("uses of a value are its operands, the newest first", "[ir][module]") {
  Fixture f;
  const OpId first = f.op({f.a, f.a});
  const OpId second = f.op({f.b, f.a});
  CHECK(f.module.uses(f.a) == std::vector<Use>{{second, 1}, {first, 1}, {first, 0}});
  CHECK(f.module.num_uses(f.a) == 3);
  CHECK(f.module.uses(f.b) == std::vector<Use>{{second, 0}});
  CHECK(f.module.uses(f.module.result(first)).empty());
}

TEST_CASE("set_operand moves one use and keeps the other operands", "[ir][module]") {
  Fixture f;
  const OpId op = f.op({f.a, f.a, f.b});
  f.module.set_operand(op, 1, f.b);
  CHECK(f.module.operands(op) == std::vector{f.a, f.b, f.b});
  CHECK(f.module.uses(f.a) == std::vector<Use>{{op, 0}});
  CHECK(f.module.uses(f.b) == std::vector<Use>{{op, 1}, {op, 2}});
  f.module.set_operand(op, 1, f.b);
  CHECK(f.module.num_uses(f.b) == 2);
}

TEST_CASE("set_operands can change the number of operands", "[ir][module]") {
  Fixture f;
  const OpId op = f.op({f.a});
  f.module.set_operands(op, std::vector{f.b, f.a, f.b});
  CHECK(f.module.operands(op) == std::vector{f.b, f.a, f.b});
  CHECK(f.module.num_uses(f.a) == 1);
  CHECK(f.module.uses(f.b) == std::vector<Use>{{op, 2}, {op, 0}});
  f.module.set_operands(op, {});
  CHECK(f.module.num_operands(op) == 0);
  CHECK(f.module.num_uses(f.a) == 0);
  CHECK(f.module.num_uses(f.b) == 0);
}

TEST_CASE("replace_all_uses moves every use to the new value", "[ir][module]") {
  Fixture f;
  const OpId first = f.op({f.a, f.b});
  const OpId second = f.op({f.a, f.a});
  f.module.replace_all_uses(f.a, f.module.result(first));
  CHECK(f.module.num_uses(f.a) == 0);
  CHECK(f.module.operands(first) == std::vector{f.module.result(first), f.b});
  CHECK(f.module.operands(second) == std::vector(2, f.module.result(first)));
  CHECK(f.module.num_uses(f.module.result(first)) == 3);
  f.module.replace_all_uses(f.b, f.b);
  CHECK(f.module.num_uses(f.b) == 1);
}

TEST_CASE("results and arguments return their owner and index", "[ir][module]") {
  Fixture f;
  const OpId op = Builder(f.module, f.block).create({.result_types = {kF32, Type()}});
  CHECK(f.module.owner(f.module.result(op, 1)).is_result());
  CHECK(f.module.owner(f.module.result(op, 1)).index == 1);
  CHECK(f.module.defining_op(f.module.result(op)) == op);
  CHECK(f.module.type(f.module.result(op, 1)).is_token());
  CHECK_FALSE(f.module.owner(f.b).is_result());
  CHECK(f.module.owner(f.b).block == f.block);
  CHECK(f.module.owner(f.b).index == 1);
  CHECK_FALSE(f.module.defining_op(f.b).valid());
  f.module.set_type(f.b, Type());
  CHECK(f.module.type(f.b).is_token());
}

TEST_CASE("erasing an argument decreases the index of later arguments", "[ir][module]") {
  Fixture f;
  const ValueId last = f.module.add_argument(f.block, Type());
  f.module.erase_argument(f.block, 0);
  const auto args = f.module.args(f.block);
  CHECK(std::vector(args.begin(), args.end()) == std::vector{f.b, last});
  CHECK(f.module.owner(f.b).index == 0);
  CHECK(f.module.owner(last).index == 1);
}

// ---- Order --------------------------------------------------------------------------------------

TEST_CASE("a builder inserts ops at its position", "[ir][builder]") {
  Fixture f;
  const OpId last = f.op({f.a});
  const OpId first = Builder::at_start(f.module, f.block).create({});
  const OpId before = Builder::before(f.module, last).create({});
  const OpId after = Builder::after(f.module, first).create({});
  const OpId end = Builder::after(f.module, last).create({});
  CHECK(f.ops() == Ops{first, after, before, last, end});
  CHECK(f.module.first_op(f.block) == first);
  CHECK(f.module.last_op(f.block) == end);
  CHECK(f.module.prev(last) == before);
  CHECK(f.module.next(last) == end);
  CHECK_FALSE(f.module.next(end).valid());
  CHECK_FALSE(f.module.prev(first).valid());
}

TEST_CASE("a builder gives its location to ops without location", "[ir][builder]") {
  Fixture f;
  Builder builder(f.module, f.block);
  builder.set_location(f.module.add_location("12:7"));
  CHECK(f.module.location_text(builder.create({})) == "12:7");
  const LocationId own = f.module.add_location("1:1");
  CHECK(f.module.location_text(builder.create({.location = own})) == "1:1");
  CHECK(f.module.location_text(f.op({})).empty());
}

TEST_CASE("is_before returns the order after any insertions and moves", "[ir][module][law]") {
  // Each place is filled until the gaps between the order numbers are used up many times.
  const int where = GENERATE(0, 1, 2, 3);
  CAPTURE(where);
  Fixture f;
  const OpId front = f.op({});
  const OpId back = f.op({});
  for (int count = 0; count < 100; ++count) {
    const OpId op = f.module.create({});
    if (where == 0) f.module.insert_before(f.module.first_op(f.block), op);
    if (where == 1) f.module.insert_after(front, op);
    if (where == 2) f.module.insert_before(back, op);
    if (where == 3) f.module.append(f.block, op);
  }
  const Ops ops = f.ops();
  REQUIRE(ops.size() == 102);
  for (std::size_t index = 0; index + 1 < ops.size(); ++index) {
    CAPTURE(index);
    CHECK(f.module.is_before(ops[index], ops[index + 1]));
    CHECK_FALSE(f.module.is_before(ops[index + 1], ops[index]));
  }
}

TEST_CASE("a removed op keeps its operands and can be inserted again", "[ir][module]") {
  Fixture f;
  const OpId first = f.op({f.a});
  const OpId second = f.op({f.b});
  f.module.remove(first);
  CHECK(f.ops() == Ops{second});
  CHECK_FALSE(f.module.parent_block(first).valid());
  CHECK_FALSE(f.module.parent_op(first).valid());
  CHECK(f.module.num_uses(f.a) == 1);
  f.module.remove(first);  // already detached: nothing happens
  f.module.insert_after(second, first);
  CHECK(f.ops() == Ops{second, first});
}

TEST_CASE("splice moves all ops to the end", "[ir][module]") {
  Fixture f;
  const OpId kept = f.op({});
  const RegionId region = f.module.new_region();
  const BlockId other = f.module.new_block(region);
  const OpId first = Builder(f.module, other).create({});
  const OpId second = Builder(f.module, other).create({});
  f.module.splice(other, f.block);
  CHECK(f.ops() == Ops{kept, first, second});
  CHECK(f.module.ops(other).empty());
  CHECK(f.module.parent_block(second) == f.block);
  f.module.splice(other, f.block);
  CHECK(f.ops().size() == 3);
}

// ---- Regions ------------------------------------------------------------------------------------

/// f: { outer { (x) inner } { y }, last }
struct Nested : Fixture {
  Nested() {
    const RegionId left = module.new_region();
    left_block = module.new_block(left, std::vector{kF32});
    const RegionId right = module.new_region();
    right_block = module.new_block(right);
    inner = Builder(module, left_block).create({.operands = {a}, .result_types = {kF32}});
    innermost = Builder(module, right_block).create({.operands = {a}});
    outer = Builder(module, block)
                .create({.kind = OpKind::While, .operands = {b}, .regions = {left, right}});
    last = op({a});
  }
  BlockId left_block, right_block;
  OpId inner, innermost, outer, last;
};

TEST_CASE("ops have a parent block", "[ir][module]") {
  Nested f;
  CHECK(f.module.regions(f.outer).size() == 2);
  CHECK(f.module.block(f.outer) == f.left_block);
  CHECK(f.module.block(f.outer, 1) == f.right_block);
  CHECK(f.module.parent_op(f.inner) == f.outer);
  CHECK(f.module.parent_op(f.outer) == f.function);
  CHECK_FALSE(f.module.parent_op(f.function).valid());
  CHECK(f.module.parent_block(f.function) == f.module.body());
  CHECK(f.module.parent_op(f.module.parent_region(f.right_block)) == f.outer);
  CHECK(enclosing_function(f.module, f.innermost) == f.function);
  CHECK(enclosing_function(f.module, f.function) == f.function);
  CHECK_FALSE(enclosing_function(f.module, f.module.add_mesh("m", Mesh())).valid());
}

TEST_CASE("walks visit every op once, in pre-order or post-order", "[ir][walk]") {
  Nested f;
  CHECK(pre_order(f.module) == Ops{f.function, f.outer, f.inner, f.innermost, f.last});
  CHECK(pre_order(f.module, f.block) == Ops{f.outer, f.inner, f.innermost, f.last});
  CHECK(post_order(f.module) == Ops{f.inner, f.innermost, f.outer, f.last, f.function});
  CHECK(post_order(f.module, f.right_block) == Ops{f.innermost});
  CHECK(pre_order(Module()).empty());
  CHECK(post_order(Module()).empty());
}

TEST_CASE("walks visit the blocks of a region in order at any nesting depth", "[ir][walk]") {
  Module module;
  BlockId block = module.body();
  Ops nested;
  for (int depth = 0; depth < 20000; ++depth) {
    const RegionId region = module.new_region();
    const BlockId inner = module.new_block(region);
    nested.push_back(Builder(module, block).create({.regions = {region}}));
    block = inner;
  }
  const BlockId second = module.new_block(module.parent_region(block));
  nested.push_back(Builder(module, block).create({}));
  nested.push_back(Builder(module, second).create({}));
  CHECK((pre_order(module) == nested));
  CHECK(post_order(module).front() == nested[nested.size() - 2]);
  CHECK(post_order(module).back() == nested.front());
}

TEST_CASE("add_region adds a region to an op made without regions", "[ir][module]") {
  Fixture f;
  const OpId op = f.op({});
  const RegionId region = f.module.new_region();
  const BlockId inner = f.module.new_block(region);
  f.module.add_region(op, region);
  CHECK(f.module.regions(op).size() == 1);
  CHECK(f.module.parent_op(inner) == op);
}

TEST_CASE("erase removes an op, its nested ops and their uses", "[ir][module]") {
  Nested f;
  const std::size_t num_ops = f.module.num_ops();
  f.module.erase(f.outer);
  CHECK(f.ops() == Ops{f.last});
  CHECK(f.module.uses(f.a) == std::vector<Use>{{f.last, 0}});
  CHECK(f.module.num_uses(f.b) == 0);
  for (const OpId op : {f.outer, f.inner, f.innermost}) CHECK(f.module.is_erased(op));
  CHECK_FALSE(f.module.is_erased(f.last));
  CHECK(f.module.num_ops() == num_ops);
  CHECK(f.op({}).index() == num_ops);  // ids are never used again
}

// ---- Symbols ------------------------------------------------------------------------------------

TEST_CASE("symbols are found by name while they are in the module", "[ir][module]") {
  Module module;
  const Mesh mesh = Mesh::make({{"x", 2}}).value();
  const OpId m = module.add_mesh("m", mesh);
  const OpId f = module.add_function("f", {}, {});
  CHECK(module.find_symbol("m") == m);
  CHECK(module.find_mesh("m") == mesh);
  CHECK(module.find_symbol("f") == f);
  CHECK(module.find_mesh("f") == std::nullopt);
  CHECK(module.find_mesh("q") == std::nullopt);
  CHECK(module.functions() == Ops{f});
  CHECK(module.meshes() == Ops{m});
  CHECK(module.symbol_name(f) == "f");

  module.set_symbol_name(f, "g");
  CHECK(module.find_symbol("f") == std::nullopt);
  CHECK(module.find_symbol("g") == f);
  module.remove(f);
  CHECK(module.find_symbol("g") == std::nullopt);
  module.set_symbol_name(f, "h");
  CHECK(module.find_symbol("h") == std::nullopt);
  module.append(module.body(), f);
  CHECK(module.find_symbol("h") == f);
  module.erase(f);
  CHECK(module.find_symbol("h") == std::nullopt);
}

TEST_CASE("find_symbol returns the first of several ops with one name", "[ir][module]") {
  Module module;
  const OpId first = module.add_mesh("m", Mesh());
  const OpId second = module.add_mesh("m", Mesh::make({{"x", 2}}).value());
  CHECK(module.find_symbol("m") == first);
  module.erase(first);
  CHECK(module.find_symbol("m") == second);
  module.set_symbol_name(second, "n");
  CHECK(module.find_symbol("m") == std::nullopt);
}

/// Ops and their names in the order in which they got them.
struct NamedOps {
  struct Entry {
    std::string name;
    OpId op;
  };
  std::optional<OpId> find(const std::string& name) const {
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found == entries.end() ? std::nullopt : std::optional(found->op);
  }
  void drop(OpId op) {
    std::erase_if(entries, [&](const Entry& entry) { return entry.op == op; });
  }
  std::vector<Entry> entries;
};

TEST_CASE("find_symbol is right after any insertions, renames and removals", "[ir][module]") {
  std::mt19937 random(1);
  for (const uint32_t num_names : {3U, 20U, 400U}) {
    Module module;
    NamedOps expected;
    const auto name = [&] { return "n" + std::to_string(random() % num_names); };
    for (int step = 0; step < 3000; ++step) {
      const std::size_t size = expected.entries.size();
      const uint32_t choice = size == 0 ? 0 : static_cast<uint32_t>(random() % 5);
      const OpId op = choice < 3 ? OpId() : expected.entries[random() % size].op;
      const std::string to = name();
      if (op.valid()) expected.drop(op);
      if (choice < 3) {
        expected.entries.push_back({to, module.add_mesh(to, Mesh())});
      } else if (choice == 3) {
        module.set_symbol_name(op, to);
        expected.entries.push_back({to, op});
      } else {
        module.erase(op);
      }
      const std::string other = name();
      REQUIRE(module.find_symbol(to) == expected.find(to));
      REQUIRE(module.find_symbol(other) == expected.find(other));
    }
    for (uint32_t index = 0; index < num_names; ++index) {
      const std::string each = "n" + std::to_string(index);
      REQUIRE(module.find_symbol(each) == expected.find(each));
    }
  }
}

TEST_CASE("main is the function named main or the only function", "[ir][module]") {
  Module module;
  CHECK(module.main_function() == std::nullopt);
  const OpId f = module.add_function("f", {}, {});
  CHECK(module.main_function() == f);
  const OpId g = module.add_function("g", {}, {});
  CHECK(module.main_function() == std::nullopt);
  module.set_symbol_name(g, "main");
  CHECK(module.main_function() == g);
  module.erase(g);
  module.add_mesh("main", Mesh());
  CHECK(module.main_function() == f);
}

TEST_CASE("functions have types with and without a body", "[ir][module]") {
  Fixture f;
  CHECK_FALSE(f.module.is_external(f.function));
  CHECK(f.module.arg_types(f.function) == std::vector{kF32, kF32});
  CHECK(f.module.function(f.function).result_types == std::vector{kF32});
  f.op({f.b}, OpKind::FuncReturn);
  CHECK(f.module.returned_values(f.function) == std::vector{f.b});

  const OpId declared = f.module.declare_function("g", {Type()}, {kF32, kF32});
  CHECK(f.module.is_external(declared));
  CHECK(f.module.arg_types(declared) == std::vector<Type>{Type()});
  CHECK(f.module.function(declared).result_attributes.size() == 2);
  CHECK(f.module.function(f.function).arg_attributes.size() == 2);
}

TEST_CASE("the name of an op is from the op table or stored in the op", "[ir][module]") {
  Fixture f;
  const OpId add = f.op({f.a, f.b});
  const OpId unknown = f.module.create({.name = "test.op"});
  CHECK(f.module.name(add) == "stablehlo.add");
  CHECK(f.module.name(unknown) == "test.op");
  CHECK(f.module.has_trait(add, kCommutative));
  CHECK_FALSE(f.module.has_trait(unknown, kPure));
}

// ---- Copies -------------------------------------------------------------------------------------

TEST_CASE("new ops share equal types and equal attributes until these change", "[ir][module]") {
  Fixture f;
  const auto make = [&](int64_t number) {
    OpSpec spec{.kind = OpKind::Tanh, .operands = {f.a}};
    spec.result_types = {Type::tensor({3, 5}, ElementType::F32)};
    spec.attributes.set("a", IntegerAttr{number, ElementType::I64});
    return Builder(f.module, f.block).create(std::move(spec));
  };
  const OpId one = make(1);
  const OpId two = make(2);
  const OpId other = make(1);
  const auto type_of = [&](OpId op) { return &f.module.type(f.module.result(op)).data(); };
  const auto entries = [&](OpId op) { return std::as_const(f.module).attributes(op).begin(); };
  CHECK(type_of(one) == type_of(two));
  CHECK(entries(one) == entries(other));
  CHECK(entries(one) != entries(two));
  f.module.set_type(f.module.result(two), Type::tensor({3, 5}, ElementType::F32));
  CHECK(type_of(one) == type_of(two));
  f.module.attributes(one).set("a", IntegerAttr{3, ElementType::I64});
  CHECK(f.module.attribute<IntegerAttr>(one, "a")->value == 3);
  CHECK(f.module.attribute<IntegerAttr>(other, "a")->value == 1);
  const Attribute first = f.module.shared(Attribute("text"));
  const Attribute again = f.module.shared(Attribute("text"));
  CHECK(first.as<std::string>() == again.as<std::string>());
  CHECK(f.module.shared(Attribute("other")) != first);
}

TEST_CASE("a copy of a module has the same ids and is independent", "[ir][module]") {
  Nested f;
  f.module.attributes(f.last).set("a", "old");
  Module copy = f.module;
  copy.attributes(f.last).set("a", "new");
  copy.erase(f.outer);
  copy.set_symbol_name(f.function, "g");
  copy.function(f.function).result_types.clear();

  CHECK(*f.module.attribute<std::string>(f.last, "a") == "old");
  CHECK(*copy.attribute<std::string>(f.last, "a") == "new");
  CHECK_FALSE(f.module.is_erased(f.outer));
  CHECK(f.module.num_uses(f.a) == 3);
  CHECK(copy.num_uses(f.a) == 1);
  CHECK(f.module.find_symbol("f") == f.function);
  CHECK(copy.find_symbol("g") == f.function);
  CHECK(f.module.function(f.function).result_types.size() == 1);
}

}  // namespace
}  // namespace shardy_test::module_test
