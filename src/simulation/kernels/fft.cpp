// Kernel of fft: computes in complex f64 and rounds once. Spec: stablehlo 26.
#include <bit>
#include <complex>
#include <cstddef>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {
namespace {

/// A forward or inverse transform of lines of one length; the inverse divides by the length. Not
/// thread-safe.
class LineFft {
 public:
  using Number = std::complex<double>;

  LineFft(std::size_t size, bool inverse);

  /// Transforms `line` in place. Requires: `line` has the length of this object.
  void run(std::vector<Number>& line);

 private:
  /// Transforms by a convolution whose length is a power of 2. A direct transform takes time
  /// proportional to the square of a large prime factor. Bluestein, "A linear filtering approach to
  /// the computation of discrete Fourier transform", 1970.
  void convolve(std::vector<Number>& line);
  void plan_convolution();

  std::size_t size_;
  bool inverse_;
  Eigen::FFT<double> fft_;
  std::vector<Number> from_;
  std::vector<Number> chirp_;   // exp(-i pi n^2 / size); empty if lines are not convolved
  std::vector<Number> filter_;  // spectrum of the conjugate of chirp_
};

/// The largest prime factor for the direct transform, which takes as many steps per element as the
/// largest prime factor of the length.
constexpr std::size_t kLargestFactor = 256;

bool has_larger_factor(std::size_t size) {
  for (std::size_t factor = 2; factor <= kLargestFactor && factor <= size; ++factor) {
    while (size % factor == 0) size /= factor;
  }
  return size > 1;
}

using Index = std::size_t;
using Dims = std::vector<int64_t>;

struct FftPlan {
  Dims operand_dims;
  Dims result_dims;
  Index num_dims;  // number of transformed dims, which are the last ones
  bool inverse;
  bool real;         // the operand or the result is real
  Conversion widen;  // converts the operand to complex f64
  Conversion narrow;
  ir::Type result;
};

/// The lines along one dim: `outer` x `inner` lines, whose elements have the stride `inner`.
struct Lines {
  Index outer;
  Index size;
  Index inner;

  Lines(const Dims& dims, Index dim)
      : outer(static_cast<Index>(product(std::span(dims).first(dim)))),
        size(static_cast<Index>(dims[dim])),
        inner(static_cast<Index>(product(std::span(dims).subspan(dim + 1)))) {}
};

/// A pseudo-random linear map that replaces the transform in exact runs. Both compared programs
/// apply the same map.
class ExactLine {
 public:
  using Number = PrimePair;

  ExactLine(Index size, bool inverse) : size_(size), inverse_(inverse) {}
  void run(std::vector<Number>& line) const {
    std::vector<Number> sums(size_);
    for (Index to = 0; to < size_; ++to) {
      for (Index from = 0; from < size_; ++from) {
        sums[to] = Add::apply(sums[to], Multiply::apply(factor(from, to), line[from]));
      }
    }
    line = std::move(sums);
  }

 private:
  Number factor(Index from, Index to) const {
    const uint64_t place = prime_field::mixed(prime_field::mixed(from, to), inverse_ ? 1 : 0);
    return {{prime_field::reduced(place)}, {prime_field::reduced(prime_field::mixed(place, 2))}};
  }

  Index size_;
  bool inverse_;
};

LineFft::Number real_of(LineFft::Number x) { return x.real(); }
PrimePair real_of(PrimePair x) { return {x.real, {}}; }
LineFft::Number conjugate(LineFft::Number x) { return std::conj(x); }
PrimePair conjugate(PrimePair x) { return {x.real, {prime_field::negate(x.imag.raw)}}; }

template <class Line>
using NumbersOf = std::vector<typename Line::Number>;

template <class Line>
void transform_lines(NumbersOf<Line>& values, const Lines& lines, bool inverse, Index begin,
                     Index end) {
  using Number = typename Line::Number;
  Line fft(lines.size, inverse);
  std::vector<Number> line(lines.size);
  for (Index at = begin; at < end; ++at) {
    Number* first = values.data() + at / lines.inner * lines.size * lines.inner + at % lines.inner;
    for (Index n = 0; n < lines.size; ++n) line[n] = first[n * lines.inner];
    fft.run(line);
    for (Index n = 0; n < lines.size; ++n) first[n * lines.inner] = line[n];
  }
}

/// The smallest number of elements that is worth a separate thread.
constexpr int64_t kLineGrain = int64_t{1} << 12;

template <class Line>
void transform_dim(NumbersOf<Line>& values, const Lines& lines, bool inverse, ThreadPool* pool) {
  const int64_t grain = kLineGrain / static_cast<int64_t>(lines.size + 1) + 1;
  for_ranges(pool, static_cast<int64_t>(lines.outer * lines.inner), grain,
             [&](int64_t begin, int64_t end) {
               transform_lines<Line>(values, lines, inverse, static_cast<Index>(begin),
                                     static_cast<Index>(end));
             });
}

/// Completes a line from half of its spectrum: X[N - k] = conj(X[k]). Bins that mirror themselves
/// count as real.
template <class Number>
void extend(std::vector<Number>& line, Index size) {
  line.resize(size);
  line[0] = real_of(line[0]);
  if (size % 2 == 0) line[size / 2] = real_of(line[size / 2]);
  for (Index k = size / 2 + 1; k < size; ++k) line[k] = conjugate(line[size - k]);
}

/// The last dim of the transform changes its size: a forward real transform keeps the first half of
/// the spectrum, an inverse one starts from it.
template <class Line>
NumbersOf<Line> transform_last(const NumbersOf<Line>& values, const FftPlan& plan) {
  Line fft(static_cast<Index>(plan.inverse ? plan.result_dims.back() : plan.operand_dims.back()),
           plan.inverse);
  const auto from = static_cast<Index>(plan.operand_dims.back());
  const auto to = static_cast<Index>(plan.result_dims.back());
  NumbersOf<Line> result;
  result.reserve(static_cast<Index>(product(plan.result_dims)));
  for (Index at = 0; at + from <= values.size() && from > 0; at += from) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
    NumbersOf<Line> line(first, first + static_cast<std::ptrdiff_t>(from));
    if (plan.inverse) extend(line, to);
    fft.run(line);
    result.insert(result.end(), line.begin(), line.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return result;
}

template <class Line>
NumbersOf<Line> transform(const FftPlan& plan, NumbersOf<Line> values, ThreadPool* pool) {
  const bool resizes = plan.real;
  if (!plan.inverse && resizes) values = transform_last<Line>(values, plan);
  const Dims& dims = plan.inverse ? plan.operand_dims : plan.result_dims;
  const Index last = dims.size() - 1;
  for (Index dim = dims.size() - plan.num_dims; dim < dims.size(); ++dim) {
    if (dim == last && resizes) continue;
    transform_dim<Line>(values, Lines(dims, dim), plan.inverse, pool);
  }
  return plan.inverse && resizes ? transform_last<Line>(values, plan) : values;
}

template <class Line>
Result<Tensors> run_fft(const FftPlan& plan, const KernelCall& call) {
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.result));
  if (plan.result.num_elements() == 0) return Tensors{std::move(out).finish()};
  const Tensor& x = call.operands[0];
  NumbersOf<Line> values(static_cast<Index>(x.num_elements()));
  plan.widen.run(x.data(), reinterpret_cast<std::byte*>(values.data()), values.size());
  values = transform<Line>(plan, std::move(values), call.pool);
  plan.narrow.run(reinterpret_cast<const std::byte*>(values.data()), out.data(), values.size());
  return Tensors{std::move(out).finish()};
}

Result<Kernel> make_fft(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto [length, type] = reader.view<ir::FftOp>();
  const ir::Type& x = reader.operand();
  const ir::Type& result = reader.result();
  const bool is_exact = ir::is_exact(x.element());
  const auto wide = is_exact ? ir::ElementType::ExactComplex : ir::ElementType::Complex128;
  const auto widen = Conversion::pick(x.element(), wide);
  const auto narrow = Conversion::pick(wide, result.element());
  if (!widen || !narrow) return reader.unsupported_element(x.element());
  const bool inverse = type == "IFFT" || type == "IRFFT";
  const FftPlan plan{{x.dims().begin(), x.dims().end()},
                     {result.dims().begin(), result.dims().end()},
                     length.size(),
                     inverse,
                     type == "RFFT" || type == "IRFFT",
                     *widen,
                     *narrow,
                     result};
  if (is_exact) return [plan](const KernelCall& call) { return run_fft<ExactLine>(plan, call); };
  return [plan](const KernelCall& call) { return run_fft<LineFft>(plan, call); };
}

LineFft::LineFft(std::size_t size, bool inverse) : size_(size), inverse_(inverse) {
  if (has_larger_factor(size)) plan_convolution();
}

void LineFft::plan_convolution() {
  std::size_t square = 0;  // n^2 modulo a full turn, so that the angle is not rounded
  for (std::size_t n = 0; n < size_; ++n) {
    const double turns = static_cast<double>(square) / static_cast<double>(size_);
    chirp_.push_back(std::polar(1.0, -std::numbers::pi * turns));
    square = (square + 2 * n + 1) % (2 * size_);
  }
  std::vector<Number> filter(std::bit_ceil(2 * size_ - 1));
  for (std::size_t n = 0; n < size_; ++n) {
    filter[n] = std::conj(chirp_[n]);
    if (n > 0) filter[filter.size() - n] = filter[n];
  }
  filter_.resize(filter.size());
  fft_.fwd(filter_.data(), filter.data(), static_cast<Eigen::Index>(filter.size()));
}

void LineFft::run(std::vector<Number>& line) {
  if (size_ < 2) return;
  if (!chirp_.empty()) return convolve(line);
  from_ = line;
  const auto size = static_cast<Eigen::Index>(size_);
  if (inverse_) {
    fft_.inv(line.data(), from_.data(), size);
  } else {
    fft_.fwd(line.data(), from_.data(), size);
  }
}

/// Computes the inverse as a forward transform of the conjugate, whose result is conjugated.
void LineFft::convolve(std::vector<Number>& line) {
  std::vector<Number> spectrum(filter_.size());
  from_.assign(filter_.size(), Number());
  for (std::size_t n = 0; n < size_; ++n) {
    from_[n] = (inverse_ ? std::conj(line[n]) : line[n]) * chirp_[n];
  }
  const auto size = static_cast<Eigen::Index>(filter_.size());
  fft_.fwd(spectrum.data(), from_.data(), size);
  for (std::size_t k = 0; k < filter_.size(); ++k) spectrum[k] *= filter_[k];
  fft_.inv(from_.data(), spectrum.data(), size);
  for (std::size_t k = 0; k < size_; ++k) {
    line[k] = from_[k] * chirp_[k];
    if (inverse_) line[k] = std::conj(line[k]) / static_cast<double>(size_);
  }
}

}  // namespace

SHARDY_KERNEL(Fft, make_fft)

}  // namespace shardy::simulation
