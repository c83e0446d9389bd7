// A compiler on MLIR: its programs are mlir::ModuleOp, with the attributes of the sdy dialect.
// Names of ops, types and attributes cross the border as text, so the library needs no header of
// MLIR; the rule of each op comes from its name. Built where MLIR is installed (Debian:
// libmlir-14-dev).
#include <fmt/core.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser.h>

#include <optional>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <variant>
#include <vector>

namespace {

using shardy::Result;
using shardy::Status;

constexpr const char* kProgram = R"mlir(
"sdy.mesh"() {sym_name = "mesh", mesh = #sdy.mesh<["data"=4, "model"=2]>} : () -> ()
func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
           %w: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}]>})
    -> tensor<16x32xf32> {
  %0 = "stablehlo.transpose"(%w) {permutation = dense<[1, 0]> : tensor<2xi64>}
      : (tensor<32x8xf32>) -> tensor<8x32xf32>
  %1 = "stablehlo.dot_general"(%x, %0) {dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
      : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %2 = "stablehlo.tanh"(%1) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  "func.return"(%2) : (tensor<16x32xf32>) -> ()
}
)mlir";

constexpr const char* kSharding = "sdy.sharding";

// [text]
/// Returns what MLIR prints for a type or an attribute.
template <class T>
std::string printed(T value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return stream.str();
}

shardy::ir::Type type_of(mlir::Value value) {
  const auto tensor = value.getType().cast<mlir::RankedTensorType>();
  const llvm::ArrayRef<int64_t> shape = tensor.getShape();
  return shardy::ir::Type::tensor({shape.begin(), shape.end()}, shardy::ir::ElementType::F32);
}

/// Returns the rule of an op from its name, its types, and the text of its attributes.
shardy::rules::RuleResult rule_of(mlir::Operation& op) {
  std::string text;
  for (const mlir::NamedAttribute each : op.getAttrs()) {
    if (each.getName() == kSharding) continue;
    text += (text.empty() ? "" : ", ") + each.getName().str() + " = " + printed(each.getValue());
  }
  shardy::rules::NamedOp named{.name = op.getName().getStringRef().str(), .operands = {}};
  auto attributes = shardy::text::parse_attributes(named.name, text);
  if (!attributes) return tl::unexpected(attributes.error().front());
  named.attributes = *std::move(attributes);
  for (const mlir::Value operand : op.getOperands()) named.operands.push_back(type_of(operand));
  for (const mlir::Value result : op.getResults()) named.results.push_back(type_of(result));
  return shardy::rules::rule_of(named);
}
// [text]

/// The meshes of a module by name.
Result<shardy::Mesh> read_mesh(mlir::ModuleOp module) {
  for (mlir::Operation& op : *module.getBody()) {
    if (op.getName().getStringRef() != "sdy.mesh") continue;
    SHARDY_TRY(auto attribute, shardy::parse_attribute(printed(op.getAttr("mesh"))));
    if (auto* const mesh = std::get_if<shardy::Mesh>(&attribute)) return std::move(*mesh);
  }
  return shardy::fail("the module has no mesh");
}

Result<std::optional<shardy::TensorSharding>> read_sharding(mlir::Attribute attribute,
                                                            const shardy::Mesh& mesh) {
  if (!attribute) return std::nullopt;
  SHARDY_TRY(auto read, shardy::parse_attribute(printed(attribute)));
  const auto* const sharding = std::get_if<shardy::UnresolvedSharding>(&read);
  if (sharding == nullptr) return shardy::fail("expected a sharding: " + printed(attribute));
  SHARDY_TRY(auto resolved, shardy::resolve(*sharding, mesh));
  return std::optional(std::move(resolved));
}

/// The slot of each value of a function, and the problem that they are slots of.
class Propagation {
 public:
  explicit Propagation(const shardy::Mesh& mesh) : mesh_(mesh) {}

  Status run(mlir::FuncOp function) {
    for (const mlir::BlockArgument argument : function.getArguments()) {
      SHARDY_TRY_STATUS(add(argument, function.getArgAttr(argument.getArgNumber(), kSharding)));
    }
    for (mlir::Operation& op : function.front()) SHARDY_TRY_STATUS(add(op));
    SHARDY_TRY(auto problem, std::move(builder_).build());
    SHARDY_TRY(const auto report, shardy::propagation::propagate(problem));
    fmt::print("{} steps changed something\n", report.num_updates);
    write(function, problem);
    return {};
  }

 private:
  Status add(mlir::Value value, mlir::Attribute written) {
    SHARDY_TRY(auto sharding, read_sharding(written, mesh_));
    const auto shape = value.getType().cast<mlir::RankedTensorType>().getShape();
    SHARDY_TRY(slots_[value], builder_.add_slot({.shape = {shape.begin(), shape.end()},
                                                 .sharding = std::move(sharding)}));
    return {};
  }

  Status add(mlir::Operation& op) {
    for (const mlir::Value result : op.getResults()) {
      SHARDY_TRY_STATUS(add(result, op.getAttr(kSharding)));
    }
    if (op.getNumResults() == 0) return {};
    SHARDY_TRY(const auto rule, rule_of(op));
    if (!rule) return {};
    std::vector<shardy::propagation::SlotId> operands, results;
    for (const mlir::Value operand : op.getOperands()) operands.push_back(slots_[operand]);
    for (const mlir::Value result : op.getResults()) results.push_back(slots_[result]);
    SHARDY_TRY_STATUS(builder_.add_op(*rule, operands, results));
    return {};
  }

  /// Writes the shardings into the function, as attributes that MLIR reads from text.
  void write(mlir::FuncOp function, const shardy::propagation::Problem& problem) {
    const auto attribute = [&](mlir::Value value) -> mlir::Attribute {
      const auto& sharding = problem.sharding(slots_[value]);
      if (!sharding) return {};
      return mlir::parseAttribute(shardy::attribute_text(*sharding), function.getContext());
    };
    for (const mlir::BlockArgument argument : function.getArguments()) {
      if (const auto found = attribute(argument))
        function.setArgAttr(argument.getArgNumber(), kSharding, found);
    }
    for (mlir::Operation& op : function.front()) {
      if (op.getNumResults() != 1) continue;
      if (const auto found = attribute(op.getResult(0))) op.setAttr(kSharding, found);
    }
  }

  const shardy::Mesh& mesh_;
  shardy::propagation::ProblemBuilder builder_;
  llvm::DenseMap<mlir::Value, shardy::propagation::SlotId> slots_;
};

Status run() {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kProgram, &context);
  if (!module) return shardy::fail("MLIR cannot read the program");
  SHARDY_TRY(const shardy::Mesh mesh, read_mesh(*module));
  for (const mlir::FuncOp function : module->getOps<mlir::FuncOp>()) {
    SHARDY_TRY_STATUS(Propagation(mesh).run(function));
  }
  fmt::print("{}\n", printed(*module));
  return {};
}

}  // namespace

int main() {
  const Status done = run();
  if (!done) fmt::print("{}\n", done.error().message);
  return done ? 0 : 1;
}
