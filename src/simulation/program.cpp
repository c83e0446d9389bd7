#include "simulation/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "ir/program_facts.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/code_writer.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/machine.hpp"
#include "simulation/workers.hpp"

namespace shardy::simulation {
namespace {

/// The smallest number of bytes read and written that is worth a separate thread.
constexpr int64_t kWorthAThread = int64_t{1} << 17;
constexpr std::size_t kMostTogether = 8;

bool is_large(const ir::Module& module, const Instruction& instruction) {
  int64_t bytes = instruction.result_bytes;
  for (const ir::ValueId operand : module.operands(instruction.op)) {
    const ir::Type& type = module.type(operand);
    if (!type.is_static_tensor()) continue;
    bytes = checked_add(bytes, type.num_bytes()).value_or(kWorthAThread);
  }
  return bytes >= kWorthAThread;
}

/// The largest nesting of regions, which limits the stack use of recursive compilation and
/// execution.
constexpr int kMaxRegionDepth = 128;

/// Returns the blocks in the regions of `op` and of all ops in them.
std::set<ir::BlockId> inner_blocks(const ir::Module& module, ir::OpId op) {
  std::set<ir::BlockId> blocks;
  std::vector<ir::OpId> pending = {op};
  while (!pending.empty()) {
    const ir::OpId next = pending.back();
    pending.pop_back();
    for (const ir::RegionId region : module.regions(next)) {
      for (const ir::BlockId block : module.blocks(region)) {
        blocks.insert(block);
        for (const ir::OpId inner : module.ops(block)) pending.push_back(inner);
      }
    }
  }
  return blocks;
}

/// Returns the outer values that the regions of `op` use, each once, in the order of their first
/// use.
std::vector<ir::ValueId> captured_values(const ir::Module& module, ir::OpId op) {
  std::vector<ir::ValueId> captured;
  if (module.regions(op).empty()) return captured;
  const std::set<ir::BlockId> inside = inner_blocks(module, op);
  std::set<ir::ValueId> seen;
  for (const ir::BlockId block : inside) {
    for (const ir::OpId inner : module.ops(block)) {
      for (const ir::ValueId value : module.operands(inner)) {
        const ir::ValueOwner owner = module.owner(value);
        const ir::BlockId home = owner.is_result() ? module.parent_block(owner.op) : owner.block;
        if (!inside.contains(home) && seen.insert(value).second) captured.push_back(value);
      }
    }
  }
  return captured;
}

ProgramOptions with_shared_parts(const ir::Module& module, ProgramOptions options) {
  std::shared_ptr<RegionPrograms>& known = options.region_programs;
  if (known == nullptr) known = std::make_shared<RegionPrograms>();
  std::shared_ptr<const ir::DrawNames>& names = options.draw_names;
  if (names == nullptr && options.kernels.seed) names = std::make_shared<ir::DrawNames>(module);
  return options;
}

/// Compiles the requested function and its callees.
class ProgramCompiler {
 public:
  ProgramCompiler(const ir::Module& module, const ProgramOptions& options) {
    program_.module = &module;
    program_.options = with_shared_parts(module, options);
  }

  Result<Program> function(ir::OpId op) {
    index_of(op);
    return rest(0);
  }

  Result<Program> functions(std::span<const ir::OpId> ops) {
    for (const ir::OpId op : ops) program_.starts.push_back(index_of(op));
    return rest(0);
  }

  Result<Program> region(ir::RegionId region, std::span<const ir::ValueId> captured) {
    program_.functions.emplace_back();
    functions_.emplace_back();
    CodeWriter writer = code_writer();
    SHARDY_TRY(program_.functions[0], writer.write_region(region, captured));
    return rest(1);
  }

 private:
  /// Returns the index of a function in the program. A new function is compiled later.
  uint32_t index_of(ir::OpId op) {
    const auto [found, is_new] =
        indices_.emplace(op, static_cast<uint32_t>(program_.functions.size()));
    if (is_new) {
      functions_.push_back(op);
      program_.functions.emplace_back();
    }
    return found->second;
  }

  CodeWriter code_writer() {
    return CodeWriter(program_, [this](ir::OpId op) { return index_of(op); });
  }

  Result<Program> rest(std::size_t next) {
    SHARDY_TRY_STATUS(write_from(next));
    for (Code& code : program_.functions) find_independent_ops(program_, code);
    // Region programs must not own the table that owns them.
    program_.options.region_programs = nullptr;
    return std::move(program_);
  }

  Status write_from(std::size_t next) {
    for (; next < functions_.size(); ++next) {
      CodeWriter writer = code_writer();
      SHARDY_TRY(Code code, writer.write_function(functions_[next]));
      program_.functions[next] = std::move(code);
    }
    return {};
  }

  Program program_;
  std::vector<ir::OpId> functions_;  // an invalid op represents the region
  std::map<ir::OpId, uint32_t> indices_;
};

/// Returns the options for regions that are nested one level deeper.
ProgramOptions inner_options(ProgramOptions options) {
  ++options.region_depth;
  return options;
}

Status expect_shallow(const ir::Module& module, ir::OpId op, int depth) {
  if (depth <= kMaxRegionDepth) return {};
  return fail_at(module.source_location(op),
                 fmt::format("regions that ops run are nested more than {} deep", kMaxRegionDepth));
}

/// Returns the program of a region, which is compiled once.
Result<std::shared_ptr<const Program>> region_program(const ir::Module& module, ir::RegionId region,
                                                      std::span<const ir::ValueId> captured,
                                                      const ProgramOptions& options) {
  RegionPrograms& known = *options.region_programs;
  const ir::OpId op = module.parent_op(region);
  const int depth = options.region_depth;
  if (const RegionPrograms::CompiledRegion* entry = known.find(region, options)) {
    SHARDY_TRY_STATUS(expect_shallow(module, op, depth + entry->height));
    known.deepest = std::max(known.deepest, depth + entry->height);
    return entry->program;
  }
  SHARDY_TRY_STATUS(expect_shallow(module, op, depth));
  const int deepest = std::exchange(known.deepest, depth);
  SHARDY_TRY(Program made, compile_region(module, region, captured, options));
  auto program = std::make_shared<const Program>(std::move(made));
  known.add(region, options, {program, known.deepest - depth});
  known.deepest = std::max(known.deepest, deepest);
  return program;
}

/// Returns a runner of a region that kernels call. The region is a separate program.
Result<RegionRunner> make_runner(const ir::Module& module, ir::RegionId region,
                                 const std::vector<ir::ValueId>& captured,
                                 const ProgramOptions& outer) {
  ProgramOptions options = inner_options(outer);
  options.may_communicate = false;
  SHARDY_TRY(const auto program, region_program(module, region, captured, options));
  return [program](Tensors arguments) { return run_to_end(*program, std::move(arguments)); };
}

/// Returns a runner on a grid of devices that uses one thread.
GridRunner grid_runner(std::shared_ptr<const Program> program) {
  RunOptions options;
  options.num_workers = 1;
  options.cancel = program->options.cancel;
  return [program = std::move(program),
          options](std::vector<Tensors> arguments) -> Result<std::vector<Tensors>> {
    const RankPlace place = RankPlace::of_one_rank(std::ssize(arguments));
    SHARDY_TRY(RunResult result, Workers(*program, std::move(arguments), options, place).run());
    return std::move(result.outputs);
  };
}

ProgramOptions on_grid(ProgramOptions options, ProcessGrid grid) {
  options.grid = grid;
  options.num_devices = grid.size();
  options.may_communicate = true;
  return options;
}

Result<GridRunner> make_grid_runner(const ir::Module& module, ir::RegionId region, ProcessGrid grid,
                                    const ProgramOptions& outer) {
  const ProgramOptions options = on_grid(inner_options(outer), grid);
  SHARDY_TRY(auto program, region_program(module, region, {}, options));
  return grid_runner(std::move(program));
}

Result<GridRunner> make_process_runner(const ir::Module& module, ir::OpId op,
                                       std::span<const ir::OpId> functions, ProcessGrid grid,
                                       const ProgramOptions& outer) {
  if (outer.in_run_parallel) return op_fail(module, op, "cannot be nested");
  ProgramOptions options = on_grid(inner_options(outer), grid);
  options.in_run_parallel = true;
  SHARDY_TRY_STATUS(expect_shallow(module, op, options.region_depth));
  SHARDY_TRY(Program program, compile_functions(module, functions, options));
  return grid_runner(std::make_shared<const Program>(std::move(program)));
}

}  // namespace

void find_independent_ops(const Program& program, Code& code) {
  std::vector<Instruction>& all = code.instructions;
  std::vector<bool> fits(all.size());
  for (std::size_t at = 0; at < all.size(); ++at) {
    fits[at] = all[at].kind == Instruction::Kind::Compute &&
               program.kernels[all[at].index].same_on_all_devices &&
               is_large(*program.module, all[at]);
  }
  for (std::size_t first = 0; first < all.size(); ++first) {
    std::set<SlotIndex> written;
    std::size_t end = first;
    while (end < all.size() && fits[end] && end - first < kMostTogether) {
      const bool waits = std::ranges::any_of(
          all[end].operands, [&](SlotIndex slot) { return written.contains(slot); });
      if (waits) break;
      written.insert(all[end].results.begin(), all[end].results.end());
      ++end;
    }
    all[first].num_together = static_cast<uint32_t>(std::max<std::size_t>(end - first, 1));
  }
}

Result<Program> compile_function(const ir::Module& module, ir::OpId function,
                                 const ProgramOptions& options) {
  return ProgramCompiler(module, options).function(function);
}

Result<Program> compile_functions(const ir::Module& module, std::span<const ir::OpId> functions,
                                  const ProgramOptions& options) {
  return ProgramCompiler(module, options).functions(functions);
}

Result<Program> compile_region(const ir::Module& module, ir::RegionId region,
                               std::span<const ir::ValueId> captured,
                               const ProgramOptions& options) {
  return ProgramCompiler(module, options).region(region, captured);
}

KernelRequest kernel_request(const ir::Module& module, ir::OpId op, const ProgramOptions& outer) {
  const ProgramOptions options = with_shared_parts(module, outer);
  std::vector<ir::ValueId> captured = captured_values(module, op);
  return {.module = module,
          .op = op,
          .num_devices = options.num_devices,
          .captured = captured,
          .compile_region =
              [&module, captured, options](ir::RegionId region) {
                return make_runner(module, region, captured, options);
              },
          .is_global = options.is_global,
          .grid = options.grid,
          .options = options.kernels,
          .foreign = options.foreign,
          .log = options.log,
          .draw_names = options.draw_names,
          .compile_on_grid =
              [&module, options](ir::RegionId region, ProcessGrid grid) {
                return make_grid_runner(module, region, grid, options);
              },
          .compile_processes =
              [&module, op, options](std::span<const ir::OpId> functions, ProcessGrid grid) {
                return make_process_runner(module, op, functions, grid, options);
              }};
}

Result<Tensors> evaluate(const ir::Module& module, ir::OpId op, std::span<const Tensor> operands) {
  const KernelRequest request = kernel_request(module, op, {});
  SHARDY_TRY(const Kernel kernel, make_kernel(request));
  std::vector<ir::ValueId> values = module.operands(op);
  values.insert(values.end(), request.captured.begin(), request.captured.end());
  const bool fits = std::ranges::equal(values, operands, [&](ir::ValueId value, const Tensor& x) {
    return x && module.type(value) == x.type();
  });
  if (!fits) {
    return fail_at(module.source_location(op),
                   std::string(module.name(op)) + ": the operands do not have the declared types");
  }
  return kernel({.operands = operands});
}

}  // namespace shardy::simulation
