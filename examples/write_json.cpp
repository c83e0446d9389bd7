// Writes a model (mlp, transformer or moe) as a JSON graph to standard output.
#include <fmt/core.h>

#include <shardy/text/json.hpp>
#include <string_view>

#include "models.hpp"

int main(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  const auto model = name == "mlp"           ? examples::mlp()
                     : name == "transformer" ? examples::transformer()
                                             : examples::mixture_of_experts();
  if (!model || (name != "mlp" && name != "transformer" && name != "moe")) {
    fmt::print(stderr, "usage: write_json mlp|transformer|moe\n");
    return 2;
  }
  fmt::print("{}", shardy::text::to_json(*model));
  return 0;
}
