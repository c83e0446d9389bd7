#include "simulation/kernels/scatter_fold.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace shardy::simulation {
namespace {

using MoveLoop = void (*)(const std::byte* from, std::byte* to, std::span<const int64_t> places);

template <std::size_t kBytes>
void take_loop(const std::byte* from, std::byte* to, std::span<const int64_t> places) {
  for (std::size_t lane = 0; lane < places.size(); ++lane) {
    std::memcpy(to + lane * kBytes, from + static_cast<std::size_t>(places[lane]) * kBytes, kBytes);
  }
}
template <std::size_t kBytes>
void put_loop(const std::byte* from, std::byte* to, std::span<const int64_t> places) {
  for (std::size_t lane = 0; lane < places.size(); ++lane) {
    std::memcpy(to + static_cast<std::size_t>(places[lane]) * kBytes, from + lane * kBytes, kBytes);
  }
}

constexpr std::array<MoveLoop, 5> kTake = {&take_loop<1>, &take_loop<2>, &take_loop<4>,
                                           &take_loop<8>, &take_loop<16>};
constexpr std::array<MoveLoop, 5> kPut = {&put_loop<1>, &put_loop<2>, &put_loop<4>, &put_loop<8>,
                                          &put_loop<16>};

MoveLoop pick(const std::array<MoveLoop, 5>& loops, ir::ElementType element) {
  return loops[static_cast<std::size_t>(std::countr_zero(ir::size_bytes(element)))];
}

}  // namespace

Result<Tensor> take(const std::byte* from, ir::ElementType element,
                    std::span<const int64_t> places) {
  SHARDY_TRY(const ir::Type type, ir::Type::make_tensor({std::ssize(places)}, element));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  pick(kTake, element)(from, out.data(), places);
  return std::move(out).finish();
}

ScatterWriteBatches::ScatterWriteBatches(std::vector<TensorWriter>& targets, Apply apply)
    : targets_(targets),
      apply_(std::move(apply)),
      batch_of_(static_cast<std::size_t>(targets.front().type().num_elements()), 0) {}

Status ScatterWriteBatches::add(ScatterWrite write) {
  const auto target = static_cast<std::size_t>(write.target);
  if (batch_of_[target] == batch_ || std::ssize(waiting_targets_) == kMaxLanes) {
    SHARDY_TRY_STATUS(finish());
  }
  batch_of_[target] = batch_;
  waiting_targets_.push_back(write.target);
  waiting_sources_.push_back(write.source);
  return {};
}

Status ScatterWriteBatches::finish() {
  if (waiting_targets_.empty()) return {};
  SHARDY_TRY(const Tensors values, apply_(waiting_targets_, waiting_sources_));
  for (std::size_t index = 0; index < targets_.size(); ++index) {
    pick(kPut, targets_[index].type().element())(values[index].data(), targets_[index].data(),
                                                 waiting_targets_);
  }
  waiting_targets_.clear();
  waiting_sources_.clear();
  if (++batch_ == 0) {  // the numbers of batches wrapped around
    std::ranges::fill(batch_of_, 0);
    batch_ = 1;
  }
  return {};
}

}  // namespace shardy::simulation
