// The notes must list all replication beyond the given shardings. Spec: partitioning 5.10.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace shardy;
using partitioning::Replication;
using partitioning::ReplicationNote;
using shardy_test::text_of;

namespace notes_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

// ---- Every op -----------------------------------------------------------------------------------

/// Makes the function return all tensors of its ops, so that no tensor is dead. The results get no
/// shardings.
void return_everything(ir::Module& module, ir::OpId main) {
  const ir::BlockId body = module.entry(main);
  ir::OpSpec last{.kind = ir::OpKind::FuncReturn};
  std::vector<ir::Type> types;
  for (const ir::OpId op : module.ops(body)) {
    for (const ir::ValueId result : module.results(op)) {
      if (!module.type(result).is_static_tensor()) continue;
      last.operands.push_back(result);
      types.push_back(module.type(result));
    }
  }
  module.erase(module.last_op(body));
  module.append(body, module.create(std::move(last)));
  module.function(main).result_attributes.assign(types.size(), {});
  module.function(main).result_types = std::move(types);
}

/// Bytes by the position of the op that the bytes are moved for.
using Bytes = std::map<std::string, int64_t>;

std::string lines(const Bytes& bytes) {
  std::string text;
  for (const auto& [place, count] : bytes) text += place + ": " + std::to_string(count) + "\n";
  return text;
}

/// Returns whether a gather collects the partial results of a reduction with any region, one per
/// device, which that region then reduces, or the parts of its results that devices reduced after
/// an exchange. Such a gather takes the role of an all-reduce, and replicates no tensor of the
/// program. Spec: partitioning 8.10.
bool gathers_partial_results(const ir::Module& program, ir::OpId gather) {
  // The op that makes an operand, without reshapes, slices and padding between them.
  const auto maker = [&](ir::OpId op) {
    ir::OpId at = program.defining_op(program.operand(op, 0));
    while (at.valid() && (program.is(at, ir::OpKind::Reshape) ||
                          program.is(at, ir::OpKind::Slice) || program.is(at, ir::OpKind::Pad))) {
      at = program.defining_op(program.operand(at, 0));
    }
    return at;
  };
  const ir::OpId before = program.defining_op(program.operand(gather, 0));
  if (before.valid() && program.is(before, ir::OpKind::Reduce)) {
    const ir::OpId exchange = maker(before);
    if (!exchange.valid() || !program.is(exchange, ir::OpKind::SpmdAllToAll)) return false;
    const ir::OpId made = maker(exchange);
    return made.valid() && program.is(made, ir::OpKind::Reduce);
  }
  if (!before.valid() || !program.is(before, ir::OpKind::Reshape)) return false;
  const ir::OpId made = program.defining_op(program.operand(before, 0));
  const std::vector<ir::Use> uses = program.uses(program.result(gather));
  return made.valid() && program.is(made, ir::OpKind::Reduce) &&
         program.type(program.operand(gather, 0)).dim(0) == 1 &&
         std::ranges::all_of(
             uses, [&](const ir::Use& use) { return program.is(use.op, ir::OpKind::Reduce); });
}

/// Returns the bytes that a device receives by gathers of tensors.
Bytes gathered(const ir::Module& program) {
  Bytes bytes;
  for (const ir::OpId op : ir::pre_order(program)) {
    if (!program.is(op, ir::OpKind::SpmdAllGather)) continue;
    if (gathers_partial_results(program, op)) continue;
    bytes[program.location_text(op)] += program.type(program.result(op)).num_bytes() -
                                        program.type(program.operand(op, 0)).num_bytes();
  }
  return bytes;
}

/// Returns the bytes that the notes give.
Bytes noted(const std::vector<ReplicationNote>& notes) {
  Bytes bytes;
  for (const ReplicationNote& note : notes) {
    if (note.kind != Replication::Gathered) continue;
    bytes[note.location.text()] += note.bytes_moved;
  }
  return bytes;
}

void check_all_noted(const checking::CompiledProgram& compiled) {
  CHECK(lines(noted(compiled.notes)) == lines(gathered(compiled.program)));
}

/// Checks the notes of the programs in which one dim of one argument is sharded. Returns the number
/// of programs.
int64_t check_every_dim(const ir::Module& program) {
  const Result<Mesh> mesh = Mesh::make({{"x", 2}});
  REQUIRE(mesh.has_value());
  int64_t count = 0;
  const ir::BlockId body = program.entry(*program.main_function());
  for (std::size_t arg = 0; arg < program.args(body).size(); ++arg) {
    const ir::Type& type = program.type(program.args(body)[arg]);
    const auto rank = type.is_static_tensor() ? static_cast<std::size_t>(type.rank()) : 0;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      if (type.dim(dim) < 2) continue;
      ir::Module module = program;
      return_everything(module, *module.main_function());
      const ir::OpId made = module.add_mesh("notes", *mesh);
      module.remove(made);
      module.insert_before(module.first_op(module.body()), made);
      std::vector<DimSharding> dims(rank, DimSharding{{}, true, {}});
      dims[dim].axes = {mesh->full_axis(0)};
      ir::set_sharding(module, module.args(body)[arg],
                       TensorSharding::fully_closed(*mesh, "notes", rank).with_dims(dims));
      checking::CompileOptions options;
      options.collectives.rules
          .emplace();  // notes are of the collectives before they are rewritten
      const auto compiled = checking::compile(module, options);
      if (!compiled) continue;  // a program with dynamic shapes or infeeds
      INFO(text::to_mlir(module));
      INFO(text::to_mlir(compiled->program));
      check_all_noted(*compiled);
      ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("each unrequested gather of each op has a note", "[notes]") {
  int64_t count = 0;
  for (const auto& path : shardy_test::files_in(MLIR_TEST_DATA "/corpus/custom", ".mlir")) {
    for (const std::string& text : text::split_programs(shardy_test::read_text(path))) {
      const auto module = text::parse_mlir(text);
      const auto main = module ? module->main_function() : std::nullopt;
      if (!main || module->is_external(*main) || !module->meshes().empty()) continue;
      INFO(text);
      count += check_every_dim(*module);
    }
  }
  CHECK(count >= 250);
}

// ---- Text of a note ---------------------------------------------------------------------------

namespace {

checking::CompiledProgram compiled(const std::string& text) {
  auto made = checking::compile(parsed("sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n" + text));
  INFO((made ? std::string() : text_of(made.error())));
  REQUIRE(made.has_value());
  return *std::move(made);
}

/// Returns the notes of a program. Checks that they list all gathers.
std::vector<ReplicationNote> notes_of(const std::string& text) {
  const checking::CompiledProgram made = compiled(text);
  INFO(text::to_mlir(made.program));
  check_all_noted(made);
  return made.notes;
}

constexpr const char* kCholesky = R"(
func.func @main(%a: tensor<6x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>})
    -> tensor<6x8x8xf32> {
  %0 = stablehlo.cholesky %a : tensor<6x8x8xf32>
  return %0 : tensor<6x8x8xf32>
})";

}  // namespace

TEST_CASE("a note contains the gathered value, the reason and the cost", "[notes]") {
  const auto notes = notes_of(kCholesky);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].kind == Replication::Gathered);
  CHECK(notes[0].op == "stablehlo.cholesky");
  CHECK(notes[0].location == "5:8");
  CHECK(notes[0].tensor == "operand 0");
  CHECK(notes[0].dims == std::vector<int64_t>{1});
  CHECK(notes[0].axes == R"({"x"})");
  CHECK(notes[0].reason == "the op needs the dim replicated");
  CHECK(notes[0].bytes_moved == 3 * 3 * 2 * 8 * 4);  // the bytes of 3 other devices
  CHECK(notes[0].bytes_held == 3 * 8 * 8 * 4);
}

TEST_CASE("a note names the second operand whose axes conflict with another dim", "[notes]") {
  const auto notes = notes_of(R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot %a, %b : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
})");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].tensor == "operand 1");
  CHECK(notes[0].reason == "the op is sharded along another dim on these axes");
  CHECK(notes[0].bytes_moved == 3 * 4 * 3 * 4);
}

TEST_CASE("random bits that every device generates have a note", "[notes]") {
  const auto notes_on = [](const std::string& element) {
    const std::string bits = "tensor<8x4x" + element + ">";
    return notes_of("func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, " + bits + R"(
    {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, )" +
                    bits + ")\n  return %0, %1 : tensor<2xui64>, " + bits + "\n}");
  };
  CHECK(notes_on("ui32").empty());
  // Elements smaller than a byte, so no device makes its own part alone.
  const auto notes = notes_on("ui4");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].kind == Replication::RandomBits);
  CHECK(notes[0].tensor == "result 1");
  CHECK(notes[0].bytes_moved == 0);
  CHECK(notes[0].bytes_held == 8 * 4);
}

TEST_CASE("a value carried by a loop has notes on gathers at the loop edges", "[notes]") {
  const auto notes = notes_of(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%k = %n, %v = %a) : tensor<i32>, tensor<8xf32>
    cond {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %o = stablehlo.constant dense<1> : tensor<i32>
      %d = stablehlo.subtract %k, %o : tensor<i32>
      stablehlo.return %d, %b : tensor<i32>, tensor<8xf32>
    }
  return %0#1 : tensor<8xf32>
})");
  REQUIRE(notes.size() == 2);
  for (const ReplicationNote& note : notes) {
    CHECK(note.op == "stablehlo.while");
    CHECK(note.reason == "the tensors of the op are sharded differently");
  }
  CHECK(notes[0].tensor == "value 1 of a region");
  CHECK(notes[0].location == "14:7");
  CHECK(notes[1].tensor == "operand 1");
}

TEST_CASE("a reshard between tiles that do not nest exchanges rows or gathers with a note",
          "[notes]") {
  // 10 elements on 2 shards are 5 and 5; on 8 shards 2, 2, 2, 2, 2, 0, 0, 0.
  const checking::CompiledProgram exchanged = compiled(R"(
func.func @main(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
    -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
  return %a : tensor<10xf32>
})");
  check_all_noted(exchanged);
  CHECK(exchanged.notes.empty());
  // 20 elements on 8 shards are 3 each; on 64 shards 1 each, so most elements change their device.
  const auto gathered = checking::compile(parsed(R"(sdy.mesh @wide = <["x"=8, "y"=8]>
func.func @main(%a: tensor<20xf32> {sdy.sharding = #sdy.sharding<@wide, [{"x", "y"}]>})
    -> (tensor<20xf32> {sdy.sharding = #sdy.sharding<@wide, [{"x"}]>}) {
  return %a : tensor<20xf32>
})"));
  REQUIRE(gathered.has_value());
  REQUIRE(gathered->notes.size() == 1);
  CHECK(gathered->notes[0].reason == "its shards overlap several shards of the result");
  CHECK(gathered->notes[0].bytes_moved == 63 * 4);
}

TEST_CASE("a gather that a sharding requests has no note", "[notes]") {
  const std::string negates = R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> )";
  const std::string text =
      GENERATE_COPY(negates + R"((tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
})",
                    negates + R"(tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
})",
                    negates + R"(tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
})");
  const checking::CompiledProgram made = compiled(text);
  INFO(text::to_mlir(made.program));
  CHECK(gathered(made.program).size() == 1);
  CHECK(made.notes.empty());
}

TEST_CASE("option strict turns notes into errors and does not affect other programs", "[notes]") {
  checking::CompileOptions options;
  options.strict = true;
  const std::string mesh = "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n";
  const auto refused = checking::compile(parsed(mesh + kCholesky), options);
  REQUIRE_FALSE(refused.has_value());
  REQUIRE(refused.error().size() == 1);
  CHECK(refused.error()[0].severity == Severity::Error);
  CHECK(refused.error()[0].location == "5:8");
  CHECK(
      refused.error()[0].headline() ==
      "N_REPLICATED: stablehlo.cholesky: operand 0, dim 1 is gathered along {\"x\"}: the op needs "
      "the dim replicated (576 bytes to each device, which then holds 768)");
  CHECK(checking::compile(parsed(mesh + R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %a : tensor<8xf32>
})"),
                          options)
            .has_value());
}

TEST_CASE("the compiled program contains no sdy.written attribute", "[notes]") {
  const checking::CompiledProgram made = compiled(kCholesky);
  for (const ir::Module* module : {&made.propagated, &made.collectives, &made.program}) {
    CHECK(text::to_mlir(*module).find("sdy.written") == std::string::npos);
  }
}

}  // namespace notes_test
