#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "shardy/support/detail/prime_field.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/vector_product.hpp"

namespace shardy::simulation {

// ---- Elementwise loops --------------------------------------------------------------------------

namespace {

/// Elements that are computed together, in the L1 cache.
constexpr std::size_t kTogether = 256;
using Chunk = std::array<uint64_t, kTogether>;

/// Calls `run(first, size)` for ranges of at most kTogether elements.
template <class Run>
void for_chunks(std::size_t count, const Run& run) {
  for (std::size_t first = 0; first < count; first += kTogether) {
    run(first, std::min(kTogether, count - first));
  }
}

template <class Function>
void for_pairs(const Prime* x, const Prime* y, Prime* out, std::size_t count,
               const Function& function) {
  for (std::size_t at = 0; at < count; ++at) out[at] = {function(x[at].raw, y[at].raw)};
}

/// Checks whether y replaces x as the maximum, or as the minimum.
template <bool kIsMaximum>
bool replaces(uint64_t x, uint64_t x_key, uint64_t y, uint64_t y_key) {
  const bool is_farther = kIsMaximum ? x_key < y_key : y_key < x_key;
  return prime_field::is_number(x) && (!prime_field::is_number(y) || is_farther);
}

template <bool kIsMaximum>
void farther_primes(const Prime* x, const Prime* y, Prime* out, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    const bool second = replaces<kIsMaximum>(x[at].raw, prime_field::order_key(x[at].raw),
                                             y[at].raw, prime_field::order_key(y[at].raw));
    out[at] = second ? y[at] : x[at];
  }
}

template <bool kIsMaximum>
Prime farthest_prime(Prime first, const Prime* others, std::size_t count) {
  uint64_t key = prime_field::order_key(first.raw);
  for (std::size_t at = 0; at < count; ++at) {
    const uint64_t other = prime_field::order_key(others[at].raw);
    if (!replaces<kIsMaximum>(first.raw, key, others[at].raw, other)) continue;
    first = others[at];
    key = other;
  }
  return first;
}

/// Adds the elements to the states; NaN makes the position NaN.
void mix_into(const Prime* x, std::size_t size, Chunk& states, Chunk& are_nans) {
  for (std::size_t at = 0; at < size; ++at) {
    states[at] = prime_field::mixed(states[at], x[at].raw);
    are_nans[at] |= prime_field::is_number(x[at].raw) ? 0U : 1U;
  }
}

}  // namespace

void add_primes(const Prime* x, const Prime* y, Prime* sums, std::size_t count) {
  for_pairs(x, y, sums, count, prime_field::add);
}
void subtract_primes(const Prime* x, const Prime* y, Prime* differences, std::size_t count) {
  for_pairs(x, y, differences, count, prime_field::subtract);
}
void multiply_primes(const Prime* x, const Prime* y, Prime* products, std::size_t count) {
  for_pairs(x, y, products, count, prime_field::multiply);
}

void divide_primes(const Prime* x, const Prime* y, Prime* quotients, std::size_t count) {
  Chunk divisors;
  Chunk inverses;
  for_chunks(count, [&](std::size_t first, std::size_t size) {
    for (std::size_t at = 0; at < size; ++at) divisors[at] = y[first + at].raw;
    prime_field::invert_all(divisors.data(), inverses.data(), size);
    for (std::size_t at = 0; at < size; ++at) {
      quotients[first + at] = {prime_field::multiply(x[first + at].raw, inverses[at])};
    }
  });
}

void larger_primes(const Prime* x, const Prime* y, Prime* maxima, std::size_t count) {
  farther_primes<true>(x, y, maxima, count);
}
void smaller_primes(const Prime* x, const Prime* y, Prime* minima, std::size_t count) {
  farther_primes<false>(x, y, minima, count);
}

Prime sum_of_primes(Prime first, const Prime* others, std::size_t count) {
  prime_field::detail::Wide sum = first.raw;
  bool is_number = prime_field::is_number(first.raw);
  for (std::size_t at = 0; at < count; ++at) {
    sum += others[at].raw;
    is_number = is_number && prime_field::is_number(others[at].raw);
  }
  if (!is_number) return {count == 0 ? first.raw : prime_field::kNotANumber};
  const uint64_t low = static_cast<uint64_t>(sum) & prime_field::kPrime;
  return {prime_field::reduced(low + static_cast<uint64_t>(sum >> 61U))};
}
Prime largest_prime(Prime first, const Prime* others, std::size_t count) {
  return farthest_prime<true>(first, others, count);
}
Prime smallest_prime(Prime first, const Prime* others, std::size_t count) {
  return farthest_prime<false>(first, others, count);
}

void mix_primes(uint64_t salt, std::span<const Prime* const> operands, Prime* mixes,
                std::size_t count) {
  const uint64_t start = prime_field::mixing_start(salt);
  Chunk states;
  Chunk are_nans;
  for_chunks(count, [&](std::size_t first, std::size_t size) {
    for (std::size_t at = 0; at < size; ++at) {
      const uint64_t x = operands[0][first + at].raw;
      states[at] = prime_field::mixed(start + x);
      are_nans[at] = prime_field::is_number(x) ? 0U : 1U;
    }
    for (const Prime* operand : operands.subspan(1)) {
      mix_into(operand + first, size, states, are_nans);
    }
    for (std::size_t at = 0; at < size; ++at) {
      mixes[first + at] = {are_nans[at] != 0 ? prime_field::kNotANumber
                                             : prime_field::reduced(states[at])};
    }
  });
}

// ---- Products -----------------------------------------------------------------------------------
// Sums of products over the field of p = 2^61 - 1 elements are reduced once per some terms:
//
//     x = low + 2^31 high      low < 2^31, high < 2^30
//     x y = low low' + 2^31 (low high' + high low') + 2^62 high high'
//
//     per term    4 products of 32 bits, added to 3 sums of 64 bits
//     3 terms     lows and middles: below 3 * 2^62 + 2^61 + 8; then folded: 2^61 = 1
//     12 terms    highs: below 12 * 2^60 + 2^61 + 8; then folded
//
// Without vectors a sum of 63 products of 122 bits fits 128 bits.

namespace {

using prime_field::kPrime;

/// Terms between two additions to the result. A multiple of kHighTerms.
constexpr int64_t kBlockTerms = 504;
/// Columns whose panels are packed at a time.
constexpr int64_t kBlockColumns = 1024;

/// Matrices of a product, as elements of the field.
struct PrimeMatrices {
  const uint64_t* x;
  const uint64_t* y;
  uint64_t* out;
  ProductShape shape;
};

PrimeMatrices matrices_of(const std::byte* x, const std::byte* y, std::byte* out,
                          const ProductShape& shape) {
  return {reinterpret_cast<const uint64_t*>(x), reinterpret_cast<const uint64_t*>(y),
          reinterpret_cast<uint64_t*>(out), shape};
}

/// Adds sums of a block of terms to the result. Sums of the first block are stored instead.
void add_sums(std::span<const uint64_t> sums, uint64_t* out, bool is_first) {
  for (std::size_t at = 0; at < sums.size(); ++at) {
    out[at] = is_first ? sums[at] : prime_field::add(out[at], sums[at]);
  }
}

/// Checks whether some element is not a number; in steps that are vectorized.
bool has_nan(const uint64_t* elements, int64_t count) {
  constexpr int64_t kStep = 8;
  // Numbers are below 2^61 - 1; the sum wraps to 0 for 2^64 - 1 only.
  const auto high_bits = [](uint64_t x) { return (x | (x + 1)) >> 61U; };
  std::array<uint64_t, kStep> any{};
  int64_t at = 0;
  for (; at + kStep <= count; at += kStep) {
    for (std::size_t each = 0; each < any.size(); ++each)
      any[each] |= high_bits(elements[at + static_cast<int64_t>(each)]);
  }
  for (; at < count; ++at) any[0] |= high_bits(elements[at]);
  return std::ranges::any_of(any, [](uint64_t bits) { return bits != 0; });
}

/// Replaces the results of each row of x, and of each column of y, that contains a NaN. Other
/// results do not depend on these elements.
void set_nans(const PrimeMatrices& matrices) {
  const uint64_t* const y = matrices.y;
  const ProductShape& shape = matrices.shape;
  for (int64_t row = 0; row < shape.rows; ++row) {
    if (!has_nan(matrices.x + row * shape.depth, shape.depth)) continue;
    std::fill_n(matrices.out + row * shape.columns, shape.columns, prime_field::kNotANumber);
  }
  if (!has_nan(y, shape.depth * shape.columns)) return;
  for (int64_t column = 0; column < shape.columns; ++column) {
    const auto is_nan = [&](int64_t k) {
      return !prime_field::is_number(y[k * shape.columns + column]);
    };
    int64_t k = 0;
    while (k < shape.depth && !is_nan(k)) ++k;
    if (k == shape.depth) continue;
    for (int64_t row = 0; row < shape.rows; ++row) {
      matrices.out[row * shape.columns + column] = prime_field::kNotANumber;
    }
  }
}

// ---- Without vectors ---------------------------------------------------------------------------

using DoubleWord = prime_field::detail::Wide;

constexpr uint64_t reduced_wide(DoubleWord x) {
  const auto low = static_cast<uint64_t>(x) & kPrime;
  const auto middle = static_cast<uint64_t>(x >> 61U) & kPrime;
  const auto high = static_cast<uint64_t>(x >> 122U);
  return prime_field::reduced(low + middle + high);
}

/// One row and four columns: their sums fit the registers.
struct PlainTile {
  static constexpr int64_t kWidth = 4;
  static constexpr int64_t kTerms = 63;

  static std::array<uint64_t, kWidth> sums(const uint64_t* row, const uint64_t* panel,
                                           int64_t terms) {
    std::array<uint64_t, kWidth> total{};
    for (int64_t begin = 0; begin < terms; begin += kTerms) {
      const int64_t end = std::min(begin + kTerms, terms);
      std::array<DoubleWord, kWidth> sums{};
      for (int64_t k = begin; k < end; ++k) {
        SHARDY_UNROLL
        for (std::size_t c = 0; c < kWidth; ++c) {
          sums[c] += static_cast<DoubleWord>(row[k]) * panel[k * kWidth + static_cast<int64_t>(c)];
        }
      }
      for (std::size_t c = 0; c < kWidth; ++c) {
        total[c] = prime_field::reduced(total[c] + reduced_wide(sums[c]));
      }
    }
    return total;
  }
};

void plain_block(const PrimeMatrices& matrices, const detail::Panel& panel, uint64_t* packed) {
  const ProductShape& shape = matrices.shape;
  detail::pack_columns(matrices.y, shape, panel, packed);
  const auto count = static_cast<std::size_t>(std::min(panel.width, shape.columns - panel.first));
  for (int64_t row = 0; row < shape.rows; ++row) {
    const auto sums = PlainTile::sums(matrices.x + row * shape.depth + panel.begin, packed,
                                      panel.end - panel.begin);
    add_sums(std::span(sums).first(count), matrices.out + row * shape.columns + panel.first,
             panel.begin == 0);
  }
}

void plain_prime_product(const std::byte* x, const std::byte* y, std::byte* out,
                         const ProductShape& shape) {
  const PrimeMatrices matrices = matrices_of(x, y, out, shape);
  std::vector<uint64_t> packed(
      static_cast<std::size_t>(std::min(shape.depth, kBlockTerms) * PlainTile::kWidth));
  int64_t begin = 0;
  do {  // also of no terms: the sums are 0 then
    const int64_t end = std::min(begin + kBlockTerms, shape.depth);
    for (int64_t first = 0; first < shape.columns; first += PlainTile::kWidth) {
      plain_block(matrices, {first, PlainTile::kWidth, begin, end}, packed.data());
    }
    begin = end;
  } while (begin < shape.depth);
  set_nans(matrices);
}

#if defined(SHARDY_WIDE_CODE)

// ---- In vectors --------------------------------------------------------------------------------

constexpr int64_t kFoldTerms = 3;
constexpr int64_t kHighTerms = 12;
static_assert(kBlockTerms % kHighTerms == 0);

struct Limbs {
  uint32_t low;
  uint32_t high;
};
constexpr Limbs limbs(uint64_t x) {
  return {static_cast<uint32_t>(x & 0x7FFFFFFFU), static_cast<uint32_t>(x >> 31U)};
}
static_assert(sizeof(Limbs) == sizeof(uint64_t));

/// Limbs as words, so that the factor of a row is loaded into all lanes at once.
struct WideLimbs {
  uint64_t low;
  uint64_t high;
};
constexpr WideLimbs wide_limbs(uint64_t x) { return {limbs(x).low, limbs(x).high}; }

using Registers256 = detail::Registers<32, 2, 1>;
using Registers512 = detail::Registers<64, 6, 1>;
template <class Machine>
using PrimeVector = detail::Vector<uint64_t, Machine>;

// Vectors are parameters by reference: by value they would have another ABI without AVX.

/// Adds the products of the low halves of the lanes. clang recognizes one instruction, g++ 12 does
/// not; an intrinsic needs the target attribute of its caller, which differs between the versions.
template <class Vector>
[[gnu::always_inline]] inline void add_products(Vector& sums, const Vector& x, const Vector& y) {
#if defined(__clang__)
  sums += (x & 0xFFFFFFFFU) * (y & 0xFFFFFFFFU);
#else
  Vector products;
  asm("vpmuludq %2, %1, %0" : "=v"(products) : "v"(x), "v"(y));
  sums += products;
#endif
}

template <class Vector>
[[gnu::always_inline]] inline void fold(Vector& x) {
  x = (x & kPrime) + (x >> 61U);
}

/// Multiplies by 2^bits. Requires: x <= p.
template <class Vector>
[[gnu::always_inline]] inline void rotate(Vector& x, int bits) {
  x = ((x << bits) & kPrime) | (x >> (61 - bits));
}

/// Adds the other sums of products of limbs, each below 2^61 + 8, to `low`, and reduces it.
template <class Vector>
[[gnu::always_inline]] inline void join(Vector& low, Vector& middle, Vector& high) {
  fold(middle);
  rotate(middle, 31);
  fold(high);
  rotate(high, 1);
  low += middle + high;
  fold(low);
  fold(low);  // at most p
  low = (low + ((low + 1) >> 61)) & kPrime;
}

template <class Machine, std::size_t kRows>
using RowVectors = std::array<PrimeVector<Machine>, kRows>;

/// Sums of products of limbs, of `kRows` rows with the columns of a panel.
template <class Machine, std::size_t kRows>
struct LimbSums {
  RowVectors<Machine, kRows> lows{};
  RowVectors<Machine, kRows> middles{};
  RowVectors<Machine, kRows> highs{};

  [[gnu::always_inline]] void add_term(const WideLimbs* row, const Limbs* column) {
    PrimeVector<Machine> low;
    std::memcpy(&low, column, sizeof(low));
    const PrimeVector<Machine> high = low >> 32U;
    SHARDY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const PrimeVector<Machine> factor_low = row[r].low - PrimeVector<Machine>{};
      const PrimeVector<Machine> factor_high = row[r].high - PrimeVector<Machine>{};
      add_products(lows[r], factor_low, low);
      add_products(middles[r], factor_low, high);
      add_products(middles[r], factor_high, low);
      add_products(highs[r], factor_high, high);
    }
  }
};

template <class Machine, std::size_t kRows>
[[gnu::always_inline]] inline void fold_all(RowVectors<Machine, kRows>& vectors) {
  SHARDY_UNROLL
  for (auto& vector : vectors) fold(vector);
}

/// Computes the sums in registers: only loops of constant bounds use their positions.
template <class Machine, std::size_t kRows>
[[gnu::always_inline]] inline LimbSums<Machine, kRows> prime_tile(const WideLimbs* rows,
                                                                  const Limbs* panel,
                                                                  int64_t terms) {
  LimbSums<Machine, kRows> sums;
  for (int64_t k = 0; k < terms;) {
    const int64_t high_end = std::min(k + kHighTerms, terms);
    while (k < high_end) {
      const int64_t end = std::min(k + kFoldTerms, high_end);
      for (; k < end; ++k) {
        sums.add_term(rows, panel);
        rows += kRows;
        panel += detail::kLanes<uint64_t, Machine>;
      }
      fold_all<Machine, kRows>(sums.lows);
      fold_all<Machine, kRows>(sums.middles);
    }
    fold_all<Machine, kRows>(sums.highs);
  }
  return sums;
}

/// The sums of a row as elements of the field.
template <class Machine>
using RowSums = std::array<uint64_t, static_cast<std::size_t>(detail::kLanes<uint64_t, Machine>)>;
template <class Machine, std::size_t kRows>
[[gnu::always_inline]] inline RowSums<Machine> row_sums(LimbSums<Machine, kRows>& sums,
                                                        std::size_t row) {
  join(sums.lows[row], sums.middles[row], sums.highs[row]);
  RowSums<Machine> elements;
  std::memcpy(elements.data(), &sums.lows[row], sizeof(elements));
  return elements;
}

template <class Machine>
class VectorPrimeProduct {
 public:
  [[gnu::always_inline]] static void run(const PrimeMatrices& matrices) {
    VectorPrimeProduct product(matrices);
    int64_t begin = 0;
    do {  // also of no terms: the sums are 0 then
      const int64_t end = std::min(begin + kBlockTerms, matrices.shape.depth);
      for (int64_t first = 0; first < matrices.shape.columns; first += kBlockColumns) {
        const int64_t width = std::min(kBlockColumns, matrices.shape.columns - first);
        product.run_block({first, width, begin, end});
      }
      begin = end;
    } while (begin < matrices.shape.depth);
  }

 private:
  static constexpr auto kWidth = detail::kLanes<uint64_t, Machine>;
  static constexpr auto kHeight = static_cast<int64_t>(Machine::kRows);
  static_assert(kBlockColumns % kWidth == 0);

  explicit VectorPrimeProduct(const PrimeMatrices& matrices) : matrices_(matrices) {
    const ProductShape& shape = matrices.shape;
    const int64_t columns = std::min((shape.columns + kWidth - 1) / kWidth * kWidth, kBlockColumns);
    const int64_t terms = std::min(shape.depth, kBlockTerms);
    panels_.resize(static_cast<std::size_t>(terms * columns));
    rows_.resize(static_cast<std::size_t>(terms * kHeight));
  }

  [[gnu::always_inline]] void run_block(const detail::Panel& block) {
    pack_panels(block);
    int64_t row = 0;
    for (; row + kHeight <= matrices_.shape.rows; row += kHeight) {
      run_rows<Machine::kRows>(row, block);
    }
    for (; row < matrices_.shape.rows; ++row) run_rows<1>(row, block);
  }

  void pack_panels(const detail::Panel& block) {
    Limbs* to = panels_.data();
    for (int64_t first = 0; first < block.width; first += kWidth) {
      const int64_t count = std::min(kWidth, block.width - first);
      for (int64_t k = block.begin; k < block.end; ++k, to += kWidth) {
        const uint64_t* from = matrices_.y + k * matrices_.shape.columns + block.first + first;
        for (int64_t c = 0; c < count; ++c) to[c] = limbs(from[c]);
      }
    }
  }

  template <std::size_t kRows>
  [[gnu::always_inline]] void run_rows(int64_t row, const detail::Panel& block) {
    const ProductShape& shape = matrices_.shape;
    const int64_t terms = block.end - block.begin;
    for (std::size_t r = 0; r < kRows; ++r) {
      const uint64_t* from =
          matrices_.x + (row + static_cast<int64_t>(r)) * shape.depth + block.begin;
      for (int64_t k = 0; k < terms; ++k) {
        rows_[static_cast<std::size_t>(k) * kRows + r] = wide_limbs(from[k]);
      }
    }
    for (int64_t first = 0; first < block.width; first += kWidth) {
      auto tile = prime_tile<Machine, kRows>(rows_.data(), panels_.data() + first * terms, terms);
      const auto count = static_cast<std::size_t>(std::min(kWidth, block.width - first));
      uint64_t* out = matrices_.out + row * shape.columns + block.first + first;
      SHARDY_UNROLL
      for (std::size_t r = 0; r < kRows; ++r, out += shape.columns) {
        const auto sums = row_sums(tile, r);
        add_sums(std::span(sums).first(count), out, block.begin == 0);
      }
    }
  }

  const PrimeMatrices& matrices_;
  std::vector<Limbs> panels_;    // of a block, one after the other
  std::vector<WideLimbs> rows_;  // of a tile, term by term
};

SHARDY_WIDE_CODE void wide_prime_product(const std::byte* x, const std::byte* y, std::byte* out,
                                         const ProductShape& shape) {
  const PrimeMatrices matrices = matrices_of(x, y, out, shape);
  VectorPrimeProduct<Registers256>::run(matrices);
  set_nans(matrices);
}
SHARDY_WIDEST_CODE void widest_prime_product(const std::byte* x, const std::byte* y, std::byte* out,
                                             const ProductShape& shape) {
  const PrimeMatrices matrices = matrices_of(x, y, out, shape);
  VectorPrimeProduct<Registers512>::run(matrices);
  set_nans(matrices);
}

#endif

}  // namespace

std::vector<PrimeProductVersion> prime_products() {
  std::vector<PrimeProductVersion> versions = {{"plain", &plain_prime_product}};
#if defined(SHARDY_WIDE_CODE)
  if (runs_wide_code()) versions.push_back({"wide", &wide_prime_product});
  if (runs_widest_code()) versions.push_back({"widest", &widest_prime_product});
#endif
  return versions;
}

}  // namespace shardy::simulation
