#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/mpi_run.hpp"

namespace shardy::tools {
namespace {

namespace fs = std::filesystem;

bool is_set(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr;
}

/// Returns the names of the modules. Modules that fit the launcher come first.
std::vector<std::string> module_names() {
  std::vector<std::string> kinds = {"openmpi", "mpich", "default"};
  const bool is_open_mpi = is_set("OMPI_COMM_WORLD_SIZE");
  if (!is_open_mpi && (is_set("PMI_RANK") || is_set("PMI_SIZE"))) kinds = {"mpich", "default"};
  if (is_open_mpi) kinds = {"openmpi", "default"};
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const std::string& kind : kinds) names.push_back("libshardy_mpi_" + kind + ".so");
  return names;
}

std::vector<fs::path> module_paths() {
  if (const char* const chosen = std::getenv("SHARDY_MPI_MODULE")) return {chosen};  // NOLINT
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> paths;
  for (const std::string& name : module_names()) {
    paths.push_back(folder / name);
    paths.push_back(folder / "../lib/shardy" / name);
    paths.push_back(folder / "../lib/x86_64-linux-gnu/shardy" / name);
    paths.push_back(folder / "../lib64/shardy" / name);
  }
  return paths;
}

tl::unexpected<Error> no_module(const std::string& why) {
  return tl::unexpected(Error{
      .message = "--engine=mpi needs a module for this MPI" + (why.empty() ? "" : ": " + why),
      .notes = {"build shardy with -DSHARDY_MPI=ON; on Debian, apt-get install libopenmpi-dev "
                "openmpi-bin, or libmpich-dev mpich, installs the dependencies",
                "SHARDY_MPI_MODULE names a module that is elsewhere"}});
}

}  // namespace

Result<std::unique_ptr<simulation::MpiSession>> begin_mpi() {
  std::string why;
  for (const fs::path& path : module_paths()) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    // Plugins of Open MPI look up its symbols among the program's global symbols.
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) {
      why = ::dlerror();  // NOLINT(concurrency-mt-unsafe)
      continue;
    }
    const auto begin =
        reinterpret_cast<simulation::BeginMpi>(::dlsym(module, simulation::kBeginMpi));
    if (begin == nullptr) {
      why = path.string() + " is not a module of shardy";
      continue;
    }
    char message[1024] = {};
    std::unique_ptr<simulation::MpiSession> session(begin(message, sizeof(message)));
    if (session == nullptr) return fail(std::string("MPI cannot begin: ") + std::string(message));
    return session;
  }
  return no_module(why);
}

}  // namespace shardy::tools
