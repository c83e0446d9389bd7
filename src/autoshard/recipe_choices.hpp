// Choices in which all ops are sharded along one class of dims, such as the batch: common recipes.
#pragma once

#include <cstdint>
#include <vector>

#include "autoshard/program_model.hpp"
#include "shardy/autoshard/problem.hpp"

// Spec: autoshard U.7.5.

namespace shardy::autoshard {

/// Returns the best choices in which ops shard only dims of one class, for each of the classes that
/// most dims are in: without a limit of memory, and within the limit of the network if that needs
/// more. Dims are in one class if some strategy shards them together. `network` is that of the
/// model, or has other prices. `most` is the number of classes. Cost: a short search per choice.
std::vector<std::vector<int32_t>> recipe_choices(const ProgramModel& model,
                                                 const CostNetwork& network, std::size_t most,
                                                 const SolveOptions& options);

}  // namespace shardy::autoshard
