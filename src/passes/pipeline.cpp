#include "shardy/passes/pipeline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "shardy/support/quote.hpp"

namespace shardy::passes {

namespace {

Error unknown_pass(const PassRegistry& registry, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Pass& pass : registry.passes()) {
    if (!pass.is_hidden) names.emplace_back(pass.name);
  }
  Error error{"unknown pass: " + std::string(name)};
  if (const auto meant = closest(name, names))
    error.notes.push_back("did you mean " + *meant + "?");
  return error;
}

Error named(const PassCall& call, Error error) {
  return with_prefix(call.name + ": ", std::move(error));
}

}  // namespace

Result<std::vector<PlannedPass>> plan_passes(const PassRegistry& registry,
                                             std::span<const PassCall> calls) {
  // Nesting deeper than the number of passes: a pipeline contains itself.
  const std::size_t max_depth = registry.passes().size();
  struct Pending {
    PassCall call;
    std::size_t depth;
  };
  std::vector<Pending> pending;  // next one last
  const auto push = [&](std::span<const PassCall> inner, std::size_t depth) {
    for (auto call = inner.rbegin(); call != inner.rend(); ++call) {
      pending.push_back({*call, depth});
    }
  };
  push(calls, 0);
  std::vector<PlannedPass> planned;
  while (!pending.empty()) {
    const Pending next = std::move(pending.back());
    pending.pop_back();
    const Pass* pass = registry.find(next.call.name);
    if (pass == nullptr) return tl::unexpected(unknown_pass(registry, next.call.name));
    Result<OptionValues> options = parse_options(pass->options, next.call.options);
    if (!options) return tl::unexpected(named(next.call, options.error()));
    if (pass->expand && next.depth > max_depth)
      return fail("a pipeline contains itself: " + pass->name);
    if (pass->expand) {
      push(pass->expand(*options), next.depth + 1);
    } else {
      planned.push_back({pass, *std::move(options)});
    }
  }
  return planned;
}

namespace {

/// Returns the errors of the preconditions of the pass.
PassErrors refusal_of(const Pass& pass, const ir::Module& module) {
  for (const auto want : pass.wants) {
    PassErrors errors = want(module);
    for (Error& error : errors) error.notes.push_back("before the pass " + pass.name);
    if (!errors.empty()) return errors;
  }
  return {};
}

}  // namespace

PassErrors run_passes(ir::Module& module, std::span<const PlannedPass> passes,
                      const PipelineHooks& hooks) {
  const rules::Registry built_in;
  const rules::Registry& rules = hooks.rules != nullptr ? *hooks.rules : built_in;
  for (const PlannedPass& planned : passes) {
    SHARDY_EXPECTS(planned.pass != nullptr && planned.pass->run != nullptr);
    if (hooks.before) hooks.before(*planned.pass, module);
    PassContext context(planned.options, hooks.sinks, rules, hooks.extensions);
    PassErrors errors = refusal_of(*planned.pass, module);
    if (errors.empty()) errors = planned.pass->run(module, context);
    if (!errors.empty()) return errors;
    if (hooks.after) errors = hooks.after(*planned.pass, module);
    if (!errors.empty()) return errors;
  }
  return {};
}

PassErrors run_pipeline(ir::Module& module, const PassRegistry& registry,
                        std::span<const PassCall> calls, const PipelineHooks& hooks) {
  const Result<std::vector<PlannedPass>> planned = plan_passes(registry, calls);
  if (!planned) return {planned.error()};
  return run_passes(module, *planned, hooks);
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kModuleAnchor = "builtin.module";
constexpr std::string_view kFunctionAnchor = "func.func";

/// A reader of a pipeline from left to right; `anchors` are the ops with open parentheses.
class PipelineReader {
 public:
  PipelineReader(const PassRegistry& registry, std::string_view text)
      : registry_(registry), rest_(text) {}

  Result<std::vector<PassCall>> read();

 private:
  Status read_element();
  Status add_pass(std::string_view name);
  Result<std::string_view> take_options();
  bool take(char c);
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  const PassRegistry& registry_;
  std::string_view rest_;
  std::vector<std::string_view> anchors_;
  std::vector<PassCall> calls_;
};

bool PipelineReader::take(char c) {
  skip_blanks();
  if (!rest_.starts_with(c)) return false;
  rest_.remove_prefix(1);
  return true;
}

Result<std::string_view> PipelineReader::take_options() {
  int64_t depth = 0;
  for (std::size_t at = 0; at < rest_.size(); ++at) {
    if (rest_[at] == '{') ++depth;
    if (rest_[at] == '}' && --depth == 0) {
      const std::string_view inner = rest_.substr(1, at - 1);
      rest_.remove_prefix(at + 1);
      return inner;
    }
  }
  return fail("missing closing '}' while processing pass options");
}

Status PipelineReader::add_pass(std::string_view name) {
  const Pass* pass = registry_.find(name);
  if (pass == nullptr || pass->is_hidden) {
    Error error = unknown_pass(registry_, name);
    error.message = fmt::format("'{}' does not refer to a registered pass or pass pipeline", name);
    return tl::unexpected(std::move(error));
  }
  if (pass->kind == PassKind::Module && anchors_.back() == kFunctionAnchor) {
    return fail(
        fmt::format("can't add pass '{}' restricted to '{}' on a PassManager intended to "
                    "run on '{}', did you intend to nest?",
                    name, kModuleAnchor, kFunctionAnchor));
  }
  PassCall call{std::string(name)};
  if (rest_.starts_with('{')) {
    SHARDY_TRY(call.options, take_options());
  }
  calls_.push_back(std::move(call));
  return {};
}

Status PipelineReader::read_element() {
  skip_blanks();
  const std::string_view name = rest_.substr(0, rest_.find_first_of("(){}, \t\n"));
  rest_.remove_prefix(name.size());
  if (!rest_.starts_with('(')) return add_pass(name);
  const bool fits =
      name == kFunctionAnchor || name == "any" || (name == kModuleAnchor && anchors_.empty());
  if (!fits) return fail(fmt::format("passes cannot be nested in '{}'", name));
  rest_.remove_prefix(1);
  anchors_.push_back(name);
  return {};
}

Result<std::vector<PassCall>> PipelineReader::read() {
  skip_blanks();
  if (!rest_.starts_with("builtin.module(") && !rest_.starts_with("any(")) {
    return fail(
        "expected pass pipeline to be wrapped with the anchor operation type, e.g. "
        "'builtin.module(...)'");
  }
  bool is_start = true;  // an element or the end of an empty list may follow
  do {
    if (is_start && !anchors_.empty() && take(')')) {
      anchors_.pop_back();
      is_start = false;
    } else {
      const std::size_t depth = anchors_.size();
      SHARDY_TRY_STATUS(read_element());
      is_start = anchors_.size() > depth;
    }
    while (!is_start && !anchors_.empty() && take(')')) anchors_.pop_back();
    if (!is_start && !anchors_.empty() && !take(',')) {
      return fail("expected ',' after parsing pipeline");
    }
  } while (!anchors_.empty());
  skip_blanks();
  if (!rest_.empty()) return fail("encountered extra closing ')' creating unbalanced parentheses");
  return std::move(calls_);
}

}  // namespace

Result<std::vector<PassCall>> parse_pipeline(const PassRegistry& registry, std::string_view text) {
  return PipelineReader(registry, text).read();
}

}  // namespace shardy::passes
