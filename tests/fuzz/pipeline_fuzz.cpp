// Runs random pipelines on random and mutated programs. The resulting programs must be valid, and
// equal after printing and parsing in both formats.
//
//   pipeline_fuzz [--seed N] [--count N] [--verbose] [--out FOLDER] FILE_OR_FOLDER...
//
// The files, *.mlir and *.json, are programs to mutate. A finding prints its seed N, and
// --seed N --count 1 repeats it. With --out its program is written to FOLDER/N.mlir, whose first
// line is the command that shows the finding.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/program_mutator.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/files.hpp"

namespace fuzz {
namespace {

using shardy::Diagnostics;
using shardy::Error;
using shardy::checking::Random;
using shardy::ir::Module;
using shardy::passes::PassCall;

struct Settings {
  uint64_t seed = 1;
  uint64_t count = 300;
  bool verbose = false;
  std::string out = {};
  std::vector<std::string> programs = {};  // MLIR text
};

// ---- Programs -----------------------------------------------------------------------------------

using shardy_test::read_text;

/// Adds the programs of a file. Files of golden tests have several programs and their expected
/// output, separated by lines `// ----`.
void add_programs(const std::filesystem::path& path, std::vector<std::string>& programs) {
  if (path.extension() == ".json") {
    const auto module = shardy::text::parse_json(read_text(path));
    if (module) programs.push_back(shardy::text::to_mlir(*module));
  }
  if (path.extension() != ".mlir") return;
  for (const std::string& text : shardy::text::split_programs(read_text(path), "// ----")) {
    constexpr std::size_t kLargest = 20000;  // bytes: small programs are mutated fast
    const auto module =
        text.size() < kLargest ? shardy::text::parse_mlir(text) : tl::unexpected(Diagnostics());
    if (module && !module->functions().empty()) programs.push_back(shardy::text::to_mlir(*module));
  }
}

std::vector<std::string> programs_in(const std::vector<std::string>& paths) {
  std::vector<std::string> programs;
  for (const std::string& path : paths) {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::is_directory(path)) files.emplace_back(path);
    if (files.empty()) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) add_programs(file, programs);
  }
  return programs;
}

ProgramMutator program_of(Random& random, const Settings& settings) {
  if (!settings.programs.empty() && !random.chance(3)) {
    auto given = ProgramMutator::make(random.pick(settings.programs));
    if (given) return *std::move(given);
  }
  const auto made = shardy::checking::random_program(
      static_cast<uint64_t>(random.between(1, 1'000'000'000)),
      {.max_ops = 8, .max_dim = 6, .max_depth = random.between(0, 2)});
  auto program = ProgramMutator::make(shardy::text::to_mlir(made.module));
  if (!program) std::abort();  // a random program is valid
  return *std::move(program);
}

// ---- Pipelines ----------------------------------------------------------------------------------

std::string random_value(Random& random, const shardy::passes::PassOption& option) {
  using shardy::passes::OptionType;
  switch (option.type) {
    case OptionType::Bool:
      return random.chance(2) ? "true" : "false";
    case OptionType::Enum:
      return random.pick(option.choices);
    case OptionType::Int:
      return option.name.ends_with("-count") ? std::to_string(random.between(1, 2)) : "";
    case OptionType::String:
      break;  // options with names of files or ops get no value
  }
  return {};
}

std::vector<PassCall> random_calls(Random& random, const shardy::passes::PassRegistry& registry) {
  std::vector<PassCall> calls;
  for (int64_t left = random.between(1, 6); left > 0; --left) {
    const auto& pass = random.pick(registry.passes());
    if (pass.name == "sdy-save-module") continue;
    PassCall call{pass.name};
    for (const auto& option : pass.options) {
      const std::string value = random.chance(3) ? random_value(random, option) : std::string();
      if (value.empty()) continue;
      call.options += (call.options.empty() ? "" : " ") + option.name + "=" + value;
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

std::string command_of(const std::vector<PassCall>& calls) {
  std::string text = "shardy opt";
  for (const PassCall& call : calls) {
    text += " --" + call.name;
    if (!call.options.empty()) text += "='" + call.options + "'";
  }
  return text;
}

// ---- Checks ------------------------------------------------------------------------------------

std::string text_of(const Diagnostics& errors) {
  std::string text;
  for (const Error& error : errors)
    text += "  " + error.location.text() + ": " + error.message + "\n";
  return text;
}

std::string mlir_finding(const Module& module, bool generic) {
  const std::string printed = shardy::text::to_mlir(module, {.generic = generic});
  const auto again = shardy::text::parse_mlir(printed);
  const std::string form = generic ? "generic MLIR text" : "MLIR text";
  if (!again) return form + " is not read:\n" + text_of(again.error()) + printed;
  if (generic && !shardy::text::same_program(module, *again)) return form + " is another program";
  if (shardy::text::to_mlir(*again, {.generic = generic}) == printed) return {};
  return form + " prints otherwise when read:\n" + printed;
}

std::string json_finding(const Module& module) {
  const std::string printed = shardy::text::to_json(module);
  const auto again = shardy::text::parse_json(printed);
  if (!again) return "JSON is not read:\n" + text_of(again.error()) + printed;
  if (!shardy::text::same_program(module, *again)) return "JSON is another program:\n" + printed;
  return {};
}

/// Returns a fault of the module; empty if none.
std::string finding_in(const Module& module) {
  const Diagnostics errors = shardy::ir::verify(module);
  if (!errors.empty()) return "is not valid:\n" + text_of(errors);
  std::string finding = mlir_finding(module, false);
  if (finding.empty()) finding = mlir_finding(module, true);
  if (finding.empty()) finding = json_finding(module);
  return finding;
}

/// Runs the pipeline and returns a fault; empty if none. A pass may return an error with a message.
std::string finding_of(Module module, const std::vector<PassCall>& calls,
                       const shardy::passes::PassRegistry& registry) {
  std::string finding;
  shardy::passes::PipelineHooks hooks;
  hooks.after = [&](const shardy::passes::Pass& pass,
                    const Module& changed) -> shardy::Diagnostics {
    finding = finding_in(changed);
    if (finding.empty()) return {};
    finding = "what " + pass.name + " leaves: " + finding;
    return {Error{"stopped", {}, {}}};
  };
  const auto errors = shardy::passes::run_pipeline(module, registry, calls, hooks);
  const bool is_silent =
      std::ranges::any_of(errors, [](const Error& error) { return error.message.empty(); });
  return is_silent ? "an error without a message" : finding;
}

void save(const Settings& settings, uint64_t seed, const std::string& command,
          const std::string& program) {
  if (settings.out.empty()) return;
  std::filesystem::create_directories(settings.out);
  std::ofstream(settings.out + "/" + std::to_string(seed) + ".mlir") << "// " << command << "\n"
                                                                     << program;
}

int run(const Settings& settings) {
  const shardy::passes::PassRegistry registry = shardy::partitioning::all_passes();
  uint64_t findings = 0;
  for (uint64_t seed = settings.seed; seed < settings.seed + settings.count; ++seed) {
    Random random(seed);
    if (settings.verbose) {
      std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    ProgramMutator program = program_of(random, settings);
    program.mutate(random, random.between(0, 8));
    const std::vector<PassCall> calls = random_calls(random, registry);
    const std::string command = command_of(calls);
    if (settings.verbose) save(settings, seed, command, program.text());  // before it may crash
    const std::string finding = finding_of(program.module(), calls, registry);
    if (finding.empty()) continue;
    ++findings;
    save(settings, seed, command, program.text());
    std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), command.c_str(),
                finding.c_str());
  }
  std::printf("%llu pipelines over %zu programs, %llu findings\n",
              static_cast<unsigned long long>(settings.count), settings.programs.size(),
              static_cast<unsigned long long>(findings));
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fuzz

int main(int argc, char** argv) {
  fuzz::Settings settings;
  std::vector<std::string> paths;
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    const bool has_next = index + 1 < argc;
    if (word == "--verbose") {
      settings.verbose = true;
    } else if (word == "--seed" && has_next) {
      settings.seed = std::strtoull(argv[++index], nullptr, 10);
    } else if (word == "--count" && has_next) {
      settings.count = std::strtoull(argv[++index], nullptr, 10);
    } else if (word == "--out" && has_next) {
      settings.out = argv[++index];
    } else {
      paths.emplace_back(word);
    }
  }
  settings.programs = fuzz::programs_in(paths);
  return fuzz::run(settings);
}
