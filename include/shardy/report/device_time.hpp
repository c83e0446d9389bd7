// Modelled time of a device with limited memory bandwidth and hidden collectives.
#pragma once

#include <shardy/checking/compile.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>

namespace shardy::report {

/// Rates of a device, and the share of collectives that overlap with operations.
struct DeviceRates {
  double operations_per_second = 100e12;  // finite, at least 1
  /// Bytes per second that ops read and write; 0: memory does not limit ops. Otherwise finite and
  /// at least 1.
  double memory_bytes_per_second = 0;
  /// Share of the time of hideable collectives that costs nothing, from 0 to 1. Hideable are
  /// collectives of arguments, as of weights that are gathered early, and collectives whose results
  /// only elementwise ops before function results use, as of gradients.
  double hidden_share = 0;
  friend bool operator==(const DeviceRates&, const DeviceRates&) = default;
};

/// Checks the ranges of the rates. Errors: a member out of its range.
Status check_rates(const DeviceRates& rates);

/// Parts of the modelled time of a device, in seconds. Nothing else overlaps.
struct DeviceTime {
  double collectives = 0;  // of all collectives, including hidden time
  double hidden = 0;       // part of `collectives` that costs nothing
  double operations = 0;   // of all operations
  double memory = 0;       // time in which ops wait for memory after their operations
  /// Returns the sum of the parts that cost time.
  double total() const { return collectives - hidden + operations + memory; }
  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// Returns the modelled time of one run of a compiled program: with default rates, that of
/// modelled_seconds. An op takes the longer of the time of its operations and the time of the bytes
/// that it reads and writes. Requires: check_rates(rates); check_costs(model). Cost: linear in the
/// program.
DeviceTime device_time(const checking::CompiledProgram& compiled, const CostModel& model,
                       const DeviceRates& rates);

}  // namespace shardy::report
