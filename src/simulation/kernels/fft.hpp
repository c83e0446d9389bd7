// Fourier transforms of single lines, of any length, in complex f64.
#pragma once

#include <complex>
#include <cstddef>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace shardy::simulation {

/// Transforms lines of one length, forward or back; back divides by the length. One thread uses it.
class LineFft {
 public:
  using Number = std::complex<double>;

  LineFft(std::size_t size, bool inverse);

  /// Requires: `line` has that length.
  void run(std::vector<Number>& line);

 private:
  /// A transform of that length as a convolution of a length that is a power of 2: what takes the
  /// square of a large prime otherwise. Bluestein, "A linear filtering approach to the computation
  /// of discrete Fourier transform", 1970.
  void convolve(std::vector<Number>& line);
  void plan_convolution();

  std::size_t size_;
  bool inverse_;
  Eigen::FFT<double> fft_;
  std::vector<Number> from_;
  std::vector<Number> chirp_;   // exp(-i pi n^2 / size); empty unless lines are convolved
  std::vector<Number> filter_;  // the spectrum of its conjugate
};

}  // namespace shardy::simulation
