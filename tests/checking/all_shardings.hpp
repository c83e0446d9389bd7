// Makes all closed shardings of a tensor along given parts of axes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// Returns every way to give each of `parts` to a dim, to the unreduced axes or to nothing, with
/// every order of the axes of a dim.
class AllShardings {
 public:
  AllShardings(shardy::Mesh mesh, shardy::AxisList parts, std::size_t rank)
      : mesh_(std::move(mesh)), parts_(std::move(parts)), dims_(rank) {}

  std::vector<shardy::TensorSharding> all() {
    place(0);
    return std::move(found_);
  }

 private:
  void place(std::size_t next) {
    if (next == parts_.size()) return collect();
    place(next + 1);
    unreduced_.push_back(parts_[next]);
    place(next + 1);
    unreduced_.pop_back();
    for (shardy::AxisList& dim : dims_) {
      for (std::size_t at = 0; at <= dim.size(); ++at) {
        const shardy::AxisList before = dim;
        dim.insert(dim.begin() + static_cast<std::ptrdiff_t>(at), parts_[next]);
        place(next + 1);
        dim = before;
      }
    }
  }

  void collect() {
    std::vector<shardy::DimSharding> dims(dims_.size());
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      dims[dim].is_closed = true;
      for (const shardy::AxisRef& part : dims_[dim]) shardy::append_or_merge(dims[dim].axes, part);
    }
    auto sharding =
        shardy::TensorSharding::make(mesh_, "mesh", dims, {}, shardy::sort_and_merge(unreduced_));
    REQUIRE(sharding.has_value());
    found_.push_back(*std::move(sharding));
  }

  shardy::Mesh mesh_;
  shardy::AxisList parts_;
  std::vector<shardy::AxisList> dims_;
  shardy::AxisList unreduced_;
  std::vector<shardy::TensorSharding> found_;
};

}  // namespace shardy_test
