#include "simulation/kernels/collective.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "shardy/support/math.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

int64_t fraction_of(int64_t bytes, int64_t numerator, int64_t denominator) {
  const int64_t rest = bytes % denominator * numerator;
  return bytes / denominator * numerator + ceil_div(rest, denominator);
}

int64_t bytes_of(const Tensors& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.num_bytes();
  return bytes;
}

Result<Tensors> blocks_of(const Tensor& tensor, std::size_t dim, int64_t count) {
  Tensors blocks;
  for (int64_t index = 0; index < count; ++index) {
    SHARDY_TRY(Tensor block, block_of(tensor, dim, count, index));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Result<Tensors> fold_ranks(const Fold& fold, std::span<const Tensors> by_rank,
                           std::span<const Tensor> captured) {
  if (by_rank.size() == 1) return by_rank[0];
  Tensors folded;
  for (std::size_t operand = 0; operand < fold.loops().size(); ++operand) {
    const Tensor& first = by_rank[0][operand];
    SHARDY_TRY(TensorWriter acc, TensorWriter::make(first.type()));
    std::ranges::copy(first.bytes(), acc.data());
    for (const Tensors& next : by_rank.subspan(1)) {
      fold.loops()[operand].one(acc.data(), next[operand].data(),
                                static_cast<std::size_t>(first.num_elements()), false);
    }
    folded.push_back(std::move(acc).finish());
  }
  if (!folded.empty()) return folded;
  const int64_t num_lanes = by_rank[0][0].num_elements();
  const auto as_lanes = [&](Tensors tensors) {
    for (Tensor& tensor : tensors) tensor = tensor.reshaped(tensor.type().with_dims({num_lanes}));
    return tensors;
  };
  SHARDY_TRY(const LaneFold next, fold.lanes(num_lanes, captured));
  folded = as_lanes(by_rank[0]);
  for (const Tensors& operands : by_rank.subspan(1)) {
    SHARDY_TRY(folded, next(folded, as_lanes(operands)));
  }
  for (std::size_t operand = 0; operand < folded.size(); ++operand) {
    folded[operand] = folded[operand].reshaped(by_rank[0][operand].type());
  }
  return folded;
}

Result<Fold> make_group_fold(const KernelRequest& request, std::size_t num_operands) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  SHARDY_TRY(Fold fold, Fold::make(request, num_operands));
  for (std::size_t index = 0; index < num_operands; ++index) {
    SHARDY_TRY_STATUS(op.expect(
        !fold.loops().empty() || std::ranges::equal(op.operand(index).dims(), op.operand().dims()),
        "a reducer that mixes operands needs operands of one shape"));
  }
  return fold;
}

namespace {

std::vector<Tensor> operand_of_all(std::span<const Tensors> by_rank, std::size_t operand) {
  std::vector<Tensor> tensors;
  for (const Tensors& operands : by_rank) tensors.push_back(operands[operand]);
  return tensors;
}

/// By rank: the results for one operand, given that operand of each rank.
using OperandExchange = std::function<Result<Tensors>(const Tensors& by_rank, std::size_t operand)>;
/// What each rank sends, given the bytes of its operands.
using Traffic = std::function<int64_t(int64_t bytes, int64_t num_ranks)>;

/// An exchange that treats each operand alike.
Exchange each_operand(OperandExchange exchange, Traffic traffic) {
  return [exchange = std::move(exchange), traffic = std::move(traffic)](
             std::span<const Tensors> by_rank, int64_t) -> Result<Exchanged> {
    const auto num_ranks = static_cast<int64_t>(by_rank.size());
    Exchanged out{std::vector<Tensors>(by_rank.size()),
                  std::vector<int64_t>(by_rank.size(), traffic(bytes_of(by_rank[0]), num_ranks))};
    for (std::size_t operand = 0; operand < by_rank[0].size(); ++operand) {
      SHARDY_TRY(Tensors results, exchange(operand_of_all(by_rank, operand), operand));
      for (std::size_t rank = 0; rank < results.size(); ++rank) {
        out.results[rank].push_back(std::move(results[rank]));
      }
    }
    return out;
  };
}

// ---- Reading -----------------------------------------------------------------------------------

struct CommunicationReader {
  OpReader op;
  const KernelRequest& request;
  DeviceGroups groups;

  int64_t size() const { return groups.size(); }
  /// Dim `name` of all operands, of which there is at least one.
  Result<std::size_t> dim(std::string_view name) const;
  /// Errors: result types other than the operand types after `resize`.
  template <class Resize>
  Status expect_resized(Resize resize) const;
  std::vector<ir::Type> results() const;
};

Result<std::size_t> CommunicationReader::dim(std::string_view name) const {
  int64_t rank = op.operand().rank();
  for (std::size_t index = 1; index < op.num_operands(); ++index) {
    rank = std::min(rank, op.operand(index).rank());
  }
  SHARDY_TRY(const int64_t value, op.dim(name, rank));
  return static_cast<std::size_t>(value);
}

template <class Resize>
Status CommunicationReader::expect_resized(Resize resize) const {
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const ir::Type& x = op.operand(index);
    std::vector<int64_t> sizes(x.dims().begin(), x.dims().end());
    SHARDY_TRY_STATUS(op.expect(resize(sizes), "a dim does not fit the size of the group"));
    SHARDY_TRY_STATUS(op.expect_result(sizes, x.element(), index));
  }
  return {};
}

std::vector<ir::Type> CommunicationReader::results() const {
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < op.num_operands(); ++index) types.push_back(op.result(index));
  return types;
}

bool grow(int64_t& size, int64_t factor) {
  const std::optional<int64_t> grown = checked_mul(size, factor);
  if (grown) size = *grown;
  return grown.has_value();
}

bool shrink(int64_t& size, int64_t factor) {
  if (size % factor != 0) return false;
  size /= factor;
  return true;
}

// ---- all_gather, all_to_all
// ----------------------------------------------------------------------

Result<Exchange> make_all_gather(const CommunicationReader& reader) {
  SHARDY_TRY(const std::size_t dim, reader.dim("dim"));
  SHARDY_TRY_STATUS(reader.expect_resized(
      [&](std::vector<int64_t>& sizes) { return grow(sizes[dim], reader.size()); }));
  return each_operand(
      [dim, types = reader.results()](const Tensors& by_rank,
                                      std::size_t operand) -> Result<Tensors> {
        if (by_rank.size() == 1) return by_rank;
        SHARDY_TRY(const Tensor all, concatenate(by_rank, dim, types[operand]));
        return Tensors(by_rank.size(), all);
      },
      [](int64_t bytes, int64_t num_ranks) { return bytes * (num_ranks - 1); });
}

Result<Exchange> make_all_to_all(const CommunicationReader& reader) {
  SHARDY_TRY(const std::size_t split, reader.dim("split_dim"));
  SHARDY_TRY(const std::size_t concat, reader.dim("concat_dim"));
  SHARDY_TRY_STATUS(reader.expect_resized([&](std::vector<int64_t>& sizes) {
    return shrink(sizes[split], reader.size()) && grow(sizes[concat], reader.size());
  }));
  return each_operand(
      [split, concat, types = reader.results()](const Tensors& by_rank,
                                                std::size_t operand) -> Result<Tensors> {
        const auto num_ranks = static_cast<int64_t>(by_rank.size());
        Tensors results;
        for (int64_t rank = 0; rank < num_ranks; ++rank) {
          Tensors blocks;
          for (const Tensor& tensor : by_rank) {
            SHARDY_TRY(Tensor block, block_of(tensor, split, num_ranks, rank));
            blocks.push_back(std::move(block));
          }
          SHARDY_TRY(Tensor joined, concatenate(blocks, concat, types[operand]));
          results.push_back(std::move(joined));
        }
        return results;
      },
      [](int64_t bytes, int64_t num_ranks) {
        return fraction_of(bytes, num_ranks - 1, num_ranks);
      });
}

// ---- Reductions --------------------------------------------------------------------------------

Result<Fold> make_equal_fold(const CommunicationReader& reader) {
  const OpReader& op = reader.op;
  SHARDY_TRY_STATUS(
      op.expect(reader.request.captured.empty(), "the reducer may not use values from outside"));
  SHARDY_TRY(Fold fold, make_group_fold(reader.request, op.num_operands()));
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const ir::ElementType element = op.operand(index).element();
    SHARDY_TRY_STATUS(
        op.expect(fold.accumulators()[index] == element && fold.inputs()[index] == element,
                  "the reducer must take the element types of the operands"));
  }
  return fold;
}

Result<Exchange> make_all_reduce(const CommunicationReader& reader) {
  SHARDY_TRY_STATUS(reader.expect_resized([](std::vector<int64_t>&) { return true; }));
  SHARDY_TRY(Fold fold, make_equal_fold(reader));
  return [fold = std::move(fold)](std::span<const Tensors> by_rank, int64_t) -> Result<Exchanged> {
    const auto num_ranks = static_cast<int64_t>(by_rank.size());
    SHARDY_TRY(const Tensors folded, fold_ranks(fold, by_rank));
    const int64_t sent = fraction_of(bytes_of(by_rank[0]), 2 * (num_ranks - 1), num_ranks);
    return Exchanged{std::vector<Tensors>(by_rank.size(), folded),
                     std::vector<int64_t>(by_rank.size(), sent)};
  };
}

Result<Exchange> make_reduce_scatter(const CommunicationReader& reader) {
  SHARDY_TRY(const std::size_t dim, reader.dim("dim"));
  SHARDY_TRY_STATUS(reader.expect_resized(
      [&](std::vector<int64_t>& sizes) { return shrink(sizes[dim], reader.size()); }));
  SHARDY_TRY(Fold fold, make_equal_fold(reader));
  return [fold = std::move(fold), dim](std::span<const Tensors> by_rank,
                                       int64_t) -> Result<Exchanged> {
    const auto num_ranks = static_cast<int64_t>(by_rank.size());
    SHARDY_TRY(const Tensors folded, fold_ranks(fold, by_rank));
    const int64_t sent = fraction_of(bytes_of(by_rank[0]), num_ranks - 1, num_ranks);
    Exchanged out{std::vector<Tensors>(by_rank.size()), std::vector<int64_t>(by_rank.size(), sent)};
    for (const Tensor& tensor : folded) {
      SHARDY_TRY(Tensors blocks, blocks_of(tensor, dim, num_ranks));
      for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
        out.results[rank].push_back(std::move(blocks[rank]));
      }
    }
    return out;
  };
}

// ---- permute, broadcast_from -------------------------------------------------------------------

/// A rank without a source gets zeros.
Result<Exchanged> run_permute(const SourceMap& map, std::span<const Tensors> by_rank,
                              int64_t leader) {
  SHARDY_TRY(const std::vector<int64_t> sources, map(leader));
  Exchanged out{std::vector<Tensors>(by_rank.size()), std::vector<int64_t>(by_rank.size(), 0)};
  Tensors zeros;
  for (const Tensor& tensor : by_rank[0]) {
    SHARDY_TRY(Tensor zero, filled_tensor(tensor.type(), Fill::Zero));
    zeros.push_back(std::move(zero));
  }
  for (std::size_t rank = 0; rank < sources.size(); ++rank) {
    const bool has_source = sources[rank] >= 0;
    const auto source = static_cast<std::size_t>(has_source ? sources[rank] : 0);
    out.results[rank] = has_source ? by_rank[source] : zeros;
    if (has_source && source != rank) out.bytes_sent[source] += bytes_of(by_rank[source]);
  }
  return out;
}

Result<Exchange> make_permute(const CommunicationReader& reader) {
  SHARDY_TRY_STATUS(reader.expect_resized([](std::vector<int64_t>&) { return true; }));
  SHARDY_TRY(const auto* const map, reader.op.attribute<ir::PermuteMap>("map"));
  SHARDY_TRY(SourceMap sources, reader.op.at_op(make_source_map(*map, reader.groups)));
  return [sources = std::move(sources)](std::span<const Tensors> by_rank, int64_t leader) {
    return run_permute(sources, by_rank, leader);
  };
}

Result<Exchange> make_broadcast_from(const CommunicationReader& reader) {
  SHARDY_TRY_STATUS(reader.expect_resized([](std::vector<int64_t>&) { return true; }));
  SHARDY_TRY(const int64_t root, reader.op.integer("root"));
  SHARDY_TRY_STATUS(
      reader.op.expect(root >= 0 && root < reader.size(), "`root` must be a rank of the group"));
  return [root = static_cast<std::size_t>(root)](std::span<const Tensors> by_rank,
                                                 int64_t) -> Result<Exchanged> {
    Exchanged out{std::vector<Tensors>(by_rank.size(), by_rank[root]),
                  std::vector<int64_t>(by_rank.size(), 0)};
    out.bytes_sent[root] = bytes_of(by_rank[root]) * static_cast<int64_t>(by_rank.size() - 1);
    return out;
  };
}

// ---- Table -------------------------------------------------------------------------------------

struct CollectiveRow {
  ir::OpKind kind;
  Result<Exchange> (*make)(const CommunicationReader& reader);
};
constexpr CollectiveRow kCollectiveRows[] = {
    {ir::OpKind::SpmdAllGather, &make_all_gather},
    {ir::OpKind::SpmdAllReduce, &make_all_reduce},
    {ir::OpKind::SpmdReduceScatter, &make_reduce_scatter},
    {ir::OpKind::SpmdAllToAll, &make_all_to_all},
    {ir::OpKind::SpmdPermute, &make_permute},
    {ir::OpKind::SpmdBroadcastFrom, &make_broadcast_from},
};

const CollectiveRow* find_row(ir::OpKind kind) {
  const auto* const row = std::ranges::find(kCollectiveRows, kind, &CollectiveRow::kind);
  return row == std::end(kCollectiveRows) ? nullptr : row;
}

/// The ids of the mesh are those of the devices that run.
Status verify_devices(const OpReader& op, const Mesh& mesh, int64_t num_devices) {
  const int64_t largest = mesh.is_maximal() ? mesh.device_ids().front() : mesh.num_devices() - 1;
  return op.expect(largest < num_devices, "the mesh has device " + std::to_string(largest) +
                                              ", the run has " + std::to_string(num_devices) +
                                              " devices");
}

Result<Collective> make_spmd_collective(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  const CollectiveRow* row = find_row(request.module.kind(request.op));
  if (row == nullptr) return op.fail("is no communication op");
  SHARDY_TRY_STATUS(op.expect(
      op.num_operands() > 0 && request.module.num_results(request.op) == op.num_operands(),
      "needs operands and as many results"));
  SHARDY_TRY(const auto* const axes, op.attribute<ir::AxesAttr>("axes"));
  SHARDY_TRY_STATUS(verify_devices(op, axes->mesh, request.num_devices));
  SHARDY_TRY(DeviceGroups groups, op.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  const CommunicationReader reader{op, request, groups};
  SHARDY_TRY(Exchange exchange, row->make(reader));
  return Collective{request.module.kind(request.op), 0, MeetingGroups(std::move(groups)),
                    std::move(exchange)};
}

}  // namespace

bool is_communication(ir::OpKind kind) {
  return find_row(kind) != nullptr || find_stablehlo_collective(kind) != nullptr;
}

Result<Collective> make_collective(const KernelRequest& request) {
  const CollectiveMaker make = find_stablehlo_collective(request.module.kind(request.op));
  return make != nullptr ? make(request) : make_spmd_collective(request);
}

}  // namespace shardy::simulation
