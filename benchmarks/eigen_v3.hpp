// Eigen's product, built for x86-64-v3: AVX2 with fused multiply-add.
#pragma once

#include <cstdint>

/// Of square row-major matrices.
void eigen_v3_product(const float* x, const float* y, float* out, int64_t size);
void eigen_v3_product(const double* x, const double* y, double* out, int64_t size);
