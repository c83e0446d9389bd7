#include "tools/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#ifdef SHARDY_HAS_LIBZIP
#include <zip.h>
#endif

#include "shardy/checking/check.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/text/json.hpp"
#include "support/quantities.hpp"
#include "text/json_attribute.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"
#include "tools/files.hpp"

namespace shardy::tools {

namespace {

using simulation::Tensor;
using simulation::Tensors;

// ---- JSON --------------------------------------------------------------------------------------

/// Parses `{"type": .., "values": ..}`, or only the values.
Result<Tensor> read_json_value(std::string_view text, const ir::Type& type) {
  const text::JsonOptions limits;
  const auto document = text::JsonDocument::parse(
      text, {.max_depth = limits.max_depth, .max_errors = limits.max_errors});
  if (!document) return tl::unexpected(document.error().front());
  const text::JsonNode root = document->root();
  const auto read = [&](text::JsonNode values) -> Result<Tensor> {
    SHARDY_TRY(const ir::Literal literal, text::read_elements(values, type));
    return Tensor::from_literal(literal);
  };
  if (!root.is_object()) return read(root);
  const std::optional<text::JsonNode> values = root.find("values");
  if (!values) return text::fail_at(root, "`values` is missing");
  const std::string expected = ir::to_string(type);
  const std::optional<text::JsonNode> written = root.find("type");
  if (written && !(written->is_string() && written->string() == expected)) {
    return text::fail_at(*written,
                         "the file holds " + written->description() + ", not " + expected);
  }
  return read(*values);
}

void write_number(text::JsonWriter& out, std::span<const std::byte> bytes, ir::ElementType type) {
  if (ir::is_boolean(type)) return out.boolean(ir::decode_int(bytes, type) != 0);
  if (ir::is_unsigned_integer(type)) {
    return out.unsigned_integer(static_cast<uint64_t>(ir::decode_int(bytes, type)));
  }
  if (!ir::is_float(type)) return out.integer(ir::decode_int(bytes, type));
  const double value = ir::decode_double(bytes, type);
  if (std::isnan(value)) return out.string("NaN");
  if (std::isinf(value)) return out.string(value > 0 ? "Infinity" : "-Infinity");
  out.number(value);
}

void write_element(text::JsonWriter& out, const Tensor& tensor, int64_t index) {
  const ir::ElementType type = tensor.type().element();
  const std::size_t size = ir::size_bytes(type);
  const auto bytes = tensor.bytes().subspan(static_cast<std::size_t>(index) * size, size);
  if (!ir::is_complex(type)) return write_number(out, bytes, type);
  const ir::ElementType part = size == 8 ? ir::ElementType::F32 : ir::ElementType::F64;
  out.begin_array();
  write_number(out, bytes.first(size / 2), part);
  write_number(out, bytes.subspan(size / 2), part);
  out.end_array();
}

/// Returns the norm of all elements as doubles. A complex number counts as two numbers.
double norm(const Tensor& value) {
  ir::ElementType type = value.type().element();
  std::size_t size = ir::size_bytes(type);
  if (ir::is_complex(type)) {
    type = size == 8 ? ir::ElementType::F32 : ir::ElementType::F64;
    size /= 2;
  }
  double sum = 0;
  for (auto bytes = value.bytes(); bytes.size() >= size; bytes = bytes.subspan(size)) {
    const double element = ir::is_float(type)
                               ? ir::decode_double(bytes.first(size), type)
                               : static_cast<double>(ir::decode_int(bytes.first(size), type));
    sum += element * element;
  }
  return std::sqrt(sum);
}

/// Writes the list at `dim` whose first element has index `first`. Recursive: the depth is at most
/// the rank.
void write_list(text::JsonWriter& out, const Tensor& tensor,
                std::size_t dim,  // NOLINT(misc-no-recursion)
                int64_t first) {
  const auto dims = tensor.type().dims();
  if (dim == dims.size()) return write_element(out, tensor, first);
  const int64_t step = product(dims.subspan(dim + 1));
  out.begin_array();
  for (int64_t index = 0; index < dims[dim]; ++index) {
    write_list(out, tensor, dim + 1, first + index * step);
  }
  out.end_array();
}

// ---- Files -------------------------------------------------------------------------------------

/// Returns the largest size of a .npy file of the type plus one byte, the limit of bytes to read.
std::size_t most_npy_bytes(const ir::Type& type) {
  return simulation::kMaxNpyHeaderBytes + static_cast<std::size_t>(type.num_bytes()) + 1;
}

/// An archive of .npy files in order.
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

  /// Reads only the first bytes of an entry, because a small archive may claim a huge size.
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

/// A file of values that is not read yet, or an entry of an archive.
struct InputFile {
  std::string path;
  std::shared_ptr<const Archive> archive = {};
  std::size_t entry = 0;
};

/// Returns the files with input values. Errors: unknown file extensions, archives that cannot be
/// read.
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
      const std::string place = error.location.empty() ? "" : ":" + error.location.text();
      error.message =
          fmt::format("input {} ({}{}): {}", index, files[index].path, place, error.message);
      error.location = {};
      return tl::unexpected(std::move(error));
    }
    values.push_back(*std::move(value));
  }
  return values;
}

// ---- Arguments ---------------------------------------------------------------------------------

/// Returns the number of devices of the largest mesh.
int64_t most_devices(const ir::Module& module) {
  int64_t most = 1;
  for (const ir::OpId op : module.meshes()) {
    if (const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh)) {
      most = std::max(most, mesh->num_devices());
    }
  }
  return most;
}

/// Checks that the memory suffices before values are generated or read.
Status expect_room(const ir::Module& module, ir::OpId function, std::span<const ir::Type> types,
                   int64_t max_bytes) {
  const int64_t devices = most_devices(module);
  int64_t room = checked_mul(max_bytes, devices).value_or(std::numeric_limits<int64_t>::max());
  for (const ir::Type& type : types) {
    if (type.num_bytes() > room) {
      return tl::unexpected(Error{.message = fmt::format("more than {} bytes are live", max_bytes),
                                  .location = module.source_location(function),
                                  .code = "E_MEMORY_LIMIT"});
    }
    room -= type.num_bytes();
  }
  return {};
}

}  // namespace

Result<Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                               const CommandOptions& options) {
  return read_arguments(module, function, module.arg_types(function), options);
}

Result<Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                               const std::vector<ir::Type>& types, const CommandOptions& options) {
  SHARDY_TRY_STATUS(simulation::expect_runnable_arguments(module, function));
  SHARDY_TRY_STATUS(expect_room(module, function, types, options.context.runs.limits.max_bytes));
  if (!options.inputs.empty()) return read_inputs(options.inputs, types);
  if (types.empty()) return Tensors();
  ir::Module wanted;
  wanted.add_function("main", types, {});
  return checking::random_inputs(wanted, options.stages.run.kernels.seed.value_or(0));
}

bool is_large(const Tensor& value) {
  constexpr int64_t kMostPrinted = 1000;
  return value.type().is_tensor() && product(value.type().dims()) > kMostPrinted;
}

std::string value_summary(const Tensor& value) {
  constexpr int64_t kEnds = 3;
  const int64_t count = product(value.type().dims());
  const auto element = [&](int64_t index) {
    text::JsonWriter out(0);
    write_element(out, value, index);
    return out.take();
  };
  std::string elements;
  for (int64_t index = 0; index < kEnds; ++index) elements += element(index) + ", ";
  elements += "...";
  for (int64_t index = count - kEnds; index < count; ++index) elements += ", " + element(index);
  return fmt::format("{}: {} elements {}; norm {:.6g} (--full prints all)",
                     ir::to_string(value.type()), grouped(count), elements, norm(value));
}

Status write_outputs(const std::string& folder, const std::string& prefix, const Tensors& values) {
  SHARDY_TRY_STATUS(expect_folder(folder));
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!values[index].type().is_tensor()) continue;  // tokens have no data
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

void write_value(text::JsonWriter& out, const Tensor& value) {
  out.begin_object();
  out.key("type").string(ir::to_string(value.type()));
  if (value.type().is_tensor()) write_list(out.key("values"), value, 0, 0);
  out.end_object();
}

}  // namespace shardy::tools
