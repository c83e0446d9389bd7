#include "simulation/kernels/line_fft.hpp"

#include <bit>
#include <numbers>

namespace shardy::simulation {
namespace {

using Number = LineFft::Number;

/// The plain transform takes as many steps per element as the length has largest prime factors.
constexpr std::size_t kLargestFactor = 256;

bool has_larger_factor(std::size_t size) {
  for (std::size_t factor = 2; factor <= kLargestFactor && factor <= size; ++factor) {
    while (size % factor == 0) size /= factor;
  }
  return size > 1;
}

}  // namespace

LineFft::LineFft(std::size_t size, bool inverse) : size_(size), inverse_(inverse) {
  if (has_larger_factor(size)) plan_convolution();
}

void LineFft::plan_convolution() {
  std::size_t square = 0;  // of n, modulo a whole turn: nothing of the angle is lost
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

/// Back is forward between conjugates.
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

}  // namespace shardy::simulation
