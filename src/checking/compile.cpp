#include "shardy/checking/compile.hpp"

#include <utility>

#include "shardy/ir/verify.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/export/export_pipeline.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::checking {

tl::expected<CompiledProgram, std::vector<Error>> compile(const ir::Module& module,
                                                          const CompileOptions& options) {
  std::vector<Error> errors = ir::verify(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  CompiledProgram compiled;
  compiled.propagated = module;
  Result<propagation::PropagationReport> report =
      propagation::propagate(compiled.propagated, options.propagation);
  if (!report) return tl::unexpected(std::vector{std::move(report).error()});
  compiled.warnings = std::move(report->warnings);

  compiled.collectives = compiled.propagated;
  errors = passes::run_pipeline(compiled.collectives, passes::built_in_passes(),
                                passes::lowering_pipeline());
  if (!errors.empty()) return tl::unexpected(std::move(errors));

  auto partitioned = partitioning::partition(compiled.collectives, options.partition);
  if (!partitioned) return tl::unexpected(std::move(partitioned).error());
  compiled.program = std::move(partitioned->module);
  compiled.notes = std::move(partitioned->notes);
  return compiled;
}

}  // namespace shardy::checking
