// Products in loops must equal the products of gathered operands, and must hold less memory. Spec:
// partitioning 8.8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using ir::ElementType;
using ir::GraphBuilder;
using ir::OpKind;
using ir::Type;
using shardy_test::text_of;

namespace collective_matmul_test {
namespace {

enum class Form { Free, Contracted, Scattered };

struct Case {
  std::vector<MeshAxis> axes;
  std::string names;  // of those that the dim is sharded along: `"x", "y"`
  Form form = Form::Free;
  bool is_left = false;     // the left operand is gathered, or has the scattered dim
  bool is_batched = false;  // has a batch dim in front
  bool is_plain = false;    // uses dot instead of dot_general
  int64_t rows = 6;
  int64_t inner = 6;
  int64_t columns = 6;
  ElementType element = ElementType::F32;
};

std::string name_of(const Case& c) {
  std::string text = "mesh";
  for (const MeshAxis& axis : c.axes) text += " " + std::to_string(axis.size);
  return text + " sharded along " + c.names + " form " + std::to_string(static_cast<int>(c.form)) +
         (c.is_left ? " left" : " right") +
         (c.is_batched ? " batched "
          : c.is_plain ? " dot "
                       : " ") +
         std::to_string(c.rows) + "x" + std::to_string(c.inner) + "x" + std::to_string(c.columns);
}

std::string sharded_on(const Case& c, std::size_t dim) {
  std::string text = c.is_batched ? "[{}" : "[";
  for (std::size_t at = 0; at < 2; ++at) {
    if (at > 0 || c.is_batched) text += ", ";
    text += at == dim ? "{" + c.names + "}" : "{}";
  }
  return text + "]";
}

/// A product with a sharded operand that is needed replicated, or a product of partial sums whose
/// result is needed sharded.
ir::Module product_of(const Case& c) {
  const std::string whole = sharded_on(c, 2);
  std::string lhs = whole;
  std::string rhs = whole;
  std::string result = whole;
  switch (c.form) {
    case Form::Free:
      (c.is_left ? lhs : rhs) = sharded_on(c, c.is_left ? 0 : 1);
      break;
    case Form::Contracted:
      (c.is_left ? lhs : rhs) = sharded_on(c, c.is_left ? 1 : 0);
      if (ir::is_integer(c.element)) break;
      // Each device adds in a different order, so no device may reuse what another device computes.
      (c.is_left ? rhs : lhs) = result = sharded_on(c, c.is_left ? 1 : 0);
      break;
    default:
      lhs = sharded_on(c, 1);
      rhs = sharded_on(c, 0);
      result = sharded_on(c, c.is_left ? 0 : 1);
  }
  GraphBuilder g;
  g.mesh("mesh", c.axes);
  g.function("main");
  const auto type = [&](int64_t rows, int64_t columns) {
    std::vector<int64_t> dims = {rows, columns};
    if (c.is_batched) dims.insert(dims.begin(), 2);
    return Type::tensor(dims, c.element);
  };
  auto a = g.argument(type(c.rows, c.inner), lhs);
  auto b = g.argument(type(c.inner, c.columns), rhs);
  if (c.form != Form::Scattered) {
    if (c.is_left) a = g.sharding_constraint(a, whole);
    if (!c.is_left) b = g.sharding_constraint(b, whole);
  }
  const int64_t first = c.is_batched ? 1 : 0;
  ir::DotDims dims{{}, {}, {first + 1}, {first}};
  if (c.is_batched) dims.lhs_batch = dims.rhs_batch = {0};
  const auto made = c.is_plain ? g.dot(a, b) : g.dot_general(a, b, dims);
  g.ret({result != whole ? made : g.sharding_constraint(made, whole)}, {result});
  return g.finish().value();
}

/// Returns small integers, whose sums are exact in any order.
simulation::Tensors inputs_of(const ir::Module& module) {
  return shardy_test::small_integers(module, 7);
}

checking::CheckReport checked(const ir::Module& module, std::optional<int64_t> max_gather_bytes,
                              simulation::Fill fill = simulation::Fill::Poison) {
  checking::CheckOptions options;
  options.compile.collectives.max_gather_bytes = max_gather_bytes;
  // Common axes are turned off: other axes may send less than the two forms of a product that are
  // compared here.
  auto rules = checking::all_collective_rules();
  std::erase(rules, "best-common-axes");
  options.compile.collectives.rules = std::move(rules);
  options.run.kernels.fill = fill;
  options.run.num_workers = 1;
  auto report = checking::check(module, inputs_of(module), options);
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  return *std::move(report);
}

int64_t count(const ir::Module& program, OpKind kind) {
  return std::ranges::count_if(ir::pre_order(program),
                               [&](ir::OpId op) { return program.is(op, kind); });
}

int64_t peak(const checking::CheckReport& report) {
  int64_t most = 0;
  for (const auto& device : report.sharded.devices) most = std::max(most, device.peak_live_bytes);
  return most;
}

/// Returns false if the program has no loop, because nothing needs to be gathered.
bool check_case(const Case& c) {
  INFO(name_of(c));
  const ir::Module module = product_of(c);
  const checking::CheckReport looped = checked(module, 0);
  INFO(text::to_mlir(looped.compiled.program));
  const Diagnostics wrong = ir::verify(looped.compiled.program);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  REQUIRE(looped.equal());
  REQUIRE(looped.largest_difference() == 0);
  if (count(looped.compiled.program, OpKind::While) == 0) return false;
  const checking::CheckReport other = checked(module, 0, simulation::Fill::OtherPoison);
  REQUIRE(other.sharded.outputs == looped.sharded.outputs);
  // A gather sends the same blocks as the permutes. The operand of a scattered product is padded.
  REQUIRE(shardy_test::most_bytes_sent(looped.sharded) <=
          shardy_test::most_bytes_sent(checked(module, std::nullopt).sharded));
  return true;
}

const std::vector<Case>& meshes() {
  static const std::vector<Case> all = {
      {{{"x", 2}}, R"("x")"},
      {{{"x", 3}}, R"("x")"},
      {{{"x", 4}}, R"("x")"},
      {{{"x", 2}, {"y", 2}}, R"("x")"},
      {{{"x", 2}, {"y", 2}}, R"("x", "y")"},
      {{{"x", 2}, {"y", 2}}, R"("y", "x")"},
      {{{"x", 2}, {"y", 3}}, R"("y")"},
      {{{"x", 2}, {"y", 3}}, R"("x", "y")"},
      {{{"x", 2}, {"y", 3}}, R"("y", "x")"},
      {{{"x", 4}}, R"("x":(2)2)"},
  };
  return all;
}

void check_form(Form form) {
  int64_t looped = 0;
  int64_t cases = 0;
  for (Case c : meshes()) {
    c.form = form;
    for (const int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 12}) {
      for (const bool is_left : {false, true}) {
        for (const bool is_batched : {false, true}) {
          c.is_left = is_left;
          c.is_batched = is_batched;
          c.is_plain = !is_batched && size % 3 != 0;
          c.element = size % 2 == 0 ? ElementType::F32 : ElementType::I32;
          int64_t& along = form == Form::Contracted ? c.inner : is_left ? c.rows : c.columns;
          c.rows = c.inner = c.columns = 6;
          along = size;
          // Uneven in the contracting dim as well.
          if (form == Form::Scattered && is_batched) c.inner = 5;
          looped += check_case(c) ? 1 : 0;
          ++cases;
        }
      }
    }
  }
  CAPTURE(cases, looped);
  CHECK(looped >= cases * 3 / 4);
}

}  // namespace

TEST_CASE("matmuls in loops over blocks of a free dim equal the unsharded result",
          "[collective_matmul]") {
  check_form(Form::Free);
}

TEST_CASE("matmuls in loops over blocks of a contracting dim equal the unsharded result",
          "[collective_matmul]") {
  check_form(Form::Contracted);
}

TEST_CASE("matmuls in loops over blocks of their result equal the unsharded result",
          "[collective_matmul]") {
  check_form(Form::Scattered);
}

TEST_CASE("peak memory of a matmul in a loop excludes the gathered operand",
          "[collective_matmul]") {
  for (const Form form : {Form::Free, Form::Contracted, Form::Scattered}) {
    Case c{{{"x", 8}}, R"("x")"};
    c.form = form;
    c.rows = form == Form::Free ? 8 : 64;  // results are small if operands are gathered
    if (form == Form::Scattered) c.rows = 256;
    c.inner = form == Form::Scattered ? 64 : 512;
    c.columns = form == Form::Contracted ? 8 : 64;
    if (form == Form::Contracted) c.is_left = true;
    INFO(name_of(c));
    const ir::Module module = product_of(c);
    const int64_t whole = peak(checked(module, std::nullopt));
    const int64_t looped = peak(checked(module, 0));
    CAPTURE(whole, looped);
    const int64_t gathered = form == Form::Scattered ? 4 * 256 * 64 : 4 * 64 * 512;
    CHECK(looped <= whole - gathered / 2);
  }
}

TEST_CASE("matmuls loop only if a gather would exceed the limit", "[collective_matmul]") {
  Case c{{{"x", 4}}, R"("x")"};
  const ir::Module module = product_of(c);
  const int64_t gathered = 4 * 6 * 8;  // blocks of 2 columns
  CHECK(count(checked(module, gathered).compiled.program, OpKind::While) == 0);
  const checking::CheckReport report = checked(module, gathered - 1);
  CHECK(count(report.compiled.program, OpKind::While) == 1);
  REQUIRE(report.compiled.rewrites.size() == 1);
  CHECK(report.compiled.rewrites.front().rule == "loop-products");
  CHECK(report.compiled.rewrites.front().messages_after == 3);
  CHECK(report.compiled.rewrites.front().bytes_after == 3 * 4 * 6 * 2);
}

TEST_CASE("replicated float sums are added in the same order on all devices",
          "[collective_matmul]") {
  Case c{{{"x", 4}}, R"("x")"};
  c.form = Form::Contracted;
  c.element = ElementType::I32;
  CHECK(count(checked(product_of(c), 0).compiled.program, OpKind::While) == 1);
  GraphBuilder g;
  g.mesh("mesh", c.axes);
  g.function("main");
  const Type type = Type::tensor({6, 6}, ElementType::F32);
  const auto a = g.argument(type, "[{}, {}]");
  const auto b = g.sharding_constraint(g.argument(type, R"([{"x"}, {}])"), "[{}, {}]");
  g.ret({g.sharding_constraint(g.dot(a, b), "[{}, {}]")}, {"[{}, {}]"});
  CHECK(count(checked(g.finish().value(), 0).compiled.program, OpKind::While) == 0);
}

TEST_CASE("loops accumulate sums of narrow floats in a wide type", "[collective_matmul]") {
  // A product rounds once, and a loop of products rounds once too.
  Case c{{{"x", 4}}, R"("x")"};
  c.form = Form::Contracted;
  c.inner = 8;
  c.element = ElementType::BF16;
  const ir::Module module = product_of(c);
  simulation::Tensors inputs = inputs_of(module);
  const checking::CheckReport report = checked(module, 0);
  INFO(text::to_mlir(report.compiled.program));
  CHECK(text::to_mlir(report.compiled.program).find("-> tensor<2x6xf32>") != std::string::npos);
  CHECK(report.largest_difference() == 0);
}

}  // namespace collective_matmul_test
