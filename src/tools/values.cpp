#include "tools/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#ifdef SHARDY_HAS_LIBZIP
#include <zip.h>
#endif

#include "shardy/checking/check.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/npy.hpp"
#include "shardy/simulation/runnable.hpp"
#include "shardy/support/math.hpp"
#include "shardy/support/quote.hpp"
#include "shardy/text/json.hpp"
#include "text/json_document.hpp"
#include "tools/input.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

using simulation::Tensor;
using simulation::Tensors;

// ---- JSON --------------------------------------------------------------------------------------

/// Reads nested lists of numbers, whose sizes must be those of the type.
class JsonValues {
 public:
  explicit JsonValues(const ir::Type& type) : type_(type) {}

  Result<Tensor> read(text::JsonNode value) {
    SHARDY_TRY_STATUS(list(value, 0));
    return Tensor::from_literal(ir::Literal::make(type_, std::move(bytes_)).value());
  }

 private:
  // The depth is at most that of the document.
  Status list(text::JsonNode value, std::size_t dim) {  // NOLINT(misc-no-recursion)
    if (dim == type_.dims().size()) return element(value);
    if (!value.is_array() || static_cast<int64_t>(value.size()) != type_.dim(dim)) {
      return text::fail_at(value,
                           fmt::format("dim {} needs a list of {} values", dim, type_.dim(dim)));
    }
    for (const text::JsonNode each : value) {
      SHARDY_TRY_STATUS(list(each, dim + 1));
    }
    return {};
  }

  Status element(text::JsonNode value) {
    const ir::ElementType type = type_.element();
    if (!ir::is_complex(type)) return number(value, type);
    if (!value.is_array() || value.size() != 2) {
      return text::fail_at(value, "a complex number needs a list of two numbers");
    }
    const ir::ElementType part =
        type == ir::ElementType::Complex64 ? ir::ElementType::F32 : ir::ElementType::F64;
    for (const text::JsonNode each : value) {
      SHARDY_TRY_STATUS(number(each, part));
    }
    return {};
  }

  Status number(text::JsonNode value, ir::ElementType type) {
    return ir::is_float(type) ? real(value, type) : integer(value, type);
  }

  Status real(text::JsonNode value, ir::ElementType type) {
    const std::optional<double> number = real_number(value);
    if (!number) return text::fail_at(value, "expected a number, got: " + value.description());
    append(ir::encode(*number, type));
    return {};
  }

  Status integer(text::JsonNode value, ir::ElementType type) {
    if (!value.is_integer() && !value.is_boolean()) {
      return text::fail_at(value, "expected an integer, got: " + value.description());
    }
    const bool is_past_int64 = value.kind() == text::JsonNode::Kind::Unsigned;
    const int64_t whole =
        value.is_boolean() ? int64_t{value.boolean()} : static_cast<int64_t>(value.integer_bits());
    std::vector<std::byte> bytes(ir::size_bytes(type));
    ir::encode_int_into(bytes, whole, type);
    const bool is_negative = whole < 0 && !is_past_int64;
    const bool fits = ir::decode_int(bytes, type) == whole &&
                      !(is_negative && ir::is_unsigned_integer(type)) &&
                      !(is_past_int64 && type != ir::ElementType::UI64);
    if (!fits) {
      return text::fail_at(value,
                           value.description() + " does not fit " + std::string(to_string(type)));
    }
    append(bytes);
    return {};
  }

  static std::optional<double> real_number(text::JsonNode value) {
    if (value.is_number()) return value.number();
    if (!value.is_string()) return std::nullopt;
    if (value.string() == "Infinity") return std::numeric_limits<double>::infinity();
    if (value.string() == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (value.string() == "NaN") return std::numeric_limits<double>::quiet_NaN();
    return std::nullopt;
  }

  void append(const std::vector<std::byte>& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  const ir::Type& type_;
  std::vector<std::byte> bytes_;
};

/// `{"type": .., "values": ..}`, or the values alone.
Result<Tensor> read_json_value(std::string_view text, const ir::Type& type) {
  const text::JsonOptions limits;
  const auto document = text::JsonDocument::parse(
      text, {.max_depth = limits.max_depth, .max_errors = limits.max_errors});
  if (!document) return tl::unexpected(document.error().front());
  const text::JsonNode root = document->root();
  if (!root.is_object()) return JsonValues(type).read(root);
  const std::optional<text::JsonNode> values = root.find("values");
  if (!values) return text::fail_at(root, "`values` is missing");
  const std::string expected = ir::to_string(type);
  const std::optional<text::JsonNode> written = root.find("type");
  if (written && !(written->is_string() && written->string() == expected)) {
    return text::fail_at(*written,
                         "the file holds " + written->description() + ", not " + expected);
  }
  return JsonValues(type).read(*values);
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

// ---- Files -------------------------------------------------------------------------------------

/// What a .npy file of the type takes at most, and one byte: more is not read.
std::size_t most_npy_bytes(const ir::Type& type) {
  return simulation::kMaxNpyHeaderBytes + static_cast<std::size_t>(type.num_bytes()) + 1;
}

/// An archive of .npy files, in its order.
#ifdef SHARDY_HAS_LIBZIP
class Archive {
 public:
  static Result<Archive> open(const std::string& path) {
    int code = 0;
    Archive archive{path, {zip_open(path.c_str(), ZIP_RDONLY, &code), &zip_discard}};
    if (archive.zip_ != nullptr) return archive;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return fail(fmt::format("cannot read {}: {}", path, reason));
  }

  std::size_t size() const { return static_cast<std::size_t>(zip_get_num_entries(zip_.get(), 0)); }

  /// No more than the first bytes of an entry: a small archive may promise much.
  Result<std::string> read(std::size_t index, std::size_t most) const {
    const auto refuse = [&] {
      return fail(fmt::format("cannot read entry {} of {}", index, path_));
    };
    const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(
        zip_fopen_index(zip_.get(), index, 0), &zip_fclose);
    if (file == nullptr) return refuse();
    std::string text;
    char buffer[1 << 16];
    while (text.size() < most) {
      const std::size_t wanted = std::min(sizeof buffer, most - text.size());
      const zip_int64_t got = zip_fread(file.get(), buffer, wanted);
      if (got < 0) return refuse();
      if (got == 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  using Zip = std::unique_ptr<zip_t, decltype(&zip_discard)>;
  Archive(std::string path, Zip zip) : path_(std::move(path)), zip_(std::move(zip)) {}

  std::string path_;
  Zip zip_;
};
#else
class Archive {
 public:
  static Result<Archive> open(const std::string& path) {
    return fail("cannot read " + path + ": this program was built without libzip");
  }
  std::size_t size() const { return 0; }
  Result<std::string> read(std::size_t, std::size_t) const { return std::string(); }
};
#endif

/// A file of values, not yet read, or one of an archive.
struct InputFile {
  std::string path;
  std::shared_ptr<const Archive> archive = {};
  std::size_t entry = 0;
};

/// Which values there are. Errors: unknown names of files, archives that cannot be read.
Result<std::vector<InputFile>> input_files(const std::vector<std::string>& paths) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) {
    if (path.ends_with(".npz")) {
      SHARDY_TRY(Archive opened, Archive::open(path));
      const auto archive = std::make_shared<const Archive>(std::move(opened));
      for (std::size_t entry = 0; entry < archive->size(); ++entry) {
        files.push_back({path, archive, entry});
      }
    } else if (path.ends_with(".npy") || path.ends_with(".json")) {
      files.push_back({path});
    } else {
      return fail("unknown kind of input: " + path + " (known are .npy, .npz and .json)");
    }
  }
  return files;
}

Result<Tensor> value_of(const InputFile& file, std::string_view content, const ir::Type& type) {
  if (file.path.ends_with(".json")) return read_json_value(content, type);
  return simulation::read_npy(std::as_bytes(std::span(content)), type);
}

Result<std::string> content_of(const InputFile& file, const ir::Type& type) {
  if (file.archive) return file.archive->read(file.entry, most_npy_bytes(type));
  if (file.path.ends_with(".json")) return read_file(file.path);
  return read_beginning(file.path, most_npy_bytes(type));
}

Result<Tensors> read_inputs(const std::vector<std::string>& paths,
                            std::span<const ir::Type> types) {
  SHARDY_TRY(const std::vector<InputFile> files, input_files(paths));
  if (files.size() != types.size()) {
    return fail(
        fmt::format("the function takes {} inputs, the files hold {}", types.size(), files.size()));
  }
  Tensors values;
  for (std::size_t index = 0; index < files.size(); ++index) {
    SHARDY_TRY(const std::string content, content_of(files[index], types[index]));
    Result<Tensor> value = value_of(files[index], content, types[index]);
    if (!value) {
      Error error = std::move(value).error();
      const std::string place = error.at.empty() ? "" : ":" + error.at;
      error.message =
          fmt::format("input {} ({}{}): {}", index, files[index].path, place, error.message);
      error.at.clear();
      return tl::unexpected(std::move(error));
    }
    values.push_back(*std::move(value));
  }
  return values;
}

// ---- Arguments ---------------------------------------------------------------------------------

/// The largest mesh.
int64_t most_devices(const ir::Module& module) {
  int64_t most = 1;
  for (const ir::OpId op : module.meshes()) {
    if (const Mesh* mesh = module.attribute<Mesh>(op, "mesh")) {
      most = std::max(most, mesh->num_devices());
    }
  }
  return most;
}

/// Before values are made up, or read, that no run may hold.
Status expect_room(const ir::Module& module, ir::OpId function, std::span<const ir::Type> types,
                   int64_t max_bytes) {
  const int64_t devices = most_devices(module);
  int64_t room = checked_mul(max_bytes, devices).value_or(std::numeric_limits<int64_t>::max());
  for (const ir::Type& type : types) {
    if (type.num_bytes() > room) {
      return fail_at(module.location_text(function),
                     fmt::format("E_MEMORY_LIMIT: more than {} bytes are live", max_bytes));
    }
    room -= type.num_bytes();
  }
  return {};
}

}  // namespace

Result<Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                               const CommandOptions& options) {
  SHARDY_TRY_STATUS(simulation::expect_runnable_arguments(module, function));
  const std::vector<ir::Type> types = module.arg_types(function);
  SHARDY_TRY_STATUS(expect_room(module, function, types, options.max_bytes));
  if (!options.inputs.empty()) return read_inputs(options.inputs, types);
  if (types.empty()) return Tensors();
  return checking::random_inputs(module, options.seed);
}

Status write_outputs(const std::string& folder, const std::string& prefix, const Tensors& values) {
  SHARDY_TRY_STATUS(expect_folder(folder));
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!values[index].type().is_tensor()) continue;  // tokens hold nothing
    SHARDY_TRY(const std::vector<std::byte> bytes, simulation::write_npy(values[index]));
    const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    SHARDY_TRY_STATUS(write_file(fmt::format("{}/{}{}.npy", folder, prefix, index), content));
  }
  return {};
}

std::string part_of_file_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool is_plain = is_ident_char(c) || c == '-';
    result += is_plain && !(result.empty() && c == '.')
                  ? std::string(1, c)
                  : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

nlohmann::ordered_json value_json(const Tensor& value) {
  nlohmann::ordered_json json = {{"type", ir::to_string(value.type())}};
  if (value.type().is_tensor()) json["values"] = list_json(value, 0, 0);
  return json;
}

}  // namespace shardy::tools
