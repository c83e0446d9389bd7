// Smaller dims for exact runs of a program and of its partitioned form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::checking {

/// A program, its partitioned form and its inputs, with smaller dims.
struct SmallerProgram {
  ir::Module module;           // the source program
  ir::Module program;          // the per-device program
  simulation::Tensors inputs;  // one global tensor per argument
  std::string sizes;           // the changed sizes, such as "1,024 to 20, 256 to 10"
  /// Number of runs, each with other random inputs. Fewer elements have fewer different values, on
  /// which the effect of a fault may depend.
  int64_t num_runs = 1;
};

/// Limits of smaller dims.
struct SmallerDimOptions {
  /// The elements of a block after the change. A prime number differs from the sizes of most
  /// meshes.
  int64_t block = 5;
  /// The least number of multiplications and elements of a program that becomes smaller.
  int64_t least_work = int64_t{1} << 22U;
  /// The largest number of runs. All runs have at most an eighth of the program's work, except the
  /// first.
  int64_t max_runs = 8;
};

/// Makes dims smaller in both programs together, so that equal results of the smaller programs show
/// equal results of the programs. Returns nothing if no dim can become smaller.
///
///   %0 = dot %x, %w : (256x1024, 1024x512)     blocks of 128 rows, 256 terms, 64 columns
///   ---------------------------------------
///   %0 = dot %x, %w : (10x20, 20x40)           blocks of 5 rows, 5 terms, 5 columns
///
/// Dims joined by sharding rules, reshapes, calls, loops, collectives, and by the arguments and
/// results of the two programs form a class. A class is divided into blocks; the size of a block
/// divides all sizes of the class and all offsets along it. A class becomes smaller only if each op
/// treats all elements of a block alike; iotas, windows, scans and other ops that distinguish them
/// keep their sizes. Spec: docs/guide/checking.md, "Smaller dims".
///
/// Requires: valid modules; one input per argument.
std::optional<SmallerProgram> with_smaller_dims(const ir::Module& module, const ir::Module& program,
                                                const simulation::Tensors& inputs,
                                                const rules::Registry& rules,
                                                const SmallerDimOptions& options = {});

}  // namespace shardy::checking
