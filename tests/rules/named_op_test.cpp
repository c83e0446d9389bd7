// Rules of ops by name equal those of the same ops in programs.
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "rules/rule_text.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace shardy::rules::named_op_test {
namespace {

using Sizes = std::vector<int64_t>;

ir::Type tensor(Sizes shape) { return ir::Type::tensor(std::move(shape), ir::ElementType::F32); }

std::vector<ir::Module> corpus() {
  std::vector<ir::Module> modules;
  for (const char* folder : {"/corpus/custom", "/corpus/generic"}) {
    for (const auto& path : shardy_test::files_in(std::string(MLIR_TEST_DATA) + folder, ".mlir")) {
      for (const std::string& program : text::split_programs(shardy_test::read_text(path))) {
        auto module = text::parse_mlir(program);
        if (!module) FAIL(text::error_text(path.string(), program, module.error()));
        modules.push_back(*std::move(module));
      }
    }
  }
  return modules;
}

NamedOp named(const OpView& op) {
  NamedOp named{.name = std::string(op.name()), .attributes = op.attributes()};
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    named.operands.push_back(op.module().type(op.operand(index)));
  }
  for (std::size_t index = 0; index < op.num_results(); ++index) {
    named.results.push_back(op.module().type(op.result(index)));
  }
  if (op.kind() == ir::OpKind::Scatter) {
    const auto reducers = ir::recognized_reducers(op.module(), op.op(), op.num_operands() / 2);
    if (reducers && !reducers->empty()) named.combiner = ir::info(reducers->front()).name;
  }
  return named;
}

/// Checks whether the rule depends on other ops around this one.
bool looks_around(const OpView& op) {
  const RuleEntry* entry = built_in_rule(op.kind());
  return op.kind() != ir::OpKind::Scatter && entry != nullptr && entry->look != nullptr &&
         entry->look(op);
}

TEST_CASE("a named op has the rule of the op in a program", "[rules][named]") {
  const Registry registry;
  std::set<ir::OpKind> kinds;
  for (const ir::Module& module : corpus()) {
    for (const ir::OpId id : ir::pre_order(module)) {
      const OpView op(module, id);
      if (!registry.knows(op) || looks_around(op)) continue;
      CAPTURE(op.name(), module.source_location(id).text());
      for (const RuleOptions options : {RuleOptions{}, RuleOptions{.conservative = true},
                                        RuleOptions{.lowering_rules = true}}) {
        CHECK(text_of(rule_of(named(op), options)) == text_of(registry.rule_for(op, options)));
      }
      kinds.insert(op.kind());
    }
  }
  for (const ir::OpInfo& info : ir::kOps) {
    CAPTURE(info.name);
    if (built_in_rule(info.kind) != nullptr) CHECK(kinds.contains(info.kind));
  }
}

struct WrittenOp {
  std::string name, attributes;
};

/// The ops of the generic form of a program in the order of the text, without the module.
std::vector<WrittenOp> written_ops(const std::string& text) {
  std::vector<WrittenOp> ops;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    std::size_t name = line.find_first_not_of(' ');
    if (name == std::string::npos) continue;
    if (line[name] == '%') name = line.find(" = \"", name) + 3;
    if (line[name] != '"') continue;
    const std::size_t close = line.find("\"(", name);
    if (close == std::string::npos) continue;
    WrittenOp op{line.substr(name + 1, close - name - 1), {}};
    const std::size_t open = line.find(") <{", close);
    const std::size_t last = line.find("}>", close);
    if (open == line.find(')', close) && last != std::string::npos) {
      // Up to the end of the properties, which may contain <{..}> themselves.
      std::size_t stop = line.rfind("}> ");
      op.attributes = line.substr(open + 4, stop - open - 4);
    }
    ops.push_back(std::move(op));
  }
  ops.erase(ops.begin());
  return ops;
}

TEST_CASE("named ops with attributes in text have the rule of the op in a program",
          "[rules][named]") {
  const Registry registry;
  std::size_t num_with_attributes = 0;
  for (const ir::Module& module : corpus()) {
    const std::vector<ir::OpId> ops = ir::pre_order(module);
    const auto written = written_ops(text::to_mlir(module, {.generic = true, .properties = true}));
    REQUIRE(written.size() == ops.size());
    for (std::size_t index = 0; index < ops.size(); ++index) {
      const OpView op(module, ops[index]);
      CAPTURE(op.name(), written[index].attributes);
      REQUIRE(written[index].name == op.name());
      const bool is_given = op.attributes().contains(ir::kShardingRuleAttr);
      if (built_in_rule(op.kind()) == nullptr || looks_around(op) || is_given) continue;
      NamedOp by_text = named(op);
      const auto attributes = text::parse_attributes(op.name(), written[index].attributes);
      if (!attributes) FAIL(attributes.error().front().message);
      by_text.attributes = *attributes;
      num_with_attributes += written[index].attributes.empty() ? 0 : 1;
      CHECK(text_of(rule_of(by_text)) == text_of(registry.rule_for(op)));
    }
  }
  CHECK(num_with_attributes > 200);
}

TEST_CASE("examples of rules of named ops", "[rules][named]") {
  const auto dot = text::parse_attributes(
      "stablehlo.dot_general",
      "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [0]>");
  REQUIRE(dot);
  CHECK(text_of(rule_of({.name = "stablehlo.dot_general",
                         .operands = {tensor({8, 16}), tensor({16, 4})},
                         .results = {tensor({8, 4})},
                         .attributes = *dot})) ==
        "([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}");
  NamedOp update{.name = "stablehlo.scatter",
                 .operands = {tensor({100, 64}), ir::Type::tensor({8, 1}, ir::ElementType::I32),
                              tensor({8, 64})},
                 .results = {tensor({100, 64})}};
  update.attributes =
      text::parse_attributes("stablehlo.scatter",
                             "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = "
                             "[1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                             "index_vector_dim = 1>")
          .value();
  const std::string replaces = text_of(rule_of(update));
  update.combiner = "stablehlo.add";
  const std::string adds = text_of(rule_of(update));
  CHECK(replaces.find("reduction") == std::string::npos);
  CHECK(adds.find("reduction") != std::string::npos);
}

TEST_CASE("a named op with operands that do not fit is an error", "[rules][named]") {
  const auto error = [](const NamedOp& op) {
    const RuleResult rule = rule_of(op);
    return rule ? "(no error)" : rule.error().message;
  };
  const RuleResult typo = rule_of({.name = "stablehlo.tahn", .operands = {tensor({2})}});
  REQUIRE(!typo);
  CHECK(typo.error().message == "unknown op: stablehlo.tahn");
  CHECK(typo.error().notes == std::vector<std::string>{"did you mean stablehlo.tanh?"});
  CHECK(error({.name = "stablehlo.tanh",
               .operands = {tensor({2})},
               .results = {tensor({2})},
               .combiner = "stablehlo.ad"}) == "combiner: unknown op: stablehlo.ad");
  CHECK(error({.name = "stablehlo.tanh",
               .operands = {tensor({2})},
               .results = {tensor({2})},
               .combiner = "func.func"}) == "combiner: func.func is not elementwise");
  CHECK(error({.name = "stablehlo.transpose",
               .operands = {tensor({2, 3})},
               .results = {tensor({3, 2})}}) ==
        "'stablehlo.transpose' op expected an integer array attribute: permutation");
  CHECK(
      error(
          {.name = "stablehlo.dot_general", .operands = {tensor({2})}, .results = {tensor({2})}}) ==
      "'stablehlo.dot_general' op expected at least 2 operands, got: 1");
}

TEST_CASE("a named foreign op has its registered rule", "[rules][named]") {
  Registry registry;
  REQUIRE(registry.add("mine.scale", einsum_maker("i j, -> i j").value()));
  const RuleResult rule = rule_of(
      {.name = "mine.scale", .operands = {tensor({4, 6}), tensor({})}, .results = {tensor({4, 6})}},
      {}, registry);
  CHECK(text_of(rule) == "([i, j], [])->([i, j]) {i=4, j=6}, custom");
}

TEST_CASE("attributes that cannot be parsed are errors with their location", "[rules][named]") {
  const auto error = [](std::string_view name, std::string_view text) {
    const auto attributes = text::parse_attributes(name, text);
    if (attributes) return std::string("(no error)");
    return attributes.error().front().location.text() + ": " + attributes.error().front().message;
  };
  CHECK(error("stablehlo.transpose", "") ==
        ": 'stablehlo.transpose' op requires attribute 'permutation'");
  CHECK(error("stablehlo.transpose", "permutation = array<i64: 1,\n  0>") == "(no error)");
  CHECK(error("stablehlo.transpose", "permutation =\n  ?").starts_with("2:3: "));
  CHECK(error("stablehlo.transpose", "permutation =").starts_with("1:14: "));
  CHECK(error("a\" b", "") == ": not the name of an op: \"a\\22 b\"");
  CHECK(error("mine.op", "} : () -> ()\n\"mine.op\"() {") ==
        ": expected nothing after the attributes");
}

}  // namespace
}  // namespace shardy::rules::named_op_test
