// Gives each op of the corpus a wrong type for each of its results. The verifier must report an
// error if the row of the op leaves no choice. No later stage may violate a contract.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace shardy;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace result_types_test {
namespace {

struct Violated {
  std::string condition;
};

std::vector<Module> corpus() {
  std::vector<Module> programs;
  for (const auto& path : shardy_test::files_in(MLIR_TEST_DATA "/corpus/generic", ".mlir")) {
    for (const std::string& text : text::split_programs(shardy_test::read_text(path))) {
      auto module = text::parse_mlir(text);
      if (module && ir::verify(*module).empty()) programs.push_back(*std::move(module));
    }
  }
  return programs;
}

/// A program whose main function has one op on its arguments and returns the results of the op.
struct Alone {
  Module module;
  OpId function;
  OpId op;
};

/// Adds arguments for the values that the regions of the op take from outside.
void make_arguments(Alone& alone, OpId user) {
  Module& module = alone.module;
  const ir::BlockId entry = module.entry(alone.function);
  for (std::size_t index = 0; index < module.num_operands(user); ++index) {
    const ValueId operand = module.operand(user, index);
    const ir::ValueOwner owner = module.owner(operand);
    const ir::BlockId home = owner.is_result() ? module.parent_block(owner.op) : owner.block;
    if (home != entry) continue;
    const std::optional<TensorSharding> sharding = ir::get_sharding(module, operand);
    module.set_operand(user, index, module.add_argument(entry, module.type(operand)));
    auto& attributes = module.function(alone.function).arg_attributes;
    attributes.resize(module.args(entry).size());
    if (sharding) attributes.back().set("sdy.sharding", *sharding);
  }
}

void make_return(Alone& alone) {
  Module& module = alone.module;
  const ir::BlockId entry = module.entry(alone.function);
  for (OpId op = module.last_op(entry); op.valid();) {
    const OpId previous = module.prev(op);
    if (op != alone.op) module.erase(op);
    op = previous;
  }
  const std::vector<ValueId> results = module.results(alone.op);
  module.append(entry, module.create({.kind = OpKind::FuncReturn, .operands = results}));
  ir::FunctionData& function = module.function(alone.function);
  function.result_types.clear();
  for (const ValueId result : results) function.result_types.push_back(module.type(result));
  function.result_attributes.assign(results.size(), {});
}

std::optional<Alone> alone(const Module& program, OpId op) {
  const OpId function = program.parent_op(op);
  const bool is_in_function = function.valid() && program.is(function, OpKind::Func) &&
                              !program.has_trait(op, ir::kTerminator);
  if (!is_in_function || program.num_results(op) == 0) return std::nullopt;
  Alone made{program, function, op};
  make_arguments(made, op);
  for (const ir::RegionId region : program.regions(op)) {
    for (const ir::BlockId block : program.blocks(region)) {
      for (const OpId inner : ir::pre_order(program, block)) make_arguments(made, inner);
    }
  }
  make_return(made);
  if (!made.module.find_symbol("main")) made.module.set_symbol_name(function, "main");
  if (!ir::verify(made.module).empty()) return std::nullopt;
  return made;
}

/// Shards dim 0 of the tensors, if anything can be sharded.
void shard(Module& module, OpId function) {
  if (!module.meshes().empty()) return;
  const Mesh mesh = *Mesh::make({{"x", 2}});
  module.add_mesh("mesh", mesh);
  const auto sharding = [&](const Type& type) -> std::optional<TensorSharding> {
    if (!type.is_static_tensor() || type.rank() == 0) return std::nullopt;
    std::vector<AxisList> axes(static_cast<std::size_t>(type.rank()));
    axes[0] = {AxisRef{0, 1, 2}};
    return TensorSharding::closed({mesh, "mesh"}, std::move(axes));
  };
  const std::vector<Type> args = module.arg_types(function);
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (const auto with = sharding(args[index]))
      ir::set_arg_sharding(module, function, index, *with);
  }
  const std::vector<Type> results = module.function(function).result_types;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const auto with = sharding(results[index]);
    if (with) ir::set_result_sharding(module, function, index, *with);
  }
}

/// Returns true if some stage refuses the program. Throws a violated contract.
bool is_refused(const Module& module) {
  if (!ir::verify(module).empty()) return true;
  const auto inputs = checking::random_inputs(module, 1);
  if (!inputs) return !checking::compile(module).has_value();
  checking::CheckOptions options;
  options.run.kernels.seed = 1;
  options.run.num_workers = 1;
  return !checking::check(module, *inputs, options).has_value();
}

/// Returns the place and the condition of the contract that is violated; an empty text if none is.
std::string violation_in(const Module& module) {
  const ContractScope scope([](const ContractViolation& violation) {
    throw Violated{std::string(violation.file) + ":" + std::to_string(violation.line) + ": " +
                   violation.condition};
  });
  try {
    is_refused(module);
  } catch (const Violated& violated) {
    return violated.condition;
  }
  return {};
}

Alone with_type(const Alone& right, std::size_t result, const Type& type) {
  Alone wrong = right;
  wrong.module.set_type(wrong.module.result(wrong.op, result), type);
  wrong.module.function(wrong.function).result_types[result] = type;
  return wrong;
}

/// Returns whether the results of a kind may have any type. The rules of such kinds are not in the
/// table.
bool takes_anything(OpKind kind) {
  constexpr auto kFree =
      std::to_array<OpKind>({OpKind::Unknown, OpKind::CustomCall, OpKind::Composite,
                             OpKind::AsyncStart, OpKind::AsyncDone, OpKind::Infeed, OpKind::Recv,
                             OpKind::ChloScan, OpKind::InterpreterRunParallel});
  return std::ranges::find(kFree, kind) != kFree.end();
}

/// The number of wrong results tried, and their kinds.
struct Tried {
  std::set<OpKind> kinds;
  int64_t cases = 0;
};

void try_types(const Alone& right, Tried& tried) {
  const OpKind kind = right.module.kind(right.op);
  const std::string name(right.module.name(right.op));
  // Types that are not tensors, and tensors of foreign elements, of unknown rank, and of other
  // elements and sizes.
  constexpr std::string_view kNone[] = {"!foo.state", "tuple<tensor<2xf32>>", "none", "index"};
  constexpr std::string_view kTensors[] = {"tensor<4x!quant.uniform<i8:f32, 1.0>>",
                                           "tensor<*xf32>",
                                           "tensor<7x5x3xcomplex<f64>>",
                                           "tensor<7xi1>",
                                           "tensor<f32>",
                                           "tensor<4xf32, \"enc\">",
                                           "!stablehlo.token"};
  for (std::size_t result = 0; result < right.module.num_results(right.op); ++result) {
    const auto wrong_with = [&](std::string_view text) {
      ++tried.cases;
      Alone wrong = with_type(right, result, ir::parse_type(text).value());
      shard(wrong.module, wrong.function);
      return wrong;
    };
    for (const std::string_view text : kNone) {
      const Alone wrong = wrong_with(text);
      CAPTURE(name, result, text);
      CHECK(violation_in(wrong.module) == "");
      if (!takes_anything(kind)) CHECK_FALSE(ir::verify(wrong.module).empty());
    }
    for (const std::string_view text : kTensors) {
      const Alone wrong = wrong_with(text);
      CAPTURE(name, result, text);
      CHECK(violation_in(wrong.module) == "");
    }
  }
  tried.kinds.insert(kind);
}

TEST_CASE("a result of a wrong type is an error and violates no contract", "[types]") {
  Tried tried;
  std::map<OpKind, int> times;  // number of tried forms of each kind
  for (const Module& program : corpus()) {
    for (const OpId function : program.functions()) {
      if (program.is_external(function)) continue;
      for (const OpId op : program.ops(program.entry(function))) {
        if (times[program.kind(op)] == 4) continue;
        const std::optional<Alone> right = alone(program, op);
        if (!right) continue;
        ++times[program.kind(op)];
        try_types(*right, tried);
      }
    }
  }
  CHECK(tried.cases > 3000);
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const auto kind = static_cast<OpKind>(index);
    const bool has_results = !ir::definition_of(kind).results.empty();
    CAPTURE(ir::info(kind).name);
    CHECK((!has_results || tried.kinds.contains(kind)));
  }
}

/// Returns the diagnostics of the verifier for a manual computation on a value that has one type
/// outside and another type inside.
std::string manual_error(const std::string& global, const std::string& local) {
  const auto module = text::parse_mlir(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: )" + global + ") -> " +
                                       global +
                                       R"( {
  %0 = "sdy.manual_computation"(%a) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, manual_axes = #sdy<manual_axes{"x"}>}> ({
  ^bb0(%b: )" + local + R"():
    "sdy.return"(%b) : ()" + local + R"() -> ()
  }) : ()" + global + ") -> " + global +
                                       "\n  return %0 : " + global + "\n}");
  if (!module) return module.error().front().message;  // parsing verifies the module
  const Diagnostics errors = ir::verify(*module);
  return errors.empty() ? "" : errors.front().message;
}

TEST_CASE("a type with an encoding has the local sizes in a manual computation", "[types]") {
  const std::string global = "tensor<4xf32, \"enc\">";
  CHECK(manual_error(global, "tensor<2xf32, \"enc\">").empty());
  CHECK(manual_error(global, "tensor<2xf32>").empty());
  for (const std::string local : {"tensor<4xf32, \"enc\">", "tensor<2xf64>", "!stablehlo.token"}) {
    CAPTURE(local);
    CHECK(
        manual_error(global, local) ==
        "'sdy.manual_computation' op operand shape, corresponding sharding, and region operand "
        "shape at index 0 must match. Expected local shape 'tensor<2xf32>', actual local shape '" +
            local + "'");
  }
}

}  // namespace

}  // namespace result_types_test
