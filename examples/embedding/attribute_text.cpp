// A compiler whose attributes are those of MLIR's sdy dialect. Attributes cross the border between
// the compiler and shardy++ as text: this file reads what `mlir::Attribute::print` writes, and
// `mlir::parseAttribute` reads what this file writes. The example therefore needs no MLIR headers
// and works with any version of MLIR.
#include <fmt/core.h>

#include <map>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/propagation/propagate.hpp>
#include <string>
#include <vector>

namespace {

using namespace shardy;

// [op]
/// An op in the form in which the other compiler passes it: the texts of its attributes, in the
/// order of its tensors.
struct OpText {
  std::string rule;                   // #sdy.op_sharding_rule<..>
  std::vector<std::string> operands;  // #sdy.sharding<..>; empty if unsharded
  std::vector<std::string> results;
  std::map<std::string, std::string> meshes;  // meshes of the symbol table: #sdy.mesh<..> by name
};
// [op]

// [read]
/// Reads an attribute that must be a T. Errors: the text is malformed, or the attribute is not a T.
template <class T>
Result<T> read_as(const std::string& text, const char* what) {
  SHARDY_TRY(SdyAttribute attribute, parse_attribute(text));
  if (T* const value = std::get_if<T>(&attribute)) return std::move(*value);
  return fail("expected " + std::string(what) + ", got: " + text);
}

Result<std::optional<TensorSharding>> read_sharding(const OpText& op, const std::string& text) {
  if (text.empty()) return std::nullopt;
  SHARDY_TRY(const auto unresolved, read_as<UnresolvedSharding>(text, "a sharding"));
  const auto lookup = [&](const std::string& name) -> std::optional<Mesh> {
    const auto named = op.meshes.find(name);
    if (named == op.meshes.end()) return std::nullopt;
    const auto mesh = read_as<Mesh>(named->second, "a mesh");
    return mesh ? std::optional(*mesh) : std::nullopt;
  };
  SHARDY_TRY(const Mesh mesh, mesh_of(unresolved, lookup));
  SHARDY_TRY(TensorSharding sharding, resolve(unresolved, mesh));
  return sharding;
}
// [read]

// [propagate]
/// Propagates shardings through the op, and returns the op with the texts of the new shardings.
Result<OpText> propagate(OpText op) {
  SHARDY_TRY(const auto rule, read_as<OpShardingRule>(op.rule, "a rule"));
  propagation::TensorShardings operands;
  propagation::TensorShardings results;
  for (auto* side : {&op.operands, &op.results}) {
    for (const std::string& text : *side) {
      auto& shardings = side == &op.operands ? operands : results;
      SHARDY_TRY(auto sharding, read_sharding(op, text));
      shardings.push_back(std::move(sharding));
    }
  }
  SHARDY_TRY(const propagation::Inferred inferred, propagation::infer(rule, operands, {}, results));
  const auto write = [](const propagation::TensorShardings& shardings, auto& texts) {
    for (std::size_t index = 0; index < shardings.size(); ++index) {
      texts[index] = shardings[index] ? attribute_text(*shardings[index]) : "";
    }
  };
  write(inferred.operands, op.operands);
  write(inferred.results, op.results);
  return op;
}
// [propagate]

}  // namespace

int main() {
  const OpText dot{
      .rule = "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}>",
      .operands = {R"(#sdy.sharding<@mesh, [{"data"}, {?}]>)",
                   R"(#sdy.sharding<@mesh, [{?}, {"model":(1)2, ?}]>)"},
      .results = {""},
      .meshes = {{"mesh", R"(#sdy.mesh<["data"=2, "model"=4]>)"}}};
  const auto done = propagate(dot);
  if (!done) {
    fmt::print("{}\n", done.error().message);
    return 1;
  }
  for (const std::string& text : done->operands) fmt::print("operand {}\n", text);
  for (const std::string& text : done->results) fmt::print("result {}\n", text);

  // An error gives its position in the text.
  OpText wrong = dot;
  wrong.operands[0] = R"(#sdy.sharding<@mesh, [{"data"}, {"data"}]>)";
  fmt::print("error: {}\n", propagate(wrong).error().message);
  wrong.operands[0] = "#sdy.sharding<@mesh, [{data}]>";
  const Error error = propagate(wrong).error();
  fmt::print("error at {}: {}\n", error.location.text(), error.message);
  wrong.operands[0] = dot.rule;
  fmt::print("error: {}\n", propagate(wrong).error().message);
}
