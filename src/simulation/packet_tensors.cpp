#include "simulation/packet_tensors.hpp"

#include <memory>
#include <string>
#include <utility>

namespace shardy::simulation {
namespace {

tl::unexpected<Error> unexpected_size(const Incoming& incoming) {
  return fail_as("E_TRANSPORT", "rank " + std::to_string(incoming.header.sender) + " sent " +
                                    std::to_string(incoming.header.num_bytes) +
                                    " bytes of values, which are not those of the op");
}

}  // namespace

std::optional<Bytes> packed_path(std::span<const int64_t> path) {
  return copied(ByteWriter().numbers(path).align().bytes());
}

void add_tensor(const Tensor& tensor, std::vector<Bytes>& pieces) {
  // The tensor is copied into the owner, and with it the share of its buffer.
  const auto owner = std::make_shared<const Tensor>(tensor);
  pieces.push_back({std::shared_ptr<const std::byte>(owner, owner->data()),
                    static_cast<std::size_t>(owner->num_bytes())});
  const Bytes padding = padding_behind(pieces.back().size);
  if (padding.size > 0) pieces.push_back(padding);
}

Result<TensorCursor> TensorCursor::make(const Incoming& incoming) {
  ByteReader header(incoming.payload());
  header.numbers();
  header.align();
  if (!header.ok()) return unexpected_size(incoming);
  return TensorCursor(incoming, header.position());
}

Result<Tensor> TensorCursor::take(const ir::Type& type) {
  const std::span<const std::byte> payload = incoming_->payload();
  const auto size = static_cast<std::size_t>(type.num_bytes());
  if (position_ > payload.size() || size > payload.size() - position_) {
    return unexpected_size(*incoming_);
  }
  const std::byte* const begin = payload.data() + position_;
  position_ += size + padding_behind(size).size;
  return Tensor::borrow(type, std::shared_ptr<const std::byte>(incoming_->packet.data, begin),
                        size);
}

Status TensorCursor::expect_end() const {
  return position_ == incoming_->payload().size() ? Status() : unexpected_size(*incoming_);
}

}  // namespace shardy::simulation
