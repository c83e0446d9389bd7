// Programs that cover every op in every form: what they read as, print as, and how they come back.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "text/mlir_form.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text::corpus_test {
namespace {

struct Program {
  std::string name;  // FILE[3]
  std::string text;
};

/// The programs of a folder of the corpus, in the order of their files.
std::vector<Program> programs(const std::string& folder) {
  const std::filesystem::path corpus = MLIR_TEST_DATA "/corpus";
  std::vector<Program> all;
  for (const std::filesystem::path& path : shardy_test::files_in(corpus / folder, ".mlir")) {
    const std::string text = shardy_test::read_text(path);
    std::size_t number = 0;
    for (const std::string& program : split_programs(text)) {
      const std::size_t first = program.find_first_not_of('\n');
      all.push_back({path.stem().string() + "[" + std::to_string(number++) + "]",
                     program.substr(std::min(first, program.size()))});
    }
  }
  return all;
}

ir::Module read(const std::string& text) {
  auto module = parse_mlir(text);
  if (!module) FAIL(error_text("text", text, module.error()));
  return *std::move(module);
}

/// Checks that printed text reads back as the same program and prints as the same text.
void check_round_trip(const ir::Module& module, const MlirPrintOptions& options) {
  const std::string text = to_mlir(module, options);
  const ir::Module again = read(text);
  CHECK(first_difference(module, again).value_or("none") == "none");
  CHECK(to_mlir(again, options) == text);
}

TEST_CASE("the corpus has at least 300 programs", "[text][mlir][corpus]") {
  CHECK(programs("custom").size() >= 300);
}

TEST_CASE("programs of the corpus are in canonical form", "[text][mlir][corpus]") {
  for (const Program& program : programs("custom")) {
    CAPTURE(program.name);
    CHECK(to_mlir(read(program.text)) == program.text);
  }
}

/// From all of its texts.
void check_comes_back(const ir::Module& module) {
  check_round_trip(module, {});
  check_round_trip(module, {.generic = true});
  check_round_trip(module, {.generic = true, .properties = true});
  const auto again = parse_json(to_json(module));
  REQUIRE(again);
  CHECK(first_difference(module, *again).value_or("none") == "none");
  CHECK(to_mlir(*again) == to_mlir(module));
}

TEST_CASE("programs of the corpus read back from all their text forms", "[text][mlir][corpus]") {
  for (const Program& program : programs("custom")) {
    CAPTURE(program.name);
    check_comes_back(read(program.text));
  }
}

/// A function that applies an op to tensors of that element type, if it takes them.
std::optional<ir::Module> function_of(ir::OpKind kind, ir::ElementType element) {
  const std::size_t num_operands = ir::definition_of(kind).num_operands.least;
  const std::vector<ir::Type> types(num_operands, ir::Type::tensor({2, 3}, element));
  std::optional<std::vector<ir::Type>> results;
  for (const bool is_draft : {true, false}) {
    ir::Module module;
    const ir::OpId function =
        module.add_function("main", types, results.value_or(std::vector<ir::Type>()));
    const ir::BlockId block = module.entry(function);
    ir::OpSpec spec{.kind = kind};
    spec.operands.assign(module.args(block).begin(), module.args(block).end());
    const auto inferred = ir::infer_result_types(module, spec);
    if (!inferred) return std::nullopt;
    results = spec.result_types = *inferred;
    const ir::OpId op = module.create(std::move(spec));
    module.append(block, op);
    module.append(block,
                  module.create({.kind = ir::OpKind::FuncReturn, .operands = module.results(op)}));
    if (!is_draft) return module;
  }
  return std::nullopt;
}

TEST_CASE("every elementwise op reads back from all its text forms", "[text][mlir][corpus]") {
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const auto kind = static_cast<ir::OpKind>(index);
    if (ir::definition_of(kind).classes == 0) continue;
    CAPTURE(ir::info(kind).name);
    bool takes_any = false;
    for (const ir::ElementType element :
         {ir::ElementType::F32, ir::ElementType::I32, ir::ElementType::I1}) {
      const std::optional<ir::Module> module = function_of(kind, element);
      if (!module) continue;
      takes_any = true;
      CHECK(to_mlir(*module).find(std::string(ir::info(kind).name) + " %") != std::string::npos);
      check_comes_back(*module);
    }
    CHECK(takes_any);
  }
}

TEST_CASE("the generic form of the corpus reads as the same programs", "[text][mlir][corpus]") {
  const std::vector<Program> custom = programs("custom");
  const std::vector<Program> generic = programs("generic");
  REQUIRE(custom.size() == generic.size());
  for (std::size_t index = 0; index < custom.size(); ++index) {
    CAPTURE(custom[index].name);
    CHECK(to_mlir(read(generic[index].text)) == custom[index].text);
    CHECK(to_mlir(read(custom[index].text), {.generic = true}) == generic[index].text);
  }
}

// ---- Coverage ----------------------------------------------------------------------------------

/// Optional parts of custom forms that the ops of a program have, and those that they omit.
void note_groups(const ir::Module& module, std::set<std::string>& seen) {
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::Unknown)) continue;
    for (const FormItem& item : form_of(module.kind(op)).items) {
      if (item.kind != ItemKind::Group) continue;
      const ir::Attribute* value = module.attributes(op).find(item.row->name);
      const bool shown = value && !is_default(*value, *item.row);
      seen.insert(std::string(module.name(op)) + " " + std::string(item.row->name) +
                  (shown ? " shown" : " hidden"));
    }
  }
}

/// An elementwise op that is written like another one of its dialect.
bool is_like_one_of(const std::set<ir::OpKind>& kinds, ir::OpKind kind) {
  const ir::OpDefinition& op = ir::definition_of(kind);
  return op.classes != 0 && std::ranges::any_of(kinds, [&](ir::OpKind other) {
           if (other == ir::OpKind::Unknown) return false;
           const ir::OpDefinition& shown = ir::definition_of(other);
           return shown.classes != 0 && shown.form == op.form && shown.operands == op.operands &&
                  ir::dialect_of(other) == ir::dialect_of(kind);
         });
}

TEST_CASE("the corpus has every op in every text form", "[text][mlir][corpus]") {
  std::set<ir::OpKind> kinds;
  std::set<std::string> groups;
  std::string custom;
  std::string generic;
  for (const Program& program : programs("custom")) {
    const ir::Module module = read(program.text);
    for (const ir::OpId op : ir::pre_order(module)) kinds.insert(module.kind(op));
    note_groups(module, groups);
    custom += program.text;
    generic += to_mlir(module, {.generic = true});
  }
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const ir::OpInfo& info = ir::kOps[index];
    const auto kind = static_cast<ir::OpKind>(index);
    CAPTURE(info.name);
    const std::string name(info.name);
    const OpForm& form = form_of(kind);
    if (!kinds.contains(kind) && is_like_one_of(kinds, kind)) continue;
    CHECK((kinds.contains(kind) || kind == ir::OpKind::BuiltinModule));
    CHECK(generic.find("\"" + name + "\"(") != std::string::npos);
    const bool has_custom = form.op->syntax != Syntax::GenericOnly;
    const std::string spelled = name == "builtin.module" ? "module"
                                : name == "func.return"  ? "return"
                                                         : name;
    const bool written = custom.find(" " + spelled + " ") != std::string::npos ||
                         custom.find(" " + spelled + "(") != std::string::npos ||
                         custom.find(" " + spelled + "\n") != std::string::npos ||
                         custom.find(" " + spelled + "<") != std::string::npos;
    CHECK(written == has_custom);
    for (const FormItem& item : form.items) {
      if (item.kind != ItemKind::Group) continue;
      CAPTURE(item.row->name);
      CHECK(groups.contains(name + " " + std::string(item.row->name) + " shown"));
      CHECK(groups.contains(name + " " + std::string(item.row->name) + " hidden"));
    }
  }
}

}  // namespace
}  // namespace shardy::text::corpus_test
