// Branches and loops in a manual computation whose course differs along a bound axis, and common
// axes of ops there.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checking/all_shardings.hpp"
#include "checking/manual_programs.hpp"
#include "passes/export/common_axes.hpp"
#include "shardy/algebra/text.hpp"
#include "support/catch.hpp"

using namespace shardy;
using ir::Module;
using shardy_test::check_all_planners;
using shardy_test::mesh_of;
using shardy_test::outcome;
using shardy_test::parsed;
using shardy_test::planned;

namespace manual_branches_test {
namespace {

// ---- Common axes --------------------------------------------------------------------------------

/// Returns `sharding` with "i" in front of dim 0.
std::string with_leading_i(const TensorSharding& sharding) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  dims[0].axes.insert(dims[0].axes.begin(), sharding.mesh().full_axis(0));
  return to_string(TensorSharding::make(sharding.mesh(), "mesh", dims).value());
}

/// Makes an op of two operands in a manual computation over "i". All three tensors have shardings.
std::string op_program(const Mesh& mesh, const std::string& op, const TensorSharding& left,
                       const TensorSharding& right, const TensorSharding& result) {
  const std::string rows = std::to_string(4 * mesh.axis_size(0));
  const std::string outer = "tensor<" + rows + "x4xi32>";
  const std::string inner = "tensor<4x4xi32>";
  return "sdy.mesh @mesh = " + to_string(mesh) + "\nfunc.func @main(%x: " + outer +
         ", %y: " + outer + ") -> " + outer + " {\n%0 = sdy.manual_computation(%x, %y) " +
         "in_shardings=[" + with_leading_i(left) + ", " + with_leading_i(right) +
         "] out_shardings=[" + with_leading_i(result) + "] manual_axes={\"i\"} (%a: " + inner +
         ", %b: " + inner + ") {\n" + "%r = " + op + " {sdy.sharding = #sdy.sharding_per_value<[" +
         to_string(result) + "]>} : (" + inner + ", " + inner + ") -> " + inner +
         "\nsdy.return %r : " + inner + "\n} : (" + outer + ", " + outer + ") -> " + outer +
         "\nreturn %0 : " + outer + "\n}\n";
}

constexpr const char* kOps[] = {"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]",
                                "\"stablehlo.add\"(%a, %b)"};

/// Returns shardings by all axes but the first, without unreduced axes.
std::vector<TensorSharding> free_shardings(const Mesh& mesh) {
  AxisList parts;
  for (int32_t axis = 1; axis < mesh.num_axes(); ++axis) parts.push_back(mesh.full_axis(axis));
  std::vector<TensorSharding> all = shardy_test::AllShardings(mesh, parts, 2).all();
  std::erase_if(all, [](const TensorSharding& each) { return !each.unreduced_axes().empty(); });
  return all;
}

/// Calls `check` with one of every `one_in` programs. Returns the number of calls.
template <typename Check>
int64_t for_op_programs(const Mesh& mesh, uint64_t one_in, const Check& check) {
  const std::vector<TensorSharding> all = free_shardings(mesh);
  int64_t checked = 0;
  uint64_t at = 0;
  for (const char* op : kOps) {
    for (const TensorSharding& left : all) {
      for (const TensorSharding& right : all) {
        for (const TensorSharding& result : all) {
          if (at++ % one_in != 0) continue;
          check(op_program(mesh, op, left, right, result));
          ++checked;
        }
      }
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("common axes of ops in a manual computation are free axes", "[checking][manual]") {
  CHECK(for_op_programs(mesh_of({{"i", 2}, {"j", 2}}), 1, check_all_planners) == 54);
  CHECK(for_op_programs(mesh_of({{"i", 2}, {"j", 4}}), 1, check_all_planners) == 54);
  CHECK(for_op_programs(mesh_of({{"i", 4}, {"j", 2}}), 1, check_all_planners) == 54);
  CHECK(for_op_programs(mesh_of({{"i", 2}, {"j", 2}, {"k", 2}}), 23, check_all_planners) > 100);
}

// Sums do not find this fault, because common axes are chosen only if the tensors of an op
// disagree.
TEST_CASE("ops in a manual computation expose common axes that ignore bound axes",
          "[checking][manual][mutants]") {
  checking::Context context;
  context.extensions.common_axes = [](passes::CommonAxesQuery query,
                                      std::span<const AxisList> reference) {
    query.bound = BoundAxes::none();
    passes::PricedPlanner planner(PlanKind::Best);
    return passes::best_common_axes(query, {reference.begin(), reference.end()}, planner);
  };
  int64_t caught = 0;
  for_op_programs(mesh_of({{"i", 2}, {"j", 2}}), 1, [&](const std::string& text) {
    const std::string error =
        outcome(parsed(text), planned(PlanKind::Best, PlanKind::Reference), context);
    if (error.empty()) return;
    CAPTURE(text, error);
    CHECK(error.find("which a manual computation around binds") != std::string::npos);
    ++caught;
  });
  CHECK(caught > 0);
}

// ---- Branches and loops -------------------------------------------------------------------------

namespace {

/// Moves %v to %w. The devices exchange along "j" only.
const std::pair<const char*, const char*> kMoves[] = {
    {"dims", R"(
      %1 = sdy.sharding_constraint %v <@mesh, [{"j"}, {}]> : tensor<4x12xi32>
      %2 = stablehlo.negate %1 : tensor<4x12xi32>
      %w = sdy.sharding_constraint %2 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)"},
    {"another mesh", R"(
      %1 = sdy.sharding_constraint %v <@other, [{}, {"j"}]> : tensor<4x12xi32>
      %2 = stablehlo.negate %1 : tensor<4x12xi32>
      %w = sdy.sharding_constraint %2 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)"},
    {"another mesh, dims", R"(
      %1 = sdy.sharding_constraint %v <@other, [{"j"}, {}]> : tensor<4x12xi32>
      %2 = stablehlo.negate %1 : tensor<4x12xi32>
      %w = sdy.sharding_constraint %2 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)"},
    {"sub-axes", R"(
      %1 = sdy.sharding_constraint %v <@mesh, [{"j":(2)2, "j":(1)2}, {}]> : tensor<4x12xi32>
      %2 = stablehlo.negate %1 : tensor<4x12xi32>
      %w = sdy.sharding_constraint %2 <@mesh, [{"j"}, {}]> : tensor<4x12xi32>)"},
    {"halo", R"(
      %1 = sdy.sharding_constraint %v <@mesh, [{}, {"j"}]> : tensor<4x12xi32>
      %2 = stablehlo.slice %1 [0:4, 1:12] : (tensor<4x12xi32>) -> tensor<4x11xi32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.pad %2, %zero, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<4x11xi32>, tensor<i32>) -> tensor<4x12xi32>
      %w = sdy.sharding_constraint %3 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)"},
    {"reverse", R"(
      %1 = sdy.sharding_constraint %v <@mesh, [{}, {"j"}]> : tensor<4x12xi32>
      %2 = stablehlo.reverse %1, dims = [1] : tensor<4x12xi32>
      %w = sdy.sharding_constraint %2 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)"},
    {"sum", R"(
      %1 = sdy.sharding_constraint %v <@mesh, [{"j"}, {}]> : tensor<4x12xi32>
      %2 = stablehlo.dot_general %1, %1, contracting_dims = [0] x [0] : (tensor<4x12xi32>, tensor<4x12xi32>) -> tensor<12x12xi32>
      %3 = stablehlo.slice %2 [0:4, 0:12] : (tensor<12x12xi32>) -> tensor<4x12xi32>
      %w = sdy.sharding_constraint %3 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)"},
    {"nested", R"(
      %w = sdy.manual_computation(%v) in_shardings=[<@mesh, [{}, {"j"}]>] out_shardings=[<@mesh, [{}, {"j"}]>]
          manual_axes={"j"} (%q: tensor<4x3xi32>) {
        %1 = stablehlo.reverse %q, dims = [1] : tensor<4x3xi32>
        sdy.return %1 : tensor<4x3xi32>
      } : (tensor<4x12xi32>) -> tensor<4x12xi32>)"},
};

/// Makes %r from %a. The coordinate %k along "i" selects the branch.
const std::pair<const char*, const char*> kFlows[] = {
    {"if", R"(
    %p = stablehlo.compare EQ, %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({MOVES
      stablehlo.return %w : tensor<4x12xi32>
    }, {
      stablehlo.return %v : tensor<4x12xi32>
    }) : (tensor<i1>) -> tensor<4x12xi32>)"},
    {"case", R"(
    %r = "stablehlo.case"(%k) ({
      %n = stablehlo.add %v, %v : tensor<4x12xi32>
      stablehlo.return %n : tensor<4x12xi32>
    }, {MOVES
      stablehlo.return %w : tensor<4x12xi32>
    }, {
      %o = stablehlo.negate %v : tensor<4x12xi32>
      stablehlo.return %o : tensor<4x12xi32>
    }) : (tensor<i32>) -> tensor<4x12xi32>)"},
    {"while", R"(
    %l:2 = stablehlo.while(%n = %k, %v = %a) : tensor<i32>, tensor<4x12xi32> cond {
      %p = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.subtract %n, %one : tensor<i32>MOVES
      stablehlo.return %m, %w : tensor<i32>, tensor<4x12xi32>
    }
    %r = stablehlo.negate %l#1 : tensor<4x12xi32>)"},
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

struct DifferingMesh {
  const char* meshes;
  int64_t size;  // of "i"
};

/// The mesh of the arguments of main and of a callee.
enum class ArgMesh { Body, Other };

/// A manual computation over "i" of the given size. A branch or loop in it depends on "i".
std::string differing(const DifferingMesh& mesh, const std::string& flow, const std::string& moves,
                      bool is_called, ArgMesh args) {
  std::string body = R"(
    %one = stablehlo.constant dense<1> : tensor<i32>
    %k = stablehlo.reshape %i : (tensor<1xi32>) -> tensor<i32>)" +
                     replaced(replaced(flow, "MOVES", moves), "%v = %a", "%u = %a");
  body = replaced(body, "%v", flow.find("while") == std::string::npos ? "%a" : "%u");
  const auto on = [&](const std::string& sharding) {
    return args == ArgMesh::Body ? "" : " {sdy.sharding = #sdy.sharding<@other, " + sharding + ">}";
  };
  std::string text = mesh.meshes + std::string(R"(
func.func @main(%x: tensor<ROWSx12xi32>MAIN) -> tensor<ROWSx12xi32> {
  %at = stablehlo.iota dim = 0 : tensor<SIZExi32>
  %0 = sdy.manual_computation(%at, %x) in_shardings=[<@mesh, [{"i"}]>, <@mesh, [{"i"}, {"j"}]>]
      out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%i: tensor<1xi32>, %a: LOCAL) {BODY
    sdy.return %r : LOCAL
  } : (tensor<SIZExi32>, tensor<ROWSx12xi32>) -> tensor<ROWSx12xi32>
  return %0 : tensor<ROWSx12xi32>
}
)");
  if (is_called) {
    text = replaced(text, "BODY", "\n%r = func.call @f(%i, %a) : (tensor<1xi32>, LOCAL) -> LOCAL");
    text += "func.func private @f(%i: tensor<1xi32>, %a: LOCAL" + on(R"([{}, {"j"}])") +
            ") -> LOCAL {BODY\nreturn %r : LOCAL\n}\n";
  }
  text = replaced(replaced(text, "BODY", body), "MAIN", on(R"([{"i"}, {"j"}])"));
  text =
      replaced(replaced(text, "ROWS", std::to_string(4 * mesh.size)), "LOCAL", "tensor<4x12xi32>");
  return replaced(text, "SIZE", std::to_string(mesh.size));
}

constexpr DifferingMesh kDiffering[] = {
    {R"(sdy.mesh @mesh = <["i"=2, "j"=4]>
sdy.mesh @other = <["i"=2, "j"=4], device_ids=[0, 2, 1, 3, 7, 6, 5, 4]>)",
     2},
    {R"(sdy.mesh @mesh = <["j"=4, "i"=3]>
sdy.mesh @other = <["j"=4, "i"=3], device_ids=[3, 1, 2, 0, 4, 8, 6, 7, 5, 9, 10, 11]>)",
     3},
    {R"(sdy.mesh @mesh = <["i"=2, "j"=4]>
sdy.mesh @other = <["i"=2, "j"=4], device_ids=[7, 0, 6, 1, 5, 2, 4, 3]>)",
     2},
};

}  // namespace

TEST_CASE("branches and loops divergent along a bound axis exchange data along free axes",
          "[checking][manual]") {
  for (const DifferingMesh& mesh : kDiffering) {
    for (const auto& [flow, flow_text] : kFlows) {
      for (const auto& [move, move_text] : kMoves) {
        for (const bool is_called : {false, true}) {
          for (const ArgMesh args : {ArgMesh::Body, ArgMesh::Other}) {
            CAPTURE(flow, move);
            check_all_planners(differing(mesh, flow_text, move_text, is_called, args));
          }
        }
      }
    }
  }
}

TEST_CASE("a value in a manual computation is never moved to another device order",
          "[checking][manual]") {
  for (const char* value : {"%a", "%constant", "%iota"}) {
    const std::string body = replaced(R"(
    %constant = stablehlo.constant dense<3> : tensor<4x12xi32>
    %iota = stablehlo.iota dim = 1 : tensor<4x12xi32>
    %1 = sdy.sharding_constraint VALUE <@other, [{}, {"j"}]> : tensor<4x12xi32>
    %2 = stablehlo.add %1, %a : tensor<4x12xi32>
    %r = sdy.sharding_constraint %2 <@mesh, [{}, {"j"}]> : tensor<4x12xi32>)",
                                      "VALUE", value);
    for (const DifferingMesh& mesh : kDiffering) {
      const std::string text = differing(mesh, body, "", false, ArgMesh::Body);
      check_all_planners(text);
      const auto compiled = checking::compile(parsed(text));
      REQUIRE(compiled.has_value());
      CHECK(text::to_mlir(compiled->program).find("spmd.permute") == std::string::npos);
    }
  }
}

}  // namespace manual_branches_test
