// Ops that are partitioned by their rule alone must give the same bits under any sharding. They
// must send nothing if the pieces are independent.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::text_of;

namespace op_layout_test {
namespace {

struct Program {
  const char* name;
  std::string text;  // text with the sizes M, N, K, L
};

/// One op on tensors of M x N. `element` is the element type of the operands, `result` that of the
/// result.
Program elementwise(const char* name, std::size_t num_operands, std::string_view element = "f32",
                    std::string_view result = "") {
  const std::string type = "tensor<MxNx" + std::string(element) + ">";
  const std::string out = result.empty() ? type : "tensor<MxNx" + std::string(result) + ">";
  std::string args, operands, types;
  for (std::size_t index = 0; index < num_operands; ++index) {
    const std::string comma = index == 0 ? "" : ", ";
    const std::string value = "%x" + std::to_string(index);
    args += comma + value + ": " + type;
    operands += comma + value;
    types += comma + type;
  }
  return {name, "func.func @main(" + args + ") -> " + out + " {\n  %0 = \"" + name + "\"(" +
                    operands + ") : (" + types + ") -> " + out + "\n  return %0 : " + out + "\n}"};
}

std::vector<Program> chlo_programs() {
  std::vector<Program> programs;
  for (const char* name :
       {"chlo.acos", "chlo.acosh", "chlo.asin", "chlo.asinh", "chlo.atan", "chlo.atanh",
        "chlo.bessel_i1e", "chlo.cosh", "chlo.digamma", "chlo.erf", "chlo.erf_inv", "chlo.erfc",
        "chlo.lgamma", "chlo.sinh", "chlo.square", "chlo.tan"}) {
    programs.push_back(elementwise(name, 1));
  }
  programs.push_back(elementwise("chlo.conj", 1, "complex<f32>"));
  for (const char* name : {"chlo.is_inf", "chlo.is_neg_inf", "chlo.is_pos_inf"}) {
    programs.push_back(elementwise(name, 1, "f32", "i1"));
  }
  programs.push_back(elementwise("chlo.mulhi", 2, "i32"));
  for (const char* name : {"chlo.next_after", "chlo.polygamma", "chlo.zeta"}) {
    programs.push_back(elementwise(name, 2));
  }
  for (const char* name : {"chlo.broadcast_add", "chlo.broadcast_maximum"}) {
    programs.push_back({name, std::string(R"(
func.func @main(%x: tensor<Mx1xi32>, %y: tensor<NxMxKxi32>) -> tensor<NxMxKxi32> {
  %0 = ")") + name + R"("(%x, %y) : (tensor<Mx1xi32>, tensor<NxMxKxi32>) -> tensor<NxMxKxi32>
  return %0 : tensor<NxMxKxi32>
})"});
  }
  programs.push_back({"chlo.broadcast_select along the first dim", R"(
func.func @main(%p: tensor<Mxi1>, %x: tensor<MxNxf32>, %y: tensor<MxNxf32>) -> tensor<MxNxf32> {
  %0 = "chlo.broadcast_select"(%p, %x, %y) {broadcast_dimensions = array<i64: 0>}
    : (tensor<Mxi1>, tensor<MxNxf32>, tensor<MxNxf32>) -> tensor<MxNxf32>
  return %0 : tensor<MxNxf32>
})"});
  programs.push_back({"chlo.top_k", R"(
func.func @main(%x: tensor<MxNx8xf32>) -> (tensor<MxNx3xf32>, tensor<MxNx3xi32>) {
  %0:2 = "chlo.top_k"(%x) {k = 3 : i64} : (tensor<MxNx8xf32>) -> (tensor<MxNx3xf32>, tensor<MxNx3xi32>)
  return %0#0, %0#1 : tensor<MxNx3xf32>, tensor<MxNx3xi32>
})"});
  return programs;
}

std::vector<Program> stablehlo_programs() {
  return {
      {"map, with a value from outside", R"(
func.func @main(%x: tensor<MxNxi32>, %y: tensor<MxNxi32>, %k: tensor<i32>) -> tensor<MxNxi32> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.subtract %a, %b : tensor<i32>
      %t = stablehlo.multiply %s, %k : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }) : (tensor<MxNxi32>, tensor<MxNxi32>) -> tensor<MxNxi32>
  return %0 : tensor<MxNxi32>
})"},
      {"bitcast_convert to wider elements", R"(
func.func @main(%x: tensor<MxNx2xi32>) -> tensor<MxNxf64> {
  %0 = stablehlo.bitcast_convert %x : (tensor<MxNx2xi32>) -> tensor<MxNxf64>
  return %0 : tensor<MxNxf64>
})"},
      {"bitcast_convert to narrower elements", R"(
func.func @main(%x: tensor<MxNxi64>) -> tensor<MxNx4xi16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<MxNxi64>) -> tensor<MxNx4xi16>
  return %0 : tensor<MxNx4xi16>
})"},
      {"batch_norm_inference", R"(
func.func @main(%x: tensor<MxNxKxf32>, %s: tensor<Nxf32>, %o: tensor<Nxf32>, %m: tensor<Nxf32>,
                %v: tensor<Nxf32>) -> tensor<MxNxKxf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 0.5 : f32, feature_index = 1 : i64}>
    : (tensor<MxNxKxf32>, tensor<Nxf32>, tensor<Nxf32>, tensor<Nxf32>, tensor<Nxf32>) -> tensor<MxNxKxf32>
  return %0 : tensor<MxNxKxf32>
})"},
      {"batch_norm_training", R"(
func.func @main(%x: tensor<MxNxf32>, %s: tensor<Nxf32>, %o: tensor<Nxf32>)
    -> (tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.5 : f32, feature_index = 1 : i64}>
    : (tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>) -> (tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>)
  return %0#0, %0#1, %0#2 : tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>
})"},
      {"batch_norm_grad", R"(
func.func @main(%x: tensor<MxNxf32>, %s: tensor<Nxf32>, %m: tensor<Nxf32>, %v: tensor<Nxf32>,
                %g: tensor<MxNxf32>) -> (tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 10.0 : f32, feature_index = 1 : i64}>
    : (tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>, tensor<Nxf32>, tensor<MxNxf32>)
    -> (tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>)
  return %0#0, %0#1, %0#2 : tensor<MxNxf32>, tensor<Nxf32>, tensor<Nxf32>
})"},
      {"einsum", R"(
func.func @main(%x: tensor<MxKxNxi32>, %y: tensor<KxLxMxi32>) -> tensor<LxMxNxi32> {
  %0 = "stablehlo.einsum"(%x, %y) <{einsum_config = "bkn,klb->lbn"}>
    : (tensor<MxKxNxi32>, tensor<KxLxMxi32>) -> tensor<LxMxNxi32>
  return %0 : tensor<LxMxNxi32>
})"},
      {"unary_einsum", R"(
func.func @main(%x: tensor<MxKxNxi32>) -> tensor<NxMxi32> {
  %0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "mkn->nm"}> : (tensor<MxKxNxi32>) -> tensor<NxMxi32>
  return %0 : tensor<NxMxi32>
})"},
      {"dot", R"(
func.func @main(%x: tensor<MxKxi32>, %y: tensor<KxNxi32>) -> tensor<MxNxi32> {
  %0 = stablehlo.dot %x, %y : (tensor<MxKxi32>, tensor<KxNxi32>) -> tensor<MxNxi32>
  return %0 : tensor<MxNxi32>
})"},
      {"dot_general and transpose", R"(
func.func @main(%x: tensor<MxKxLxi32>, %y: tensor<LxNxMxi32>) -> tensor<NxMxKxi32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [2] x [0]
    : (tensor<MxKxLxi32>, tensor<LxNxMxi32>) -> tensor<MxKxNxi32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<MxKxNxi32>) -> tensor<NxMxKxi32>
  return %1 : tensor<NxMxKxi32>
})"},
      {"broadcast", R"(
func.func @main(%x: tensor<MxNxi32>) -> tensor<KxLxMxNxi32> {
  %0 = "stablehlo.broadcast"(%x) <{broadcast_sizes = array<i64: K, L>}> : (tensor<MxNxi32>) -> tensor<KxLxMxNxi32>
  return %0 : tensor<KxLxMxNxi32>
})"},
      {"broadcast_in_dim and the sum over what it filled", R"(
func.func @main(%x: tensor<Mx1xNxi32>) -> tensor<KxNxi32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0, 2] : (tensor<Mx1xNxi32>) -> tensor<KxMxNxi32>
  %z = stablehlo.constant dense<3> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<KxMxNxi32>, tensor<i32>) -> tensor<KxNxi32>
  return %1 : tensor<KxNxi32>
})"},
      {"rng_bit_generator", R"(
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<MxNxui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<MxNxui32>)
  return %0, %1 : tensor<2xui64>, tensor<MxNxui32>
})"},
      {"get_dimension_size", R"(
func.func @main(%x: tensor<MxNxi32>) -> tensor<MxNxi32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<MxNxi32>) -> tensor<i32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<MxNxi32>
  %2 = stablehlo.add %1, %x : tensor<MxNxi32>
  return %2 : tensor<MxNxi32>
})"},
      {"a composite", R"(
func.func private @impl(%x: tensor<MxNxi32>, %y: tensor<Nxi32>) -> (tensor<MxNxi32>, tensor<Mxi32>) {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<Nxi32>) -> tensor<MxNxi32>
  %1 = stablehlo.multiply %x, %0 : tensor<MxNxi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<MxNxi32>, tensor<i32>) -> tensor<Mxi32>
  return %1, %2 : tensor<MxNxi32>, tensor<Mxi32>
}
func.func @main(%x: tensor<MxNxi32>, %y: tensor<Nxi32>) -> (tensor<MxNxi32>, tensor<Mxi32>) {
  %0:2 = stablehlo.composite "my.scaled" %x, %y {decomposition = @impl}
    : (tensor<MxNxi32>, tensor<Nxi32>) -> (tensor<MxNxi32>, tensor<Mxi32>)
  %1:2 = stablehlo.composite "my.scaled" %0#0, %y {decomposition = @impl}
    : (tensor<MxNxi32>, tensor<Nxi32>) -> (tensor<MxNxi32>, tensor<Mxi32>)
  return %1#0, %1#1 : tensor<MxNxi32>, tensor<Mxi32>
})"},
      {"a composite with a rule, made of another one", R"(
func.func private @inner(%x: tensor<MxNxi32>) -> tensor<MxNxi32> {
  %0 = stablehlo.add %x, %x : tensor<MxNxi32>
  return %0 : tensor<MxNxi32>
}
func.func private @impl(%x: tensor<MxNxi32>) -> tensor<MxNxi32> {
  %0 = stablehlo.composite "my.inner" %x {decomposition = @inner, sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i, j]) {i=M, j=N}, custom>} : (tensor<MxNxi32>) -> tensor<MxNxi32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<MxNxi32>
  return %1 : tensor<MxNxi32>
}
func.func @main(%x: tensor<MxNxi32>) -> tensor<MxNxi32> {
  %0 = stablehlo.composite "my.reversed" %x {decomposition = @impl, sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i, j]) {i=M, j=N} need_replication={j}, custom>}
    : (tensor<MxNxi32>) -> tensor<MxNxi32>
  return %0 : tensor<MxNxi32>
})"},
  };
}

/// Replaces the letters in the program by sizes.
std::string sized(std::string text, checking::Random& random) {
  for (const char letter : {'M', 'N', 'K', 'L'}) {
    const std::string size = std::to_string(random.chance(12) ? 0 : random.between(1, 9));
    for (std::size_t at = 0; (at = text.find(letter, at)) != std::string::npos;) {
      const bool is_before = at + 1 < text.size() && (text[at + 1] == 'x' || text[at + 1] == ',' ||
                                                      text[at + 1] == '>' || text[at + 1] == '}');
      const bool is_after = at > 0 && (text[at - 1] == '<' || text[at - 1] == 'x' ||
                                       text[at - 1] == ' ' || text[at - 1] == '=');
      if (is_before && is_after) {
        text.replace(at, 1, size);
      } else {
        ++at;
      }
    }
  }
  return text;
}

Mesh some_mesh(checking::Random& random) {
  const std::vector<std::vector<MeshAxis>> meshes = {
      {{"a", 1}}, {{"a", 2}}, {{"a", 3}}, {{"a", 4}}, {{"a", 6}}, {{"a", 8}}, {{"a", 2}, {"b", 2}}};
  if (random.chance(3)) return checking::random_mesh(random, 12);
  return Mesh::make(random.pick(meshes)).value();
}

/// Adds random shardings to most arguments and to some results.
void shard(ir::Module& module, checking::Random& random) {
  const Mesh mesh = some_mesh(random);
  module.add_mesh("mesh", mesh);
  const auto sharding = [&](const ir::Type& type) {
    return checking::random_sharding(random, mesh, static_cast<std::size_t>(type.rank()),
                                     BoundAxes::none());
  };
  const ir::OpId main = *module.main_function();
  const std::vector<ir::Type> results = module.function(main).result_types;
  const std::vector<ir::Type> args = module.arg_types(main);
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (!random.chance(4)) ir::set_arg_sharding(module, main, index, sharding(args[index]));
  }
  for (std::size_t index = 0; index < results.size(); ++index) {
    if (random.chance(2)) ir::set_result_sharding(module, main, index, sharding(results[index]));
  }
}

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

void check_differential(const Program& program, uint64_t num_seeds) {
  CAPTURE(program.name);
  int64_t num_sharded = 0;
  for (uint64_t seed = 0; seed < num_seeds; ++seed) {
    CAPTURE(seed);
    checking::Random random(seed);
    ir::Module module = parsed(sized(program.text, random));
    shard(module, random);
    simulation::Tensors inputs;
    for (const ir::Type& type : module.arg_types(*module.main_function())) {
      inputs.push_back(checking::random_tensor(random, type));
    }
    checking::CheckOptions options;
    options.run.kernels.fill = simulation::Fill::Poison;
    if (!std::string_view(program.name).starts_with("batch_norm")) options.tolerance = 0;
    const auto report = checking::check(module, inputs, options);
    INFO((report ? std::string() : text_of(report.error())) + text::to_mlir(module));
    REQUIRE(report.has_value());
    INFO(text::to_mlir(report->compiled.collectives));
    INFO(text::to_mlir(report->compiled.program));
    CHECK(report->equal());
    num_sharded += report->num_sharded_values;
  }
  CHECK(num_sharded > 0);
}

/// Returns the bytes that all devices send.
int64_t bytes_sent(const std::string& text) {
  const ir::Module module = parsed(text);
  const auto report = checking::check(module, checking::random_inputs(module, 1).value());
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  INFO(text::to_mlir(report->compiled.program));
  CHECK(report->equal());
  CHECK(report->compiled.notes.empty());
  int64_t bytes = 0;
  for (const simulation::DeviceAccount& device : report->sharded.devices) {
    for (const auto& [kind, traffic] : device.traffic) bytes += traffic.bytes_sent;
  }
  return bytes;
}

/// A program whose argument and result are sharded along the first dim.
std::string data_parallel(const std::string& type, const std::string& result,
                          const std::string& body, const std::string& functions = "") {
  const std::string by_data = " {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}";
  return "sdy.mesh @mesh = <[\"data\"=4]>\n" + functions + "func.func @main(%x: " + type + by_data +
         ") -> (" + result + by_data + ") {\n" + body + "\n}";
}

}  // namespace

TEST_CASE("CHLO functions give the same bits under any sharding", "[checking][differential]") {
  for (const Program& program : chlo_programs()) check_differential(program, 12);
}

TEST_CASE("ops that are lowered by their rule give the same bits under any sharding",
          "[checking][differential]") {
  for (const Program& program : stablehlo_programs()) check_differential(program, 40);
}

// Shardings are not propagated through these ops, and still no device needs elements of another
// device.
TEST_CASE("elementwise CHLO functions send nothing in a data-parallel program",
          "[checking][traffic]") {
  const std::string type = "tensor<8x6xf32>";
  std::string body;
  std::string last = "%x";
  int64_t number = 0;
  for (const char* name :
       {"acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "cosh", "digamma", "erf",
        "erf_inv", "erfc", "lgamma", "sinh", "square", "tan"}) {
    const std::string next = "%" + std::to_string(number++);
    body +=
        "  " + next + " = \"chlo." + name + "\"(" + last + ") : (" + type + ") -> " + type + "\n";
    last = next;
  }
  for (const char* name : {"next_after", "polygamma", "zeta", "broadcast_add"}) {
    const std::string next = "%" + std::to_string(number++);
    body += "  " + next + " = \"chlo." + name + "\"(" + last + ", %x) : (" + type + ", " + type +
            ") -> " + type + "\n";
    last = next;
  }
  CHECK(bytes_sent(data_parallel(type, type, body + "  return " + last + " : " + type)) == 0);
}

TEST_CASE(
    "map, bitcast_convert, batch_norm_inference and composites send nothing in a data-parallel "
    "program",
    "[checking][traffic]") {
  const std::string type = "tensor<8x6xf32>";
  CHECK(bytes_sent(data_parallel(type, type, R"(
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>):
      %s = stablehlo.multiply %a, %a : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>)")) == 0);
  CHECK(bytes_sent(data_parallel(type, "tensor<8x6xi32>", R"(
  %0 = stablehlo.bitcast_convert %x : (tensor<8x6xf32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>)")) == 0);
  CHECK(bytes_sent(data_parallel(type, "tensor<8x3xf64>", R"(
  %0 = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<8x3x2xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<8x3x2xf32>) -> tensor<8x3xf64>
  return %1 : tensor<8x3xf64>)")) == 0);
  CHECK(bytes_sent(data_parallel(type, type, R"(
  %s = stablehlo.constant dense<2.0> : tensor<6xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 0.5 : f32, feature_index = 1 : i64}>
    : (tensor<8x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>)")) == 0);
  const std::string impl = R"(
func.func private @impl(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.tanh %x : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
)";
  for (const std::string rule : {"",
                                 ", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) "
                                 "{i=8, j=6}, custom>"}) {
    CAPTURE(rule);
    CHECK(
        bytes_sent(data_parallel(type, type,
                                 "  %0 = stablehlo.composite \"my.op\" %x {decomposition = @impl" +
                                     rule + R"(} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>)",
                                 impl)) == 0);
  }
}

TEST_CASE("the rule of a custom call decides which dims are sharded and which are reduced",
          "[checking][rule]") {
  const ir::Module module = parsed(R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.custom_call @row_sums(%a) {sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=6} reduction={j}, custom>}
    : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  checking::Context context;
  context.runs.kernels.custom_calls["row_sums"] =
      [](const simulation::ForeignCall& call) -> Result<simulation::Tensors> {
    const std::vector<double> values = call.operands[0].to_doubles();
    std::vector<double> sums(static_cast<std::size_t>(call.result_types[0].num_elements()));
    for (std::size_t at = 0; at < values.size(); ++at)
      sums[at * sums.size() / values.size()] += values[at];
    SHARDY_TRY(simulation::Tensor result,
               simulation::Tensor::from_doubles(call.result_types[0], sums));
    return simulation::Tensors{std::move(result)};
  };
  checking::Random random(1);
  const auto report = checking::check(
      module, {checking::random_tensor(random, ir::Type::tensor({4, 6}, ir::ElementType::F32))}, {},
      context);
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  CHECK(report->equal());
  const auto& traffic = report->sharded.devices[0].traffic;
  REQUIRE(traffic.size() == 1);
  CHECK(traffic.begin()->first == ir::OpKind::SpmdAllReduce);
}

}  // namespace op_layout_test
