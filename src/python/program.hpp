// A program as a Python object holds it, and the exception that an operation on it may throw.
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
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/files.hpp"

namespace shardy::python {

/// Becomes `shardy.Error` in Python. Only src/python throws exceptions: an error that the library
/// returns is converted to this exception here.
class Refused : public std::exception {
 public:
  /// `text`: all diagnostics, as the command line prints them.
  Refused(Diagnostics diagnostics, std::string text)
      : diagnostics_(std::move(diagnostics)), text_(std::move(text)) {}
  /// An error that belongs to no program.
  explicit Refused(Error error);

  const char* what() const noexcept override { return text_.c_str(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  std::string text_;
};

/// Returns the value of the result. Throws: Refused, if the result is an error.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw Refused(std::move(result).error());
  return *std::move(result);
}
inline void throw_error(Status status) {
  if (!status) throw Refused(std::move(status).error());
}

/// Options that all stages share.
struct StageOptions {
  std::string axis_cost = {};      // in the syntax of --axis-cost
  bool strict = false;             // unrequested replication is an error
  checking::Context context = {};  // decisions of the caller
  WorkLimits limits = {};          // of compilations
};

/// The form of a partitioned program.
struct PartitionForm {
  std::optional<partitioning::StablehloForm> stablehlo = {};  // std::nullopt keeps the spmd ops
  bool lowers_chlo = false;  // whether CHLO ops become StableHLO ops
};

struct CheckSettings {
  StageOptions stages = {};
  bool exact = true;
  bool wide = true;
  std::optional<double> tolerance = {};
};

/// A program. Immutable, so that threads may share it. A copy shares the module and the text.
class PythonProgram {
 public:
  /// Parses MLIR text or JSON. `name` is the file name that errors show. Throws: Refused.
  static PythonProgram parse(std::string text, std::string name, passes::ImportForm form);

  const ir::Module& module() const { return *module_; }
  /// Warnings and notes of the stages so far.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  std::string to_mlir() const;
  std::string to_json() const;
  /// Returns the op of @main, which must have a body. Throws: Refused.
  ir::OpId main_function() const;

  /// Returns the names of the values. The first call makes the names, and copies of the program
  /// share them.
  const text::WrittenValues& names() const;

  /// The content of a pickled program. The text becomes the source of the loaded program, so later
  /// errors have positions in it.
  struct PickledProgram {
    std::string path;  // path of the source
    std::string mlir;  // program text with names and locations
    Diagnostics diagnostics;
    passes::ProgramMarks marks;
  };
  PickledProgram state() const;
  /// Throws: Refused, if the text is not a program.
  static PythonProgram of_state(PickledProgram state);

  // All these functions throw Refused.
  PythonProgram annotate(const std::vector<report::Setting>& settings) const;
  PythonProgram propagate(const StageOptions& options) const;
  PythonProgram partition(const StageOptions& options, const PartitionForm& form) const;
  report::Report report(const StageOptions& options) const;
  propagation::Explanation explain(const StageOptions& options) const;
  report::Hints hints(const StageOptions& options, report::HintOptions asked) const;
  autoshard::FoundSharding autoshard(const StageOptions& options,
                                     autoshard::AutoshardOptions asked) const;
  std::vector<autoshard::FoundSharding> autoshard_front(const StageOptions& options,
                                                        std::size_t count,
                                                        autoshard::AutoshardOptions asked) const;
  autoshard::AutoshardOptions search_options(const StageOptions& options,
                                             autoshard::AutoshardOptions asked) const;
  /// Returns a program with another module and the same source.
  PythonProgram with_module(ir::Module module, Diagnostics diagnostics) const {
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
  PythonProgram(ir::Module module, SourcePtr source, Diagnostics diagnostics,
                passes::ProgramMarks marks);

  [[noreturn]] static void refuse(const tools::Source& source, Diagnostics diagnostics);
  bool runs_as_written() const;

  std::shared_ptr<const ir::Module> module_;
  SourcePtr source_;
  Diagnostics diagnostics_;
  passes::ProgramMarks marks_;    // the marks of the source text
  std::shared_ptr<Names> names_;  // the names in module_
};

}  // namespace shardy::python
