#include "models.hpp"
#include "report.hpp"

int main() { return examples::report("transformer", examples::transformer()); }
