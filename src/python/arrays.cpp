// Conversions between tensors and NumPy arrays.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "python/bindings.hpp"
#include "shardy/ir/type_text.hpp"

namespace shardy::python {

namespace py = pybind11;
using ir::ElementType;
using simulation::Tensor;

namespace {

struct Dtype {
  ElementType element;
  const char* name;
};
/// The element types that NumPy has. An integer of 2 or 4 bits takes one byte, as in a tensor.
constexpr std::array kDtypes = {Dtype{ElementType::I1, "bool"},
                                Dtype{ElementType::I2, "int8"},
                                Dtype{ElementType::I4, "int8"},
                                Dtype{ElementType::I8, "int8"},
                                Dtype{ElementType::I16, "int16"},
                                Dtype{ElementType::I32, "int32"},
                                Dtype{ElementType::I64, "int64"},
                                Dtype{ElementType::UI2, "uint8"},
                                Dtype{ElementType::UI4, "uint8"},
                                Dtype{ElementType::UI8, "uint8"},
                                Dtype{ElementType::UI16, "uint16"},
                                Dtype{ElementType::UI32, "uint32"},
                                Dtype{ElementType::UI64, "uint64"},
                                Dtype{ElementType::F16, "float16"},
                                Dtype{ElementType::F32, "float32"},
                                Dtype{ElementType::F64, "float64"},
                                Dtype{ElementType::Complex64, "complex64"},
                                Dtype{ElementType::Complex128, "complex128"},
                                Dtype{ElementType::Index, "int64"}};

/// Returns null for types that NumPy does not have. Such values are given as float32, which can
/// hold all of them.
const char* own_dtype(ElementType element) {
  for (const Dtype& each : kDtypes) {
    if (each.element == element) return each.name;
  }
  return nullptr;
}

py::array numpy_array(py::handle value, const std::string& dtype) {
  const py::module_ numpy = py::module_::import("numpy");
  if (py::isinstance<py::array>(value)) return py::reinterpret_borrow<py::array>(value);
  return numpy.attr("asarray")(value, py::arg("dtype") = dtype);
}

std::string shape_text(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t dim = 0; dim < array.ndim(); ++dim) {
    text += (dim == 0 ? "" : ", ") + std::to_string(array.shape(dim));
  }
  return text + (array.ndim() == 1 ? ",)" : ")");
}

void check_shape(const py::array& array, const ir::Type& type, const std::string& what) {
  bool equal = array.ndim() == type.rank();
  for (py::ssize_t dim = 0; equal && dim < array.ndim(); ++dim) {
    equal = array.shape(dim) == type.dims()[static_cast<std::size_t>(dim)];
  }
  if (equal) return;
  throw Refused({.message = what + " is " + short_type(type) + ", the array has the shape " +
                            shape_text(array)});
}

void check_dtype(const py::array& array, const std::string& wanted, const ir::Type& type,
                 const std::string& what) {
  const std::string name = py::str(array.dtype().attr("name"));
  if (name == wanted) return;
  throw Refused({.message = what + " is " + short_type(type) + " and takes arrays of " + wanted +
                            ", not of " + name,
                 .notes = {"array.astype(\"" + wanted + "\") makes one"}});
}

/// Returns the array in C order, aligned and in the byte order of the machine. Returns the same
/// array if it already has this form.
py::array plain(const py::array& array) {
  const py::module_ numpy = py::module_::import("numpy");
  const py::object native = array.dtype().attr("newbyteorder")("=");
  return numpy.attr("require")(array, native, py::make_tuple("C", "A"));
}

/// Returns the bytes of an array and keeps the array alive. The last owner takes the lock of the
/// interpreter to release the array, whichever thread that owner runs on.
std::shared_ptr<const std::byte> shared_bytes(const py::array& array) {
  py::object* const kept = new py::object(array);
  return {static_cast<const std::byte*>(array.data()), [kept](const std::byte*) {
            const py::gil_scoped_acquire held;
            delete kept;
          }};
}

/// Returns a tensor of a type that NumPy does not have. The array holds float32 values, or it holds
/// elements of the named type, such as `bfloat16`, whose bits are taken.
Tensor narrow_tensor(const py::array& given, const ir::Type& type, const std::string& what) {
  const std::string name = py::str(given.dtype().attr("name"));
  if (name == (type.element() == ElementType::BF16 ? "bfloat16" : "")) {
    const py::array bits = plain(given);
    return value_or_throw(Tensor::make(type, {static_cast<const std::byte*>(bits.data()),
                                              static_cast<std::size_t>(bits.nbytes())}));
  }
  check_dtype(given, "float32", type, what);
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>(given);
  return value_or_throw(
      Tensor::from_doubles(type, {values.data(), static_cast<std::size_t>(values.size())}));
}

bool is_part_of(const Tensor& tensor, const Tensor& whole) {
  const std::less_equal<const std::byte*> at_most;
  return at_most(whole.data(), tensor.data()) &&
         at_most(tensor.data() + tensor.num_bytes(), whole.data() + whole.num_bytes());
}

std::vector<py::ssize_t> shape_of(const ir::Type& type) {
  return {type.dims().begin(), type.dims().end()};
}

}  // namespace

py::tuple shape_tuple(const ir::Type& type) {
  if (!type.is_tensor()) return py::tuple();
  std::vector<int64_t> shape(type.dims().begin(), type.dims().end());
  std::ranges::replace(shape, ir::kDynamicDim, -1);
  return py::tuple(py::cast(shape));
}

std::string dtype_name(const ir::Type& type) {
  if (!type.is_tensor()) return {};
  const char* const own = own_dtype(type.element());
  return own == nullptr ? "float32" : own;
}

Tensor tensor_of(py::handle value, const ir::Type& type, const std::string& what) {
  if (!type.is_static_tensor()) {
    throw Refused({.message = what + " is not a tensor of known shape: " + short_type(type)});
  }
  const std::string dtype = dtype_name(type);
  const py::array given = numpy_array(value, dtype);
  check_shape(given, type, what);
  if (own_dtype(type.element()) == nullptr) return narrow_tensor(given, type, what);
  check_dtype(given, dtype, type, what);
  const py::array array = plain(given);
  auto tensor = Tensor::borrow(type, shared_bytes(array), static_cast<std::size_t>(array.nbytes()));
  if (!tensor) throw Refused(with_prefix(what + ": ", tensor.error()));
  return *std::move(tensor);
}

py::array array_of(const Tensor& tensor, const simulation::Tensors& inputs) {
  const ir::Type& type = tensor.type();
  if (!type.is_static_tensor()) {
    throw Refused({.message = "a result is not a tensor: " + short_type(type)});
  }
  py::array array;
  if (own_dtype(type.element()) == nullptr) {
    const std::vector<double> values = tensor.to_doubles();
    const py::array wide(shape_of(type), values.data());
    array = wide.attr("astype")("float32");
  } else if (std::ranges::any_of(inputs,
                                 [&](const Tensor& in) { return is_part_of(tensor, in); })) {
    array = py::array(py::dtype(dtype_name(type)), shape_of(type), tensor.data());
  } else {
    auto* const kept = new Tensor(tensor);
    const py::capsule owner(kept, [](void* held) { delete static_cast<Tensor*>(held); });
    array = py::array(py::dtype(dtype_name(type)), shape_of(type), tensor.data(), owner);
  }
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace shardy::python
