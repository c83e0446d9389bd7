#include <cstdio>

#include "shardy/algebra/mesh.hpp"

int main() {
  const auto mesh = shardy::Mesh::make({{"x", 4}, {"y", 2}});
  if (!mesh || mesh->num_devices() != 8) {
    std::puts("a mesh of 4 by 2 must have 8 devices");
    return 1;
  }
}
