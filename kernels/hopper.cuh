/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of Hopper (sm_90a) that CUDA C++ has no words for. Addresses of barriers and tiles
 * are those of this block's shared memory; names of instructions are in the PTX ISA. */
#ifndef MB_KERNELS_HOPPER_CUH
#define MB_KERNELS_HOPPER_CUH

#include <cuda.h>
#include <stdint.h>

#define MB_INLINE static __device__ __forceinline__

MB_INLINE uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- clusters ---- */

MB_INLINE uint32_t cluster_rank()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* All threads of all blocks of the cluster. */
MB_INLINE void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}

/* ---- barriers in shared memory ---- */

MB_INLINE void barrier_init(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

/* Makes barriers just initialised known to the copy engine and to the cluster. */
MB_INLINE void barrier_init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and announces bytes that the copy engine will bring. */
MB_INLINE void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* Arrives at the same barrier of block `rank` of the cluster. */
MB_INLINE void barrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
    asm volatile("{\n"
                 ".reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

/* Waits until the phase of this parity has completed. */
MB_INLINE void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

/* ---- the copy engine ---- */

MB_INLINE void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* What L2 does with what passes through, as createpolicy encodes it for whole accesses. */
enum cache_policy : uint64_t {
    CACHE_NORMAL = 0x1000000000000000,
    CACHE_ONCE = 0x12f0000000000000, /* first to go */
    CACHE_KEEP = 0x14f0000000000000  /* last to go */
};

/* The box of the map at (x, y, z) -> dst; its bytes count on barrier. Places outside are 0. */
MB_INLINE void load_box(void *dst, const CUtensorMap *map, int x, int y, int z, uint64_t *barrier,
                        cache_policy policy)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(dst)),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)),
                 "l"((uint64_t)policy)
                 : "memory");
}

/* load_box into the same place of every block whose bit is set, counted on each one's barrier. */
MB_INLINE void load_box_to(uint16_t blocks, void *dst, const CUtensorMap *map, int x, int y, int z,
                           uint64_t *barrier, cache_policy policy)
{
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6, %7;" ::"r"(
            shared_address(dst)),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)), "h"(blocks),
        "l"((uint64_t)policy)
        : "memory");
}

/* What this thread wrote to shared memory so far is there for the copy engine, too. */
MB_INLINE void store_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* src -> the part inside of the box of the map at (x, y, z). */
MB_INLINE void store_box(const CUtensorMap *map, int x, int y, int z, const void *src)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group"
                 " [%0, {%1, %2, %3}], [%4];" ::"l"(map),
                 "r"(x), "r"(y), "r"(z), "r"(shared_address(src))
                 : "memory");
}

MB_INLINE void store_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until the boxes that this thread stored have been read. */
MB_INLINE void store_wait()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* ---- warpgroups ---- */

template <int registers> MB_INLINE void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

template <int registers> MB_INLINE void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

/* A k-contiguous tile of 128-byte lines as the copy engine wrote it under SWIZZLE_128B: groups of
 * 8 lines are 1024 bytes apart. tile: aligned to 1024 bytes, plus a multiple of 32 below 128 along
 * k. Adding bytes/16 moves it. */
MB_INLINE uint64_t tile_descriptor(const void *tile)
{
    const uint64_t swizzle_128 = (uint64_t)1 << 62, stride = (uint64_t)(1024 / 16) << 32;
    const uint64_t unused = (uint64_t)1 << 16;
    return swizzle_128 | stride | unused | (shared_address(tile) & 0x3ffff) / 16;
}

MB_INLINE void multiply_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

MB_INLINE void multiply_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until at most `pending` committed groups are under way. */
template <int pending> MB_INLINE void multiply_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/* d = A*B^T + (accumulate ? d : 0) of tiles A, 64 lines of 32 bytes, and B, 2 * size lines. Warp w
 * of the group, lane l holds row 16w + l/4 + 8h, column 8j + 2*(l%4) + c in d[4j + 2h + c]. Bytes
 * of A are unsigned if a_unsigned, else signed as those of B are. */
template <bool a_unsigned, int size>
MB_INLINE void multiply(int32_t (&d)[size], uint64_t a, uint64_t b, bool accumulate)
{
/* Operands %0 to %(size - 1) and what holds them, each list the one before and more. */
#define NAMES_8 "%0, %1, %2, %3"
#define NAMES_16 NAMES_8 ", %4, %5, %6, %7"
#define NAMES_32 NAMES_16 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES_64                                                                                  \
    NAMES_32 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_96                                                                                  \
    NAMES_64 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_128                                                                                 \
    NAMES_96 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_192                                                                                 \
    NAMES_128 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"  \
              ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_256                                                                                 \
    NAMES_192 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, "      \
              "%109, %110, %111"                                                                  \
              ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "  \
              "%125, %126, %127"
#define D4(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define HOLD_8 D4(0)
#define HOLD_16 HOLD_8, D4(4)
#define HOLD_32 HOLD_16, D4(8), D4(12)
#define HOLD_64 HOLD_32, D16(16)
#define HOLD_96 HOLD_64, D16(32)
#define HOLD_128 HOLD_96, D16(48)
#define HOLD_192 HOLD_128, D16(64), D16(80)
#define HOLD_256 HOLD_192, D16(96), D16(112)
#define MULTIPLY(columns, type, a_at, b_at, flag_at)                                              \
    asm volatile("{\n"                                                                            \
                 ".reg .pred accumulate;\n"                                                       \
                 "setp.ne.b32 accumulate, %" #flag_at ", 0;\n"                                    \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k32.s32." #type                    \
                 ".s8 {" NAMES_##columns "}, %" #a_at ", %" #b_at ", accumulate;\n"               \
                                         "}"                                                      \
                 : HOLD_##columns                                                                 \
                 : "l"(a), "l"(b), "r"((int)accumulate))
#define EITHER(columns, a_at, b_at, flag_at)                                                      \
    if constexpr (2 * size == columns && a_unsigned)                                              \
        MULTIPLY(columns, u8, a_at, b_at, flag_at);                                               \
    else if constexpr (2 * size == columns)                                                       \
    MULTIPLY(columns, s8, a_at, b_at, flag_at)
    EITHER(8, 4, 5, 6);
    EITHER(16, 8, 9, 10);
    EITHER(32, 16, 17, 18);
    EITHER(64, 32, 33, 34);
    EITHER(96, 48, 49, 50);
    EITHER(128, 64, 65, 66);
    EITHER(192, 96, 97, 98);
    EITHER(256, 128, 129, 130);
}

#endif
