// Text and matchers for tests with Catch2 2.13 or 3: matchers of programs, and testing/algebra.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <shardy/checking/check.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/testing/algebra.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace shardy::testing {

/// A matcher for a program with these numbers of collectives of each kind in its text. A collective
/// in a loop counts once. The program must not contain collectives of other kinds.
class HasCollectives : public detail::Matcher<HasCollectives> {
 public:
  HasCollectives(std::initializer_list<std::pair<const ir::OpKind, int64_t>> counts)
      : counts_(counts) {}

  std::string difference(const ir::Module& module) const {
    std::map<ir::OpKind, int64_t> got;
    for (const ir::OpId op : ir::pre_order(module)) {
      if (module.has_trait(op, ir::kCollective)) ++got[module.kind(op)];
    }
    std::map<ir::OpKind, int64_t> all = counts_;
    all.insert(got.begin(), got.end());
    std::string differences;
    for (const auto& [kind, unused] : all) {
      const auto count = [kind = kind](const std::map<ir::OpKind, int64_t>& in) {
        const auto found = in.find(kind);
        return std::to_string(found == in.end() ? 0 : found->second);
      };
      detail::add_line(differences, ir::info(kind).name, count(got), count(counts_));
    }
    return differences;
  }
  std::string difference(const checking::CompiledProgram& compiled) const {
    return difference(compiled.program);
  }
  std::string difference(const DiagnosedResult<checking::CompiledProgram>& compiled) const {
    return compiled ? difference(*compiled)
                    : detail::no_value("an error: " + compiled.error().front().message);
  }
  std::string wanted() const {
    std::string text = "has the collectives";
    for (const auto& [kind, count] : counts_) {
      text += " " + std::to_string(count) + " " + std::string(ir::info(kind).name);
    }
    return counts_.empty() ? "has no collectives" : text;
  }

 private:
  std::map<ir::OpKind, int64_t> counts_;
};

/// A matcher for a source program that gives equal results sharded and unsharded. The per-device
/// program runs on all devices of its mesh with random inputs: in the floats of the program, over a
/// prime field, and in f64, as in checking::check.
class EqualsUnsharded : public detail::Matcher<EqualsUnsharded> {
 public:
  /// Makes a matcher. `seed` is the seed of the random inputs; `options` and `context` are passed
  /// to checking::check.
  explicit EqualsUnsharded(uint64_t seed = 1, checking::CheckOptions options = exact_options(),
                           checking::Context context = {})
      : seed_(seed), options_(std::move(options)), context_(std::move(context)) {}

  std::string difference(const ir::Module& module) const {
    const auto inputs = checking::random_inputs(module, seed_);
    if (!inputs) return detail::no_value("an error: " + inputs.error().message);
    const auto report = checking::check(module, *inputs, options_, context_);
    if (!report) return detail::no_value("an error: " + report.error().front().message);
    std::string differences;
    add(differences, "", report->results);
    add(differences, " over a prime field", report->exact.results);
    add(differences, " in f64", report->wide.results);
    for (const auto* numbers : {&report->exact, &report->wide}) {
      if (!numbers->failure.empty()) differences += "  " + numbers->failure;
    }
    return differences;
  }
  std::string wanted() const { return "computes sharded what it computes unsharded"; }

  /// Returns options that select all comparisons.
  static checking::CheckOptions exact_options() {
    checking::CheckOptions options;
    options.exact = options.wide = true;
    return options;
  }

 private:
  static void add(std::string& differences, std::string_view how,
                  const std::vector<checking::ResultCheck>& results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].equal()) continue;
      const checking::TensorDifference& difference = results[i].difference;
      if (!differences.empty()) differences += '\n';
      differences += "  result " + std::to_string(i) + std::string(how) + ": " +
                     std::to_string(difference.mismatches) + " elements differ, the first at " +
                     std::to_string(difference.first_mismatch.value_or(-1)) + ", by at most " +
                     std::to_string(difference.largest);
    }
  }

  uint64_t seed_;
  checking::CheckOptions options_;
  checking::Context context_;
};

}  // namespace shardy::testing

template <>
struct Catch::StringMaker<shardy::ir::Module> {
  static std::string convert(const shardy::ir::Module& module) {
    return shardy::text::to_mlir(module);
  }
};
template <>
struct Catch::StringMaker<shardy::ir::Type> {
  static std::string convert(const shardy::ir::Type& type) { return shardy::ir::to_string(type); }
};
