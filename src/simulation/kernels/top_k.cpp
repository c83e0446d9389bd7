// chlo.top_k: the greatest elements of each row and where they stand. Spec: stablehlo 29.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "shardy/support/prime_field.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/tiny_float.hpp"

namespace shardy::simulation {
namespace {

struct RowShape {
  std::size_t rows;
  std::size_t size;
  std::size_t kept;
};

/// Places of the `kept` greatest elements of each row; equal ones keep their order.
using RankLoop = void (*)(const std::byte* x, int32_t* places, const RowShape& shape);

int64_t order_key(Bool x) { return x.raw; }
uint64_t order_key(Prime x) { return prime_field::order_key(x.raw); }
template <Integer T>
Wide<T> order_key(T x) {
  return widen(x);
}
/// The total order: -NaN lowest, +NaN greatest. Spec: stablehlo 20.
template <Float T>
int64_t order_key(T x) {
  const auto magnitude = static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) & ~kSignMask<T>);
  return is_negative(x) ? -static_cast<int64_t>(magnitude) - 1 : static_cast<int64_t>(magnitude);
}

template <class T>
void rank_rows(const std::byte* x, int32_t* places, const RowShape& shape) {
  const auto* row = reinterpret_cast<const T*>(x);
  std::vector<int32_t> order(shape.size);
  const auto kept = static_cast<std::ptrdiff_t>(shape.kept);
  for (std::size_t index = 0; index < shape.rows; ++index, row += shape.size) {
    std::iota(order.begin(), order.end(), 0);
    const auto goes_first = [&](int32_t left, int32_t right) {
      const auto left_key = order_key(row[left]);
      const auto right_key = order_key(row[right]);
      return left_key != right_key ? left_key > right_key : left < right;
    };
    std::partial_sort(order.begin(), order.begin() + kept, order.end(), goes_first);
    places = std::copy_n(order.begin(), kept, places);
  }
}

RankLoop pick_rank(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> RankLoop {
    if constexpr (Element<T> && !Complex<T> && !std::same_as<T, PrimePair>) {
      return &rank_rows<T>;
    } else {
      return nullptr;
    }
  });
}

/// Floats of one byte are ranked by the keys of their codes, as i8.
struct Ranking {
  ir::ElementType element;
  RankLoop loop;

  void run(const Tensor& x, int32_t* places, const RowShape& shape) const {
    if (!is_tiny_float(element)) return loop(x.data(), places, shape);
    std::vector<int8_t> keys(x.bytes().size());
    std::ranges::transform(x.bytes(), keys.begin(), [&](std::byte code) {
      return code_rank(element, std::to_integer<uint8_t>(code));
    });
    loop(std::as_bytes(std::span(keys)).data(), places, shape);
  }
};

void gather_rows(const Tensor& x, std::span<const int32_t> places, const RowShape& shape,
                 std::byte* out) {
  const std::size_t bytes = ir::size_bytes(x.type().element());
  for (std::size_t at = 0; at < places.size(); ++at) {
    const std::size_t row = at / shape.kept;
    const std::size_t from = row * shape.size + static_cast<std::size_t>(places[at]);
    out = std::copy_n(x.data() + from * bytes, bytes, out);
  }
}

Result<Kernel> make_top_k(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const int64_t size = x.dims().back();
  SHARDY_TRY_STATUS(reader.expect(size <= INT32_MAX, "the last dim has too many elements"));
  const bool is_tiny = is_tiny_float(x.element());
  const Ranking ranking{x.element(), pick_rank(is_tiny ? ir::ElementType::I8 : x.element())};
  if (ranking.loop == nullptr) return reader.unsupported_element(x.element());
  const RowShape shape{static_cast<std::size_t>(size == 0 ? 0 : x.num_elements() / size),
                       static_cast<std::size_t>(size),
                       static_cast<std::size_t>(reader.result().dims().back())};
  return [ranking, shape, values_type = reader.result(0),
          places_type = reader.result(1)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter places, TensorWriter::make(places_type));
    SHARDY_TRY(TensorWriter values, TensorWriter::make(values_type));
    ranking.run(call.operands[0], places.elements<int32_t>().data(), shape);
    gather_rows(call.operands[0], places.elements<int32_t>(), shape, values.data());
    Tensor greatest = std::move(values).finish();
    return Tensors{std::move(greatest), std::move(places).finish()};
  };
}

}  // namespace

SHARDY_KERNEL(ChloTopK, make_top_k)

}  // namespace shardy::simulation
