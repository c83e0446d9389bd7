// .npy files: what NumPy writes, what we write, and bad files.
#include <cstring>

#include "shardy/simulation/tensor.hpp"
#include "simulation/programs.hpp"

namespace shardy_test::npy_test {
namespace {

using shardy::simulation::read_npy;
using shardy::simulation::write_npy;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A file with that header, valid or not.
Bytes file(const std::string& header, const std::string& data, int major = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  text += static_cast<char>(header.size() & 0xFFU);
  text += static_cast<char>(header.size() >> 8U);
  if (major > 1) text += std::string(2, '\0');
  return bytes_of(text + header + data);
}

std::string header(const std::string& descr, const std::string& shape,
                   const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (" + shape +
         "), }\n";
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), std::data(values), text.size());
  return text;
}

TEST_CASE("NumPy files are read", "[simulation][npy]") {
  const Bytes floats = file(header("<f4", "2, 3"), raw({1.F, 2.F, 3.F, 4.F, 5.F, 6.F}));
  CHECK(*read_npy(floats) == tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(*read_npy(file(header("<i8", ""), raw<int64_t>({-7}))) == scalar(ElementType::I64, -7));
  CHECK(*read_npy(file(header("|b1", "2,"), std::string("\x01\x00", 2))) ==
        vector_of(ElementType::I1, {1, 0}));
  CHECK(read_npy(file(header("<c16", "0, 4"), ""))->type() ==
        Type::tensor({0, 4}, ElementType::Complex128));
  CHECK(*read_npy(file(header("<u2", "1,"), raw<uint16_t>({65535}), 2)) ==
        vector_of(ElementType::UI16, {65535}));
  CHECK(*read_npy(file("{\"shape\": (1,), \"descr\": \"|u1\", \"fortran_order\": False}", "\x05",
                       3)) == vector_of(ElementType::UI8, {5}));
}

TEST_CASE("files in Fortran order are transposed", "[simulation][npy]") {
  // Columns of [[1, 2, 3], [4, 5, 6]] one after the other.
  const Bytes columns = file(header("<i4", "2, 3", "True"), raw<int32_t>({1, 4, 2, 5, 3, 6}));
  CHECK(*read_npy(columns) == tensor(ElementType::I32, {2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("types without a NumPy type are stored as raw bytes", "[simulation][npy]") {
  const Bytes raw_halves = file(header("|V2", "2,"), raw<uint16_t>({0x3F80, 0xC000}));
  const Type wanted = Type::tensor({2}, ElementType::BF16);
  CHECK(*read_npy(raw_halves, wanted) == vector_of(ElementType::BF16, {1, -2}));
  CHECK(message_of(read_npy(raw_halves)) ==
        "the .npy file holds raw bytes '|V2', not numbers of a known type");
  CHECK(message_of(read_npy(raw_halves, Type::tensor({2}, ElementType::F16))) ==
        "the .npy file holds raw bytes '|V2', not tensor<2xf16>");
}

TEST_CASE("written files read back", "[simulation][npy]") {
  const ElementType element = GENERATE(
      ElementType::I1, ElementType::I4, ElementType::I8, ElementType::I64, ElementType::UI2,
      ElementType::UI16, ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::BF16,
      ElementType::F16, ElementType::F32, ElementType::F64, ElementType::Complex64);
  for (const Dims& dims : {Dims{}, Dims{2}, Dims{2, 1}, Dims{0, 3}}) {
    const Tensor value = tensor(
        element, dims, std::vector<double>(static_cast<std::size_t>(shardy::product(dims)), 1));
    const auto written = write_npy(value);
    REQUIRE(written);
    CHECK(written->size() % 64 == static_cast<std::size_t>(value.num_bytes()) % 64);
    CHECK(*read_npy(*written, value.type()) == value);
  }
}

TEST_CASE("the header equals the header that NumPy writes", "[simulation][npy]") {
  const auto written = write_npy(tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  REQUIRE(written);
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  expected += '\n';
  REQUIRE(written->size() == 128 + 24);
  CHECK(Bytes(written->begin(), written->begin() + 128) == bytes_of(expected));
}

TEST_CASE("invalid files are errors", "[simulation][npy]") {
  const auto [content, message] = GENERATE(table<Bytes, std::string>({
      {bytes_of(""), "not a .npy file: the magic string at its beginning is missing"},
      {bytes_of("PK\x03\x04 and more"),
       "not a .npy file: the magic string at its beginning is missing"},
      {file(header("<f4", "1,"), raw({1.F}), 4), "version 4.0 of .npy files is not supported"},
      {bytes_of(std::string("\x93NUMPY\x01\x00\xFF\x00{", 11)), "the .npy file ends in its header"},
      {file(header("<f4", "2,"), raw({1.F})),
       "the .npy file holds 4 bytes of elements, tensor<2xf32> needs 8"},
      {file(header("<f4", "1,"), raw({1.F, 2.F})),
       "the .npy file holds more bytes of elements, tensor<1xf32> needs 4"},
      {file(header(">f4", "1,"), raw({1.F})),
       "big-endian numbers in .npy files are not supported: '>f4'"},
      {file(header("<U4", "1,"), raw({1.F})), "elements '<U4' of .npy files are not supported"},
      {file(header("|O", "1,"), ""), "elements '|O' of .npy files are not supported"},
      {file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", ""),
       "records in .npy files are not supported"},
      {file("{'descr': '<f4', 'shape': ()}", ""),
       "the header of the .npy file needs 'descr', 'fortran_order' and 'shape'"},
      {file("{'descr': '<f4', 'descr': '<f4'}", ""),
       "the header of the .npy file has 'descr' twice"},
      {file("{'color': 'red'}", ""), "the header of the .npy file has an unknown key 'color'"},
      {file("{'shape': (-1,)}", ""),
       "the header of the .npy file is wrong: expected a size at character 11"},
      {file(header("<f4", "99999999999999999999,"), ""),
       "the header of the .npy file is wrong: expected a size at character 51"},
      {file(header("<f8", "4611686018427387904, 4"), ""),
       "tensor is too large: its byte size does not fit 64 bits"},
      {file(header("|b1", "1,"), "\x02"), "a boolean of the .npy file is neither 0 nor 1"},
      {file("{'shape': (1,", ""),
       "the header of the .npy file is wrong: expected a size at character 13"},
  }));
  CHECK(message_of(read_npy(content)) == message);
}

TEST_CASE("a requested type must equal the type of the file", "[simulation][npy]") {
  const Bytes floats = file(header("<f4", "2,"), raw({1.F, 2.F}));
  CHECK(message_of(read_npy(floats, Type::tensor({3}, ElementType::F32))) ==
        "the .npy file holds tensor<2xf32>, not tensor<3xf32>");
  CHECK(message_of(read_npy(floats, Type::tensor({2}, ElementType::F64))) ==
        "the .npy file holds tensor<2xf32>, not tensor<2xf64>");
}

}  // namespace
}  // namespace shardy_test::npy_test
