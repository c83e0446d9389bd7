// Marks of other pipelines: sdy.constant ops and stablehlo.mesh attributes.
//
//   %0 = sdy.constant 1.0                            ->   %0 = stablehlo.constant 1.0
//   sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = ..} ->   sdy.mesh @mesh = <["x"=2]>
#include <algorithm>
#include <vector>

#include "passes/interop/foreign_export.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/interop.hpp"

namespace shardy::passes {

namespace {

constexpr std::string_view kMeshCopy = "stablehlo.mesh";

}  // namespace

ProgramMarks marks_of(const ir::Module& module) {
  ProgramMarks marks;
  const std::vector<ir::OpId> meshes = module.meshes();
  marks.mesh_copies = std::ranges::any_of(
      meshes, [&](ir::OpId mesh) { return module.attributes(mesh).contains(kMeshCopy); });
  const std::vector<ir::OpId> ops = ir::pre_order(module);
  marks.constants =
      std::ranges::any_of(ops, [&](ir::OpId op) { return module.is(op, ir::OpKind::SdyConstant); });
  return marks;
}

void drop_marks(ir::Module& module, const ProgramMarks& kept) {
  if (!kept.constants) export_constants(module);
  if (kept.mesh_copies) return;
  for (const ir::OpId mesh : module.meshes()) module.attributes(mesh).erase(kMeshCopy);
}

}  // namespace shardy::passes
