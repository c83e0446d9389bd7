// Loops that are compiled three times: for the machine type of the library build and, selected at
// run time, for x86-64-v3 and AVX-512.
#pragma once

#include <cstddef>

// x86-64-v3 without FMA: compilers would fuse products and sums, but each must be rounded. Spec:
// stablehlo 16.4.
#if defined(__x86_64__) && !defined(__AVX2__)
#define SHARDY_WIDE_CODE __attribute__((target("avx2,bmi,bmi2,f16c,lzcnt")))
// AVX-512 includes fused instructions, so this is only for code that is compiled with
// -ffp-contract=off.
#define SHARDY_WIDEST_CODE __attribute__((target("avx512f,avx512bw,bmi,bmi2,lzcnt")))
#endif

namespace shardy::simulation {

/// Checks whether the machine can run code compiled as SHARDY_WIDE_CODE.
inline bool runs_wide_code() {
#if defined(SHARDY_WIDE_CODE)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

/// Checks whether the machine can run code compiled as SHARDY_WIDEST_CODE.
inline bool runs_widest_code() {
#if defined(SHARDY_WIDE_CODE)
  return runs_wide_code() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

/// The compiled versions of `Body::run`, a static function that returns void and is always inlined.
template <class Body, class Function = decltype(&Body::run)>
struct Versions;

template <class Body, class... Args>
struct Versions<Body, void (*)(Args...)> {
  static void plain(Args... args) { Body::run(args...); }
#if defined(SHARDY_WIDE_CODE)
  SHARDY_WIDE_CODE static void wide(Args... args) { Body::run(args...); }
  SHARDY_WIDEST_CODE static void widest(Args... args) { Body::run(args...); }
#endif
};

/// Returns the widest version that this machine runs.
template <class Body>
auto pick_widest_version() -> decltype(&Body::run) {
#if defined(SHARDY_WIDE_CODE)
  if (runs_widest_code()) return &Versions<Body>::widest;
  if (runs_wide_code()) return &Versions<Body>::wide;
#endif
  return &Versions<Body>::plain;
}

}  // namespace shardy::simulation
