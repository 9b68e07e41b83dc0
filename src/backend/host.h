/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the host backend. */
#ifndef MB_BACKEND_HOST_H
#define MB_BACKEND_HOST_H

#include "backend.h"

/* Compiled for wider vectors too, where the loader can choose; sanitizers cannot follow that. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&     \
    !defined(__clang__)
#define MB_MANY_TARGETS __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define MB_MANY_TARGETS
#endif

enum { MB_HOST_SUMS = 1 << 14 };

struct mb_worker {
    uint32_t faults;
    int32_t sums[2][MB_HOST_SUMS]; /* of products that leave residues */
    double stamp[MB_MAX_STAMPS];
};

modblas_status mb_host_split(mb_worker *worker, const mb_split_job *job);
modblas_status mb_host_join(mb_worker *worker, const mb_join_job *job);
modblas_status mb_host_gemm(mb_worker *worker, const mb_gemm_job *job);

/* What does the GEMMs of the host's engines, found out once per process: operations a second of
 * one core, and names. */
void mb_host_gemm_rates(double rate[MB_MAX_ENGINES]);
void mb_host_gemm_libraries(char *text, size_t size);

#endif
