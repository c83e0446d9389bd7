#include "shardy/partitioning/replication_note.hpp"

namespace shardy::partitioning {

std::string_view to_string(Replication kind) {
  switch (kind) {
    case Replication::Computed:
      return "computed whole";
    case Replication::RandomBits:
      return "random bits";
    case Replication::Combined:
      return "combined";
    default:
      return "gathered";
  }
}

Diagnostic diagnostic_of(const ReplicationNote& note) {
  std::string what = note.op + ": " + note.tensor;
  for (std::size_t index = 0; index < note.dims.size(); ++index) {
    what += index > 0 ? ", " : note.dims.size() > 1 ? ", dims " : ", dim ";
    what += std::to_string(note.dims[index]);
  }
  what += note.kind == Replication::Combined   ? " is combined along "
          : note.kind == Replication::Gathered ? " is gathered along "
                                               : " is computed replicated along ";
  what += note.axes + ": " + note.reason + " (" + std::to_string(note.bytes_moved) +
          " bytes to each device, which then holds " + std::to_string(note.bytes_held) + ")";
  return {.message = std::move(what),
          .location = note.location,
          .code = "N_REPLICATED",
          .severity = Severity::Note};
}

}  // namespace shardy::partitioning
