#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "simulation/strided_copy.hpp"
#include "tools/files.hpp"
#include "tools/mpi_run.hpp"

namespace shardy::tools {

using simulation::DeviceBlock;
using simulation::Tensor;
using simulation::Tensors;
using simulation::WholeValue;

namespace {

tl::unexpected<Error> file_error(const char* what, const std::string& path, int code) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(code)));
}

/// An open file, which the destructor closes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// ---- Inputs -------------------------------------------------------------------------------------

Result<Tensor> map_file(const std::string& path, const ir::Type& type) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info = {};
  if (file.number() < 0 || ::fstat(file.number(), &info) != 0) {
    return file_error("read", path, errno);
  }
  if (!S_ISREG(info.st_mode)) return fail(path + " is not a regular file");
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0)
    return fail(path + ": not a .npy file: the magic string at its beginning is missing");
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapped == MAP_FAILED) return file_error("read", path, errno);
  std::shared_ptr<const std::byte> bytes(
      static_cast<const std::byte*>(mapped),
      [size](const std::byte* each) { ::munmap(const_cast<std::byte*>(each), size); });
  return simulation::map_npy(std::move(bytes), size, type).map_error([&](Error error) {
    return with_prefix(path + ": ", std::move(error));
  });
}

constexpr std::string_view kDevice = "{device}";

/// Reads the shards of one argument, one per device.
Result<Tensors> read_argument(const std::string& path, const WholeValue& value,
                              const ir::Type& local, const DeviceBlock& devices,
                              simulation::Fill fill) {
  if (!path.ends_with(".npy")) return fail(path + ": --engine=mpi reads .npy files only");
  const std::size_t place = path.find(kDevice);
  if (place == std::string::npos) {
    SHARDY_TRY(const Tensor whole, map_file(path, value.type));
    return simulation::scatter_input(whole, value.sharding, devices, fill);
  }
  Tensors shards;
  for (int64_t device = devices.first; device < devices.first + devices.count; ++device) {
    std::string name = path;
    name.replace(place, kDevice.size(), std::to_string(device));
    SHARDY_TRY(Tensor shard, map_file(name, local));
    shards.push_back(std::move(shard));
  }
  return shards;
}

/// Returns rows of a value of checking::random_inputs, which draws one number per element in order.
Result<Tensor> random_rows(checking::Random& random, const ir::Type& type) {
  if (!ir::is_float(type.element())) return checking::random_tensor(random, type);
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (double& value : values) value = static_cast<double>(random.between(-4096, 4095)) / 4096;
  return Tensor::from_doubles(type, values);
}

Result<Tensors> random_argument(checking::Random& random, const WholeValue& value,
                                const DeviceBlock& devices, simulation::Fill fill) {
  const auto rows = [&](int64_t /*first*/, int64_t count) {
    std::vector<int64_t> dims(value.type.dims().begin(), value.type.dims().end());
    if (!dims.empty()) dims[0] = count;
    return random_rows(random, value.type.with_dims(dims));
  };
  return simulation::scatter_rows(value.type, rows, value.sharding, devices, fill);
}

// ---- Outputs ------------------------------------------------------------------------------------

/// A shard of a result.
struct ResultShard {
  std::vector<int64_t> begins;
  std::vector<int64_t> sizes;
  std::vector<int64_t> indices;  // shard indices that identify the tile
};

bool is_whole(const WholeValue& value) { return !value.sharding || value.sharding->mesh().empty(); }

Result<std::optional<ResultShard>> part_of(const WholeValue& value, int64_t device) {
  ResultShard part;
  if (is_whole(value)) {
    part.sizes.assign(value.type.dims().begin(), value.type.dims().end());
    part.begins.resize(part.sizes.size(), 0);
    return std::optional(part);
  }
  const TensorSharding& sharding = *value.sharding;
  if (!sharding.unreduced_axes().empty()) {
    return fail(
        "a result is unreduced: its partial values are not reduced; --shard-files writes them, or "
        "give the result another sharding");
  }
  const auto position = sharding.mesh().position_of(device);
  if (!position) return std::optional<ResultShard>();
  for (const Range& range : device_slice(sharding, value.type.dims(), *position)) {
    part.begins.push_back(range.begin);
    part.sizes.push_back(range.size());
  }
  part.indices = shard_indices(sharding, *position);
  return std::optional(part);
}

/// Returns the elements of a part of a value as contiguous row-major elements.
Result<Tensor> packed(const Tensor& value, const ResultShard& part, bool is_global) {
  const auto strides = simulation::row_major_strides(value.type().dims());
  const auto to = simulation::row_major_strides(part.sizes);
  std::vector<simulation::CopyDim> dims;
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    dims.push_back({part.sizes[dim], strides[dim], to[dim]});
    if (is_global) offset += part.begins[dim] * strides[dim];
  }
  SHARDY_TRY(simulation::TensorWriter out,
             simulation::TensorWriter::make(value.type().with_dims(part.sizes)));
  if (out.type().num_elements() > 0) {
    simulation::StridedCopy(std::move(dims), ir::size_bytes(value.type().element()), offset, 0)
        .run(value.data(), out.data());
  }
  return std::move(out).finish();
}

Status write_at(int file, const std::string& path, std::span<const std::byte> bytes,
                int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return file_error("write", path, written == 0 ? ENOSPC : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
  return {};
}

/// Writes the part in runs of elements that are contiguous in the global value.
Status write_part(int file, const std::string& path, const Tensor& values, const ResultShard& part,
                  const ir::Type& whole) {
  SHARDY_TRY(const auto header, simulation::npy_header(whole));
  const auto strides = simulation::row_major_strides(whole.dims());
  std::size_t first = strides.size();  // the dims from here on are written at once
  while (first > 0 && (first == strides.size() || part.sizes[first] == whole.dim(first))) --first;
  int64_t run = 1;
  for (std::size_t dim = first; dim < part.sizes.size(); ++dim) run *= part.sizes[dim];
  const auto size = static_cast<int64_t>(ir::size_bytes(whole.element()));
  const int64_t count = values.num_elements();
  for (int64_t at = 0; at < count; at += std::max<int64_t>(run, 1)) {
    int64_t rest = at;
    int64_t offset = 0;
    for (std::size_t dim = part.sizes.size(); dim-- > 0;) {
      offset += (part.begins[dim] + rest % part.sizes[dim]) * strides[dim];
      rest /= part.sizes[dim];
    }
    const auto bytes = values.bytes().subspan(static_cast<std::size_t>(at * size),
                                              static_cast<std::size_t>(run * size));
    SHARDY_TRY_STATUS(write_at(file, path, bytes, std::ssize(header) + offset * size));
  }
  return {};
}

std::string result_path(const CommandOptions& options, std::size_t index) {
  return fmt::format("{}/result{}.npy", options.output_dir, index);
}

/// Returns whether no device before this one has the same part.
bool is_first_holder(const WholeValue& value, int64_t device, const ResultShard& part) {
  if (is_whole(value)) return device == 0;
  for (int64_t other = 0; other < device; ++other) {
    const auto position = value.sharding->mesh().position_of(other);
    if (position && shard_indices(*value.sharding, *position) == part.indices) return false;
  }
  return true;
}

Status write_shard_files(const simulation::RankResult& result, std::size_t index,
                         const CommandOptions& options) {
  for (std::size_t place = 0; place < result.run.outputs.size(); ++place) {
    SHARDY_TRY(const auto bytes, simulation::write_npy(result.run.outputs[place][index]));
    const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    SHARDY_TRY_STATUS(write_file(fmt::format("{}/result{}.device{}.npy", options.output_dir, index,
                                             result.devices.first + static_cast<int64_t>(place)),
                                 content));
  }
  return {};
}

}  // namespace

Result<std::vector<Tensors>> read_shards(const ir::Module& program, ir::OpId function,
                                         const DeviceBlock& devices,
                                         const CommandOptions& options) {
  SHARDY_TRY_STATUS(simulation::expect_runnable_arguments(program, function));
  const std::vector<WholeValue> values = simulation::whole_arguments(program, function);
  const std::vector<ir::Type> locals = program.arg_types(function);
  if (!options.inputs.empty() && options.inputs.size() != values.size()) {
    return fail(fmt::format("the function takes {} arguments, got: {}", values.size(),
                            options.inputs.size()));
  }
  checking::Random random(options.stages.run.kernels.seed.value_or(0));
  const simulation::Fill fill = options.stages.run.kernels.fill;
  std::vector<Tensors> arguments(static_cast<std::size_t>(devices.count));
  for (std::size_t index = 0; index < values.size(); ++index) {
    SHARDY_TRY(const Tensors shards, options.inputs.empty()
                                         ? random_argument(random, values[index], devices, fill)
                                         : read_argument(options.inputs[index], values[index],
                                                         locals[index], devices, fill));
    for (std::size_t place = 0; place < shards.size(); ++place) {
      arguments[place].push_back(shards[place]);
    }
  }
  return arguments;
}

Status make_result_files(const ir::Module& program, ir::OpId function,
                         const CommandOptions& options) {
  SHARDY_TRY_STATUS(expect_folder(options.output_dir));
  if (options.shard_files) return {};
  const auto values = simulation::whole_results(program, function);
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!values[index].type.is_tensor()) continue;
    SHARDY_TRY(const auto header, simulation::npy_header(values[index].type));
    const std::string path = result_path(options, index);
    constexpr mode_t kAll = 0666;
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kAll));
    if (file.number() < 0) return file_error("write", path, errno);
    const int64_t size = std::ssize(header) + values[index].type.num_bytes();
    if (::ftruncate(file.number(), size) != 0) return file_error("write", path, errno);
    SHARDY_TRY_STATUS(write_at(file.number(), path, header, 0));
  }
  return {};
}

Status write_shards(const ir::Module& program, ir::OpId function,
                    const simulation::RankResult& result, const CommandOptions& options) {
  const auto values = simulation::whole_results(program, function);
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!values[index].type.is_tensor()) continue;
    if (options.shard_files) {
      SHARDY_TRY_STATUS(write_shard_files(result, index, options));
      continue;
    }
    const std::string path = result_path(options, index);
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) return file_error("write", path, errno);
    for (std::size_t place = 0; place < result.run.outputs.size(); ++place) {
      const int64_t device = result.devices.first + static_cast<int64_t>(place);
      SHARDY_TRY(const auto part, part_of(values[index], device));
      if (!part || !is_first_holder(values[index], device, *part)) continue;
      SHARDY_TRY(const Tensor shard, packed(result.run.outputs[place][index], *part, false));
      SHARDY_TRY_STATUS(write_part(file.number(), path, shard, *part, values[index].type));
    }
    // Some errors of a full disk occur only here.
    if (::fsync(file.number()) != 0 && errno != EINVAL) return file_error("write", path, errno);
  }
  return {};
}

namespace {

/// Returns the shard of a reference in packed form, as for the device's own shard.
using ExpectedPart = std::function<Result<Tensor>(std::size_t place, const ResultShard& part)>;

Result<checking::TensorDifference> compare_parts(const WholeValue& value,
                                                 const simulation::RankResult& result,
                                                 std::size_t index,
                                                 const ExpectedPart& expected_part,
                                                 const checking::Tolerance& tolerance) {
  checking::TensorDifference worst;
  for (std::size_t place = 0; place < result.run.outputs.size(); ++place) {
    const int64_t device = result.devices.first + static_cast<int64_t>(place);
    SHARDY_TRY(const auto part, part_of(value, device));
    if (!part) continue;
    SHARDY_TRY(const Tensor shard, packed(result.run.outputs[place][index], *part, false));
    SHARDY_TRY(const Tensor expected, expected_part(place, *part));
    const checking::TensorDifference difference = checking::compare(shard, expected, tolerance);
    worst.mismatches += difference.mismatches;
    worst.largest = std::max(worst.largest, difference.largest);
    worst.magnitude = std::max(worst.magnitude, difference.magnitude);
  }
  return worst;
}

}  // namespace

Result<checking::TensorDifference> compare_shards(const WholeValue& value,
                                                  const simulation::RankResult& result,
                                                  std::size_t index, const Tensor& reference,
                                                  const checking::Tolerance& tolerance) {
  return compare_parts(
      value, result, index,
      [&](std::size_t, const ResultShard& part) { return packed(reference, part, true); },
      tolerance);
}

Result<checking::TensorDifference> compare_shards(const WholeValue& value,
                                                  const simulation::RankResult& result,
                                                  std::size_t index,
                                                  const simulation::RankResult& reference) {
  return compare_parts(value, result, index,
                       [&](std::size_t place, const ResultShard& part) {
                         return packed(reference.run.outputs[place][index], part, false);
                       },
                       {});
}

}  // namespace shardy::tools
