// Tensors in packets: consecutive, each at a multiple of 64 bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/packet.hpp"
#include "simulation/rank_link.hpp"

namespace shardy::simulation {

/// Returns the first part of a packet of values: the path of the op. std::nullopt: no memory.
std::optional<Bytes> packed_path(std::span<const int64_t> path);

/// Shared, not copied.
void add_tensor(const Tensor& tensor, std::vector<Bytes>& pieces);

/// Reads the tensors of a packet, in order.
class TensorCursor {
 public:
  /// Errors: the packet does not begin with a path.
  static Result<TensorCursor> make(const Incoming& incoming);

  /// The next one; it shares the packet. Errors: E_TRANSPORT, the packet is too short.
  Result<Tensor> take(const ir::Type& type);
  /// Errors: E_TRANSPORT, there is more.
  Status expect_end() const;

 private:
  TensorCursor(const Incoming& incoming, std::size_t position)
      : incoming_(&incoming), position_(position) {}

  const Incoming* incoming_;
  std::size_t position_;
};

}  // namespace shardy::simulation
