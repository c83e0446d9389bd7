#include "tools/code_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "shardy/support/quote.hpp"

namespace shardy::tools {

namespace {

struct CodeRow {
  std::string_view code;
  std::string_view meaning;  // a line
  std::string_view cause;
  std::string_view remedy;
};

constexpr auto kCodeRows = std::to_array<CodeRow>({
    {"E_CANCELLED", "The run was cancelled.",
     "Ctrl-C, the token of a caller, or another rank ended the run before its results were "
     "complete.",
     "Run it again; --max-steps and --max-iterations end a long run with an error instead."},
    {"E_COLLECTIVE_MISMATCH", "Devices of one group execute different collectives together.",
     "The first collective that some device of the group reaches differs from that of the others "
     "in its op, its place, its axes or its types. A branch or a loop takes another way there.",
     "Make the predicate of the branch or the trip count of the loop equal on all devices of the "
     "group, or move the collective out of it."},
    {"E_DEADLOCK", "Collectives wait for each other in a circle.",
     "Each device of the circle waits in a collective for a device that waits in another one.",
     "Bring the collectives into one order on all devices; the notes list the circle."},
    {"E_DEVICE_ID", "An op names a process that does not exist where it is.",
     "Outside of a manual computation the program is one process, number 0. A collective over "
     "several processes, partition_id or replica_id has no meaning there.",
     "Move the op into sdy.manual_computation, over the axes along which it communicates."},
    {"E_DIVERGENT", "A device of a group never reaches a collective.",
     "Some devices of the group wait in the collective; another one has ended or has taken a "
     "branch without it.",
     "Make the branch or the loop around the collective equal on all devices of its group."},
    {"E_DYNAMIC_DIM", "A dim has no size that is known before the run.",
     "Shards have static shapes, so each dim of each tensor must have a known size.",
     "Export the program with static shapes; for JAX, without shape polymorphism."},
    {"E_KERNEL", "An op cannot compute its result from these values.",
     "The values break a rule that types do not show, such as an index out of the range, an "
     "integer division without a result, or groups of devices that do not fit the grid.",
     "The message names the op and the values; `shardy run --reference` shows whether the program "
     "itself does this."},
    {"E_MEMORY_LIMIT", "The live tensors of a device exceed the limit.",
     "The simulation refuses tensors beyond --max-bytes, so that a wrong size does not take all "
     "memory of this machine.",
     "Raise the limit, such as --max-bytes=16GiB, or shard the program further."},
    {"E_MESH_MISMATCH", "Shardings of one function are on meshes with different axes.",
     "All meshes that a function uses must have the same axes with the same sizes; only the order "
     "of their devices may differ.",
     "Write all shardings of the function on one mesh."},
    {"E_MISSING_REDUCTION", "An operand holds partial sums that no collective combines.",
     "A sharding declares axes as unreduced and an op uses the value before an all-reduce or a "
     "reduce-scatter along them.",
     "Add the collective, remove the unreduced axes, or let the pipeline insert reshards."},
    {"E_NON_DIVISIBLE_IO", "An axis does not divide a dim of an argument or result of @main.",
     "Buffers that go in and come out have the same shape on all devices. Inside of the program "
     "dims may be padded.",
     "Shard another dim, or write the sharding without that axis; the notes show one."},
    {"E_RANKS_DIFFER", "Ranks of the MPI job run different programs or options.",
     "The fingerprints that ranks exchange at the start are not equal.",
     "Start all ranks with the same files, options and version of shardy."},
    {"E_RANK_LOST", "A rank of the MPI job no longer answers.",
     "Its process has ended, its machine hangs, or it has not begun the run in time.",
     "Look at the output of that rank; --rank-timeout waits longer."},
    {"E_REPLICA_AND_PARTITION", "The module states both replicas and partitions.",
     "With --collectives=stablehlo devices are either replicas or partitions of the module.",
     "Leave mhlo.num_replicas or mhlo.num_partitions at 1."},
    {"E_REPLICA_DIVERGENCE", "Devices that hold the same shard of a result have different values.",
     "The sharding says that a result is replicated along an axis, and the devices computed "
     "different values: in a manual computation, or by random numbers that differ by device.",
     "Reduce or gather along that axis before the result, or shard the result along it."},
    {"E_SIDE_EFFECT", "Each device would execute an op with side effects.",
     "An op that is not partitioned is executed by all devices, which repeats its effect.",
     "Remove has_side_effect from a custom call that has none, or give it a sharding rule."},
    {"E_STEP_LIMIT", "A device executed more steps, or a loop more iterations, than allowed.",
     "A loop does not end, or ends late, as its condition waits for a value that never comes.",
     "Check the condition of the loop; --max-steps and --max-iterations raise the limits."},
    {"E_TRACE_LIMIT", "The events of --trace take more memory than allowed.",
     "Each op on each device is an event, in each iteration of a loop.",
     "Raise --max-trace-bytes, or end the run earlier with --max-iterations or --max-steps."},
    {"E_TRANSPORT", "Ranks of the MPI job cannot exchange messages.",
     "MPI reported an error, or a message that arrived is not one of this version of shardy.",
     "Check the MPI installation: mpirun, the library and all machines must fit together."},
    {"E_UNRESOLVED_OP", "The program still has an op that partitioning does not know.",
     "Partitioning expects collectives; constraints and reshards are lowered to them before.",
     "Run the export passes first, as `shardy partition` does: "
     "shardy opt FILE --sdy-propagation-pipeline, or with passes of your own, "
     "--sdy-insert-explicit-reshards --sdy-reshard-to-collectives."},
    {"E_UNSUPPORTED_OP", "An op cannot be partitioned or executed as it is.",
     "The op is unknown, has no kernel, or its sharding needs a form that it does not have.",
     "Give a custom call a sharding rule that is true of it (--custom-call-rule), replicate its "
     "operands, or replace the op."},
    {"N_PLACEMENT", "A custom call names a memory for its value.",
     "Simulated devices have one memory each: the value stays where it is, and the call is kept in "
     "the per-device program.",
     "No change is needed; another compiler of the per-device program reads the call."},
    {"N_REPLICATED", "An op is executed on replicated data although its operands were sharded.",
     "No sharding rule or lowering of the op keeps these dims sharded, so tensors are gathered, "
     "and all devices compute the same.",
     "The note names the dims and the bytes; shard another dim, or add a sharding rule. --strict "
     "makes it an error."},
});

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

}  // namespace

bool looks_like_code(std::string_view word) {
  return word.size() > 2 && word[1] == '_' && word.find('-') == std::string_view::npos;
}

Result<std::string> code_page(std::string_view code) {
  const std::string wanted = upper(code);
  const auto* const row = std::ranges::find(kCodeRows, std::string_view(wanted), &CodeRow::code);
  if (row != kCodeRows.end()) {
    return fmt::format("{}: {}\n\nCause: {}\n\nRemedy: {}\n", row->code, row->meaning, row->cause,
                       row->remedy);
  }
  std::vector<std::string_view> codes;
  for (const CodeRow& each : kCodeRows) codes.push_back(each.code);
  Error error{.message = "unknown diagnostic code: " + std::string(code)};
  if (const auto meant = closest(wanted, codes)) {
    error.notes.push_back("did you mean " + *meant + "?");
  }
  error.notes.emplace_back("shardy help codes lists all codes");
  return tl::unexpected(std::move(error));
}

std::string code_list() {
  std::string list;
  for (const CodeRow& row : kCodeRows) list += fmt::format("{:<24}{}\n", row.code, row.meaning);
  return list;
}

}  // namespace shardy::tools
