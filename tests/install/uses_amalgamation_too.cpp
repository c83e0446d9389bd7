#include "shardy_propagation.hpp"

const char* mesh_text_of_other_source() {
  static const std::string kText = shardy::to_string(shardy::Mesh::make({{"x", 2}}).value());
  return kText.c_str();
}
