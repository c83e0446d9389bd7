#include "tools/values.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#ifdef SHARDY_HAS_LIBZIP
#include <zip.h>
#endif

#include "shardy/ir/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/npy.hpp"
#include "tools/input.hpp"

namespace shardy::tools {

namespace {

using simulation::Tensor;
using simulation::Tensors;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// ---- JSON --------------------------------------------------------------------------------------

/// Reads nested lists of numbers, whose sizes must be those of the type.
class JsonValues {
 public:
  explicit JsonValues(const ir::Type& type) : type_(type) {}

  Result<Tensor> read(const nlohmann::json& value) {
    SHARDY_TRY_STATUS(list(value, 0));
    return Tensor::from_literal(ir::Literal::make(type_, std::move(bytes_)).value());
  }

 private:
  // The depth is at most the rank of the type.
  Status list(const nlohmann::json& value, std::size_t dim) {  // NOLINT(misc-no-recursion)
    if (dim == type_.dims().size()) return element(value);
    if (!value.is_array() || static_cast<int64_t>(value.size()) != type_.dim(dim)) {
      return fail(fmt::format("dim {} needs a list of {} values", dim, type_.dim(dim)));
    }
    for (const nlohmann::json& each : value) {
      SHARDY_TRY_STATUS(list(each, dim + 1));
    }
    return {};
  }

  Status element(const nlohmann::json& value) {
    const ir::ElementType type = type_.element();
    if (ir::is_complex(type)) {
      if (!value.is_array() || value.size() != 2) {
        return fail("a complex number needs a list of two numbers");
      }
      const ir::ElementType part =
          type == ir::ElementType::Complex64 ? ir::ElementType::F32 : ir::ElementType::F64;
      SHARDY_TRY_STATUS(number(value[0], part));
      return number(value[1], part);
    }
    return number(value, type);
  }

  Status number(const nlohmann::json& value, ir::ElementType type) {
    if (ir::is_float(type)) {
      const std::optional<double> real = real_number(value);
      if (!real) return fail("expected a number, got: " + value.dump());
      append(ir::encode(*real, type));
      return {};
    }
    const bool is_integer = value.is_number_integer() || value.is_boolean();
    if (!is_integer) return fail("expected an integer, got: " + value.dump());
    const int64_t whole = value.is_boolean()           ? int64_t{value.get<bool>()}
                          : value.is_number_unsigned() ? static_cast<int64_t>(value.get<uint64_t>())
                                                       : value.get<int64_t>();
    std::vector<std::byte> bytes(ir::size_bytes(type));
    ir::encode_int_into(bytes, whole, type);
    const bool is_negative = value.is_number_integer() && !value.is_number_unsigned() && whole < 0;
    const bool fits = ir::decode_int(bytes, type) == whole &&
                      !(is_negative && ir::is_unsigned_integer(type)) &&
                      !(value.is_number_unsigned() && whole < 0 && type != ir::ElementType::UI64);
    if (!fits) return fail(value.dump() + " does not fit " + std::string(to_string(type)));
    append(bytes);
    return {};
  }

  static std::optional<double> real_number(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>();
    if (value == "Infinity") return std::numeric_limits<double>::infinity();
    if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
    return std::nullopt;
  }

  void append(const std::vector<std::byte>& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  const ir::Type& type_;
  std::vector<std::byte> bytes_;
};

/// `{"type": .., "values": ..}`, or the values alone.
Result<Tensor> read_json_value(const std::string& text, const ir::Type& type) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) return fail("this is no JSON");
  if (!document.is_object()) return JsonValues(type).read(document);
  if (!document.contains("values")) return fail("`values` is missing");
  const std::string written = ir::to_string(type);
  if (document.contains("type") && document["type"] != written) {
    return fail("the file holds " + document["type"].dump() + ", not " + written);
  }
  return JsonValues(type).read(document["values"]);
}

nlohmann::ordered_json number_json(std::span<const std::byte> bytes, ir::ElementType type) {
  if (!ir::is_float(type)) {
    const int64_t value = ir::decode_int(bytes, type);
    if (ir::is_boolean(type)) return value != 0;
    if (ir::is_unsigned_integer(type)) return static_cast<uint64_t>(value);
    return value;
  }
  const double value = ir::decode_double(bytes, type);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

nlohmann::ordered_json element_json(const Tensor& tensor, int64_t index) {
  const ir::ElementType type = tensor.type().element();
  const std::size_t size = ir::size_bytes(type);
  const auto bytes = tensor.bytes().subspan(static_cast<std::size_t>(index) * size, size);
  if (!ir::is_complex(type)) return number_json(bytes, type);
  const ir::ElementType part = size == 8 ? ir::ElementType::F32 : ir::ElementType::F64;
  return {number_json(bytes.first(size / 2), part), number_json(bytes.subspan(size / 2), part)};
}

/// The list at `dim` whose first element is number `first`. The depth is at most the rank.
nlohmann::ordered_json list_json(const Tensor& tensor,
                                 std::size_t dim,  // NOLINT(misc-no-recursion)
                                 int64_t first) {
  const auto dims = tensor.type().dims();
  if (dim == dims.size()) return element_json(tensor, first);
  const int64_t step = product(dims.subspan(dim + 1));
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (int64_t index = 0; index < dims[dim]; ++index) {
    list.push_back(list_json(tensor, dim + 1, first + index * step));
  }
  return list;
}

// ---- .npz --------------------------------------------------------------------------------------

/// Contents of the files in an archive, in its order.
#ifdef SHARDY_HAS_LIBZIP
Result<std::vector<std::string>> read_archive(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, decltype(&zip_discard)> archive(
      zip_open(path.c_str(), ZIP_RDONLY, &code), &zip_discard);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return fail(fmt::format("cannot read {}: {}", path, reason));
  }
  constexpr std::size_t kMostBytes = std::size_t{1} << 32;  // a small archive may promise much
  std::vector<std::string> files;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(
        zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(index), 0), &zip_fclose);
    if (file == nullptr) return fail(fmt::format("cannot read entry {} of {}", index, path));
    std::string& text = files.emplace_back();
    char buffer[1 << 16];
    zip_int64_t got = 0;
    while ((got = zip_fread(file.get(), buffer, sizeof buffer)) > 0 && text.size() < kMostBytes) {
      text.append(buffer, static_cast<std::size_t>(got));
    }
    if (got != 0) return fail(fmt::format("cannot read entry {} of {}", index, path));
  }
  return files;
}
#else
Result<std::vector<std::string>> read_archive(const std::string& path) {
  return fail("cannot read " + path + ": this program was built without libzip");
}
#endif

/// A file and how to read a value of it.
struct InputFile {
  std::string name;
  std::string content;
  bool is_json = false;
};

Result<std::vector<InputFile>> input_files(const std::vector<std::string>& paths) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) {
    if (path.ends_with(".npz")) {
      SHARDY_TRY(std::vector<std::string> contents, read_archive(path));
      for (std::string& content : contents) files.push_back({path, std::move(content), false});
      continue;
    }
    const bool is_json = path.ends_with(".json");
    if (!is_json && !path.ends_with(".npy")) {
      return fail("unknown kind of input: " + path + " (known are .npy, .npz and .json)");
    }
    SHARDY_TRY(std::string content, read_file(path));
    files.push_back({path, std::move(content), is_json});
  }
  return files;
}

}  // namespace

Result<Tensors> read_inputs(const std::vector<std::string>& paths,
                            std::span<const ir::Type> types) {
  SHARDY_TRY(const std::vector<InputFile> files, input_files(paths));
  if (files.size() != types.size()) {
    return fail(
        fmt::format("the function takes {} inputs, the files hold {}", types.size(), files.size()));
  }
  Tensors values;
  for (std::size_t index = 0; index < files.size(); ++index) {
    const InputFile& file = files[index];
    Result<Tensor> value = file.is_json
                               ? read_json_value(file.content, types[index])
                               : simulation::read_npy(bytes_of(file.content), types[index]);
    if (!value) {
      return fail(fmt::format("input {} ({}): {}", index, file.name, value.error().message));
    }
    values.push_back(*std::move(value));
  }
  return values;
}

Status write_outputs(const std::string& folder, const std::string& prefix, const Tensors& values) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(fmt::format("cannot make {}: {}", folder, error.message()));
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!values[index].type().is_tensor()) continue;  // tokens hold nothing
    SHARDY_TRY(const std::vector<std::byte> bytes, simulation::write_npy(values[index]));
    const std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    SHARDY_TRY_STATUS(write_file(fmt::format("{}/{}{}.npy", folder, prefix, index), content));
  }
  return {};
}

nlohmann::ordered_json value_json(const Tensor& value) {
  nlohmann::ordered_json json = {{"type", ir::to_string(value.type())}};
  if (value.type().is_tensor()) json["values"] = list_json(value, 0, 0);
  return json;
}

}  // namespace shardy::tools
