// From an op to its kernel.
#include <array>

#include "simulation/kernels/families.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/structure_families.hpp"

namespace shardy::simulation {
namespace {

using Table = std::array<KernelMaker, ir::kNumKnownOps>;  // null: no kernel

using Family = std::span<const KernelRow> (*)();
constexpr Family kFamilies[] = {
    &arithmetic_kernels,    &bitcast_kernels,       &broadcasting_kernels,
    &check_kernels,         &chlo_kernels,          &comparison_kernels,
    &constant_kernels,      &conversion_kernels,    &convolution_kernels,
    &custom_call_kernels,   &dot_kernels,           &dynamic_kernels,
    &einsum_kernels,        &factorization_kernels, &fft_kernels,
    &gather_kernels,        &identity_kernels,      &index_select_kernels,
    &layout_kernels,        &map_kernels,           &math_kernels,
    &normalization_kernels, &process_kernels,       &random_kernels,
    &reduce_kernels,        &reduce_window_kernels, &region_kernels,
    &rng_kernels,           &scatter_kernels,       &select_and_scatter_kernels,
    &slice_kernels,         &sort_kernels,          &structure_kernels,
    &top_k_kernels,         &unary_kernels};

Table build_table() {
  Table table{};
  for (const Family family : kFamilies) {
    for (const KernelRow& row : family()) {
      KernelMaker& maker = table[static_cast<std::size_t>(row.kind)];
      SHARDY_ASSERT(maker == nullptr);  // an op stands in one family
      maker = row.make;
    }
  }
  return table;
}

KernelMaker find_maker(ir::OpKind kind) {
  static const Table kTable = build_table();
  return kind == ir::OpKind::Unknown ? nullptr : kTable[static_cast<std::size_t>(kind)];
}

}  // namespace

bool has_kernel(ir::OpKind kind) { return find_maker(kind) != nullptr; }

Result<Kernel> make_kernel(const KernelRequest& request) {
  const KernelMaker make = find_maker(request.module.kind(request.op));
  if (make != nullptr) return make(request);
  return fail_at(request.module.location_text(request.op),
                 "unsupported op " + std::string(request.module.name(request.op)));
}

}  // namespace shardy::simulation
