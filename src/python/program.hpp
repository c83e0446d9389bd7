// A program as Python holds it, and why something of it was refused.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/files.hpp"

namespace shardy::python {

/// Becomes `shardy.Error`. Only this folder throws: what the library returns as an error ends here.
class Refused : public std::exception {
 public:
  /// `text`: all of it, as the command line would print it.
  Refused(Diagnostics diagnostics, std::string text)
      : diagnostics_(std::move(diagnostics)), text_(std::move(text)) {}
  /// An error of no program.
  explicit Refused(Error error);

  const char* what() const noexcept override { return text_.c_str(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  std::string text_;
};

/// The value. Throws: Refused, with its error.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw Refused(std::move(result).error());
  return *std::move(result);
}
inline void throw_error(Status status) {
  if (!status) throw Refused(std::move(status).error());
}

/// Options of all stages.
struct StageOptions {
  std::string axis_cost = {};  // as of --axis-cost
  bool strict = false;         // what is replicated beyond what the shardings ask for is an error
  checking::Context context = {};  // decisions of the caller
  WorkLimits limits = {};          // of compilations
};

/// Form of a partitioned program.
struct PartitionForm {
  std::optional<partitioning::StablehloForm> stablehlo = {};  // std::nullopt: spmd ops
  bool lowers_chlo = false;                                   // CHLO as StableHLO
};

struct CheckSettings {
  StageOptions stages = {};
  bool exact = true;
  bool wide = true;
  std::optional<double> tolerance = {};
};

/// Immutable, so that threads may share one; a copy shares the module and the text.
class Program {
 public:
  /// MLIR text or JSON. `name` is the file of which errors speak. Throws: Refused.
  static Program parse(std::string text, std::string name, passes::ImportForm form);

  const ir::Module& module() const { return *module_; }
  /// Warnings and notes of the stages so far.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  std::string to_mlir() const;
  std::string to_json() const;
  /// @main with a body. Throws: Refused.
  ir::OpId main_function() const;

  /// Names of its values; made at the first call, and shared by copies.
  const text::WrittenValues& names() const;

  /// A pickled program. Its text becomes the source: later errors have places in it.
  struct State {
    std::string path;  // of the source
    std::string mlir;  // with names and locations
    Diagnostics diagnostics;
    passes::ProgramMarks marks;
  };
  State state() const;
  /// Throws: Refused, if the text is not that of a program.
  static Program of_state(State state);

  // All throw Refused.
  Program annotate(const std::vector<report::Setting>& settings) const;
  Program propagate(const StageOptions& options) const;
  Program partition(const StageOptions& options, const PartitionForm& form) const;
  report::Report report(const StageOptions& options) const;
  propagation::Explanation explain(const StageOptions& options) const;
  report::Hints hints(const StageOptions& options, report::HintOptions asked) const;
  autoshard::FoundSharding autoshard(const StageOptions& options,
                                     autoshard::AutoshardOptions asked) const;
  /// The program with other contents, from the same source.
  Program with_module(ir::Module module, Diagnostics diagnostics) const {
    return {std::move(module), source_, std::move(diagnostics), marks_};
  }
  simulation::Tensors run(const simulation::Tensors& inputs, const StageOptions& options,
                          const simulation::RunOptions& run) const;
  checking::CheckReport check(const simulation::Tensors& inputs, const CheckSettings& settings,
                              std::stop_token cancel) const;
  simulation::Tensors random_inputs(uint64_t seed) const;
  checking::CompileOptions compile_options(const StageOptions& options) const;

 private:
  using SourcePtr = std::shared_ptr<const tools::Source>;
  struct Names;
  Program(ir::Module module, SourcePtr source, Diagnostics diagnostics, passes::ProgramMarks marks);

  [[noreturn]] static void refuse(const tools::Source& source, Diagnostics diagnostics);
  bool runs_as_written() const;

  std::shared_ptr<const ir::Module> module_;
  SourcePtr source_;
  Diagnostics diagnostics_;
  passes::ProgramMarks marks_;    // that the text had
  std::shared_ptr<Names> names_;  // of module_
};

}  // namespace shardy::python
