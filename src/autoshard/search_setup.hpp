// The options of a search, resolved for its program, and choices from which a search starts.
#pragma once

#include <cstdint>
#include <vector>

#include "autoshard/program_model.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.1, U.2, U.7.5.

namespace shardy::autoshard {

/// Checks the ranges of the options. Error: the first option out of range.
Status check_options(const AutoshardOptions& options);

/// Returns the program with the annotations that must hold in the search. Errors: an unknown value,
/// an annotation that does not fit, no main function.
Result<ir::Module> search_program(const ir::Module& module, const AutoshardOptions& options);

/// Returns the options of the model. Errors: ties of unknown places, of places other than an
/// argument and a result of main, of unequal types, or of one result to two arguments.
Result<ModelOptions> model_options(const ir::Module& module, const AutoshardOptions& options);

/// Returns a flag per argument of main: whether a result is tied to it. Requires: a main function.
std::vector<bool> tied_arguments(const ir::Module& module, const std::vector<ModelTie>& ties);

/// Returns the best choices in which ops shard only dims of one class, for each of the classes that
/// most dims are in: without a limit of memory, and within the limit of the network if that needs
/// more. Dims are in one class if some strategy shards them together. `network` is that of the
/// model, or has other prices. `most` is the number of classes. Cost: a short search per choice.
std::vector<std::vector<int32_t>> recipe_choices(const ProgramModel& model,
                                                 const CostNetwork& network, std::size_t most,
                                                 const SolveOptions& options);

}  // namespace shardy::autoshard
