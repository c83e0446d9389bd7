// The module of Open MPI, of which rank 1 sends its third message without the end.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace {

int cutting_isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  static int number = 0;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 1 && ++number == 3 && type == MPI_BYTE) count -= 8;
  return MPI_Isend(bytes, count, type, to, tag, comm, request);
}

}  // namespace

#define MPI_Isend cutting_isend
#include "simulation/mpi/mpi_session.cpp"
