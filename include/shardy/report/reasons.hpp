// Causes of collectives: the decisions of propagation that led to them.
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

/// A logged propagation of a program. Reads from the log how the tensors of an op got the axes of a
/// collective for the op.
class Reasons {
 public:
  /// Propagates a copy of `module`, the input of compile. Errors: those of passes and propagation.
  /// Cost: linear in the program.
  static tl::expected<Reasons, Diagnostics> make(const ir::Module& module,
                                                 const checking::CompileOptions& options = {},
                                                 const checking::Context& context = {});
  Reasons(Reasons&&) noexcept;
  Reasons& operator=(Reasons&&) noexcept;
  ~Reasons();

  /// Returns the cause of a collective; std::nullopt if its op is not in the source program.
  std::optional<Because> because(const Collective& row) const;

  /// Returns the names of values in the source program.
  const text::WrittenValues& names() const;

 private:
  struct Data;
  explicit Reasons(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Adds causes to the first collective of each of the `top` costliest groups, as by alike(report).
void add_reasons(Report& report, const Reasons& reasons, std::size_t top);

}  // namespace shardy::report
