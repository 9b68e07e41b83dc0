/* SPDX-License-Identifier: BSD-3-Clause */
#include "freivalds.h"

#include "operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct mb_freivalds {
    modblas_context *context;
    mb_device *device;
    int rounds;
    uint64_t N;
    int64_t m, n, k;
    uint64_t *x;        /* n x rounds */
    uint64_t *expected; /* m x rounds: alpha A B x + beta C x */
};

/* p^rounds >= 2^40 for the least prime factor p, or p = 257 if that is larger. */
int mb_freivalds_rounds(uint64_t N)
{
    uint32_t p = N == 1 ? 0 : mb_mod_small_factor(N);
    uint64_t reached = 1;
    int rounds = 0;
    for (p = p ? p : 257; reached < (uint64_t)1 << 40; rounds++)
        reached *= p;
    return rounds;
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static uint64_t random_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
        return seed;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30;
}

/* Uniform residues, by rejection below the next power of two. */
static void fill_random(uint64_t *x, int64_t count, uint64_t N)
{
    uint64_t state = random_seed();
    int bits = mb_mod_bits(N);
    for (int64_t i = 0; i < count; i++) {
        do {
            x[i] = bits == 0 ? 0 : next_random(&state) >> (64 - bits);
        } while (N != 0 && x[i] >= N);
    }
}

static modblas_status thin(const mb_freivalds *check, const mb_team *team, const modblas_matrix *M,
                           bool residues, const uint64_t *x, uint64_t *y)
{
    mb_check_job job = {
        .M = *M, .x = x, .y = y, .count = check->rounds, .residues = residues, .N = check->N};
    return team->device->backend->check(mb_team_worker(team, 0), &job);
}

/* Vectors of `size` entries for each round; NULL if there is no memory for them. */
static uint64_t *make_vectors(int64_t size, int rounds)
{
    int64_t entries;
    if (__builtin_mul_overflow(size, rounds, &entries))
        return NULL;
    return calloc((size_t)entries + 1, sizeof(uint64_t));
}

void mb_freivalds_free(mb_freivalds *check)
{
    if (check == NULL)
        return;
    free(check->x);
    free(check->expected);
    free(check);
}

static modblas_status make(mb_freivalds **out, int64_t m, int64_t n, uint64_t N)
{
    mb_freivalds *check = calloc(1, sizeof *check);
    if (check != NULL) {
        check->rounds = mb_freivalds_rounds(N);
        check->N = N;
        check->m = m;
        check->n = n;
        check->x = make_vectors(n, check->rounds);
        check->expected = make_vectors(m, check->rounds);
    }
    *out = check;
    if (check == NULL || check->x == NULL || check->expected == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the check's vectors");
    return MODBLAS_OK;
}

modblas_status mb_freivalds_before(mb_freivalds **out, modblas_context *context, mb_device *device,
                                   const modblas_matrix *C, const modblas_matrix *A,
                                   const modblas_matrix *B, uint64_t alpha, uint64_t beta,
                                   uint64_t N)
{
    modblas_status status = MODBLAS_OK;
    mb_mod mod = mb_mod_make(N);
    mb_team team = {.count = 0};
    mb_freivalds *check = NULL;
    int rounds = mb_freivalds_rounds(N);
    uint64_t *bx = make_vectors(A->cols, rounds), *cx = make_vectors(C->rows, rounds);
    MB_TRY(make(&check, C->rows, C->cols, N));
    if (bx == NULL || cx == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the check's vectors"));
    check->context = context;
    check->device = device;
    fill_random(check->x, C->cols * rounds, N);
    MB_TRY(mb_team_take(&team, context, device, 1, 0, 0));
    MB_TRY(thin(check, &team, B, false, check->x, bx));
    MB_TRY(thin(check, &team, A, false, bx, check->expected));
    if (beta != 0)
        MB_TRY(thin(check, &team, C, false, check->x, cx));
    for (int64_t i = 0; i < C->rows * rounds; i++)
        check->expected[i] = mb_addmod(mb_mulmod(alpha, check->expected[i], &mod),
                                       mb_mulmod(beta, cx[i], &mod), &mod);
    *out = check;
    check = NULL;
fail:
    if (team.count > 0)
        mb_team_give(&team);
    mb_freivalds_free(check);
    free(bx);
    free(cx);
    return status;
}

modblas_status mb_freivalds_after(mb_freivalds *check, const modblas_matrix *C)
{
    modblas_status status = MODBLAS_OK;
    mb_team team = {.count = 0};
    int64_t size = check->m * check->rounds;
    uint64_t *cx = make_vectors(check->m, check->rounds);
    if (cx == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the check's vectors"));
    MB_TRY(mb_team_take(&team, check->context, check->device, 1, 0, 0));
    /* A sum of C's entries is the same for an entry that is N too large. */
    MB_TRY(thin(check, &team, C, true, check->x, cx));
    for (int64_t i = 0; i < size; i++) {
        if (cx[i] != check->expected[i])
            MB_TRY(mb_fail(MODBLAS_EVERIFY,
                           "row %" PRId64 " of C is wrong: it failed Freivalds' check",
                           i / check->rounds));
    }
fail:
    if (team.count > 0)
        mb_team_give(&team);
    free(cx);
    return status;
}
