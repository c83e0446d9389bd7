#include "shardy/simulation/tensor.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "shardy/ir/detail/number.hpp"
#include "simulation/programs.hpp"

namespace shardy_test::tensor_test {
namespace {

using shardy::simulation::Fill;
using shardy::simulation::filled_tensor;

TEST_CASE("Tensor::make takes exactly the bytes of its type", "[simulation][tensor]") {
  const std::vector<std::byte> bytes(7);
  CHECK(message_of(Tensor::make(Type::tensor({2}, ElementType::F32), bytes)) ==
        "tensor<2xf32> needs 8 bytes, got: 7");
  CHECK(message_of(Tensor::make(Type(), bytes)) ==
        "a value at run time needs a static tensor type, got: !stablehlo.token");
  CHECK(Tensor::make(Type::tensor({7}, ElementType::I8), bytes));
}

TEST_CASE("Tensor::make refuses elements outside of their type", "[simulation][tensor]") {
  const auto [element, byte, good] = GENERATE(table<ElementType, int, bool>({
      {ElementType::I1, 1, true},
      {ElementType::I1, 2, false},
      {ElementType::I4, 7, true},
      {ElementType::I4, 8, false},
      {ElementType::I4, 0xF8, true},
      {ElementType::I4, 0xF7, false},
      {ElementType::UI2, 3, true},
      {ElementType::UI2, 4, false},
      {ElementType::F4E2M1FN, 0x0F, true},
      {ElementType::F4E2M1FN, 0x10, false},
      {ElementType::F6E3M2FN, 0x3F, true},
      {ElementType::F6E2M3FN, 0x40, false},
      {ElementType::F8E4M3FN, 0xFF, true},
  }));
  const std::byte bytes[] = {static_cast<std::byte>(byte)};
  CHECK(Tensor::make(Type::tensor({}, element), bytes).has_value() == good);
}

TEST_CASE("borrowed bytes are shared and released by the last tensor", "[simulation][tensor]") {
  const Type type = Type::tensor({2}, ElementType::F32);
  const auto floats = std::make_shared<std::array<float, 4>>(std::array<float, 4>{1, 2, 3, 4});
  const auto at = [&](std::size_t byte) {
    return std::shared_ptr<const std::byte>(floats,
                                            std::as_bytes(std::span(*floats)).subspan(byte).data());
  };
  {
    const auto tensor = Tensor::borrow(type, at(4), 8);
    REQUIRE(tensor);
    const Tensor copy = *tensor;
    CHECK(copy.data() == at(4).get());
    CHECK(copy.to_doubles() == std::vector<double>{2, 3});
    CHECK(floats.use_count() == 3);
  }
  CHECK(floats.use_count() == 1);
  CHECK_FALSE(Tensor::borrow(type, at(2), 8));  // not aligned
  CHECK_FALSE(Tensor::borrow(type, at(0), 12));
  CHECK_FALSE(Tensor::borrow(Type::tensor({16}, ElementType::I1), at(0), 16));
  const auto empty = Tensor::borrow(Type::tensor({0}, ElementType::F32), nullptr, 0);
  REQUIRE(empty);
  CHECK(empty->data() != nullptr);
}

TEST_CASE("a rank-0 tensor has one element, a tensor with a dim of size 0 has none",
          "[simulation][tensor]") {
  CHECK(scalar(ElementType::F32, 3).num_elements() == 1);
  CHECK(tensor(ElementType::F32, {2, 0}, {}).num_elements() == 0);
  CHECK(tensor(ElementType::F32, {2, 0}, {}) != tensor(ElementType::F32, {0, 2}, {}));
}

TEST_CASE("tensor equality compares bits", "[simulation][tensor]") {
  CHECK(scalar(ElementType::F32, 0.0) != scalar(ElementType::F32, -0.0));
  CHECK(scalar(ElementType::F32, std::nan("")) == scalar(ElementType::F32, std::nan("")));
  CHECK(Tensor() == Tensor());
  CHECK(Tensor() != scalar(ElementType::I8, 0));
}

TEST_CASE("tensor slices and reshaped tensors share the buffer", "[simulation][tensor]") {
  const Tensor x = counting(ElementType::I16, {4, 3});
  const Tensor row = x.part(Type::tensor({3}, ElementType::I16), 6);
  CHECK(row == vector_of(ElementType::I16, {6, 7, 8}));
  CHECK(row.data() == x.data() + 12);
  CHECK(x.reshaped(Type::tensor({2, 6}, ElementType::I16)).data() == x.data());
}

TEST_CASE("numbers are rounded once, to the nearest element", "[simulation][tensor]") {
  CHECK(vector_of(ElementType::F16, {70000, 1.0 + 1.0 / 4096}) ==
        bits<uint16_t>(ElementType::F16, {0x7C00, 0x3C00}));
  CHECK(integers(ElementType::I8, {2}, {300, -129}) == vector_of(ElementType::I8, {44, 127}));
  CHECK(message_of(Tensor::from_doubles(Type::tensor({2}, ElementType::F32), {})) ==
        "tensor<2xf32> has 2 elements, got: 0");
}

TEST_CASE("literals and splats convert to tensors and back", "[simulation][tensor]") {
  const auto splat = shardy::ir::splat_literal(Type::tensor({2, 2}, ElementType::BF16), 1.5);
  const Result<Tensor> value = Tensor::from_literal(splat);
  REQUIRE(value);
  CHECK(*value == tensor(ElementType::BF16, {2, 2}, {1.5, 1.5, 1.5, 1.5}));
  CHECK(value->to_literal() == splat);
}

TEST_CASE("the two poison fills differ in every element of every type",
          "[simulation][tensor][poison]") {
  for (const auto& row : shardy::ir::kElementTypes) {
    const ElementType element = *shardy::ir::parse_element_type(row.name);
    CAPTURE(row.name);
    const Type type = Type::tensor({4}, element);
    const Tensor one = filled_tensor(type, Fill::Poison).value();
    const Tensor other = filled_tensor(type, Fill::OtherPoison).value();
    const std::size_t size = shardy::ir::size_bytes(element);
    for (std::size_t at = 0; at < one.bytes().size(); at += size) {
      CHECK_FALSE(
          std::ranges::equal(one.bytes().subspan(at, size), other.bytes().subspan(at, size)));
    }
    CHECK(Tensor::make(type, one.bytes()));  // canonical
    CHECK(Tensor::make(type, other.bytes()));
    CHECK(filled_tensor(type, Fill::Zero).value() == tensor(element, {4}, {0, 0, 0, 0}));
  }
}

TEST_CASE("poison is NaN in floats, 0xA5 in integers and alternating in i1",
          "[simulation][poison]") {
  const Tensor floats = filled_tensor(Type::tensor({2}, ElementType::F32), Fill::Poison).value();
  CHECK(std::isnan(floats.elements<float>()[1]));
  CHECK(std::bit_cast<uint32_t>(floats.elements<float>()[1]) == 0x7FE5A5A5);
  CHECK(filled_tensor(Type::tensor({1}, ElementType::UI16), Fill::Poison).value() ==
        vector_of(ElementType::UI16, {0xA5A5}));
  CHECK(filled_tensor(Type::tensor({3}, ElementType::I1), Fill::Poison).value() ==
        vector_of(ElementType::I1, {0, 1, 0}));
}

TEST_CASE("tensors print their type and elements", "[simulation][tensor]") {
  CHECK(to_string(vector_of(ElementType::F32, {1, -0.0, 0.5})) == "tensor<3xf32> [1, -0, 0.5]");
  CHECK(to_string(integers(ElementType::UI64, {}, {-1})) == "tensor<ui64> [18446744073709551615]");
  CHECK(to_string(counting(ElementType::I8, {3}), 2) == "tensor<3xi8> [0, 1, ...]");
  CHECK(to_string(scalar(ElementType::Complex64, 2)) == "tensor<complex<f32>> [(2, 0)]");
  CHECK(to_string(Tensor()) == "(no tensor)");
}

}  // namespace
}  // namespace shardy_test::tensor_test
