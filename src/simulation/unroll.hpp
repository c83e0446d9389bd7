// SHARDY_UNROLL before a loop unrolls it early.
#pragma once

// Arrays of vectors stay in registers only if the loops over them are unrolled before allocation;
// clang does so by itself.
#if defined(__GNUC__) && !defined(__clang__)
#define SHARDY_UNROLL _Pragma("GCC unroll 16")
#else
#define SHARDY_UNROLL
#endif
