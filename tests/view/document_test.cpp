// The document of a program: its columns have one length, and its links lead to rows.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/checking/sweep.hpp"
#include "shardy/text/json.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "text/json_document.hpp"
#include "view/viewed_program.hpp"

namespace shardy_test::document_test {
namespace {

using namespace shardy;
using text::JsonDocument;
using text::JsonNode;

constexpr JsonDocument::JsonLimits kLimits = {.max_depth = 64, .max_errors = 1};

std::vector<int64_t> column(JsonNode part, std::string_view name) {
  const auto found = part.find(name);
  REQUIRE(found);
  std::vector<int64_t> values;
  for (const JsonNode& each : found->children()) values.push_back(*each.integer());
  return values;
}

void check_links(const std::vector<int64_t>& links, std::size_t rows) {
  for (const int64_t link : links) CHECK((link >= -1 && link < static_cast<int64_t>(rows)));
}

/// Checks the offsets of lists: as many as rows and one more, ascending up to the end.
void check_lists(JsonNode part, const std::string& name, const std::string& begin,
                 std::size_t rows) {
  const std::vector<int64_t> offsets = column(part, begin);
  REQUIRE(offsets.size() == rows + 1);
  CHECK(offsets.front() == 0);
  CHECK(std::ranges::is_sorted(offsets));
  CHECK(offsets.back() == std::ssize(column(part, name)));
}

void check_document(const ViewedProgram& program) {
  const auto parts = view::program_parts(program.data(), program.texts);
  const auto document = JsonDocument::parse(view::document_json(parts), kLimits);
  REQUIRE(document);
  const JsonNode root = document->root();
  const auto part = [&](std::string_view name) {
    const auto found = root.find(name);
    REQUIRE(found);
    return *found;
  };
  const std::size_t strings = part("strings").size();
  const std::size_t shardings = part("shardings").size();
  const std::size_t layouts = part("layouts").size();
  const std::size_t nodes = column(part("nodes"), "parent").size();
  const std::size_t values = column(part("values"), "name").size();
  for (const char* name : {"label", "op", "place", "location"}) {
    check_links(column(part("nodes"), name), strings);
  }
  for (const char* name :
       {"end", "kind", "line", "lines", "callee", "bytes", "peak_bytes", "times"}) {
    CHECK(column(part("nodes"), name).size() == nodes);
  }
  check_lists(part("nodes"), "operands", "operand_begin", nodes);
  check_lists(part("nodes"), "results", "result_begin", nodes);
  check_links(column(part("nodes"), "operands"), values);
  check_links(column(part("values"), "node"), nodes);
  check_links(column(part("values"), "sharding"), shardings);
  check_links(column(part("values"), "written"), shardings);
  check_links(column(part("values"), "layout"), layouts);
  const std::size_t explained = column(*part("explain").find("values"), "value").size();
  check_lists(part("values"), "explain", "explain_begin", values);
  check_links(column(part("values"), "explain"), explained);
  check_links(column(*part("explain").find("values"), "value"), values);
  const JsonNode decisions = *part("explain").find("decisions");
  const std::size_t num_decisions = column(decisions, "kind").size();
  check_links(column(decisions, "previous"), num_decisions);
  check_links(column(decisions, "node"), nodes);
  check_links(column(*part("explain").find("axes"), "last"), num_decisions);
  const JsonNode change = *part("steps").find("change");
  const std::vector<int64_t> offsets = column(part("steps"), "change_begin");
  CHECK(offsets.size() == column(part("steps"), "number").size() + 1);
  CHECK(offsets.back() == std::ssize(column(change, "row")));
  check_links(column(change, "row"), explained);
  check_links(column(change, "after"), shardings);
  CHECK(column(part("collectives"), "node").size() == program.report.collectives.size());
  check_links(column(part("collectives"), "node"), nodes);
  check_links(column(part("collectives"), "value"), values);
  for (const JsonNode& form : part("text").find("forms")->children()) {
    CHECK(column(form, "line").size() == nodes);
    check_links(column(*form.find("chip"), "value"), values);
  }
}

TEST_CASE("links in documents of random programs refer to existing rows", "[document][random]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const ir::Module module =
        checking::random_program(seed, {.max_depth = static_cast<int64_t>(seed % 3)}).module;
    const auto program = viewed(module);
    if (program == nullptr) continue;
    INFO("seed " << seed);
    check_document(*program);
  }
}

TEST_CASE("each op of a program has its own line in both texts", "[document]") {
  for (const char* path : {"/examples/jax/fsdp_sdy.mlir", "/examples/mlp.json"}) {
    INFO(path);
    const std::string text = shardy_test::read_text(std::string(SHARDY_ROOT) + path);
    const bool is_json = std::string_view(path).ends_with(".json");
    const auto module = is_json ? text::parse_json(text) : text::parse_mlir(text);
    REQUIRE(module);
    const auto program = viewed(*module, text);
    REQUIRE(program != nullptr);
    program->texts.is_json = is_json;
    const auto parts = view::program_parts(program->data(), program->texts);
    const auto document = JsonDocument::parse(view::document_json(parts), kLimits);
    REQUIRE(document);
    const auto forms = document->root().find("text")->find("forms")->children();
    REQUIRE(forms.size() == 2);
    CHECK(forms[0].find("source")->boolean());
    CHECK(forms[0].find("text")->string() == text);
    const std::vector<int64_t> kinds = column(*document->root().find("nodes"), "kind");
    for (const JsonNode& form : forms) {
      std::map<int64_t, int> ops;  // by line
      const std::vector<int64_t> lines = column(form, "line");
      for (std::size_t node = 0; node < kinds.size(); ++node) {
        CHECK(lines[node] > 0);
        if (kinds[node] == 3) ++ops[lines[node]];
      }
      for (const auto& [line, count] : ops) CHECK(count == 1);
    }
  }
}

}  // namespace
}  // namespace shardy_test::document_test
