#include "partitioning/io_shardings.hpp"

#include <utility>

#include "shardy/ir/sharding_access.hpp"
#include "shardy/partitioning/partition.hpp"

namespace shardy::partitioning {

Status check_divisible(const ir::Type& type, const TensorSharding& sharding,
                       const std::string& what) {
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    const int64_t shards = sharding.dim(dim).sharded_size();
    if (type.dim(dim) % shards == 0) continue;
    return fail(what + ": dim " + std::to_string(dim) + " with size " +
                std::to_string(type.dim(dim)) + " is not divisible by " + std::to_string(shards) +
                " shards; use io-padding=padded");
  }
  return {};
}

Diagnostics non_divisible_io(const ir::Module& module) {
  Diagnostics errors;
  const std::optional<ir::OpId> main = module.main_function();
  if (!main) return errors;
  const auto check = [&](const std::vector<ir::Type>& types, auto sharding_of,
                         const std::string& what) {
    for (std::size_t index = 0; index < types.size(); ++index) {
      const std::optional<TensorSharding> sharding = sharding_of(module, *main, index);
      if (!sharding || sharding->mesh().is_maximal() || !types[index].is_static_tensor()) continue;
      Status status = check_divisible(types[index], *sharding, what + std::to_string(index));
      if (status) continue;
      Error error = std::move(status).error();
      error.code = kNonDivisibleIo;
      error.message.insert(0, "func.func: ");
      error.location = module.location_text(*main);
      errors.push_back(std::move(error));
    }
  };
  check(module.arg_types(*main), ir::arg_sharding, "argument ");
  check(module.function(*main).result_types, ir::result_sharding, "result ");
  return errors;
}

}  // namespace shardy::partitioning
