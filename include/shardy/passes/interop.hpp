// Shardings that do not arrive as plain sdy: those of GSPMD, and what XLA's round trip leaves of
// sdy. Spec: interop.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::passes {

/// Forms of shardings that an import reads.
enum class ImportForm : uint8_t { Auto, Gspmd, RoundTrip, None };

/// Outcome of an import.
struct ImportedShardings {
  int64_t arguments = 0, results = 0, ops = 0;  // with mhlo.sharding
  int64_t keys = 0;                             // xla.sdy.sharding, and those of function results
  int64_t constraints = 0, groups = 0, barriers = 0, shard_maps = 0;  // custom calls
  int64_t placeholders = 0;   // `{replicated}` where the round trip had nothing
  int64_t likes = 0;          // `shard_like`, which has no counterpart
  int64_t reconstructed = 0;  // in_shardings that were found by the shapes
  int64_t left = 0;           // carriers that were not read, because the form excludes them
  std::string mesh = {};      // `@mesh = <["_axis_0"=4]>`: the one of mhlo.sharding

  /// `imported 7 mhlo.sharding on @mesh = <["_axis_0"=8]>: 4 arguments, ...`; empty if nothing was.
  std::string note() const;
};

/// Makes the first nested module with a function the program, if the module has no function of its
/// own, as files with nested or several modules have it. Call it before import_shardings. Returns a
/// note that names the nested module. Cost: linear in the module.
std::optional<Diagnostic> enter_module(ir::Module& module);

/// Checks whether the module has shardings that import_shardings reads. Spec: interop 10.
bool carries_foreign_shardings(const ir::Module& module);

/// Turns `mhlo.sharding`, custom calls of GSPMD, and what XLA names `xla.sdy` (keys, bodies,
/// custom calls) into sdy. A module without any stays as it is. Errors: what looks like a sharding
/// and is not understood, with its place; the module is half changed then. Spec: interop 5, 6.
tl::expected<ImportedShardings, Diagnostics> import_shardings(ir::Module& module,
                                                              ImportForm form = ImportForm::Auto);

/// In which form shardings are written; `Named`: with the names of axes.
enum class ExportForm : uint8_t { Sdy, Gspmd, GspmdNamed, RoundTrip, RoundTripNamed };

/// Writes the shardings of a module of sdy in another form, by XLA's export pipelines. What the
/// form cannot carry is in the warnings. Errors: ops that are not part of the form.
/// Spec: interop 7.
tl::expected<Diagnostics, Diagnostics> export_shardings(ir::Module& module, ExportForm form);

/// Attributes that pipelines add for other compilers.
struct ProgramMarks {
  bool constants = false;    // `sdy.constant`, which is not merged, for `stablehlo.constant`
  bool mesh_copies = false;  // `stablehlo.mesh` of meshes: the mesh once more
};

/// Returns whether the module carries each of the marks. Cost: linear in the program.
ProgramMarks marks_of(const ir::Module& module);
/// Takes the marks out again, but for the kinds to keep: those of the program as it was written.
/// Cost: linear in the program.
void drop_marks(ir::Module& module, const ProgramMarks& kept);

}  // namespace shardy::passes
