// Any text is a program or errors with places; a program comes back from its texts.
#include <cstdint>
#include <shardy/text/mlir.hpp>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using shardy::text::MlirPrintOptions;

void check_round_trip(const shardy::ir::Module& module, const MlirPrintOptions& options,
                      std::string_view text) {
  const std::string printed = shardy::text::to_mlir(module, options);
  const auto again = shardy::text::parse_mlir(printed);
  fuzz::check(again.has_value(), "what is printed is read", text);
  // Custom forms leave out attributes that were given as their defaults. Spec: stablehlo 9.
  const bool is_whole = !options.generic || shardy::text::same_program(module, *again);
  fuzz::check(is_whole, "parse(print(x)) == x", text);
  fuzz::check(shardy::text::to_mlir(*again, options) == printed,
              "print(parse(print(x))) == print(x)", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = shardy::text::parse_mlir(text);
  if (!module) {
    fuzz::check(!module.error().empty() && module.error().size() <= 20, "1 to 20 errors", text);
    for (const shardy::Error& error : module.error()) {
      fuzz::check(!error.message.empty() && !error.location.empty(), "a located error", text);
    }
    fuzz::check(!shardy::text::error_text("t", text, module.error()).empty(), "an error text",
                text);
    return 0;
  }
  check_round_trip(*module, {}, text);
  check_round_trip(*module, {.generic = true}, text);
  return 0;
}
