#include "models.hpp"
#include "report.hpp"

int main() { return examples::report("moe", examples::mixture_of_experts()); }
