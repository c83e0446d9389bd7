// The output of the checks, prints and probes of one run, and tensor elements as text. Spec:
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

/// Returns the text of element `index` in row-major order, such as `-1`, `true`, `1.000000e-01` or
/// `[1.000000e+00, 0.000000e+00]`. Spec: stablehlo 13.3, 32.
std::string printed_element(const Tensor& tensor, int64_t index);

/// The log of a run. All threads of the run and of inner runs write to it.
class RunLog {
 public:
  explicit RunLog(Printer print) : print_(std::move(print)) {}

  /// Records a check. `failure` is empty for a check that passed.
  void check(int64_t device, ir::OpId op, Location location, std::string failure);
  void print(ir::OpId op, const Tensor& value);
  void probe(const std::string& id, Tensor value);
  /// Returns the value of a probe at its execution number `iteration`, from 0 on.
  std::optional<Tensor> probed(const std::string& id, uint32_t iteration) const;

  /// Returns the outcomes ordered by device, then in the order of the run.
  CheckOutcome checks() const;

 private:
  Printer print_;
  mutable std::mutex mutex_;  // guards all members below, and calls of print_
  int64_t num_checks_ = 0;
  std::vector<FailedCheck> failures_;
  std::map<std::string, Tensors> probes_;
};

}  // namespace shardy::simulation
