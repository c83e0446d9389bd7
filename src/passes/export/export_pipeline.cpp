#include "shardy/passes/export/export_pipeline.hpp"

#include <array>

#include "shardy/passes/export/canonicalize.hpp"

namespace shardy::passes {

namespace {

struct ExportRow {
  const char* name;
  const char* summary;
  PassErrors (*run)(ir::Module&);
};

constexpr std::array kExportPasses = {
    ExportRow{"sharding-constraint-to-reshard",
              "turns sharding constraints into reshards and removes sharding groups",
              &sharding_constraint_to_reshard},
    ExportRow{"close-shardings", "closes all dims and drops explicitly replicated axes",
              &close_shardings},
    ExportRow{"insert-explicit-reshards",
              "makes the shardings around every op agree with its rule by reshards",
              &insert_explicit_reshards},
    ExportRow{"canonicalize-reshards", "joins reshards of reshards", &canonicalize_reshards},
    ExportRow{"reshard-to-collectives", "turns reshards into sequences of collectives",
              &reshard_to_collectives},
    ExportRow{"canonicalize-collectives",
              "removes collectives that do nothing and fuses reduce-scatters",
              &canonicalize_collectives},
};

}  // namespace

void register_export_passes(PassRegistry& registry) {
  for (const ExportRow& row : kExportPasses) {
    // A second registration of the same passes changes nothing.
    static_cast<void>(registry.add({row.name, row.summary, row.run}));
  }
  register_canonicalization_passes(registry);
}

std::vector<std::string> lowering_pipeline() {
  std::vector<std::string> names;
  for (const ExportRow& row : kExportPasses) names.emplace_back(row.name);
  return names;
}

}  // namespace shardy::passes
