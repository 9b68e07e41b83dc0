/* SPDX-License-Identifier: BSD-3-Clause */
/* What to do, as a pure value: a problem and the capabilities of a device give a plan. Nothing
 * here touches a device or allocates. */
#ifndef MB_PLAN_PLAN_H
#define MB_PLAN_PLAN_H

#include "../backend/backend.h"
#include "../exact/bound.h"

enum { MB_MAX_CANDIDATES = 16, MB_REASON_SIZE = 200, MB_MAX_DIGITS = MB_MAX_FOLDS };

/* What a device can do. */
typedef struct mb_caps {
    const mb_engine *engine[MB_MAX_ENGINES]; /* NULL-terminated if fewer */
    char struck[MB_MAX_ENGINES]
               [MB_REASON_SIZE]; /* why an engine must not be used; empty if it may */
    mb_rates rates;
    bool fuses;       /* GEMMs on i8 can leave residues instead of sums */
    bool thins;       /* GEMMs on i8 can be thin */
    bool workers_add; /* workers have units of their own (cores); on a GPU they share them */
    bool staging;     /* operands may need staging buffers */
    int workers;
    uint64_t memory; /* bytes of workspace for one call */
} mb_caps;

typedef struct mb_packing mb_packing;

typedef struct mb_request {
    modblas_problem problem;
    modblas_plan_options options;
    bool overlap;              /* C shares bytes with A or B */
    bool swapped;              /* A and B are the transposes of the caller's B and A */
    bool bytes_a;              /* A lies as thin GEMMs want its bytes (mb_lies_in_bytes) */
    bool packs;                /* only A is split, for products to come */
    const mb_packing *packing; /* A was split before; or NULL */
} mb_request;

/* A is split apart from the product, which needs neither time nor workspace for it. */
static inline bool mb_request_is_packed(const mb_request *request)
{
    return request->packs || request->packing != NULL;
}

/* What one scheme on one engine makes of the problem: its arithmetic, before any tiling. */
typedef struct mb_arithmetic {
    modblas_scheme scheme;
    const mb_engine *engine;
    int engine_index;
    int variant;
    mb_entries a, b;
    int digits_a, digits_b, radix_bits; /* split; A's digits are the folds of B */
    int moduli;                         /* rns */
    bool fused;                         /* GEMMs leave residues instead of sums ... */
    uint32_t modulus;                   /* ... for direct and split modulo N itself */
    bool thin;                          /* split: GEMMs sum in 64 bits, n lines of B a time ... */
    bool bytes_a;                       /* ... and read A's entries as the bytes they are */
    int64_t most_n;                     /* columns of a tile of a thin product */
    int64_t band_k;                     /* products that such a GEMM sums in 32 bits */
    mb_sums sums;                       /* plain, whose engine is NULL */
    int terms;                          /* planes of B; of sums, unless split is fused */
    bool triangular;   /* term u needs only folds 0..u: products of weight >= N vanish */
    int64_t longest_k; /* by bound.h: chunks of k are at most this long */
} mb_arithmetic;

/* Pieces of workspace. The first three may be made once for all tiles (shared). */
typedef enum mb_region {
    MB_REGION_PLANES_A,
    MB_REGION_PLANES_B,
    MB_REGION_CARRY, /* residues of partial results, or of all of C if it overlaps an input */
    MB_REGION_SUMS,
    MB_REGION_STAGE,  /* a slab of an operand from host memory */
    MB_REGION_TILE_C, /* a tile of C bound for host memory */
    MB_REGION_COUNT
} mb_region;

typedef struct mb_plan {
    mb_request request;
    mb_arithmetic math;
    int64_t tile_m, tile_n, chunk_k; /* sizes of all tiles and chunks but the last */
    int64_t tiles_m, tiles_n, chunks;
    bool shared;                      /* planes of A and B are made once, before the tiles */
    int workers;                      /* how many can be of use */
    uint64_t region[MB_REGION_COUNT]; /* bytes per worker */
    uint64_t shared_region[MB_REGION_COUNT]; /* bytes per call */
    uint64_t bytes_each, bytes_shared;       /* sums of those, as laid out by the arena */
    double seconds;                          /* predicted */
} mb_plan;

/* An operand that was split once: the A of products, or of their transposes, with all of its lines
 * in one tile. */
struct mb_packing {
    mb_arithmetic math;
    modblas_side side;
    int64_t lines, k, chunk_k, chunks;
    modblas_type type;
    uint64_t N;
    uint64_t other_bound; /* stated of the other operand; 0: none */
    uint64_t bytes;
    void *planes;
};

/* What a plan for packing makes of its A, but for the memory. */
mb_packing mb_packing_of(const mb_plan *plan);

/* Why one candidate was not chosen, or that it was. */
typedef struct mb_candidate {
    modblas_scheme scheme;
    const char *engine;
    double seconds; /* predicted; 0 if it cannot be used */
    char reason[MB_REASON_SIZE];
} mb_candidate;

typedef struct mb_reasons {
    int count;
    int chosen; /* index of the plan's candidate */
    mb_candidate candidate[MB_MAX_CANDIDATES];
} mb_reasons;

/* The cheapest exact plan that fits. Requires a checked problem with m, n, k >= 1.
 * ENOPLAN with the reasons as detail if there is none. *reasons is filled in either case; it may
 * be NULL, and then candidates that cannot win are not looked at. */
modblas_status mb_plan_make(mb_plan *plan, mb_reasons *reasons, const mb_request *request,
                            const mb_caps *caps);

/* The constants of a product. alpha is a residue. */
typedef struct mb_constants {
    mb_cut a, b;
    mb_join join;
} mb_constants;
void mb_plan_constants(const mb_plan *plan, uint64_t alpha, mb_constants *constants);

/* Blocks of planes: one operand's tile (of lines) x chunk (of k). Sizes are those of the real
 * block. */
typedef struct mb_block {
    int64_t lines, k;                      /* padded */
    int64_t ld, plane_stride, fold_stride; /* elements */
    bool interleaved;                      /* as in mb_split_job */
    uint64_t bytes;
} mb_block;
mb_block mb_plan_block(const mb_arithmetic *math, int operand, int64_t lines, int64_t k);

/* The type of the sums that GEMMs leave, and how many planes of them. */
mb_element mb_plan_sum(const mb_arithmetic *math);
int mb_plan_sums(const mb_arithmetic *math);

/* Planes of sums of a tile of rows x cols entries: lines, `ld` apart, along rows of C, or of its
 * transpose if thin. */
typedef struct mb_sum_plane {
    int64_t lines, ld;
} mb_sum_plane;
mb_sum_plane mb_plan_sum_plane(const mb_arithmetic *math, int64_t rows, int64_t cols);

/* Whether a product is for thin GEMMs, after its transposition if m < n. */
enum { MB_THIN_MOST = 64 };
bool mb_plan_is_thin(const mb_caps *caps, int64_t m, int64_t n);

/* Whether GEMMs may leave residues in C itself, if alpha and beta allow and C lies as they want
 * it: they are residues mod N of C's size, whole, and C is no input. */
bool mb_plan_may_land(const mb_plan *plan);

/* Products of one tile and chunk: how many, and along which k' (padded) for term u. */
int64_t mb_plan_term_k(const mb_arithmetic *math, int term, int64_t k_padded);

/* Bytes that a part of a region, and regions, take in the arena: each is rounded up to
 * MB_ARENA_ALIGN; UINT64_MAX if that is too large. */
enum { MB_ARENA_ALIGN = 256 };
uint64_t mb_aligned(uint64_t bytes);
uint64_t mb_region_total(const uint64_t region[MB_REGION_COUNT]);

/* Least multiple of `align` that is >= x. */
int64_t mb_round_up(int64_t x, int64_t align);

/* x*y, or UINT64_MAX if that is too large. */
uint64_t mb_times(uint64_t x, uint64_t y);

/* ---- schemes: each fills the arithmetic, or says why it cannot ---------------------------- */

typedef struct mb_scheme_rules {
    modblas_scheme scheme;
    const char *name;
    int variants; /* ways to do it, tried in turn */
    bool (*fit)(mb_arithmetic *math, int variant, const mb_request *request, const mb_caps *caps,
                char reason[MB_REASON_SIZE]);
    void (*constants)(const mb_arithmetic *math, const mb_mod *mod, uint64_t alpha,
                      mb_constants *constants);
} mb_scheme_rules;

extern const mb_scheme_rules mb_scheme_direct, mb_scheme_split, mb_scheme_rns;

/* Parts that schemes share: fields of a cut and of a join that do not depend on the scheme, and
 * what follows from the terms once they are filled. */
void mb_cut_begin(mb_cut *cut, const mb_mod *mod, const mb_entries *entries);
void mb_cut_whole(mb_cut *cut);
void mb_join_begin(mb_join *join, const mb_mod *mod, const mb_arithmetic *math);
void mb_join_end(mb_join *join);

/* ---- plain --------------------------------------------------------------------------------- */

/* Whether a plain product is done as that of the transposes: B is then read in blocks. */
bool mb_plain_is_across(const modblas_problem *problem);

/* The plan of the scheme plain, priced, or a reason in note. */
bool mb_plan_plain(mb_plan *plan, const mb_caps *caps, mb_candidate *note);

/* ---- tiling and cost ----------------------------------------------------------------------- */

/* Chooses tiles, chunks and sharing for plan->math: the cheapest that fit the memory. False with a
 * reason. */
bool mb_tile(mb_plan *plan, const mb_caps *caps, char reason[MB_REASON_SIZE]);

/* Predicted seconds of a plan whose tiles are chosen. */
double mb_cost(const mb_plan *plan, const mb_caps *caps);

/* No plan with GEMMs is predicted to take less. */
double mb_cost_least(const modblas_problem *problem, const mb_caps *caps);

/* ---- text ---------------------------------------------------------------------------------- */

const char *mb_scheme_name(modblas_scheme scheme);
const char *mb_engine_name(modblas_engine engine);

/* The plan in words. Writes at most size bytes, with a final 0; returns the size needed. */
size_t mb_packing_write_text(const mb_packing *packing, char *text, size_t size);
size_t mb_plan_write_text(const mb_plan *plan, const mb_reasons *reasons, char *text, size_t size);

#endif
