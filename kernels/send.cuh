/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a launch goes: to a stream, or into a node of an executable graph, whose arguments it
 * replaces for later launches of the graph. */
#ifndef MB_KERNELS_SEND_CUH
#define MB_KERNELS_SEND_CUH

#include <cuda_runtime.h>

struct mb_to {
    cudaStream_t stream;
    cudaGraphExec_t exec; /* NULL: to the stream */
    cudaGraphNode_t node;
};

template <typename T> struct as_given {
    using type = T;
};

template <typename... P>
static cudaError_t send(const mb_to &to, void (*kernel)(P...), dim3 grid, dim3 block,
                        size_t shared, const typename as_given<P>::type &...arguments)
{
    void *list[] = {(void *)&arguments...};
    if (!to.exec)
        return cudaLaunchKernel((const void *)kernel, grid, block, list, shared, to.stream);
    cudaKernelNodeParams node = {};
    node.func = (void *)kernel;
    node.gridDim = grid;
    node.blockDim = block;
    node.sharedMemBytes = (unsigned)shared;
    node.kernelParams = list;
    return cudaGraphExecKernelNodeSetParams(to.exec, to.node, &node);
}

#endif
