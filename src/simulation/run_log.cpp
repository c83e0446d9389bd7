#include "simulation/run_log.hpp"

#include <algorithm>
#include <utility>

namespace shardy::simulation {

void RunLog::check(int64_t device, ir::OpId op, std::string location, std::string failure) {
  const std::scoped_lock lock(mutex_);
  ++num_checks_;
  if (failure.empty()) return;
  failures_.push_back({device, op, std::move(location), std::move(failure)});
}

void RunLog::print(ir::OpId op, const Tensor& value) {
  const std::scoped_lock lock(mutex_);
  if (print_) print_(op, value);
}

void RunLog::probe(const std::string& id, Tensor value) {
  const std::scoped_lock lock(mutex_);
  probes_[id].push_back(std::move(value));
}

std::optional<Tensor> RunLog::probed(const std::string& id, uint32_t iteration) const {
  const std::scoped_lock lock(mutex_);
  const auto found = probes_.find(id);
  if (found == probes_.end() || iteration == 0 || iteration > found->second.size()) {
    return std::nullopt;
  }
  return found->second[iteration - 1];
}

CheckOutcome RunLog::checks() const {
  const std::scoped_lock lock(mutex_);
  CheckOutcome outcome{num_checks_, failures_};
  std::ranges::stable_sort(outcome.failed, {}, &FailedCheck::device);
  return outcome;
}

}  // namespace shardy::simulation
