// The options of a search, resolved for its program.
#pragma once

#include <vector>

#include "autoshard/program_model.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.1, U.2.

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

}  // namespace shardy::autoshard
