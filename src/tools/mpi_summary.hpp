// Summary of rank 0 for a run on several ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The accounts of all ranks, put together.
struct Summary {
  int64_t num_devices = 0;
  int64_t peak_bytes = 0;
  std::map<std::string, simulation::Traffic> busiest;  // by kind of op, of one device
  std::vector<simulation::RankTraffic> ranks;
  std::vector<checking::Difference> results;  // if they were compared
  bool by_rows = false;                       // with a run under other shardings
  Diagnostics failed_checks;

  bool is_equal() const;
};

/// Returns the account that a rank sends to rank 0.
std::vector<std::byte> account_of(const simulation::RankResult& result,
                                  const std::vector<checking::Difference>& differences);
/// Adds what a rank told.
void add_account(std::span<const std::byte> bytes, Summary& summary);

/// `compared`: whether results were compared with an unsharded run.
std::string summary_table(const Summary& summary, bool compared);
std::string summary_json(const Summary& summary, bool compared, const Diagnostics& said);

}  // namespace shardy::tools
