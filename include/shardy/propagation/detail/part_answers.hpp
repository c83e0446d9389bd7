// Asks replaced parts, and looks at what they say.
#pragma once

#include <optional>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/parts.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation::detail {

/// The parts of one propagation, and the first answer that was none. Where there is one, the
/// library goes on with its own answer, and fails in the end.
class PartAnswers {
 public:
  explicit PartAnswers(const Parts& parts) : parts_(parts) {}

  const Parts& parts() const { return parts_; }
  /// The error that ends propagation, if there is one.
  Status status() const;

  /// Requires: the part is there.
  AxisList compatible_axes(const FactorQuestion& question);
  std::vector<std::size_t> conflict_order(const ConflictQuestion& question);
  std::vector<int64_t> user_priorities(std::span<const int64_t> ascending);
  /// None: a level that is none.
  Direction direction(const LevelQuestion& question);

 private:
  void refuse(const char* part, const std::string& why);

  const Parts& parts_;
  std::optional<Error> refused_;
};

/// How many levels there are, if that is a number of them.
Status verify_levels(const OpPriorities& priorities);

}  // namespace shardy::propagation::detail

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/parts_inl.hpp>
#endif
