// Integers that hold the bits of floats on their way from one place to another.
#pragma once

#include <cstddef>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::checking {

/// Values that bitcast_convert makes of floats, and what is moved or joined bit by bit with them:
/// partitioned programs carry floats so where one device has the value and the others have zeros.
/// When the floats become numbers of 64 bits, so must these.
class BitCopies {
 public:
  explicit BitCopies(const ir::Module& module);

  /// Requires: a value that the module had.
  bool is_copy(ir::ValueId value) const { return is_copy_[find(value.index())]; }
  /// Some op computes with a copy.
  bool looks_at_bits() const { return looks_at_bits_; }
  /// Makes copies ui64, with conversions where other ops read or make them.
  void apply(ir::Module& module) const;

 private:
  std::size_t find(std::size_t value) const;
  void join(ir::ValueId a, ir::ValueId b);
  void join_exchanged(const ir::Module& module, ir::OpId op);
  void join_moved(const ir::Module& module, ir::OpId op);

  mutable std::vector<std::size_t> parent_;
  std::vector<bool> is_copy_;  // of the representative of each class
  bool looks_at_bits_ = false;
};

}  // namespace shardy::checking
