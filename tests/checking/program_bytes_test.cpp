// The estimate of the memory of a program, by which compilations limit theirs.
#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/program_facts.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/counted_memory.hpp"
#include "support/files.hpp"

namespace shardy::checking::program_bytes_test {
namespace {

TEST_CASE("the estimated memory of a program is near its measured memory", "[checking][limits]") {
  for (const char* name : {"transformer_sdy", "moe_sdy", "scan_sdy", "adam_gspmd"}) {
    const std::string path = std::string(SHARDY_EXAMPLES "/jax/") + name + ".mlir";
    auto source = text::parse_mlir(shardy_test::read_text(path));
    REQUIRE(source);
    REQUIRE(passes::import_shardings(*source));
    auto compiled = compile(*source);
    REQUIRE(compiled);
    for (ir::Module* module : {&*source, &compiled->propagated, &compiled->program}) {
      const std::size_t before = shardy_test::counted_memory().live_bytes;
      const ir::Module copy = *module;
      const auto bytes = static_cast<int64_t>(shardy_test::counted_memory().live_bytes - before);
      const int64_t estimate = ir::program_bytes(copy);
      CAPTURE(name, bytes, estimate);
      CHECK(estimate > bytes / 2);
      CHECK(estimate < bytes * 2);
    }
  }
}

}  // namespace
}  // namespace shardy::checking::program_bytes_test
