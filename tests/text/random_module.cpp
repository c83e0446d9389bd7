#include "text/random_module.hpp"

#include <algorithm>
#include <optional>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/verify.hpp>
#include <string>
#include <utility>
#include <vector>

#include "text/random_parts.hpp"

namespace shardy::text::testing {

namespace {

using ir::BlockId;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

const Type kScalar = Type::tensor({}, ir::ElementType::F32);

class ModuleMaker {
 public:
  ModuleMaker(uint64_t seed, const RandomModuleOptions& options)
      : random_(seed, options.writable), options_(options) {}

  ir::Module make() {
    make_meshes();
    std::vector<OpId> functions;
    for (std::size_t count = random_.below(4); count > 0; --count) {
      functions.push_back(make_function());
      // An op between functions moves the later functions to the body of the program.
      if (random_.chance(10)) foreign_op(module_.body(), 1);
    }
    for (const OpId function : functions) fill_function(function);
    static_cast<void>(
        ir::resolve(module_));  // a value with an error stays unresolved: verify reports it
    return std::move(module_);
  }

 private:
  using Values = std::vector<ValueId>;

  // ---- Meshes and functions --------------------------------------------------------------------

  void make_meshes() {
    for (std::size_t count = random_.below(4); count > 0; --count) {
      const std::string name = "m" + std::to_string(count) + random_text(random_);
      meshes_.push_back(
          {random_.chance(60) ? "m" + std::to_string(count) : name, random_mesh(random_)});
      const OpId op = module_.add_mesh(meshes_.back().name, meshes_.back().mesh);
      if (random_.chance(10)) module_.attributes(op).set("extra", ir::Attribute(true));
      locate(op);
    }
  }

  OpId make_function() {
    const std::string name = "f" + std::to_string(num_functions_++);
    const auto types = [&] { return random_.several(3, [&] { return random_type(random_); }); };
    const std::vector<Type> args = types();
    const std::string full = random_.chance(70) ? name : name + random_text(random_);
    const OpId op = random_.chance(15) ? module_.declare_function(full, args, types())
                                       : module_.add_function(full, args, types());
    if (random_.chance(30)) module_.attributes(op).set("sym_visibility", "private");
    if (random_.chance(30)) module_.attributes(op).set("note", random_text(random_));
    ir::FunctionData& data = module_.function(op);
    data.arg_attributes.resize(args.size());
    data.result_attributes.resize(data.result_types.size());
    for (std::size_t index = 0; index < args.size(); ++index) {
      attach(data.arg_attributes[index], args[index]);
    }
    for (std::size_t index = 0; index < data.result_types.size(); ++index) {
      attach(data.result_attributes[index], data.result_types[index]);
    }
    locate(op);
    functions_.push_back(op);
    return op;
  }

  void attach(ir::AttributeMap& attributes, const Type& type) {
    if (random_.chance(20)) attributes.set("other", random_attribute(random_, meshes_));
    if (auto sharding = sharding_for(type)) attributes.set(ir::kShardingAttr, *sharding);
  }

  void fill_function(OpId function) {
    if (module_.is_external(function)) return;
    const BlockId block = module_.entry(function);
    visible_ = Values(module_.args(block).begin(), module_.args(block).end());
    fill(block, options_.max_depth);
    Values returned;
    for (const Type& type : module_.function(function).result_types) {
      returned.push_back(value_of(block, type));
    }
    end(block, OpKind::FuncReturn, returned);
  }

  // ---- Ops -------------------------------------------------------------------------------------

  void locate(OpId op) {
    if (!options_.with_locations) return;
    const std::string text = std::to_string(num_located_++) + random_text(random_);
    module_.set_location(op, module_.add_location(text));
  }

  OpId add(BlockId block, ir::OpSpec spec) {
    const OpId op = module_.create(std::move(spec));
    module_.append(block, op);
    locate(op);
    for (const ValueId result : module_.results(op)) visible_.push_back(result);
    return op;
  }

  void end(BlockId block, OpKind kind, Values operands) {
    add(block, {.kind = kind, .operands = std::move(operands)});
  }

  void fill(BlockId block, std::size_t depth) {
    for (std::size_t count = random_.below(options_.max_ops + 1); count > 0; --count) {
      random_op(block, depth);
    }
  }

  void random_op(BlockId block, std::size_t depth) {
    switch (random_.below(depth > 0 ? 10 : 6)) {
      case 0:
        constant(block, random_tensor(random_, true));
        return;
      case 1:
        return elementwise(block);
      case 2:
        return call(block);
      case 3:
        return constraint(block);
      case 4:
        return barrier(block);
      case 6:
        return loop(block, depth - 1);
      case 7:
        return reduce(block);
      case 8:
        return named_computation(block, depth - 1);
      default:
        return foreign_op(block, depth);
    }
  }

  ValueId constant(BlockId block, const Type& type) {
    ir::AttributeMap attributes;
    attributes.set("value", random_literal(random_, type));
    return module_.result(add(block, {.kind = OpKind::Constant,
                                      .result_types = {type},
                                      .attributes = attach_results({type}, attributes)}));
  }

  void elementwise(BlockId block) {
    const ValueId operand = value_of(block, Type::tensor({2, 3}, ir::ElementType::F32));
    const Type type = module_.type(operand);
    add(block, {.kind = random_.chance(50) ? OpKind::Add : OpKind::Maximum,
                .operands = {operand, operand},
                .result_types = {type},
                .attributes = attach_results({type}, random_attributes(random_, meshes_))});
  }

  void call(BlockId block) {
    if (functions_.empty()) return;
    const OpId callee = random_.pick(functions_);
    Values operands;
    for (const Type& type : module_.arg_types(callee)) operands.push_back(value_of(block, type));
    ir::AttributeMap attributes;
    attributes.set("callee", ir::SymbolAttr{std::string(module_.symbol_name(callee))});
    add(block, {.kind = OpKind::FuncCall,
                .operands = std::move(operands),
                .result_types = module_.function(callee).result_types,
                .attributes = std::move(attributes)});
  }

  void constraint(BlockId block) {
    const Type type = random_tensor(random_, true);
    auto sharding = sharding_for(type);
    if (!sharding) return;
    sharding->unreduced.clear();  // which it must not add
    sharding->reduction_op = ReductionOp::Sum;
    ir::AttributeMap attributes;
    attributes.set("sharding", *sharding);
    add(block, {.kind = OpKind::SdyShardingConstraint,
                .operands = {value_of(block, type)},
                .result_types = {type},
                .attributes = std::move(attributes)});
  }

  void barrier(BlockId block) {
    Values operands = some_values();
    std::vector<Type> types;
    for (const ValueId value : operands) types.push_back(module_.type(value));
    add(block, {.kind = OpKind::OptimizationBarrier,
                .operands = std::move(operands),
                .result_types = types,
                .attributes = attach_results(types, {})});
  }

  void loop(BlockId block, std::size_t depth) {
    const Values operands = some_values();
    std::vector<Type> types;
    for (const ValueId value : operands) types.push_back(module_.type(value));
    const Values outer = visible_;
    std::vector<ir::RegionId> regions = {module_.new_region(), module_.new_region()};
    for (std::size_t index = 0; index < 2; ++index) {
      const BlockId body = module_.new_block(regions[index], types);
      const Values args(module_.args(body).begin(), module_.args(body).end());
      visible_.insert(visible_.end(), args.begin(), args.end());
      fill(body, depth);
      const Type flag = Type::tensor({}, ir::ElementType::I1);
      end(body, OpKind::StablehloReturn, index == 0 ? Values{constant(body, flag)} : args);
      visible_ = outer;
    }
    add(block, {.kind = OpKind::While,
                .operands = operands,
                .result_types = types,
                .regions = std::move(regions)});
  }

  /// The name of a reducer, sometimes misspelled.
  void reduce(BlockId block) {
    const ValueId tensor = value_of(block, Type::tensor({2, 3}, ir::ElementType::F32));
    const ValueId zero = value_of(block, kScalar);
    const ir::RegionId region = module_.new_region();
    const BlockId body = module_.new_block(region, std::vector<Type>{kScalar, kScalar});
    const Values args(module_.args(body).begin(), module_.args(body).end());
    const Values outer = visible_;
    const OpId combine = add(body, {.kind = random_.chance(80) ? OpKind::Add : OpKind::Divide,
                                    .operands = {args[0], args[random_.chance(80) ? 1 : 0]},
                                    .result_types = {kScalar}});
    // A reduction in short form has no place for them. Spec: stablehlo 10.2.
    const bool may_have_attributes = !random_.writable();
    if (random_.chance(10) && may_have_attributes) {
      module_.attributes(combine).set("note", ir::Attribute(true));
    }
    end(body, OpKind::StablehloReturn, {random_.chance(90) ? module_.result(combine) : args[0]});
    visible_ = outer;
    ir::AttributeMap attributes;
    attributes.set("dimensions", ir::DenseArrayAttr{ir::ElementType::I64, {1}});
    add(block, {.kind = OpKind::Reduce,
                .operands = {tensor, zero},
                .result_types = {Type::tensor({2}, ir::ElementType::F32)},
                .attributes = std::move(attributes),
                .regions = {region}});
  }

  void named_computation(BlockId block, std::size_t depth) {
    const Values operands = some_values();
    std::vector<Type> types;
    for (const ValueId value : operands) types.push_back(module_.type(value));
    const ir::RegionId region = module_.new_region();
    const BlockId body = module_.new_block(region, types);
    const Values outer =
        std::exchange(visible_, {module_.args(body).begin(), module_.args(body).end()});
    fill(body, depth);
    const Values returned = some_values();
    end(body, OpKind::SdyReturn, returned);
    visible_ = outer;
    std::vector<Type> results;
    for (const ValueId value : returned) results.push_back(module_.type(value));
    ir::AttributeMap attributes;
    attributes.set("name", random_text(random_));
    add(block, {.kind = OpKind::SdyNamedComputation,
                .operands = operands,
                .result_types = results,
                .attributes = std::move(attributes),
                .regions = {region}});
  }

  /// With any attributes, types, regions and blocks.
  void foreign_op(BlockId block, std::size_t depth) {
    static const std::vector<std::string> kNames = {
        "foreign.op", "tanh", ".dot", "sdy.unknown", "stablehlo.new", "x", "spmd.x", "a b.\"c"};
    const std::vector<Type> types = random_.several(3, [&] { return random_type(random_); });
    ir::OpSpec spec{.kind = OpKind::Unknown,
                    .name = random_.pick(kNames),
                    .operands = some_values(),
                    .result_types = types,
                    .attributes = attach_results(types, random_attributes(random_, meshes_))};
    const Values outer = visible_;
    for (std::size_t count = depth > 0 ? random_.below(3) : 0; count > 0; --count) {
      spec.regions.push_back(module_.new_region());
      for (std::size_t blocks = random_.below(4); blocks > 0; --blocks) {
        const auto args = random_.several(2, [&] { return random_type(random_); });
        const BlockId inner = module_.new_block(spec.regions.back(), args);
        visible_.insert(visible_.end(), module_.args(inner).begin(), module_.args(inner).end());
        fill(inner, depth - 1);
        if (random_.chance(50)) end(inner, OpKind::StablehloReturn, some_values());
      }
      visible_ = outer;
    }
    add(block, std::move(spec));
  }

  // ---- Values ----------------------------------------------------------------------------------

  Values some_values() {
    if (visible_.empty()) return {};
    return random_.several(3, [&] { return random_.pick(visible_); });
  }

  /// A visible one, or a new one.
  ValueId value_of(BlockId block, const Type& type) {
    Values found;
    for (const ValueId value : visible_) {
      if (module_.type(value) == type) found.push_back(value);
    }
    if (!found.empty() && random_.chance(80)) return random_.pick(found);
    if (type.is_static_tensor() && type.tensor()->encoding.empty() && random_.chance(70)) {
      return constant(block, type);
    }
    return module_.result(
        add(block, {.kind = OpKind::Unknown, .name = "foreign.make", .result_types = {type}}));
  }

  /// One that is right for the type, if there is one.
  std::optional<UnresolvedSharding> sharding_for(const Type& type) {
    if (meshes_.empty() || ir::is_unshardable_tuple(type) || random_.chance(50))
      return std::nullopt;
    const RandomMesh& mesh = random_.pick(meshes_);
    UnresolvedSharding sharding = random_sharding(random_, mesh, ir::sharding_rank(type));
    if (!resolve(sharding, mesh.mesh, ir::TypeShape(type).view())) return std::nullopt;
    return sharding;
  }

  /// Adds shardings of the results, all on one mesh.
  ir::AttributeMap attach_results(const std::vector<Type>& types, ir::AttributeMap attributes) {
    if (meshes_.empty() || types.empty() || random_.chance(60)) return attributes;
    const RandomMesh& mesh = random_.pick(meshes_);
    ir::UnresolvedShardingList list;
    for (const Type& type : types) {
      if (ir::is_unshardable_tuple(type)) return attributes;
      UnresolvedSharding sharding = random_sharding(random_, mesh, ir::sharding_rank(type));
      sharding.mesh = mesh.name;
      if (!resolve(sharding, mesh.mesh, ir::TypeShape(type).view())) return attributes;
      list.shardings.push_back(std::move(sharding));
    }
    attributes.set(ir::kShardingAttr, std::move(list));
    return attributes;
  }

  Random random_;
  RandomModuleOptions options_;
  ir::Module module_;
  std::vector<RandomMesh> meshes_;
  std::vector<OpId> functions_;
  Values visible_;
  std::size_t num_functions_ = 0;
  std::size_t num_located_ = 0;
};

}  // namespace

ir::Module random_module(uint64_t seed, const RandomModuleOptions& options) {
  return ModuleMaker(seed, options).make();
}

}  // namespace shardy::text::testing
