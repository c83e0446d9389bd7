// Programs of equal layers that are compiled with a few of their layers. The compiled program gets
// the other layers afterwards, so that costs are those of the whole program.
//
//   whole     0 - 1 - 2 - 3 - 4 - 5 - 6 - 7 - 8 - 9
//   folded    0 - 1 - 2 - 3 - 4 - - - - - - - - - 9   compiled; 2, 3 and 4 must be equal in it
//   unfolded  0 - 1 - 2 - 3 - 3 - 3 - 3 - 3 - 4 - 9   copies of 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "checking/compile_stages.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::report {

/// Returns the layer of an op; -1: in no layer, or unknown.
using LayerOfOp = std::function<int32_t(const ir::Module& program, ir::OpId op)>;

/// Inserts copies of a layer, `extra` times, into a program with `num_layers` layers.
///
/// std::nullopt unless the program has at least five equal blocks, one per layer, of which the
/// inner ones also have equal operands: values of the same block, of a block at the same distance,
/// or of no block. All ops of inner layers must be in these blocks, and only they and the return of
/// main may use their values. Then a program with more layers has the same blocks, more often.
/// Cost: that of repeated_blocks.
std::optional<ir::Module> with_more_layers(const ir::Module& program, std::size_t extra,
                                           std::size_t num_layers, const LayerOfOp& layer_of);

/// Checks whether main is equal in both programs, up to locations, names and the order of arguments
/// and results. Other functions are not compared.
bool is_equal_program(const ir::Module& a, const ir::Module& b);

/// A program with equal layers, and its first and last layers alone.
class FoldedLayers {
 public:
  /// Number of layers in which rules find their usual surroundings.
  static constexpr std::size_t kFewestKept = 8;

  /// Keeps the last layer and `num_kept` - 1 of the first ones. std::nullopt unless the program
  /// equals its folded program with more layers, inner layers have equal annotations, and the
  /// folded program has at most two thirds of the ops. Cost: that of repeated_blocks.
  static std::optional<FoldedLayers> make(const ir::Module& whole,
                                          std::size_t num_kept = kFewestKept);

  /// Returns the folded program. Each op has a location of its own.
  const ir::Module& module() const { return module_; }
  std::size_t num_kept() const { return num_kept_; }
  /// Returns the number of layers to keep so that values which all layers use have as many uses as
  /// rules distinguish. `propagated` is the propagated program of module(). std::nullopt: its inner
  /// layers differ.
  std::optional<std::size_t> needed_layers(const ir::Module& propagated) const;
  /// Returns the whole program of a program into which module() was compiled; std::nullopt if its
  /// inner layers differ.
  std::optional<ir::Module> unfold(const ir::Module& compiled) const;
  /// Gives the ops of a program into which module() was compiled the locations of the source.
  /// Copies have those of the layer that was copied.
  void restore_locations(ir::Module& compiled) const;

 private:
  explicit FoldedLayers(ir::Module module) : module_(std::move(module)) {}

  static std::optional<FoldedLayers> fold(const ir::Module& whole, std::size_t num_kept);
  int32_t layer_of(const ir::Module& compiled, ir::OpId op) const;
  std::optional<ir::Module> with_more(const ir::Module& compiled) const;

  ir::Module module_;
  std::vector<int32_t> layers_;          // per op of module_: the kept layer; -1: none
  std::vector<ir::LocationId> sources_;  // per op of module_: its location in the source
  std::size_t num_kept_ = 0;
  std::size_t num_removed_ = 0;
};

/// A program that was compiled with a few of its equal layers.
struct CompiledLayers {
  FoldedLayers folded;
  /// `program` is whole; the other programs have the kept layers, and locations of `folded`.
  checking::CompiledProgram compiled;
};

/// Compiles a few of the equal layers of a program. std::nullopt unless this gives the costs of the
/// whole program. Limits count the ops and bytes of whole programs, so with limits nothing is
/// folded.
std::optional<CompiledLayers> compile_few_layers(const ir::Module& module,
                                                 const checking::CompileOptions& options,
                                                 const checking::Context& context,
                                                 passes::KnownPlans* plans);

}  // namespace shardy::report
