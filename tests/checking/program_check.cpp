#include "checking/program_check.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "checking/memory_use.hpp"
#include "checking/programs.hpp"
#include "checking/stablehlo_forms.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace shardy_test {

namespace {

/// Returns elements with any bits that the type has, or integers in [-4, 4].
simulation::Tensor elements(checking::Random& random, const ir::Type& type, bool any_bits) {
  const ir::ElementType element = type.element();
  const int bits = ir::info(element).bits;
  const bool has_bits = ir::is_float(element) || ir::is_complex(element);
  if (!any_bits || !has_bits) return checking::random_tensor(random, type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.num_bytes()));
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random.between(0, bits < 8 ? (1 << bits) - 1 : 255));
  }
  // Zeros of both signs, infinities and NaNs are drawn often.
  const std::size_t size = ir::size_bytes(element);
  const std::vector<double> special = {-0.0, 0.0, 1.0 / 0.0, -1.0 / 0.0};
  for (std::size_t at = 0; ir::is_float(element) && bits >= 16 && at < bytes.size(); at += size) {
    if (random.chance(2)) continue;
    const std::vector<std::byte> one = ir::encode(random.pick(special), element);
    std::ranges::copy(one, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const auto tensor = simulation::Tensor::make(type, bytes);
  REQUIRE(tensor.has_value());
  return *tensor;
}

/// Returns indices around [0, bound), and in some cases indices as large as the type allows.
simulation::Tensor indices(checking::Random& random, const ir::Type& type, int64_t bound) {
  const bool is_unsigned = ir::is_unsigned_integer(type.element());
  const int bits = ir::info(type.element()).bits;
  const int64_t most = is_unsigned ? -1 : static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  std::vector<std::byte> bytes;
  for (int64_t at = 0; at < type.num_elements(); ++at) {
    int64_t index = random.between(is_unsigned ? 0 : -2, bound + 1);
    if (random.chance(12)) index = random.chance(2) ? most : -most - 1;
    const std::vector<std::byte> one = ir::encode_int(index, type.element());
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  const auto tensor = simulation::Tensor::make(type, bytes);
  REQUIRE(tensor.has_value());
  return *tensor;
}

simulation::Tensors run(const ir::Module& module, const simulation::Tensors& inputs,
                        simulation::Fill fill) {
  simulation::RunOptions options;
  options.num_workers = 1;
  options.kernels.fill = fill;
  const auto result = simulation::run_global(module, "main", inputs, options);
  INFO((result ? std::string() : result.error().message + "\n" + text::to_mlir(module)));
  REQUIRE(result.has_value());
  return result->outputs;
}

void check_equal(const simulation::Tensors& got, const simulation::Tensors& want,
                 double tolerance) {
  if (tolerance == 0) {
    CHECK(got == want);
    return;
  }
  REQUIRE(got.size() == want.size());
  for (std::size_t index = 0; index < got.size(); ++index) {
    CAPTURE(index);
    CHECK(checking::compare(got[index], want[index], {tolerance}).mismatches == 0);
  }
}

}  // namespace

void check_program(const IndexedProgram& program, uint64_t seed) {
  INFO(program.text);
  const auto module = text::parse_mlir(program.text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  checking::Random random(seed);
  simulation::Tensors inputs;
  for (const ir::Type& type : module->arg_types(*module->main_function())) {
    const int64_t bound = program.bounds[inputs.size()];
    inputs.push_back(bound > 0 ? indices(random, type, bound)
                               : elements(random, type, program.moves_only));
  }
  const auto compiled = checking::compile(*module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  INFO(text::to_mlir(compiled->collectives));
  INFO(text::to_mlir(compiled->program));
  const Diagnostics wrong = ir::verify(compiled->program);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  const simulation::Tensors want = run(*module, inputs, simulation::Fill::Zero);
  check_equal(run(compiled->program, inputs, simulation::Fill::Poison), want, program.tolerance);
  check_equal(run(compiled->program, inputs, simulation::Fill::OtherPoison), want,
              program.tolerance);
  check_stablehlo_form(compiled->program, inputs, want, seed, program.tolerance);
}

void check_kind(MakeProgram make, int64_t kind, uint64_t drawn, const char* variable) {
  CAPTURE(kind);
  const char* setting = std::getenv(variable);
  if (setting == nullptr || std::string_view(setting) != "all") {
    if (setting != nullptr) drawn = std::strtoull(setting, nullptr, 10);
    for (uint64_t seed = 0; seed < drawn; ++seed) {
      Choices choices(seed);
      check_program(make(choices, kind), seed);
    }
    return;
  }
  Choices choices;
  uint64_t count = 0;
  do {
    check_program(make(choices, kind), count++);
  } while (choices.next());
  WARN("kind " << kind << ": " << count << " programs");
}

std::string traffic_of(const std::string& text, double memory) {
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  const auto report = checking::check(*module, small_integers(*module, 7));
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  INFO(text::to_mlir(report->compiled.program));
  CHECK(report->equal());
  const MemoryUse use = memory_use(*report);
  CAPTURE(use.peak, use.exchanged, use.own);
  CHECK(use.ratio() <= memory);
  std::string traffic_text;
  for (const auto& [kind, traffic] : report->sharded.devices.front().traffic) {
    if (!traffic_text.empty()) traffic_text += ", ";
    const std::string count = traffic.count == 1 ? "" : std::to_string(traffic.count) + "x ";
    traffic_text += count + std::string(ir::info(kind).name.substr(5)) + " " +
                    std::to_string(traffic.bytes_sent);
  }
  for (const auto& note : report->compiled.notes) traffic_text += "; " + note.reason;
  return traffic_text;
}

}  // namespace shardy_test
