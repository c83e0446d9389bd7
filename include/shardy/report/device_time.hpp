// Modelled time of a device with limited memory bandwidth and overlapped collectives.
#pragma once

#include <shardy/checking/compile.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>

namespace shardy::report {

/// Rates of a device, and the share of collectives that overlaps with compute.
struct DeviceRates {
  double operations_per_second = 100e12;  // finite, at least 1
  /// Memory bandwidth for the operands and results of ops; 0: unlimited. Otherwise finite and at
  /// least 1.
  double memory_bytes_per_second = 0;
  /// Share of the time of hideable collectives that overlaps with compute, from 0 to 1. A
  /// collective of an argument is hideable, such as an all-gather of weights. A collective is also
  /// hideable if only elementwise ops before function results use its result, such as an all-reduce
  /// of gradients.
  double hidden_share = 0;
  friend bool operator==(const DeviceRates&, const DeviceRates&) = default;
};

/// Checks the ranges of the rates. Errors: a member out of its range.
Status check_rates(const DeviceRates& rates);

/// Parts of the modelled time of a device, in seconds. Only hidden collectives overlap with other
/// parts.
struct DeviceTime {
  double collectives = 0;  // time of all collectives, including hidden time
  double hidden = 0;       // part of `collectives` that overlaps with compute
  double operations = 0;   // time of all operations
  double memory = 0;       // time in which ops wait for memory after their operations
  /// Returns the modelled time: the sum of all parts without hidden time.
  double total() const { return collectives - hidden + operations + memory; }
  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// Returns the modelled time of one run of a compiled program. With default rates, the total equals
/// modelled_seconds. The time of an op is the maximum of two times: for its operations, and for the
/// bytes that it reads and writes. Requires: check_rates(rates); check_costs(model). Cost: linear
/// in the program.
DeviceTime device_time(const checking::CompiledProgram& compiled, const CostModel& model,
                       const DeviceRates& rates);

}  // namespace shardy::report
