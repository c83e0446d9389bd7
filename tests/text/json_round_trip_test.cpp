// Printed text reads back as the same program, bit by bit, and prints as the same text.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <shardy/ir/detail/number.hpp>
#include <shardy/ir/verify.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/text/json.hpp>
#include <shardy/text/mlir.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "text/random_module.hpp"
#include "text/text_files.hpp"

namespace shardy::text::testing::json_round_trip_test {
namespace {

using ir::ElementType;
using ir::Type;

/// The clauses of the law for one module.
void check_round_trip(const ir::Module& module, const JsonPrintOptions& options = {}) {
  const std::string text = to_json(module, options);
  const auto read = parse_json(text);
  const std::string errors = read ? "" : text_of(read.error());
  INFO(text.substr(0, 20'000));
  REQUIRE(errors.empty());
  CHECK(first_difference(module, *read).value_or("none") == "none");
  CHECK(to_json(*read, options) == text);
}

TEST_CASE("random programs read back from their JSON", "[text][json][law][random]") {
  const uint64_t first = uint64_t{Catch::rngSeed()} << 32U;
  for (uint64_t seed = first; seed < first + 3000; ++seed) {
    const ir::Module module = random_module(seed);
    CAPTURE(seed);
    REQUIRE(text_of(ir::verify(module)).empty());
    check_round_trip(module);
  }
}

TEST_CASE("the layout of JSON text does not change the program", "[text][json][law][random]") {
  const uint64_t first = uint64_t{Catch::rngSeed()} << 32U;
  for (uint64_t seed = first; seed < first + 300; ++seed) {
    CAPTURE(seed);
    const ir::Module module = random_module(seed);
    for (const std::size_t width : {0U, 1U, 40U, 100'000U}) {
      check_round_trip(module, {.width = width});
      check_round_trip(module, {.width = width, .max_list_elements = 0});
    }
  }
}

std::vector<std::string> locations(const ir::Module& module) {
  std::vector<std::string> texts;
  for (const ir::OpId op : ir::pre_order(module)) texts.push_back(module.location_text(op));
  return texts;
}

TEST_CASE("locations of all ops are printed on request", "[text][json][law][random]") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const ir::Module module = random_module(seed, {.with_locations = true});
    const JsonPrintOptions options{.locations = true};
    check_round_trip(module, options);
    const auto read = parse_json(to_json(module, options));
    REQUIRE(read);
    CHECK(locations(*read) == locations(module));
  }
}

// ---- Literals ----------------------------------------------------------------------------------

ir::Module constant_of(const ir::Literal& literal) {
  ir::Module module;
  const ir::OpId function = module.add_function("main", {}, {literal.type()});
  ir::AttributeMap attributes;
  attributes.set("value", literal);
  const ir::OpId op = module.create(
      {.kind = ir::OpKind::Constant, .result_types = {literal.type()}, .attributes = attributes});
  module.append(module.entry(function), op);
  module.append(module.entry(function),
                module.create({.kind = ir::OpKind::FuncReturn, .operands = {module.result(op)}}));
  return module;
}

/// Bytes of all elements of a type of up to 16 bits.
std::vector<std::byte> all_elements(ElementType type) {
  std::vector<std::byte> bytes;
  for (int64_t value = 0; value < int64_t{1} << ir::info(type).bits; ++value) {
    if (!ir::is_float(type)) {
      const std::vector<std::byte> one = ir::encode_int(value, type);
      bytes.insert(bytes.end(), one.begin(), one.end());
      continue;
    }
    for (std::size_t byte = 0; byte < ir::size_bytes(type); ++byte) {
      bytes.push_back(static_cast<std::byte>(value >> (8 * byte)));
    }
  }
  return bytes;
}

TEST_CASE("every element of types up to 16 bits reads back", "[text][json][literal][law]") {
  for (const ir::ElementInfo& info : ir::kElementTypes) {
    if (info.bits > 16) continue;
    const ElementType type = *ir::parse_element_type(info.name);
    CAPTURE(info.name);
    const auto literal =
        ir::Literal::make(Type::tensor({int64_t{1} << info.bits}, type), all_elements(type));
    REQUIRE(literal);
    check_round_trip(constant_of(*literal), {.max_list_elements = 1 << 16});  // numbers
    check_round_trip(constant_of(*literal), {.max_list_elements = 0});        // base64
  }
}

/// `f32[..]` with these bits, as JSON prints it.
std::string printed(ElementType type, uint64_t bits) {
  std::vector<std::byte> bytes(ir::size_bytes(type));
  for (std::size_t byte = 0; byte < bytes.size() && byte < 8; ++byte) {
    bytes[byte] = static_cast<std::byte>(bits >> (8 * byte));
  }
  const ir::Module module = constant_of(*ir::Literal::make(Type::tensor({}, type), bytes));
  check_round_trip(module);
  const std::string text = to_json(module);
  const std::size_t begin = text.find("\"value\": ") + 9;
  return text.substr(begin, text.find('}', begin) - begin);
}

TEST_CASE("a literal is printed with the fewest digits that read back", "[text][json][literal]") {
  const auto [type, bits, text] = GENERATE(table<ElementType, uint64_t, std::string>({
      {ElementType::F64, 0x8000000000000000, "-0.0"},
      {ElementType::F64, 0x3FB999999999999A, "0.1"},
      {ElementType::F64, 0x7FEFFFFFFFFFFFFF, "1.7976931348623157e+308"},
      {ElementType::F64, 1, "5e-324"},
      {ElementType::F64, 0x7FF8000000000000, "\"nan\""},
      {ElementType::F64, 0xFFF8000000000000, "\"0xFFF8000000000000\""},
      {ElementType::F64, 0x7FF0000000000001, "\"0x7FF0000000000001\""},
      {ElementType::F64, 0xFFF0000000000000, "\"-inf\""},
      {ElementType::F32, 0x3DCCCCCD, "0.1"},
      {ElementType::F32, 0x7F7FFFFF, "3.4028235e+38"},
      {ElementType::F32, 1, "1e-45"},
      {ElementType::F32, 0x7FC00001, "\"0x7FC00001\""},
      {ElementType::F32, 0x7FA00000, "\"0x7FA00000\""},
      {ElementType::BF16, 0x3DCD, "0.1"},
      {ElementType::F16, 0x7BFF, "65500.0"},
      {ElementType::F16, 0x8000, "-0.0"},
      {ElementType::F8E4M3FN, 0xFF, "\"0xFF\""},
      {ElementType::F8E4M3FNUZ, 0x80, "\"nan\""},
      // The nearest number of one digit, 1e8, is less than half way to 2^26; 2e8 is none such.
      {ElementType::F8E8M0FNU, 154, "2e+08"},
      {ElementType::F8E8M0FNU, 0, "6e-39"},
      {ElementType::I1, 1, "true"},
      {ElementType::I2, 0xFE, "-2"},
      {ElementType::I64, 0x8000000000000000, "-9223372036854775808"},
      {ElementType::UI64, 0xFFFFFFFFFFFFFFFF, "18446744073709551615"},
      {ElementType::Complex64, 0x8000000080000000, "[-0.0, -0.0]"},
      {ElementType::Complex64, 0x7FC000013F800000, "[1.0, \"0x7FC00001\"]"},
  }));
  CAPTURE(to_string(type), bits);
  CHECK(printed(type, bits) == text);
}

/// Digits of a printed number but for zeros in front and at the end.
std::size_t significant_digits(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return 0;
  return digits.find_last_not_of('0') + 1 - first;
}

/// By the bits of each positive value of a type of one byte: the fewest digits that spell it, found
/// by trying all numbers of up to three.
std::vector<std::size_t> fewest_digits(ElementType type) {
  std::vector<std::size_t> fewest(256, 4);
  for (int mantissa = 999; mantissa > 0; --mantissa) {
    for (int exponent = -45; exponent < 45; ++exponent) {
      const std::string text = std::to_string(mantissa) + "e" + std::to_string(exponent);
      const double value = std::strtod(text.c_str(), nullptr);
      std::size_t& best = fewest[std::to_integer<std::size_t>(ir::encode(value, type)[0])];
      best = std::min(best, significant_digits(std::to_string(mantissa)));
    }
  }
  return fewest;
}

TEST_CASE("no number with fewer digits reads back as the same small float",
          "[text][json][literal][law]") {
  for (const ElementType type : {ElementType::F8E8M0FNU, ElementType::F8E5M2, ElementType::F8E3M4,
                                 ElementType::F8E4M3FN, ElementType::F4E2M1FN}) {
    const std::vector<std::size_t> fewest = fewest_digits(type);
    for (uint64_t bits = 1; bits < uint64_t{1} << ir::info(type).bits; ++bits) {
      const std::byte byte{static_cast<uint8_t>(bits)};
      const double value = ir::decode_double(std::span(&byte, 1), type);
      if (!std::isfinite(value) || value <= 0) continue;
      CAPTURE(to_string(type), bits, value);
      CHECK(significant_digits(printed(type, bits)) == fewest[bits]);
    }
  }
}

// ---- Files and depth ---------------------------------------------------------------------------

TEST_CASE("the examples read back from their printed JSON", "[text][json]") {
  for (const auto& path : example_files()) {
    CAPTURE(path);
    const auto module = parse_json(read_text(path));
    REQUIRE(module);
    check_round_trip(*module);
  }
}

/// Ops in ops in ops.
ir::Module nested(std::size_t levels) {
  ir::Module module;
  ir::BlockId block = module.entry(module.add_function("main", {}, {}));
  const ir::BlockId outermost = block;
  for (std::size_t level = 0; level < levels; ++level) {
    const ir::RegionId region = module.new_region();
    const ir::BlockId inner = module.new_block(region);
    module.append(block, module.create({.name = "foreign.nest", .regions = {region}}));
    block = inner;
  }
  module.append(outermost, module.create({.kind = ir::OpKind::FuncReturn}));
  return module;
}

TEST_CASE("regions nested up to the limit of levels read back", "[text][json]") {
  check_round_trip(nested(126));
  const ir::Module deep = nested(1000);
  const auto read = parse_json(to_json(deep), {.max_depth = 10'000});
  REQUIRE(read);
  CHECK(same_program(deep, *read));
}

TEST_CASE("regions nested beyond the limit are printed, and reading them is an error",
          "[text][json]") {
  const auto read = parse_json(to_json(nested(100'000)));
  REQUIRE_FALSE(read);
  CHECK(text_of(read.error()) ==
        "770:201: lists and objects are nested more than 512 levels deep\n");
}

// ---- Attributes that the definitions of ops know -----------------------------------------------

/// The program of the file as generic text, which knows nothing of JSON.
std::string generic_text(const std::string& file) {
  const auto module = parse_json(read_text(path_of(file)));
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  return to_mlir(*module, {.generic = true, .properties = true});
}

TEST_CASE("structured ops accept plain lists", "[text][json]") {
  const std::string text = generic_text("examples/structured.json");
  INFO(text);
  for (const char* attributes : {
           "slice_sizes = array<i64: 1, 5>",
           "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
           "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>",
           "padding = dense<[[1, 2]]> : tensor<1x2xi64>",
           "padding = dense<[[0, 0], [0, 2], [0, 0]]> : tensor<3x2xi64>",
           "window_dimensions = array<i64: 1, 2, 1>",
           "dimension = 1 : i64",
           "precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]",
       }) {
    CAPTURE(attributes);
    CHECK(text.find(attributes) != std::string::npos);
  }
}

TEST_CASE("structured ops are printed without tags", "[text][json]") {
  const auto module = parse_json(read_text(path_of("examples/structured.json")));
  REQUIRE(module.has_value());
  const std::string printed = to_json(*module);
  INFO(printed);
  for (const char* tag : {"\"dense\"", "\"array\"", "\"integer\"", "\"enum\"", "\"unit\""}) {
    CAPTURE(tag);
    CHECK(printed.find(tag) == std::string::npos);
  }
  check_round_trip(*module);
}

TEST_CASE("replica groups are lists of lists", "[text][json]") {
  const auto [groups, plain] = GENERATE(table<std::string, std::string>({
      {"dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", "[[0, 1], [2, 3]]"},
      {"dense<[[0], [1]]> : tensor<2x1xi64>", "[[0], [1]]"},
      {"dense<[[0, 1, 2]]> : tensor<1x3xi64>", "[[0, 1, 2]]"},
      {"dense<0> : tensor<1x1xi64>", "[[0]]"},
  }));
  const auto module = parse_mlir(R"(func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = )" +
                                 groups + R"(}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  CHECK(to_json(*module).find("\"replica_groups\": " + plain) != std::string::npos);
  check_round_trip(*module);
  check_round_trip(*module, {.max_list_elements = 0});
}

TEST_CASE("attributes that an op does not define need a dot in their name", "[text][json]") {
  const auto module = parse_mlir(R"(func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %arg0 {dimensions = 1 : i64, my.note = 2 : i64, note = 3 : i64} : tensor<4xf32>
  %1 = "foreign.op"(%0) {note = 4 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
)");
  REQUIRE(module.has_value());
  const std::string printed = to_json(*module);
  INFO(printed);
  CHECK(printed.find(R"({".dimensions": 1, "my.note": 2, ".note": 3})") != std::string::npos);
  CHECK(printed.find(R"({"note": 4})") != std::string::npos);
  check_round_trip(*module);
}

}  // namespace
}  // namespace shardy::text::testing::json_round_trip_test
