// Random programs are converted to each form of writing shardings and back. Nothing that the form
// can express may change, and results must not change. Damaged text must give an error or a
// program. Spec: interop 7.3, 12.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/layouts.hpp"

using namespace shardy;
using passes::ExportForm;

namespace interop_test {
namespace {

/// Returns the number of random programs: `usual` in a test run, or SHARDY_INTEROP_CASES.
uint64_t num_cases(uint64_t usual) {
  const char* text = std::getenv("SHARDY_INTEROP_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

/// With `has_orders`, the program has meshes over the devices in several orders. Lists of devices
/// cannot express these, because they have one mesh.
checking::RandomProgram program(uint64_t seed, bool has_orders = true) {
  checking::RandomProgramOptions options;
  options.max_devices = 12;
  options.max_depth = static_cast<int64_t>(seed % 3);
  options.barriers = seed % 4 == 1;
  options.unreduced = seed % 5 == 2;
  options.device_orders = has_orders && seed % 7 == 3;
  return checking::random_program(seed, options);
}

std::string first_error(const Diagnostics& errors) {
  return errors.empty() ? "(none)"
                        : errors.front().location.text() + ": " + errors.front().headline();
}

/// Returns the text of the module in another form, as a file would contain it.
std::string exported(ir::Module module, ExportForm form) {
  const auto lost = passes::export_shardings(module, form);
  return lost ? text::to_mlir(module) : first_error(lost.error());
}

ir::Module read(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

ir::Module imported(const std::string& text) {
  ir::Module module = read(text);
  const auto counts = passes::import_shardings(module);
  INFO(text);
  INFO((counts ? std::string() : first_error(counts.error())));
  REQUIRE(counts.has_value());
  REQUIRE(ir::verify(module).empty());
  return module;
}

/// Returns whether lists of devices can name the sharded parts. Parts of one axis on different
/// tensors have no common mesh if no splitting of the axis contains all of them. `{unreduced}`
/// alone names no devices at all.
bool has_common_mesh(const std::string& text) {
  ir::Module module = read(text);
  const auto counts = passes::import_shardings(module);
  if (counts) return true;
  const std::string& message = counts.error().front().message;
  return message.find("no common mesh") == std::string::npos &&
         message.find("lists no devices") == std::string::npos;
}

/// Returns the sharding of each value with a static shape, in the order of the program.
std::vector<std::pair<ir::Type, std::optional<TensorSharding>>> shardings_of(
    const ir::Module& module) {
  std::vector<std::pair<ir::Type, std::optional<TensorSharding>>> all;
  for (const ir::OpId function : module.functions()) {
    const std::vector<ir::Type> args = module.arg_types(function);
    for (std::size_t index = 0; index < args.size(); ++index) {
      all.emplace_back(args[index], ir::arg_sharding(module, function, index));
    }
    const std::vector<ir::Type>& results = module.function(function).result_types;
    for (std::size_t index = 0; index < results.size(); ++index) {
      all.emplace_back(results[index], ir::result_sharding(module, function, index));
    }
  }
  for (const ir::OpId op : ir::pre_order(module)) {
    const bool is_lost = module.is(op, ir::OpKind::SdyPropagationBarrier);
    if (module.is(op, ir::OpKind::Func) || is_lost) continue;
    for (const ir::ValueId result : module.results(op)) {
      all.emplace_back(module.type(result), ir::get_sharding(module, result));
    }
  }
  return all;
}

bool has_device_ids(const ir::Module& module) {
  return std::ranges::any_of(module.meshes(), [&](ir::OpId op) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    return mesh != nullptr && !mesh->device_ids().empty();
  });
}

/// The text of GSPMD marks all ops of a manual computation, including ops that had no sharding.
bool is_marked(const std::optional<TensorSharding>& before,
               const std::optional<TensorSharding>& after) {
  return !before && after && after->empty_axes();
}

bool mean_the_same(const std::optional<TensorSharding>& a, const std::optional<TensorSharding>& b,
                   const ir::Type& type) {
  if (a.has_value() != b.has_value()) return false;
  if (!a || !type.is_static_tensor()) return true;
  if (a->mesh().is_maximal() || b->mesh().is_maximal()) return a->mesh() == b->mesh();
  if (a->mesh().num_devices() != b->mesh().num_devices()) {
    const auto is_whole = [](const TensorSharding& each) {
      return sharding_size(each.dim_axes()) == 1 && sharding_size(each.unreduced_axes()) == 1;
    };
    return is_whole(*a) && is_whole(*b);
  }
  return shardy_test::layouts_equal(*a, *b, type.dims());
}

}  // namespace

TEST_CASE("the round-trip form keeps the whole program", "[interop][random]") {
  const ExportForm form = GENERATE(ExportForm::RoundTrip, ExportForm::RoundTripNamed);
  for (uint64_t seed = 0; seed < num_cases(300); ++seed) {
    CAPTURE(seed);
    const ir::Module module = program(seed).module;
    const std::string text = exported(module, form);
    if (text.find("is not part of the form") != std::string::npos) continue;
    const ir::Module back = imported(text);
    const std::string again = exported(back, form);
    CHECK(again == text);
    const auto before = shardings_of(module);
    const auto after = shardings_of(back);
    REQUIRE(before.size() == after.size());
    for (std::size_t index = 0; index < before.size(); ++index) {
      CAPTURE(index);
      CHECK(mean_the_same(before[index].second, after[index].second, before[index].first));
    }
  }
}

TEST_CASE("the GSPMD form gives each tensor the sharding of the program", "[interop][random]") {
  const ExportForm form = GENERATE(ExportForm::Gspmd, ExportForm::GspmdNamed);
  for (uint64_t seed = 0; seed < num_cases(300); ++seed) {
    CAPTURE(seed);
    const ir::Module module = program(seed, form != ExportForm::Gspmd).module;
    const std::string text = exported(module, form);
    if (text.find("GSPMD") != std::string::npos || text.find("has no text") != std::string::npos)
      continue;
    if (form == ExportForm::Gspmd && !has_common_mesh(text)) continue;
    const ir::Module back = imported(text);
    // A list of devices contains the devices with the same shard in any order.
    if (form == ExportForm::GspmdNamed || !has_device_ids(module)) {
      CHECK(exported(back, form) == text);
    }
    const auto before = shardings_of(module);
    const auto after = shardings_of(back);
    REQUIRE(before.size() == after.size());
    for (std::size_t index = 0; index < before.size(); ++index) {
      CAPTURE(index, before[index].second, after[index].second);
      if (is_marked(before[index].second, after[index].second)) continue;
      CHECK(mean_the_same(before[index].second, after[index].second, before[index].first));
    }
  }
}

TEST_CASE("programs read from another form give the results of the original program",
          "[interop][random]") {
  const ExportForm form = GENERATE(ExportForm::Gspmd, ExportForm::GspmdNamed, ExportForm::RoundTrip,
                                   ExportForm::RoundTripNamed);
  for (uint64_t seed = 0; seed < num_cases(1500) / 60; ++seed) {
    CAPTURE(seed);
    const checking::RandomProgram random = program(seed, form != ExportForm::Gspmd);
    const std::string text = exported(random.module, form);
    if (text.find("part of the form") != std::string::npos) continue;
    if (form == ExportForm::Gspmd && !has_common_mesh(text)) continue;
    const auto report = checking::check(imported(text), random.inputs);
    INFO(text);
    REQUIRE(report.has_value());
    CHECK(report->equal());
  }
}

TEST_CASE("per-device programs keep their shardings in all forms", "[interop][random]") {
  const ExportForm form = GENERATE(ExportForm::Gspmd, ExportForm::GspmdNamed, ExportForm::RoundTrip,
                                   ExportForm::RoundTripNamed);
  for (uint64_t seed = 0; seed < num_cases(3000) / 60; ++seed) {
    CAPTURE(seed);
    const auto compiled = checking::compile(program(seed, form != ExportForm::Gspmd).module);
    REQUIRE(compiled.has_value());
    const std::string text = exported(compiled->program, form);
    CAPTURE(text);
    if (text.find("has no text") != std::string::npos) continue;
    if (form == ExportForm::Gspmd && !has_common_mesh(text)) continue;
    const ir::Module back = imported(text);
    CHECK(exported(back, form) == text);
    const auto before = shardings_of(compiled->program);
    const auto after = shardings_of(back);
    REQUIRE(before.size() == after.size());
    for (std::size_t index = 0; index < before.size(); ++index) {
      CAPTURE(index, before[index].second, after[index].second);
      // The lists contain the devices of all values, including values on all devices.
      if (is_marked(before[index].second, after[index].second)) continue;
      CHECK(mean_the_same(before[index].second, after[index].second, before[index].first));
    }
  }
}

TEST_CASE("a result that cannot reuse the buffer of its donated argument gets a warning",
          "[interop]") {
  const auto error_text = [](const std::string& argument, const std::string& result, int alias) {
    const auto compiled = checking::compile(
        read("sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%a: tensor<4x6xf32> {sdy.sharding = "
             "#sdy.sharding<@mesh, [" +
             argument + "]>, tf.aliasing_output = " + std::to_string(alias) +
             " : i32}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [" + result +
             "]>}) { return %a : tensor<4x6xf32> }"));
    REQUIRE(compiled.has_value());
    std::string all;
    for (const Diagnostic& each : compiled->diagnostics) all += each.message + "\n";
    return all;
  };
  CHECK(error_text(R"({"x"}, {})", R"({"x"}, {})", 0).empty());
  CHECK(error_text("{}, {}", "{}, {}", 0).empty());
  CHECK(error_text(R"({"x"}, {})", R"({}, {"x"})", 0) ==
        "result 0 of @main cannot take the buffer of argument 0: a device has tensor<2x6xf32> by "
        "#sdy.sharding<@mesh, [{\"x\"}, {}]> of one, tensor<4x3xf32> by #sdy.sharding<@mesh, [{}, "
        "{\"x\"}]> of the other\n");
}

// ---- Damage -------------------------------------------------------------------------------------

namespace {

/// Changes a few characters in the strings of a program.
std::string damaged(std::string text, checking::Random& random) {
  constexpr std::string_view kPieces = "{}[]<=,T()0123456789'\"\\?@#xy_ ";
  std::vector<std::size_t> inside;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') in_string = !in_string;
    if (in_string && text[at] != '"' && text[at] != '\\') inside.push_back(at);
  }
  for (int64_t count = random.between(1, 3); count > 0 && !inside.empty(); --count) {
    const std::size_t at = random.pick(inside);
    const char piece =
        kPieces[static_cast<std::size_t>(random.between(0, std::ssize(kPieces) - 1))];
    if (random.chance(3)) {
      text.erase(at, 1);
    } else if (random.chance(2)) {
      text.insert(at, 1, piece);
    } else {
      text[at] = piece;
    }
    std::erase_if(inside, [&](std::size_t each) { return each + 2 >= at; });
  }
  return text;
}

}  // namespace

TEST_CASE("damaged text is an error with a message or a valid program", "[interop][random]") {
  constexpr ExportForm kForms[] = {ExportForm::Gspmd, ExportForm::GspmdNamed, ExportForm::RoundTrip,
                                   ExportForm::RoundTripNamed};
  checking::Random random(1);
  for (uint64_t seed = 0; seed < num_cases(1000); ++seed) {
    const std::string text =
        damaged(exported(program(seed % 200).module, kForms[seed % 4]), random);
    auto module = text::parse_mlir(text);
    if (!module) continue;
    CAPTURE(seed, text);
    const auto counts = passes::import_shardings(*module);
    if (counts) {
      CHECK(ir::verify(*module).empty());
    } else {
      CHECK(!counts.error().empty());
      CHECK(!counts.error().front().message.empty());
    }
  }
}

TEST_CASE("random bytes are an error or a sharding", "[interop][random]") {
  checking::Random random(2);
  for (uint64_t seed = 0; seed < num_cases(2000); ++seed) {
    std::string bytes;
    for (int64_t count = random.between(0, 24); count > 0; --count) {
      constexpr char kLikely[] = "\x08\x03\x1A\x02\x01\x22\x04\x42\x4A\x52\x00\x72\x0A\x12\x2A";
      bytes += random.chance(4) ? static_cast<char>(random.between(0, 255))
                                : kLikely[random.between(0, std::ssize(kLikely) - 2)];
    }
    ir::Module module = read(
        "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> { return %a : "
        "tensor<8x4xf32> }");
    module.function(module.functions()[0]).arg_attributes.resize(1);
    module.function(module.functions()[0]).arg_attributes[0].set("mhlo.sharding", bytes);
    CAPTURE(seed, bytes);
    const auto counts = passes::import_shardings(module);
    if (!counts) {
      CHECK(counts.error().front().message.find("argument 0 of @main") != std::string::npos);
    }
  }
}

}  // namespace interop_test
