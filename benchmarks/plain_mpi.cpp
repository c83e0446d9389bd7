// The collectives of MPI on floats. The program collective_speed, which does not depend on MPI,
// loads this module.
#define OMPI_SKIP_MPICXX 1  // bindings that nothing here uses
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <ctime>

extern "C" {

void plain_all_reduce(const float* in, float* out, int count) {
  MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
void plain_all_gather(const float* in, float* out, int count) {
  MPI_Allgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
}
void plain_reduce_scatter(const float* in, float* out, int count) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Reduce_scatter_block(in, out, count / ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
void plain_all_to_all(const float* in, float* out, int count) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Alltoall(in, count / ranks, MPI_FLOAT, out, count / ranks, MPI_FLOAT, MPI_COMM_WORLD);
}
/// Waits for all ranks without taking the core from them.
void plain_wait_for_all() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    timespec moment{0, 200'000};
    if (done == 0) nanosleep(&moment, nullptr);
  }
}
}
