// Output of the checks, prints and probes of one run, and elements of tensors as text. Spec:
// stablehlo 32.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::simulation {

/// Element `index` in row-major order, as values are printed: `-1`, `true`, `1.000000e-01`,
/// `[1.000000e+00, 0.000000e+00]`. Spec: stablehlo 13.3, 32.
std::string printed_element(const Tensor& tensor, int64_t index);

/// The log of a run. All threads of a run, and of runs inside of it, write to it.
class RunLog {
 public:
  explicit RunLog(Printer print) : print_(std::move(print)) {}

  /// `failure` is empty for a check that has passed.
  void check(int64_t device, ir::OpId op, Location location, std::string failure);
  void print(ir::OpId op, const Tensor& value);
  void probe(const std::string& id, Tensor value);
  /// The value of a probe at its `iteration`th execution, from 1 on.
  std::optional<Tensor> probed(const std::string& id, uint32_t iteration) const;

  /// In the order of devices, on each in the order of the run.
  CheckOutcome checks() const;

 private:
  Printer print_;
  mutable std::mutex mutex_;  // guards all below, and calls of print_
  int64_t num_checks_ = 0;
  std::vector<FailedCheck> failures_;
  std::map<std::string, Tensors> probes_;
};

}  // namespace shardy::simulation
