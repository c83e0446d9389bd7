// Estimates of changes of one annotation in a program with equal layers. Each change has a
// counterpart in the folded program; a layer there represents the removed layers.
//
//   whole    0 - 1 - 2 - 3 - 4 - 5      a change in 3
//   folded   0 - 1 - - - - - - - 5      is a change in 1; 0 represents 1 and 2, 5 represents 4
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/layer_folding.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

/// The layers of the main function of a program.
struct Layers {
  std::vector<PlacedOp> placed;          // ops in layers
  std::vector<std::size_t> annotations;  // a hash of the annotations per layer
};

/// Finds layers of equal ops, whatever their annotations. std::nullopt: main has none. Cost: that
/// of repeated_blocks.
std::optional<Layers> find_layers(const ir::Module& whole);

/// A change of the folded program, and the layer of the whole program that it changes.
struct FoldedChange {
  AnnotationChange change;
  int32_t layer = -1;  // -1: in no layer
};

/// A program with equal layers, and its folded program. The folded program has the first and the
/// last layer, one of the equal layers between them, and all layers whose annotations differ, with
/// their neighbours.
class ChangeFolding {
 public:
  /// std::nullopt: the program has no layers that can be removed, or the folded program has more
  /// than half of the ops. `whole` must outlive this object. Cost: that of repeated_blocks.
  static std::optional<ChangeFolding> make(const ir::Module& whole);

  /// Returns the folded program. Each op has a location of its own.
  const ir::Module& module() const { return module_; }
  std::size_t num_layers() const { return is_kept_.size(); }
  std::size_t num_kept() const { return kept_.size(); }

  /// Returns the change of the corresponding place; std::nullopt: the folded program has none.
  std::optional<FoldedChange> fold(const AnnotationChange& change) const;

  /// Returns the seconds of a compiled folded program per kept layer, then those of all other ops.
  std::vector<double> seconds_of_parts(const checking::CompiledProgram& compiled,
                                       const Report& report, double operations_per_second) const;
  /// Returns the number of layers that each part represents if `layer` is changed.
  std::vector<double> weights(int32_t layer) const;

 private:
  ChangeFolding(const ir::Module& whole, FoldedModule folded, std::vector<bool> is_kept,
                int32_t model);

  void mark_ops();
  int32_t layer_of(ir::ValueId value) const;
  int32_t layer_of(const AnnotationPlace& place) const;
  ir::OpId model_of(ir::OpId op) const;
  ir::ValueId model_of(ir::ValueId value) const;
  std::optional<uint32_t> folded_result(uint32_t result) const;
  std::optional<AnnotationPlace> folded(const AnnotationPlace& place) const;
  std::size_t part_of(const Location& location) const;
  void add_collective(const ir::Module& program, ir::OpId op, double all,
                      std::vector<double>& seconds) const;

  const ir::Module* whole_;
  FoldedModule folded_;
  ir::Module module_;
  std::vector<bool> is_kept_;       // per layer
  std::vector<int32_t> kept_;       // the kept layers
  int32_t model_;                   // the kept layer that represents the removed ones
  std::vector<std::size_t> parts_;  // per op of the folded program: index in kept_, or its size
};

}  // namespace shardy::report
