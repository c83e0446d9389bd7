// Why collectives are there: the decisions of propagation that led to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/report.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// Logs one more propagation of a program, and reads off the log how the tensors of an op got the
/// axes that a collective for the op is about.
class Reasons {
 public:
  /// Propagates a copy of `module`, which is what compile was given. Errors: those of the passes
  /// and of propagation. Cost: linear in the program.
  static tl::expected<Reasons, Diagnostics> make(const ir::Module& module,
                                                 const checking::CompileOptions& options = {},
                                                 const checking::Context& context = {});
  Reasons(Reasons&&) noexcept;
  Reasons& operator=(Reasons&&) noexcept;
  ~Reasons();

  /// std::nullopt if the op that the collective serves is not in the source program.
  std::optional<Because> because(const Collective& row) const;

  /// The names that the source gives to the values.
  const text::WrittenValues& names() const;

 private:
  struct Data;
  explicit Reasons(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Says it of the first collective of each of the `top` costliest kinds: alike(report).
void add_reasons(Report& report, const Reasons& reasons, std::size_t top);

}  // namespace shardy::report
