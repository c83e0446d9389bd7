// fft: in complex f64, rounded once. Spec: stablehlo 26.
#include <algorithm>
#include <complex>
#include <string_view>
#include <vector>

#include "shardy/ir/linear_ops.hpp"
#include "shardy/support/math.hpp"
#include "simulation/crew.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/line_fft.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

using Number = LineFft::Number;
using Index = std::size_t;
using Dims = std::vector<int64_t>;

struct FftPlan {
  Dims operand_dims;
  Dims result_dims;
  Index num_dims;  // transformed, the last ones
  bool inverse;
  bool real;         // the operand or the result
  Conversion widen;  // to complex f64
  Conversion narrow;
  ir::Type result;
};

/// The lines along one dim: `outer` x `inner` of them, the elements of each `inner` apart.
struct Lines {
  Index outer;
  Index size;
  Index inner;

  Lines(const Dims& dims, Index dim)
      : outer(static_cast<Index>(product(std::span(dims).first(dim)))),
        size(static_cast<Index>(dims[dim])),
        inner(static_cast<Index>(product(std::span(dims).subspan(dim + 1)))) {}
};

void transform_lines(std::vector<Number>& values, const Lines& lines, bool inverse, Index begin,
                     Index end) {
  LineFft fft(lines.size, inverse);
  std::vector<Number> line(lines.size);
  for (Index at = begin; at < end; ++at) {
    Number* first = values.data() + at / lines.inner * lines.size * lines.inner + at % lines.inner;
    for (Index n = 0; n < lines.size; ++n) line[n] = first[n * lines.inner];
    fft.run(line);
    for (Index n = 0; n < lines.size; ++n) first[n * lines.inner] = line[n];
  }
}

/// Elements that a thread transforms at least.
constexpr int64_t kLineGrain = int64_t{1} << 12;

void transform_dim(std::vector<Number>& values, const Lines& lines, bool inverse, Crew* crew) {
  const int64_t grain = kLineGrain / static_cast<int64_t>(lines.size + 1) + 1;
  for_ranges(crew, static_cast<int64_t>(lines.outer * lines.inner), grain,
             [&](int64_t begin, int64_t end) {
               transform_lines(values, lines, inverse, static_cast<Index>(begin),
                               static_cast<Index>(end));
             });
}

/// Makes a line of half a spectrum whole: X[N - k] = conj(X[k]). The bins that are their own mirror
/// count as real.
void extend(std::vector<Number>& line, Index size) {
  line.resize(size);
  line[0] = line[0].real();
  if (size % 2 == 0) line[size / 2] = line[size / 2].real();
  for (Index k = size / 2 + 1; k < size; ++k) line[k] = std::conj(line[size - k]);
}

/// The last dim changes its size: forward, to the first half of the spectrum; inverse, from there.
std::vector<Number> transform_last(const std::vector<Number>& values, const FftPlan& plan) {
  LineFft fft(static_cast<Index>(plan.inverse ? plan.result_dims.back() : plan.operand_dims.back()),
              plan.inverse);
  const auto from = static_cast<Index>(plan.operand_dims.back());
  const auto to = static_cast<Index>(plan.result_dims.back());
  std::vector<Number> result;
  result.reserve(static_cast<Index>(product(plan.result_dims)));
  for (Index at = 0; at + from <= values.size() && from > 0; at += from) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
    std::vector<Number> line(first, first + static_cast<std::ptrdiff_t>(from));
    if (plan.inverse) extend(line, to);
    fft.run(line);
    result.insert(result.end(), line.begin(), line.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return result;
}

std::vector<Number> transform(const FftPlan& plan, std::vector<Number> values, Crew* crew) {
  const bool resizes = plan.real;
  if (!plan.inverse && resizes) values = transform_last(values, plan);
  const Dims& dims = plan.inverse ? plan.operand_dims : plan.result_dims;
  const Index last = dims.size() - 1;
  for (Index dim = dims.size() - plan.num_dims; dim < dims.size(); ++dim) {
    if (dim == last && resizes) continue;
    transform_dim(values, Lines(dims, dim), plan.inverse, crew);
  }
  return plan.inverse && resizes ? transform_last(values, plan) : values;
}

Result<Tensors> run_fft(const FftPlan& plan, const KernelCall& call) {
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.result));
  if (plan.result.num_elements() == 0) return Tensors{std::move(out).finish()};
  const Tensor& x = call.operands[0];
  std::vector<Number> values(static_cast<Index>(x.num_elements()));
  plan.widen.run(x.data(), reinterpret_cast<std::byte*>(values.data()), values.size());
  values = transform(plan, std::move(values), call.crew);
  plan.narrow.run(reinterpret_cast<const std::byte*>(values.data()), out.data(), values.size());
  return Tensors{std::move(out).finish()};
}

Result<Kernel> make_fft(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto [length, type] = reader.view<ir::FftOp>();
  const ir::Type& x = reader.operand();
  const ir::Type& result = reader.result();
  const auto widen = Conversion::pick(x.element(), ir::ElementType::Complex128);
  const auto narrow = Conversion::pick(ir::ElementType::Complex128, result.element());
  if (!widen || !narrow) return reader.unsupported_element(x.element());
  const bool inverse = type == "IFFT" || type == "IRFFT";
  return [plan = FftPlan{{x.dims().begin(), x.dims().end()},
                         {result.dims().begin(), result.dims().end()},
                         length.size(),
                         inverse,
                         type == "RFFT" || type == "IRFFT",
                         *widen,
                         *narrow,
                         result}](const KernelCall& call) { return run_fft(plan, call); };
}

}  // namespace

SHARDY_KERNEL(Fft, make_fft)

}  // namespace shardy::simulation
