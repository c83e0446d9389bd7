// Programs that differ from given ones in random places, and are still valid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/checking/sweep.hpp"
#include "shardy/ir/module.hpp"

namespace fuzz {

/// A program as MLIR text, and its parsed module. The text is valid at all times.
class ProgramMutator {
 public:
  /// Returns std::nullopt if the text is not a valid program.
  static std::optional<ProgramMutator> make(std::string text);

  /// Makes up to `count` changes: names, numbers, axes and shardings replaced by others of the
  /// program, lines left out, shardings put on values. A change that makes the program wrong is
  /// taken back.
  void mutate(shardy::checking::Random& random, int64_t count);

  const std::string& text() const { return text_; }
  const shardy::ir::Module& module() const { return module_; }

 private:
  ProgramMutator(std::string text, shardy::ir::Module module)
      : text_(std::move(text)), module_(std::move(module)) {}

  bool accept(std::string text);
  std::string changed(shardy::checking::Random& random) const;
  std::string with_other_token(shardy::checking::Random& random) const;
  std::string without_line(shardy::checking::Random& random) const;
  std::string with_sharded_value(shardy::checking::Random& random) const;
  std::string sharding_text(shardy::checking::Random& random, std::size_t rank) const;

  std::string text_;
  shardy::ir::Module module_;
};

}  // namespace fuzz
