// Loops that computations in registers of two sizes are compiled to.
#pragma once

#include <string>
#include <vector>

#include "simulation/kernels/wide_code.hpp"

namespace shardy_test {

template <class Function>
struct RegisterVersion {
  std::string name;
  Function loop;
};

/// Of the machine that the library is built for, and of x86-64-v3 where this machine has it.
template <template <std::size_t> class Body>
auto register_versions() {
  using Function = decltype(&Body<16>::run);
  std::vector<RegisterVersion<Function>> versions = {
      {"narrow", &shardy::simulation::Versions<Body<16>>::plain}};
#if defined(SHARDY_WIDE_CODE)
  if (shardy::simulation::runs_wide_code()) {
    versions.push_back({"wide", &shardy::simulation::Versions<Body<32>>::wide});
  }
#endif
  return versions;
}

}  // namespace shardy_test
