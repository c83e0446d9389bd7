#include "models.hpp"
#include "report.hpp"

int main() { return examples::report("mlp", examples::mlp()); }
