// A runtime with its own collectives, which exchange equal chunks of flat buffers between the
// members of a communicator. The example translates a per-device program to calls of this runtime.
// It then runs the calls of each collective on the operands of a simulation, and the results must
// equal those of the simulated collective.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <shardy/checking/check.hpp>
#include <shardy/ir/collective_ops.hpp>
#include <shardy/ir/shape_ops.hpp>
#include <shardy/ir/view.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <vector>

namespace {

using namespace shardy;
using Dims = std::vector<int64_t>;
using Buffer = std::vector<float>;
using Buffers = std::map<int64_t, Buffer>;  // buffers by device

// [calls]
/// Operations of the foreign runtime on the buffer of each device.
struct Call {
  enum class Kind {
    Transpose,
    AllGather,
    AllReduce,
    ReduceScatter,
    AllToAll,
    SendReceive,
    Broadcast
  };
  Kind kind = Kind::Transpose;
  Dims shape = {};  // Transpose: shape of the buffer
  Dims order = {};  // Transpose: order of the dims
};

/// The calls for one collective, and the groups of devices that take part.
struct Translated {
  std::vector<Call> calls;
  std::vector<Dims> communicators;  // SendReceive: pairs of a source and a target
  bool takes_maximum = false;       // reductions take the maximum instead of the sum
};
// [calls]

Dims rows_of(const ir::Literal& table, int64_t row) {
  const int64_t columns = table.type().dim(1);
  Dims entries;
  for (int64_t column = 0; column < columns; ++column) {
    entries.push_back(table.at<int64_t>(row * columns + column));
  }
  return entries;
}

std::vector<Dims> table_of(const ir::Module& module, ir::OpId op, std::string_view attribute) {
  std::vector<Dims> rows;
  const auto* table = module.attribute<ir::Literal>(op, attribute);
  for (int64_t row = 0; table != nullptr && row < table->type().dim(0); ++row) {
    rows.push_back(rows_of(*table, row));
  }
  return rows;
}

// [layout]
/// Transposes dim `dim` to the front. The other dims keep their order.
Call to_front(const Dims& shape, std::size_t dim) {
  Dims order(shape.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(dim),
              order.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  return {.kind = Call::Kind::Transpose, .shape = shape, .order = order};
}

/// Transposes the front dim back to position `dim`. `shape` is the shape of the result.
Call from_front(const Dims& shape, std::size_t dim) {
  const Call there = to_front(shape, dim);
  Dims moved;
  Dims order(shape.size());
  for (std::size_t place = 0; place < shape.size(); ++place) {
    moved.push_back(shape[static_cast<std::size_t>(there.order[place])]);
    order[static_cast<std::size_t>(there.order[place])] = static_cast<int64_t>(place);
  }
  return {.kind = Call::Kind::Transpose, .shape = moved, .order = order};
}

/// Transposes the buffer after an exchange of chunks of dim `split`. After the exchange, the
/// members are the front dim. This call moves the front dim before dim `concat`.
Call spread_chunks(Dims shape, std::size_t split, std::size_t concat, int64_t members) {
  shape[split] /= members;
  const Call there = to_front(shape, split);
  Dims chunks = {members};
  std::vector<int64_t> place_of(shape.size());
  for (std::size_t place = 0; place < shape.size(); ++place) {
    chunks.push_back(shape[static_cast<std::size_t>(there.order[place])]);
    place_of[static_cast<std::size_t>(there.order[place])] = static_cast<int64_t>(place) + 1;
  }
  Dims order;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (dim == concat) order.push_back(0);
    order.push_back(place_of[dim]);
  }
  return {.kind = Call::Kind::Transpose, .shape = chunks, .order = order};
}
// [layout]

Dims dims_of(const ir::Module& module, ir::ValueId value) {
  const auto dims = module.type(value).dims();
  return {dims.begin(), dims.end()};
}

// [translate]
/// Translates a collective; returns std::nullopt for other ops. Errors: the runtime cannot do the
/// op.
Result<std::optional<Translated>> translate(const ir::Module& module, ir::OpId op) {
  using Kind = Call::Kind;
  const ir::OpKind kind = module.kind(op);
  Translated out;
  out.communicators = table_of(module, op, "replica_groups");
  if (kind == ir::OpKind::AllReduce || kind == ir::OpKind::ReduceScatter) {
    const auto combiners = ir::recognized_reducers(module, op, 1);
    const bool is_sum = combiners && combiners->front() == ir::OpKind::Add;
    out.takes_maximum = combiners && combiners->front() == ir::OpKind::Maximum;
    if (!is_sum && !out.takes_maximum) return fail("reduces neither to sums nor to maxima");
  }
  const ir::ValueId result = module.num_results(op) > 0 ? module.result(op) : ir::ValueId();
  switch (kind) {
    case ir::OpKind::AllReduce:
      out.calls = {{.kind = Kind::AllReduce}};
      return out;
    case ir::OpKind::AllGather: {
      const auto dim = static_cast<std::size_t>(ir::view<ir::AllGatherOp>(module, op).dim);
      out.calls = {to_front(dims_of(module, module.operand(op, 0)), dim),
                   {.kind = Kind::AllGather},
                   from_front(dims_of(module, result), dim)};
      return out;
    }
    case ir::OpKind::ReduceScatter: {
      const auto dim = static_cast<std::size_t>(ir::view<ir::ReduceScatterOp>(module, op).dim);
      out.calls = {to_front(dims_of(module, module.operand(op, 0)), dim),
                   {.kind = Kind::ReduceScatter},
                   from_front(dims_of(module, result), dim)};
      return out;
    }
    case ir::OpKind::AllToAll: {
      const auto all_to_all = ir::view<ir::AllToAllOp>(module, op);
      const Dims shape = dims_of(module, module.operand(op, 0));
      const auto split = static_cast<std::size_t>(all_to_all.split_dim);
      out.calls = {to_front(shape, split),
                   {.kind = Kind::AllToAll},
                   spread_chunks(shape, split, static_cast<std::size_t>(all_to_all.concat_dim),
                                 all_to_all.split_count)};
      return out;
    }
    case ir::OpKind::CollectivePermute:
      out.communicators = table_of(module, op, "source_target_pairs");
      out.calls = {{.kind = Kind::SendReceive}};
      return out;
    case ir::OpKind::CollectiveBroadcast:
      out.calls = {{.kind = Kind::Broadcast}};
      return out;
    default:
      return std::nullopt;
  }
}
// [translate]

Buffer transposed(const Buffer& buffer, const Call& call) {
  Dims strides(call.shape.size(), 1);
  for (std::size_t dim = call.shape.size(); dim-- > 1;) {
    strides[dim - 1] = strides[dim] * call.shape[dim];
  }
  Buffer out;
  Dims index(call.shape.size());
  for (std::size_t count = 0; count < buffer.size(); ++count) {
    int64_t from = 0;
    for (std::size_t place = 0; place < index.size(); ++place) {
      from += index[place] * strides[static_cast<std::size_t>(call.order[place])];
    }
    out.push_back(buffer[static_cast<std::size_t>(from)]);
    for (std::size_t place = index.size(); place-- > 0;) {
      if (++index[place] < call.shape[static_cast<std::size_t>(call.order[place])]) break;
      index[place] = 0;
    }
  }
  return out;
}

// [runtime]
/// Returns the buffers of all members, or their reduction.
Buffer joined_buffers(const Call& call, const Dims& members, bool takes_maximum,
                      const Buffers& in) {
  const bool reduces = call.kind == Call::Kind::AllReduce || call.kind == Call::Kind::ReduceScatter;
  Buffer joined;
  for (const int64_t member : members) {
    const Buffer& buffer = in.at(member);
    if (!reduces || joined.empty()) {
      joined.insert(joined.end(), buffer.begin(), buffer.end());
      continue;
    }
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      joined[i] = takes_maximum ? std::max(joined[i], buffer[i]) : joined[i] + buffer[i];
    }
  }
  return joined;
}

/// Runs one call for one communicator.
void run_together(const Call& call, const Dims& members, bool takes_maximum, const Buffers& in,
                  Buffers& out) {
  const std::size_t size = in.at(members.front()).size();
  const std::size_t chunk = size / members.size();
  const Buffer joined = joined_buffers(call, members, takes_maximum, in);
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    Buffer& mine = out[members[rank]];
    const auto take = [&](std::size_t first, std::size_t count) {
      const auto begin = joined.begin() + static_cast<std::ptrdiff_t>(first);
      mine.insert(mine.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    mine.clear();
    if (call.kind == Call::Kind::ReduceScatter) {
      take(rank * chunk, chunk);
    } else if (call.kind == Call::Kind::AllToAll) {
      for (std::size_t from = 0; from < members.size(); ++from) {
        take(from * size + rank * chunk, chunk);
      }
    } else {
      take(0, call.kind == Call::Kind::Broadcast ? size : joined.size());
    }
  }
}

Buffers run(const Translated& translated, Buffers buffers) {
  for (const Call& call : translated.calls) {
    Buffers out = buffers;
    for (auto& [device, buffer] : out) {
      if (call.kind == Call::Kind::Transpose) buffer = transposed(buffer, call);
      if (call.kind == Call::Kind::SendReceive) std::ranges::fill(buffer, 0.0F);
    }
    for (const Dims& members : translated.communicators) {
      if (call.kind == Call::Kind::Transpose) break;
      if (call.kind == Call::Kind::SendReceive) {
        out[members[1]] = buffers.at(members[0]);
      } else {
        run_together(call, members, translated.takes_maximum, buffers, out);
      }
    }
    buffers = std::move(out);
  }
  return buffers;
}
// [runtime]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["a"=2, "b"=3]>
  func.func @main(%x: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                  %w: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>})
      -> (tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, tensor<12xf32>, tensor<12x6xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x6xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
    %1 = stablehlo.tanh %0 : tensor<12x12xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<12x6xf32>, tensor<f32>) -> tensor<12xf32>
    %3 = sdy.sharding_constraint %x <@mesh, [{"b"}, {"a"}]> : tensor<12x6xf32>
    %4 = stablehlo.reverse %3, dims = [0] : tensor<12x6xf32>
    return %1, %2, %4 : tensor<12x12xf32>, tensor<12xf32>, tensor<12x6xf32>
  })";

Buffer buffer_of(const simulation::Tensor& tensor) {
  const auto elements = tensor.elements<float>();
  return {elements.begin(), elements.end()};
}

}  // namespace

int main() {
  const ir::Module module = text::parse_mlir(kProgram).value();
  checking::CheckOptions options;
  options.compile.partition.stablehlo.emplace();         // replica groups as lists of devices
  std::map<ir::OpId, std::pair<Buffers, Buffers>> seen;  // operands and results of collectives
  options.run.observer = [&](const simulation::OpEvent& event) {
    if (!event.instance) return;
    seen[event.op].first[event.device] = buffer_of(event.operands[0]);
    seen[event.op].second[event.device] = buffer_of(event.results[0]);
  };
  const auto report =
      checking::check(module, checking::random_inputs(module, 1).value(), options).value();
  const ir::Module& program = report.compiled.program;
  constexpr const char* kNames[] = {"transpose",  "all_gather",   "all_reduce", "reduce_scatter",
                                    "all_to_all", "send_receive", "broadcast"};
  for (const ir::OpId op : ir::pre_order(program)) {
    const auto translated = translate(program, op);
    if (!translated) return fmt::print("{}\n", translated.error().message), 1;
    if (!*translated) continue;
    std::string calls;
    for (const Call& call : (*translated)->calls) {
      calls += std::string(" ") + kNames[static_cast<std::size_t>(call.kind)];
    }
    const auto& [operands, results] = seen[op];
    fmt::print("{}:{}: as in the simulation on {} devices: {}\n", program.name(op), calls,
               operands.size(), run(**translated, operands) == results);
  }
  fmt::print("equal to the unsharded run: {}\n", report.equal());
}
