// The partitioner passes of Shardy, one after the other. The resulting program must equal the
// unsharded program. Spec: partitioning 10.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::RandomProgram;
using passes::PassCall;
using shardy_test::text_of;

namespace reference_passes_test {
namespace {

/// Returns the passes up to propagation, before the first reshards (partitioning 1.1).
std::vector<PassCall> propagation_calls() {
  passes::PipelineOptions options;
  options.importing.composites_to_calls = true;
  options.exporting.inline_meshes = false;
  std::vector<PassCall> calls = passes::propagation_pipeline(options);
  std::erase_if(calls, [](const PassCall& call) {
    return call.name == "sdy-insert-explicit-reshards" || call.name == "canonicalize";
  });
  return calls;
}

constexpr std::string_view kMovesFirst = "moves-first ";

/// Returns the passes. If `halo` starts with kMovesFirst, permutation factors are resolved before
/// explicit reshards, which would replicate the uneven splits of reshapes (passes 5.19).
std::vector<PassCall> reference_passes(const std::string& halo, const std::string& local) {
  std::vector<PassCall> calls = propagation_calls();
  const bool moves_first = halo.starts_with(kMovesFirst);
  const std::string halo_options = moves_first ? halo.substr(kMovesFirst.size()) : halo;
  if (moves_first) calls.push_back({"sdy-resolve-permutation-factors", halo_options});
  calls.push_back({"sdy-insert-explicit-reshards", "enable-full-version=true"});
  if (!moves_first) calls.push_back({"sdy-resolve-permutation-factors", halo_options});
  for (const PassCall& call :
       {PassCall{"sdy-reshard-to-collectives"}, PassCall{"sdy-pad-for-divisibility"},
        PassCall{"sdy-resolve-single-device-sharding"},
        PassCall{"sdy-convert-global-to-local", "keep-global-types=true " + local}}) {
    calls.push_back(call);
  }
  return calls;
}

TensorSharding divisible(const TensorSharding& sharding, const ir::Type& type) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (type.dim(dim) % sharding_size(dims[dim].axes) != 0) dims[dim].axes.clear();
  }
  return sharding.with_dims(std::move(dims));
}

/// Makes arguments and results divisible, because Shardy accepts only divisible ones.
void make_io_divisible(ir::Module& module) {
  for (const ir::OpId function : module.functions()) {
    const std::vector<ir::Type> args = module.arg_types(function);
    for (std::size_t index = 0; index < args.size(); ++index) {
      const auto sharding = ir::arg_sharding(module, function, index);
      if (sharding && sharding->rank() > 0) {
        ir::set_arg_sharding(module, function, index, divisible(*sharding, args[index]));
      }
    }
    const std::vector<ir::Type> results = module.function(function).result_types;
    for (std::size_t index = 0; index < results.size(); ++index) {
      const auto sharding = ir::result_sharding(module, function, index);
      if (sharding && sharding->rank() > 0) {
        ir::set_result_sharding(module, function, index, divisible(*sharding, results[index]));
      }
    }
  }
}

simulation::Tensors run(const ir::Module& program, const simulation::Tensors& inputs,
                        simulation::Fill fill = simulation::Fill::Zero) {
  simulation::RunOptions options;
  options.num_workers = 1;
  options.kernels.fill = fill;
  auto result = simulation::run_global(program, "main", inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return result->outputs;
}

/// Returns the program after the passes. Errors: the errors of the passes.
DiagnosedResult<ir::Module> lowered(ir::Module module, const std::string& halo,
                                    const std::string& local) {
  static const passes::PassRegistry registry = partitioning::all_passes();
  Diagnostics errors = passes::run_pipeline(module, registry, reference_passes(halo, local));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return module;
}

/// Returns true if the program could be lowered. Then checks that its results equal those of the
/// unsharded program.
bool gives_the_same(const ir::Module& module, const simulation::Tensors& inputs,
                    const std::string& halo, const std::string& local) {
  const auto program = lowered(module, halo, local);
  if (!program) return false;
  const Diagnostics wrong = ir::verify(*program);
  INFO(text::to_mlir(module));
  INFO(text::to_mlir(*program));
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  for (const ir::OpId op : ir::pre_order(*program)) {
    const ir::Dialect dialect = ir::dialect_of(program->kind(op));
    const bool is_left = dialect == ir::Dialect::Spmd ||
                         (dialect == ir::Dialect::Sdy && !program->is(op, ir::OpKind::SdyMesh));
    REQUIRE_FALSE(is_left);
  }
  const simulation::Tensors want = run(module, inputs);
  const simulation::Tensors got = run(*program, inputs);
  REQUIRE(got.size() == want.size());
  for (std::size_t index = 0; index < want.size(); ++index) {
    CAPTURE(index);
    CHECK(checking::compare(got[index], want[index], {}).mismatches == 0);
  }
  return true;
}

struct Forms {
  std::string halo, local;
};

const std::vector<Forms> kForms = {
    {"", ""},
    {"enable-halo-exchange=false", "per-dim-all-gather=true"},
    {"", "combine-multi-dimension-reduce-scatter=true enable-rgv3=true"},
};

/// Checks that at least `least` percent of the programs can be lowered.
void check_random(checking::RandomProgramOptions options, int64_t least) {
  const char* setting = std::getenv("SHARDY_DIFFERENTIAL_CASES");
  const uint64_t count = setting != nullptr ? std::strtoull(setting, nullptr, 10) : 400;
  static const passes::PassRegistry registry = partitioning::all_passes();
  int64_t lowered = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    RandomProgram random = checking::random_program(seed, options);
    const std::vector<PassCall> import = {{"sdy-sharding-group-import"}};
    REQUIRE(passes::run_pipeline(random.module, registry, import).empty());
    make_io_divisible(random.module);
    const Forms& forms = kForms[seed % kForms.size()];
    lowered += gives_the_same(random.module, random.inputs, forms.halo, forms.local) ? 1 : 0;
  }
  CHECK(lowered * 100 >= least * static_cast<int64_t>(count));
}

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

void check_text(const std::string& text) {
  INFO(text);
  const ir::Module module = parsed(text);
  const simulation::Tensors inputs = shardy_test::small_integers(module, 7);
  for (const Forms& forms : kForms) {
    CAPTURE(forms.halo, forms.local);
    const auto program = lowered(module, forms.halo, forms.local);
    INFO((program ? std::string() : program.error().front().message));
    REQUIRE(program.has_value());
    REQUIRE(gives_the_same(module, inputs, forms.halo, forms.local));
  }
}

/// A mesh with the list of all its axes.
struct TestMesh {
  std::string text, axes;
};

const std::vector<TestMesh> kMeshes = {
    {R"(<["x"=1]>)", R"("x")"},
    {R"(<["x"=2]>)", R"("x")"},
    {R"(<["x"=3]>)", R"("x")"},
    {R"(<["x"=4]>)", R"("x")"},
    {R"(<["x"=6]>)", R"("x")"},
    {R"(<["x"=8]>)", R"("x")"},
    {R"(<["x"=2, "y"=2]>)", R"("y", "x")"},
    {R"(<["x"=2, "y"=2], device_ids=[2, 0, 3, 1]>)", R"("x", "y")"},
    {R"(<["x"=8]>)", R"("x":(1)2, "x":(4)2)"},
};

/// `op` reads %0 and defines %1. %0 has `in` rows, which are sharded, and %1 has `out` rows.
std::string program_of(const TestMesh& mesh, int64_t in, int64_t out, const std::string& op) {
  const std::string from = "tensor<" + std::to_string(in) + "x3xi32>";
  const std::string to = "tensor<" + std::to_string(out) + "x3xi32>";
  const std::string whole = " {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}";
  const std::string row_sharding = " <@m, [{" + mesh.axes + "}, {}]> : ";
  return "sdy.mesh @m = " + mesh.text + "\nfunc.func @main(%arg0: " + from + whole +
         ", %f: tensor<i32>) -> (" + to + whole + ") {\n  %0 = sdy.sharding_constraint %arg0" +
         row_sharding + from + "\n  " + op + "\n  %2 = sdy.sharding_constraint %1" + row_sharding +
         to + "\n  return %2 : " + to + "\n}\n";
}

std::string rows(int64_t count) { return "tensor<" + std::to_string(count) + "x3xi32>"; }

}  // namespace

// Spec: partitioning 10.
TEST_CASE("Shardy's passes keep the results of random programs", "[reference_passes][random]") {
  check_random({.max_depth = 1}, 80);
}

TEST_CASE("Shardy's passes keep the results of random programs with windows and indices",
          "[reference_passes][random]") {
  check_random({.max_depth = 1, .indexed = true, .windows = true}, 60);
}

TEST_CASE("Shardy's passes keep the results of random programs on two device orders",
          "[reference_passes][random]") {
  check_random({.max_depth = 1, .device_orders = true}, 70);
}

// Spec: partitioning 10.3.
TEST_CASE("slices of sharded dims exchange halos", "[reference_passes]") {
  for (const TestMesh& mesh : kMeshes) {
    for (const int64_t size : {1, 2, 5, 8, 13}) {
      for (int64_t begin = 0; begin < size; begin += 2) {
        for (int64_t end = begin + 1; end <= size; end += 3) {
          check_text(program_of(mesh, size, end - begin,
                                "%1 = stablehlo.slice %0 [" + std::to_string(begin) + ":" +
                                    std::to_string(end) + ", 0:3] : (" + rows(size) + ") -> " +
                                    rows(end - begin)));
        }
      }
    }
  }
}

TEST_CASE("pads of sharded dims exchange halos and fill elements that no device has",
          "[reference_passes]") {
  for (const TestMesh& mesh : kMeshes) {
    for (const int64_t size : {1, 4, 7}) {
      for (const int64_t low : {-1, 0, 2, 5}) {
        for (const int64_t high : {0, 3}) {
          for (const int64_t gap : {0, 2}) {
            const int64_t out = low + size + (size - 1) * gap + high;
            if (out <= 0) continue;
            const auto list = [](int64_t rows) { return "[" + std::to_string(rows) + ", 0]"; };
            check_text(program_of(mesh, size, out,
                                  "%1 = stablehlo.pad %0, %f, low = " + list(low) +
                                      ", high = " + list(high) + ", interior = " + list(gap) +
                                      " : (" + rows(size) + ", tensor<i32>) -> " + rows(out)));
          }
        }
      }
    }
  }
}

TEST_CASE("reverses of sharded dims reverse the devices", "[reference_passes]") {
  for (const TestMesh& mesh : kMeshes) {
    for (int64_t size = 1; size <= 13; ++size) {
      check_text(
          program_of(mesh, size, size, "%1 = stablehlo.reverse %0, dims = [0, 1] : " + rows(size)));
    }
  }
}

/// Checks whether devices send to neighbours, rather than gather everything.
bool permutes(const std::string& text) {
  const auto program = lowered(parsed(text), std::string(kMovesFirst), "");
  REQUIRE(program.has_value());
  const auto count = [&](ir::OpKind kind) {
    return std::ranges::count_if(ir::pre_order(*program),
                                 [&](ir::OpId op) { return program->is(op, kind); });
  };
  // The result is replicated, which needs one gather.
  return count(ir::OpKind::CollectivePermute) > 0 && count(ir::OpKind::AllGather) <= 1;
}

std::string split_program(const TestMesh& mesh, int64_t first, int64_t rest,
                          const std::string& more) {
  const std::string flat = "tensor<3x" + std::to_string(first * rest) + more + "xi32>";
  const std::string split =
      "tensor<3x" + std::to_string(first) + "x" + std::to_string(rest) + more + "xi32>";
  const std::string trailing = more.empty() ? "" : ", {}";
  const std::string open = "[{}, {}" + trailing + "]";
  return "sdy.mesh @m = " + mesh.text + "\nfunc.func @main(%a: " + flat +
         " {sdy.sharding = #sdy.sharding<@m, " + open + ">}) -> (" + split +
         " {sdy.sharding = #sdy.sharding<@m, [{}, {}, {}" + trailing + "]>}) {\n" +
         "  %0 = sdy.sharding_constraint %a <@m, [{}, {" + mesh.axes + "}" + trailing +
         "]> : " + flat + "\n  %1 = stablehlo.reshape %0 : (" + flat + ") -> " + split +
         "\n  %2 = sdy.sharding_constraint %1 <@m, [{}, {" + mesh.axes + "}, {}" + trailing +
         "]> : " + split + "\n  return %2 : " + split + "\n}\n";
}

// Spec: partitioning 10.3.
TEST_CASE("uneven splits of reshapes exchange halos", "[reference_passes]") {
  int64_t refused = 0;  // reshards of dims with fewer elements than shards
  for (const TestMesh& mesh : kMeshes) {
    for (const int64_t first : {2, 3, 5, 7, 13}) {
      for (const int64_t rest : {2, 3}) {
        for (const std::string more : {"", "x2"}) {
          const ir::Module module = parsed(split_program(mesh, first, rest, more));
          const simulation::Tensors inputs = shardy_test::small_integers(module, 7);
          for (const Forms& forms : kForms) {
            const std::string halo = std::string(kMovesFirst) + forms.halo;
            refused += gives_the_same(module, inputs, halo, forms.local) ? 0 : 1;
          }
        }
      }
    }
  }
  CHECK(refused <= 80);  // refused of 540 cases
  // 5 x 2 on two devices: 5 elements each before; 3 and 2 rows of 2 elements after.
  CHECK(permutes(split_program(kMeshes[1], 5, 2, "")));
  // 7 x 2 on 4 devices: 4 elements each, which are 2 rows.
  CHECK_FALSE(permutes(split_program(kMeshes[3], 7, 2, "")));
}

// Spec: passes 5.19, partitioning 10.5.
TEST_CASE("op-by-op partitioning by either lowering keeps the results",
          "[reference_passes][random]") {
  const std::string lowering = GENERATE("native", "reference");
  CAPTURE(lowering);
  static const passes::PassRegistry registry = partitioning::all_passes();
  const char* setting = std::getenv("SHARDY_DIFFERENTIAL_CASES");
  const uint64_t count = setting != nullptr ? std::strtoull(setting, nullptr, 10) : 120;
  int64_t wrapped = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    const RandomProgram random =
        checking::random_program(seed, {.max_depth = 1, .indexed = true, .windows = true});
    std::vector<PassCall> calls = {{"sdy-sharding-group-import"}};
    for (const PassCall& call : propagation_calls()) calls.push_back(call);
    calls.push_back({"sdy-insert-explicit-reshards",
                     seed % 3 == 0 ? "enable-full-version=true"
                                   : "enable-full-version=true "
                                     "mark-partial-result-with-unreduced-axes=true"});
    if (seed % 2 == 0) calls.push_back({"sdy-reshard-to-collectives"});
    calls.push_back({"sdy-per-instruction-partitioning", "lowering=" + lowering});
    if (lowering == "native") calls.push_back({"spmd-to-stablehlo"});  // converts all spmd ops
    ir::Module module = random.module;
    const Diagnostics diagnostics = passes::run_pipeline(module, registry, calls);
    INFO(text::to_mlir(random.module) << text_of(diagnostics));
    REQUIRE(diagnostics.empty());
    const Diagnostics wrong = ir::verify(module);
    INFO(text::to_mlir(module) << text_of(wrong));
    REQUIRE(wrong.empty());
    wrapped += std::ranges::count_if(ir::pre_order(module), [&](ir::OpId op) {
      return module.is(op, ir::OpKind::SdyManualComputation);
    });
    const simulation::Tensors want = run(random.module, random.inputs);
    const auto compiled = checking::compile(module);
    INFO((compiled ? std::string() : text_of(compiled.error())));
    REQUIRE(compiled.has_value());
    const std::vector<simulation::Tensors> got = {run(compiled->program, random.inputs),
                                                  run(module, random.inputs)};
    for (const simulation::Tensors& each : got) {
      for (std::size_t index = 0; index < want.size(); ++index) {
        CHECK(checking::compare(each[index], want[index], {}).mismatches == 0);
      }
    }
  }
  CHECK(wrapped > static_cast<int64_t>(2 * count));
}

TEST_CASE("an op on one device becomes a branch and an all-reduce", "[reference_passes]") {
  for (const std::string device : {"0", "5"}) {
    check_text(R"(sdy.mesh @m = <["x"=2, "y"=3]>
sdy.mesh @one = <[], device_ids=[)" +
               device + R"(]>
func.func @main(%a: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>})
    -> (tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<6x4xi32>
  %1 = stablehlo.add %0, %a : tensor<6x4xi32>
  return %1 : tensor<6x4xi32>
})");
  }
}

TEST_CASE("uneven dims that are reduced or contracted are masked", "[reference_passes]") {
  for (const TestMesh& mesh : kMeshes) {
    for (const int64_t size : {1, 5, 8, 11}) {
      const std::string n = std::to_string(size);
      const std::string row_sharding = "[{" + mesh.axes + "}, {}]";
      const std::string type = rows(size);
      check_text(
          "sdy.mesh @m = " + mesh.text + R"(
func.func @main(%a: )" +
          type + R"( {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %b: )" + type +
          R"( {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<3x3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %one = stablehlo.constant dense<1> : )" +
          type + R"(
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = sdy.sharding_constraint %a <@m, )" +
          row_sharding + "> : " + type + R"(
  %1 = stablehlo.add %0, %one : )" +
          type + R"(
  %2 = sdy.sharding_constraint %1 <@m, )" +
          row_sharding + "> : " + type + R"(
  %3 = stablehlo.dot_general %2, %b, contracting_dims = [0] x [0] : ()" +
          type + ", " + type + R"() -> tensor<3x3xi32>
  %4 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : ()" +
          type + R"(, tensor<i32>) -> tensor<3xi32>
  %5 = stablehlo.abs %2 : )" +
          type + R"(
  %6 = stablehlo.negate %5 : )" +
          type + R"(
  %m = stablehlo.constant dense<-2147483648> : tensor<i32>
  %7 = stablehlo.reduce(%6 init: %m) applies stablehlo.maximum across dimensions = [0] : ()" +
          type + R"(, tensor<i32>) -> tensor<3xi32>
  return %3, %4, %7 : tensor<3x3xi32>, tensor<3xi32>, tensor<3xi32>
})");
    }
  }
}

/// Returns a program that shards arguments, runs the op, which defines %r, and gathers its result.
/// Each list has types and shardings: tensor<4xi32> [{"x"}].
std::string gathered_program(const std::string& mesh, const std::vector<std::string>& types,
                             const std::vector<std::string>& shardings, const std::string& op) {
  const auto whole = [](const std::string& sharding) {
    std::string text = "[";
    const auto dims = std::ranges::count(sharding, '{');
    for (std::ptrdiff_t dim = 0; dim < dims; ++dim) text += dim == 0 ? "{}" : ", {}";
    return text + "]";
  };
  const auto attribute = [&](const std::string& sharding) {
    return " {sdy.sharding = #sdy.sharding<@m, " + whole(sharding) + ">}";
  };
  std::string args, reshards;
  for (std::size_t index = 0; index + 1 < types.size(); ++index) {
    const std::string number = std::to_string(index);
    args +=
        (index == 0 ? "%a" : ", %a") + number + ": " + types[index] + attribute(shardings[index]);
    reshards += "  %" + number + " = sdy.reshard %a" + number + " <@m, " + shardings[index] +
                "> : " + types[index] + "\n";
  }
  return "sdy.mesh @m = <" + mesh + ">\nfunc.func @main(" + args + ") -> (" + types.back() +
         attribute(shardings.back()) + ") {\n" + reshards + "  " + op +
         "\n  %o = sdy.reshard %r <@m, " + whole(shardings.back()) + "> : " + types.back() +
         "\n  return %o : " + types.back() + "\n}\n";
}

// Spec: partitioning 10.1, 10.3, 10.4.
TEST_CASE("sharded taps and uneven groups of convolutions keep the results", "[reference_passes]") {
  const auto check = [](std::size_t taps, const std::string& kernel, int64_t rows,
                        const std::string& attributes, const std::vector<std::string>& shardings) {
    const auto tensor = [](const std::string& dims) { return "tensor<" + dims + "xi32>"; };
    const std::vector<std::string> types = {tensor("3x8x" + kernel.substr(0, 1)),
                                            tensor(std::to_string(taps) + "x" + kernel.substr(2)),
                                            tensor("3x" + std::to_string(rows) + "x6")};
    check_text(gathered_program(
        R"(["x"=2, "y"=4])", types, shardings,
        "%r = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window "
        "= {" +
            attributes + ", sdy.sharding = #sdy.sharding_per_value<[<@m, " + shardings[2] +
            ">]>} : (" + types[0] + ", " + types[1] + ") -> " + types[2]));
  };
  const std::string plain = "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64";
  const std::string none = "[{}, {}, {}]";
  // Taps and input along the same axes; the contracted features along others.
  check(4, "2_2x6", 5, "stride = [1]" + plain, {R"([{}, {"x"}, {}])", R"([{"x"}, {}, {}])", none});
  check(4, "4_4x6", 5, "stride = [1]" + plain,
        {R"([{}, {"x"}, {"y"}])", R"([{"x"}, {"y"}, {}])", none});
  check(3, "2_2x6", 8, "stride = [1], pad = [[1, 1]]" + plain,
        {R"([{}, {"y"}, {}])", R"([{"x"}, {}, {}])", none});
  // The kernel covers the input, evenly and unevenly, or with padding.
  check(8, "2_2x6", 1, "stride = [1]" + plain, {R"([{}, {"y"}, {}])", R"([{"y"}, {}, {}])", none});
  check(8, "2_2x6", 3, "stride = [1], pad = [[1, 1]]" + plain,
        {R"([{}, {"x"}, {}])", R"([{"x"}, {}, {}])", none});
  const std::string groups = "stride = [1]} {batch_group_count = 1 : i64, feature_group_count = ";
  const std::string features = R"([{}, {}, {"y"}])";
  check(3, "6_1x6", 6, groups + "6 : i64", {features, features, features});
  check(3, "6_2x6", 6, groups + "3 : i64", {features, features, features});
}

TEST_CASE("updates and lookups of uneven dims keep the results", "[reference_passes]") {
  const std::string table = "tensor<5x2xi32>", scalar = "tensor<i32>";
  for (const std::string start : {"-3", "0", "4", "5", "7", "99"}) {
    for (const std::string mesh : {R"(["x"=2])", R"(["x"=4])"}) {
      check_text(gathered_program(
          mesh, {table, "tensor<1x2xi32>", scalar, table},
          {R"([{"x"}, {}])", "[{}, {}]", "[]", R"([{"x"}, {}])"},
          "%c = stablehlo.constant dense<" + start + "> : " + scalar +
              "\n  %s = stablehlo.minimum " + "%c, %c : " + scalar +
              "\n  %z = stablehlo.constant dense<0> : " + scalar +
              "\n  %t = stablehlo.dynamic_update_slice %0, %1, %s, %z {sdy.sharding = "
              R"(#sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : ()" +
              table + ", tensor<1x2xi32>, " + scalar + ", " + scalar + ") -> " + table +
              "\n  %r = stablehlo.dynamic_update_slice %t, %1, %c, %z {sdy.sharding = "
              R"(#sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : ()" +
              table + ", tensor<1x2xi32>, " + scalar + ", " + scalar + ") -> " + table));
    }
  }
  check_text(gathered_program(
      R"(["x"=2, "y"=2])", {table, "tensor<3x1xi32>", "tensor<3x2xi32>"},
      {R"([{"x"}, {}])", R"([{"y"}, {}])", R"([{"y"}, {}])"},
      R"(%r = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], )"
      "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
      "indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = "
      R"(#sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>} : (tensor<5x2xi32>, tensor<3x1xi32>) -> )"
      "tensor<3x2xi32>"));
}

/// Checks the values of a program after sdy-convert-global-to-local alone.
void check_local(const std::string& text) {
  const ir::Module module = parsed(text);
  static const passes::PassRegistry registry = partitioning::all_passes();
  ir::Module local = module;
  const std::vector<PassCall> calls = {{"sdy-convert-global-to-local", "keep-global-types=true"}};
  const Diagnostics errors = passes::run_pipeline(local, registry, calls);
  INFO(text_of(errors));
  REQUIRE(errors.empty());
  const simulation::Tensors inputs = shardy_test::small_integers(module, 7);
  const simulation::Tensors want = run(module, inputs);
  const simulation::Tensors got = run(local, inputs);
  for (std::size_t index = 0; index < want.size(); ++index) {
    CAPTURE(index);
    CHECK(checking::compare(got[index], want[index], {}).mismatches == 0);
  }
}

TEST_CASE("partial results that nothing combines are combined", "[reference_passes]") {
  check_local(R"(sdy.mesh @m = <["x"=2, "y"=3]>
func.func @main(%a: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
                %b: tensor<6x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>},
                %i: tensor<7x1xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>})
    -> (tensor<4x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
        tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
        tensor<7x5xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>},
        tensor<7x5xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>},
        tensor<6x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4x6xi32>, tensor<6x5xi32>) -> tensor<4x5xi32>
  %c = stablehlo.constant dense<-2147483648> : tensor<i32>
  %1 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<4x6xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<6x5xi32>, tensor<7x1xi32>) -> tensor<7x5xi32>
  %3 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced=min{"y"}>]>} : (tensor<6x5xi32>, tensor<7x1xi32>) -> tensor<7x5xi32>
  %4 = sdy.all_reduce min {"y"} %3 out_sharding=<@m, [{}, {}]> : tensor<7x5xi32>
  %s = stablehlo.constant dense<77> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %u = stablehlo.slice %2 [1:3, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<7x5xi32>) -> tensor<2x5xi32>
  %5 = stablehlo.dynamic_update_slice %b, %u, %s, %z {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>} : (tensor<6x5xi32>, tensor<2x5xi32>, tensor<i32>, tensor<i32>) -> tensor<6x5xi32>
  return %0, %1, %2, %4, %5 : tensor<4x5xi32>, tensor<4xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<6x5xi32>
})");
}

TEST_CASE("reductions by other regions are gathered and reduced again", "[reference_passes]") {
  for (const std::string better : {"GT", "GE"}) {
    check_local(R"(sdy.mesh @m = <["x"=4, "y"=3]>
func.func @main(%a: tensor<4x6x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>},
                %b: tensor<4x6x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>})
    -> (tensor<5xi32> {sdy.sharding = #sdy.sharding<@m, [{}]>}, tensor<5xi32> {sdy.sharding = #sdy.sharding<@m, [{}]>},
        tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %c = stablehlo.constant dense<-2147483648> : tensor<i32>
  %d = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %c), (%b init: %d) across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : (tensor<4x6x5xi32>, tensor<4x6x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>)
   reducer(%e: tensor<i32>, %f: tensor<i32>) (%g: tensor<i32>, %h: tensor<i32>)  {
    %2 = stablehlo.compare )" +
                better + R"(, %e, %f : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %2, %e, %f : tensor<i1>, tensor<i32>
    %4 = stablehlo.select %2, %g, %h : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
  }
  %1:2 = stablehlo.reduce(%a init: %c), (%b init: %d) across dimensions = [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{"x"}]>]>} : (tensor<4x6x5xi32>, tensor<4x6x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
   reducer(%e: tensor<i32>, %f: tensor<i32>) (%g: tensor<i32>, %h: tensor<i32>)  {
    %2 = stablehlo.maximum %e, %f : tensor<i32>
    %3 = stablehlo.add %g, %h : tensor<i32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1, %1#0, %1#1 : tensor<5xi32>, tensor<5xi32>, tensor<4xi32>, tensor<4xi32>
})");
  }
}

// Shardy sums complete values, which the unsharded program does not sum.
TEST_CASE("Shardy's passes give a valid program or an error for random programs with collectives",
          "[reference_passes][random]") {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    RandomProgram random = checking::random_program(
        seed, {.barriers = true, .unreduced = true, .collectives = true, .device_orders = true});
    static const passes::PassRegistry registry = partitioning::all_passes();
    const std::vector<PassCall> import = {{"sdy-sharding-group-import"}};
    REQUIRE(passes::run_pipeline(random.module, registry, import).empty());
    make_io_divisible(random.module);
    const auto program = lowered(random.module, "", "");
    if (!program) continue;
    const Diagnostics wrong = ir::verify(*program);
    INFO(text_of(wrong));
    CHECK(wrong.empty());
  }
}

}  // namespace reference_passes_test
