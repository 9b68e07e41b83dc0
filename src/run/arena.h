/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the pieces of a workspace lie. The only place that computes such offsets. */
#ifndef MB_RUN_ARENA_H
#define MB_RUN_ARENA_H

#include "../plan/plan.h"

typedef struct mb_layout {
    uint64_t offset[MB_REGION_COUNT];
    uint64_t total;
} mb_layout;

/* Regions one after another, each aligned to MB_ARENA_ALIGN; total is mb_region_total(region). */
mb_layout mb_arena_layout(const uint64_t region[MB_REGION_COUNT]);

/* The address of part `index` of `bytes` bytes in a region; parts are aligned as regions are. */
void *mb_arena_at(void *base, const mb_layout *layout, mb_region region, uint64_t bytes,
                  int64_t index);

/* Where a chunk of a packed operand lies. */
void *mb_arena_packed(const mb_packing *packing, int64_t chunk);

/* Where the planes of an operand's block lie: `base` and `layout` are those of the call if the
 * plan shares its planes, else those of the worker. */
void *mb_arena_planes(void *base, const mb_layout *layout, const mb_plan *plan, int operand,
                      int64_t tile, int64_t chunk);

#endif
