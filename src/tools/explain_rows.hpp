// Conflicts and replicated values as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/explain_rank.hpp"

namespace shardy::tools {

std::string_view to_string(propagation::AbsentAxis::Why why);
/// Why the axis is not there, without the axis.
std::string absence_text(const propagation::AbsentAxis& absent);
/// Returns ` at model.py:31`; empty without a place.
std::string at_place(const std::string& location);
std::string priority_text(int64_t user_priority, int level);

/// Alike ones, those of repeated layers, are told once; `top` of them.
void add_conflicts(std::string& out, const std::vector<RankedConflict>& conflicts, std::size_t top);
void add_replicated(std::string& out, const std::vector<ReplicatedValue>& values, std::size_t top);

}  // namespace shardy::tools
