// Import and export of other forms of shardings: GSPMD's and XLA's round trip of sdy. Spec:
// interop.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::passes {

/// Forms of shardings that an import reads.
enum class ImportForm : uint8_t { Auto, Gspmd, RoundTrip, None };

/// Counts of an import.
struct ImportedShardings {
  int64_t arguments = 0, results = 0, ops = 0;  // with mhlo.sharding
  int64_t keys = 0;                             // xla.sdy.sharding, and those of function results
  int64_t constraints = 0, groups = 0, barriers = 0, shard_maps = 0;  // custom calls
  int64_t placeholders = 0;   // `{replicated}` of values without sharding
  int64_t likes = 0;          // `shard_like` annotations, which sdy does not have
  int64_t reconstructed = 0;  // in_shardings derived from shapes
  int64_t left = 0;           // annotations that the requested form excludes
  std::string mesh = {};      // `@mesh = <["_axis_0"=4]>`: the mesh of mhlo.sharding

  /// Returns `imported 7 mhlo.sharding on @mesh = <["_axis_0"=8]>: 4 arguments, ...`; empty if
  /// nothing was imported.
  std::string note() const;
};

/// Replaces a module without functions by its first nested module with a function, for files with
/// nested or several modules. Call it before import_shardings. Returns a note that names the nested
/// module; std::nullopt without a change. Cost: linear in the module.
std::optional<Diagnostic> enter_module(ir::Module& module);

/// Checks whether the module has shardings that import_shardings converts. Spec: interop 10.
bool carries_foreign_shardings(const ir::Module& module);

/// Converts `mhlo.sharding`, custom calls of GSPMD, and XLA's `xla.sdy` attributes, bodies and
/// custom calls to sdy. Modules without these stay unchanged. Errors: invalid or misspelled
/// shardings, at their location; the module is then partly changed. Spec: interop 5, 6.
DiagnosedResult<ImportedShardings> import_shardings(ir::Module& module,
                                                    ImportForm form = ImportForm::Auto);

/// Form of exported shardings; `Named`: with axis names.
enum class ExportForm : uint8_t { Sdy, Gspmd, GspmdNamed, RoundTrip, RoundTripNamed };

/// Writes the shardings of an sdy module in another form, as XLA's export pipelines do. Returns
/// warnings about features that the form does not have. Errors: ops that the form does not have.
/// Spec: interop 7.
DiagnosedResult<Diagnostics> export_shardings(ir::Module& module, ExportForm form);

/// Attributes and ops that pipelines add for other compilers.
struct ProgramMarks {
  bool constants = false;    // `sdy.constant`, which is not merged, instead of `stablehlo.constant`
  bool mesh_copies = false;  // `stablehlo.mesh` attributes of mesh ops
};

/// Returns the marks that the module has. Cost: linear in the program.
ProgramMarks marks_of(const ir::Module& module);
/// Removes the marks, except the kinds in `kept`, which the source program had. Cost: linear in the
/// program.
void drop_marks(ir::Module& module, const ProgramMarks& kept);

}  // namespace shardy::passes
