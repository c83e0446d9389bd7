// Any text is an attribute or an error, and an attribute reads back. A sharding is resolved on a
// mesh that has most of the names, with sub-axes; what resolves spells back, and has shapes.
#include <array>
#include <cstdint>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.hpp"
#include "support/layouts.hpp"

namespace {

using namespace shardy;

void check_hlo(const TensorSharding& sharding, std::string_view text) {
  if (sharding.mesh().num_devices() > 4096) return;
  const Result<HloSharding> hlo = export_hlo(sharding);
  if (!hlo) return;
  const auto back = import_hlo_onto(*hlo, sharding.rank(), sharding.mesh_ref());
  fuzz::check(back.has_value(), "import(export(x)) is a value", text);
  // Axes of size 1 split nothing, and are not in the text.
  const std::vector<int64_t> shape(sharding.rank(), 1000);
  fuzz::check(shardy_test::layouts_equal(back->sharding, sharding, shape), "import(export(x)) is x",
              text);
}

void check_resolved(const TensorSharding& sharding, std::string_view text) {
  fuzz::check(to_string(sharding) == to_string(spell(sharding)), "spell", text);
  const std::vector<int64_t> shape(sharding.rank(), 1000);
  const std::vector<int64_t> local = sharding.local_shape(shape);
  const auto global = sharding.global_shape(local);
  if (global) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      fuzz::check((*global)[i] >= shape[i], "global(local(x)) >= x", text);
    }
  }
  for (const int64_t position : {int64_t{0}, sharding.mesh().num_devices() - 1}) {
    for (const Range& range : device_slice(sharding, shape, position)) {
      fuzz::check(range.begin >= 0 && range.begin <= range.end && range.end <= 1000, "a slice",
                  text);
    }
  }
  fuzz::check(is_equivalent(sharding, sharding.open_like()), "openness places no data", text);
  check_hlo(sharding, text);
}

void check_sharding(const UnresolvedSharding& spelled, std::string_view text) {
  static const Mesh mesh =
      *Mesh::make({{"a", 2}, {"x", 8}, {"b", 12}, {"y", 3}, {"z", 1}, {"c", 36}});
  const auto* own = std::get_if<Mesh>(&spelled.mesh);
  const Result<TensorSharding> resolved = resolve(spelled, own == nullptr ? mesh : *own);
  if (!resolved) {
    fuzz::check(!resolved.error().message.empty(), "an error", text);
    return;
  }
  fuzz::check(spell(*resolved).dims.size() == spelled.dims.size(), "rank", text);
  check_resolved(*resolved, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<SdyAttribute> attribute = parse_attribute(text);
  if (attribute) {
    const Result<SdyAttribute> again = parse_attribute(attribute_text(*attribute));
    fuzz::check(again.has_value() && *again == *attribute, "parse(print(x)) == x", text);
  } else {
    fuzz::check(!attribute.error().location.empty(), "a located error", text);
  }
  const Result<UnresolvedSharding> sharding = parse_sharding(text);
  if (!sharding) return 0;
  fuzz::check(parse_sharding(to_string(*sharding)) == *sharding, "parse(print(x)) == x", text);
  check_sharding(*sharding, text);
  return 0;
}
