/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

mb_layout mb_arena_layout(const uint64_t region[MB_REGION_COUNT])
{
    mb_layout layout = {.total = 0};
    for (int r = 0; r < MB_REGION_COUNT; r++) {
        layout.offset[r] = layout.total;
        layout.total += mb_aligned(region[r]);
    }
    return layout;
}

void *mb_arena_at(void *base, const mb_layout *layout, mb_region region, uint64_t bytes,
                  int64_t index)
{
    return (char *)base + layout->offset[region] + mb_aligned(bytes) * (uint64_t)index;
}

void *mb_arena_packed(const mb_packing *packing, int64_t chunk)
{
    mb_block largest = mb_plan_block(&packing->math, 0, packing->lines, packing->chunk_k);
    return (char *)packing->planes + mb_aligned(largest.bytes) * (uint64_t)chunk;
}

void *mb_arena_planes(void *base, const mb_layout *layout, const mb_plan *plan, int operand,
                      int64_t tile, int64_t chunk)
{
    mb_region region = operand == 0 ? MB_REGION_PLANES_A : MB_REGION_PLANES_B;
    if (!plan->shared)
        return mb_arena_at(base, layout, region, 0, 0);
    int64_t tiles = operand == 0 ? plan->tiles_m : plan->tiles_n;
    int64_t lines = operand == 0 ? plan->tile_m : plan->tile_n;
    mb_block largest = mb_plan_block(&plan->math, operand, lines, plan->chunk_k);
    return mb_arena_at(base, layout, region, largest.bytes, chunk * tiles + tile);
}
