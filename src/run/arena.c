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
