#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every guard has a mutant that trips it. Each mutant is one edit of a copy of the tree; the tests
# named with it must notice. Killed: it was built, a test ran and failed. A mutant that is not
# built, or whose tests end by the time limit alone, is listed apart and proves nothing; one that
# passes is a missing test, and makes this script fail.
#
# Usage: tests/mutants.sh [name...]     (default: all)
# Environment: MODBLAS_JOBS, the number of compilers at a time (default 2).
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
build=$work/build
jobs=${MODBLAS_JOBS:-2}
limit=120 # seconds for the tests of one mutant
wanted=("$@")
killed=() survived=() unbuilt=() timed_out=()

prepare() {
    mkdir "$tree"
    cp -R "$source_dir"/{CMakeLists.txt,cmake,include,kernels,src,tests} "$tree"
    cmake -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 \
        -DMODBLAS_CUDA=OFF -DMODBLAS_BENCH=OFF -DMODBLAS_TESTS=ON >"$work/log" 2>&1 ||
        { cat "$work/log"; exit 2; }
}

# Builds and runs tests ("a b" for test_a and test_b); leaves the output in $work/log.
make_tests() {
    local targets=()
    for test in $1; do targets+=("test_$test"); done
    cmake --build "$build" --parallel "$jobs" --target "${targets[@]}" >"$work/log" 2>&1
}
run_tests() { # run_tests <tests> [seconds for all of them]
    timeout "${2:-$((2 * limit))}" ctest --test-dir "$build" --timeout "$limit" --stop-on-failure \
        -R "^test_(${1// /|})\$" >"$work/log" 2>&1
}

# Replaces the only occurrence of $2 in file $1 of the tree by $3.
edit() {
    local text rest
    text=$(cat "$tree/$1" && printf x)
    text=${text%x}
    rest=${text#*"$2"}
    if [[ $rest == "$text" || $rest == *"$2"* ]]; then
        echo "$1 does not hold exactly one: $2"
        exit 2
    fi
    printf '%s' "${text%%"$2"*}$3$rest" >"$tree/$1"
    if cmp -s "$tree/$1" "$source_dir/$1"; then
        echo "$1 is not changed by: $3"
        exit 2
    fi
}

is_wanted() {
    [[ ${#wanted[@]} == 0 ]] && return 0
    for name in "${wanted[@]}"; do
        [[ $name == "$1" ]] && return 0
    done
    return 1
}

# mutant <name> <file> <from> <to> <tests>
mutant() {
    is_wanted "$1" || return 0
    edit "$2" "$3" "$4"
    local verdict=survived
    if ! make_tests "$5"; then
        verdict=unbuilt
    elif ! run_tests "$5"; then
        # Failed or crashed; a test that only ran out of time has not noticed anything.
        verdict=timed_out
        grep -Eq '\*\*\*(Failed|Exception)' "$work/log" && verdict=killed
    fi
    cp "$source_dir/$2" "$tree/$2"
    declare -n list=$verdict
    list+=("$1")
    printf '%-10s %-28s %s (tests: %s)\n' "$verdict" "$1" "$2" "$5"
}

all_tests="arith bytes exact plan support tiny gemm views errors chunks faults verify fused proof"
all_tests+=" apart batch plain few panel rates threads host_real streams graphs crowd thin packed"
prepare
make_tests "$all_tests" || { cat "$work/log"; exit 2; }
run_tests "$all_tests" $((10 * limit)) || { cat "$work/log"; echo "the tests fail without any mutant"; exit 2; }

# ---- bounds ----
mutant chunk_one_longer src/exact/bound.c \
    'return k > INT64_MAX ? INT64_MAX : (int64_t)k;' \
    'return k > INT64_MAX - 1 ? INT64_MAX : (int64_t)k + 1;' tiny
mutant chunk_one_longer_seen_by_sums src/exact/bound.c \
    'return k > INT64_MAX ? INT64_MAX : (int64_t)k;' \
    'return k > INT64_MAX - 1 ? INT64_MAX : (int64_t)k + 1;' chunks
mutant one_modulus_too_few src/exact/bound.c \
    '            return s;' '            return s - (s > 1);' gemm
mutant rounding_left_out src/exact/bound.c \
    'rounding < one ? one - rounding : 0' 'rounding < one ? one - rounding / 2 : 0' exact
mutant fractions_too_long src/exact/bound.c \
    'moduli[0] <= 256 ? 15 : 32' 'moduli[0] <= 256 ? 16 : 32' "exact bytes"
mutant rns_bound_inclusive src/exact/bound.c \
    'return is_less(left, right);' 'return !is_less(right, left);' exact
mutant holds_strictly src/exact/bound.c \
    'range.neg <= engine->most_negative' 'range.neg < engine->most_negative' exact
mutant digits_strictly src/exact/bound.c \
    'range.neg <= center' 'range.neg < center' exact
mutant wrong_balanced_side src/exact/bound.c \
    '.pos = (m - 1) / 2' '.pos = m / 2' exact
mutant residue_may_be_N src/exact/modulus.c \
    'N - 1 <= mb_type_largest(type)' 'N <= mb_type_largest(type)' errors

# ---- arithmetic ----
mutant missing_carry kernels/arith.h \
    'mb_mulhi64(a, b) + (r.lo < lo);' 'mb_mulhi64(a, b);' arith
mutant sum_wraps kernels/arith.h \
    '(a < room ? mod->n : 0)' '(a <= room ? mod->n : 0)' arith
mutant remainder_too_large kernels/arith.h \
    'return r >= n ? r - n : r;' 'return r;' arith
mutant no_last_correction kernels/arith.h \
    'return r >= norm ? r - norm : r;' 'return r;' arith
mutant any_number_is_integer kernels/arith.h \
    'return (double)*v == x;' 'return (double)*v == x || 1;' views
mutant limit_excluded kernels/arith.h \
    'x >= -limit && x <= limit' 'x >= -limit && x < limit' views
mutant lost_final_reduction kernels/scheme.h \
    'join->narrow ? mb_reduce64(s.v.lo, &join->mod)' 'join->narrow ? s.v.lo' tiny
mutant offset_of_wrong_sign kernels/scheme.h \
    '& cut->mask) - cut->offset)' '& cut->mask) + cut->offset)' tiny
mutant bound_off_signed kernels/scheme.h \
    'if (magnitude > cut->bound)' 'if (magnitude / 2 > cut->bound)' errors
mutant bound_off_unsigned kernels/scheme.h \
    'if (v > cut->bound)' 'if (v / 2 > cut->bound)' errors
mutant quotient_of_join_lost kernels/scheme.h \
    'uint64_t q = s.t >> join->fraction_bits;' 'uint64_t q = s.t >> (join->fraction_bits + 1);' tiny

# ---- plan ----
mutant center_moved src/plan/constants.c \
    'mb_range_magnitude(entries->range) : mod->half' \
    'mb_range_magnitude(entries->range) : mod->half + 1' tiny
mutant narrow_too_often src/plan/constants.c \
    'return sum >> 64 == 0;' 'return sum >> 66 == 0;' plan
mutant triangle_one_fold_short src/plan/constants.c \
    'folds = term + 1;' 'folds = term > 0 ? term : 1;' gemm
mutant lost_fold_rns src/plan/rns.c \
    'cut(&out->a, math, mod, &math->a, true);' 'cut(&out->a, math, mod, &math->a, false);' tiny
mutant unbias_of_wrong_sign src/plan/rns.c \
    '(m - join->bias % m) % m' 'join->bias % m' plan
mutant lost_fold_split src/plan/split.c \
    'out->b.folds = math->digits_a;' 'out->b.folds = 1;' plan
mutant folds_not_counted src/plan/split.c \
    'S / (uint64_t)math->digits_a' 'S' tiny
mutant direct_bound_one_more src/plan/direct.c \
    'mb_bound_longest_k(engine->S, a, b)' 'mb_bound_longest_k(engine->S + a * b, a, b)' tiny
mutant forced_chunk_not_checked src/plan/tile.c \
    'if (lesser(forced, k) > longest)' 'if (lesser(forced, k) > longest + 1)' tiny
mutant memory_not_checked src/plan/tile.c \
    'choice.bytes_each > memory - choice.bytes_shared' 'choice.bytes_each > memory' plan
mutant struck_engine_used src/plan/plan.c \
    "caps->struck[e][0] != '\\0'" "caps->struck[e][0] == '\\n'" plan

# ---- run ----
mutant wrong_tile_edge src/run/exec.c \
    '*lines = mb_lesser(whole - tile * size, size);' \
    '*lines = mb_lesser(whole - tile * size + 1, size);' tiny
mutant carry_lost src/run/exec.c '.add_carry = !first' '.add_carry = !first && !store' tiny
mutant beta_lost src/run/exec.c \
    '.beta = store ? c->beta : 0' '.beta = store ? c->beta & 1 : 0' gemm
mutant planes_mixed_up src/run/arena.c 'chunk * tiles + tile);' 'chunk + 0 * tiles + tile);' tiny
mutant ignored_status_gemm src/run/exec.c \
    'MB_TRY(c->backend->gemm(mb_team_worker(&c->team, w), &job));' \
    '(void)c->backend->gemm(mb_team_worker(&c->team, w), &job);' faults
mutant ignored_status_split src/run/exec.c \
    'MB_TRY(split_block(c, w, OPERAND_B, tj, chunk, tile));' \
    '(void)split_block(c, w, OPERAND_B, tj, chunk, tile);' faults
mutant ignored_status_wait src/run/exec.c \
    'status = status == MODBLAS_OK ? waited : status;' \
    'status = status == MODBLAS_OK ? waited & 0 : status;' faults
mutant detail_lost_between_threads src/run/sched.c \
    'strncpy(r->detail, modblas_detail(), DETAIL_SIZE - 1);' \
    'strncpy(r->detail, "a task failed", DETAIL_SIZE - 1);' faults
mutant threads_made_anew src/run/sched.c \
    'mb_helper_wait(&r->team->slot[i]->helper);' \
    'mb_helper_wait(&r->team->slot[i]->helper), mb_helper_end(&r->team->slot[i]->helper);' threads
mutant shared_memory_reused src/run/context.c \
    '(i == 0 ? team->shared : 0)' '(i == 1 ? team->shared : 0)' gemm
mutant self_overlap_missed src/run/operands.c \
    'cs / g < (uint64_t)view->rows' 'cs / g + 1 < (uint64_t)view->rows' errors
mutant check_sees_half src/run/freivalds.c \
    'if (cx[i] != check->expected[i])' 'if (cx[i] / 2 != check->expected[i] / 2)' verify
mutant one_round_too_few src/run/freivalds.c \
    'reached < (uint64_t)1 << 40' 'reached < (uint64_t)1 << 39' verify

# ---- api ----
mutant overlap_not_seen src/product.c \
    '.overlap = mb_views_overlap(C, A) || mb_views_overlap(C, B)' '.overlap = false' views
mutant overlap_with_B_not_seen src/product.c \
    '.overlap = mb_views_overlap(C, A) || mb_views_overlap(C, B)' \
    '.overlap = mb_views_overlap(C, A)' views
mutant bounds_not_swapped src/product.c \
    's.bound_a = o->bound_b;' 's.bound_a = o->bound_a;' errors
mutant alpha_lost src/product.c \
    'p->o.alpha = mb_reduce64(alpha, &mod);' 'p->o.alpha = mb_reduce64(alpha != 0, &mod);' gemm

mutant plan_not_swapped src/product.c \
    'plan->request.swapped != request->swapped' '(plan->request.swapped && request->swapped)' errors
mutant names_not_swapped src/run/operands.c '"BAC" : "ABC"' '"ABC" : "ABC"' errors
mutant struck_plan_used src/product.c \
    'round == 0 && is_usable(plan, &caps)' \
    'round == 0 && (is_usable(plan, &caps) || plan != NULL)' proof

# ---- streams, replays, graphs ----
mutant pending_taken_for_done src/run/pool.c \
    'wait, &done) != MODBLAS_OK)' 'wait, &done) == MODBLAS_OK)' streams
mutant worker_of_another_stream src/run/context.c \
    'slot->stream == stream' 'slot->stream != stream' streams
mutant small_workspace_kept src/run/context.c \
    'slot->size >= need)' 'slot->size + need > 0)' streams
mutant constants_of_another_alpha src/run/way.c \
    '!play->known || play->alpha != o->alpha' '!play->known' streams
mutant names_on_streams_not_swapped src/run/order.c \
    'swapped ? MB_BLAME_SWAPPED : MB_BLAME_ORDER' \
    'swapped ? MB_BLAME_ORDER : MB_BLAME_ORDER' streams
mutant blame_not_put_back src/run/order.c 'streams->blame(worker, MB_BLAME_CALL);' '' streams
mutant host_operands_on_streams src/run/order.c \
    'if (place != MB_PLACE_DIRECT)' 'if (place > MB_PLACE_STAGED)' streams
mutant held_bytes_not_counted src/run/pool.c \
    'if (bytes > mb_room(device))' 'if (bytes > device->caps.memory)' streams
mutant faults_of_the_gone_lost src/run/pool.c \
    '    take_faults(context, device, slot);
    mb_unlock(context);' '    mb_unlock(context);' streams
mutant plan_goes_before_its_work src/run/way.c \
    'if (play->ordered)' 'if (play->ordered && play->replay == NULL)' streams
mutant sets_not_joined src/graph.c \
    'graph->sets += graph->count > 0 &&' 'graph->sets += graph->count < 0 &&' graphs
mutant foreign_plan_in_graph src/graph.c \
    'if (plan->context != graph->context)' 'if (plan->context == NULL)' graphs
mutant graph_faults_of_host_lost src/graph.c \
    'MB_TRY(mb_judge_faults(faults, swapped));' '' graphs
mutant graph_faults_of_streams_lost src/graph.c \
    'MB_TRY(judge(g));' '(void)judge(g);' graphs
mutant graph_goes_before_its_work src/graph.c \
    '(void)g->context->backend->streams->done(first, true, &done);' \
    '(void)g->context->backend->streams->done(first, false, &done);' graphs
mutant longer_graph_not_recorded src/graph.c \
    'graph->set[graph->count++] = graph->sets;
    graph->current = false;' 'graph->set[graph->count++] = graph->sets;' graphs
mutant struck_way_used src/run/way.c \
    '*current = way != NULL &&' '*current = way != NULL ||' proof

# ---- proofs and fused products ----
mutant selftest_sees_nothing src/run/selftest.c \
    'if (get(p->c, sum_of(p), i) != answer(p, how, row, col))' \
    'if (get(p->c, sum_of(p), i) != answer(p, how, row, col) && i < 0)' proof
mutant fused_selftest_left_out src/run/selftest.c \
    'i < engine->modulus_count && device->caps.fuses' 'i < 0 && device->caps.fuses' fused
mutant large_proof_left_out src/run/proof.c \
    'if (work < least_work ||' 'if (work > -least_work ||' proof
mutant proof_sees_nothing src/run/proof.c \
    '*right = *right && memcmp(' '*right = *right || memcmp(' proof
mutant fused_not_struck_off src/run/proof.c \
    'device->caps.fuses = false;' 'device->caps.fuses = true;' proof
mutant residue_forgets_sign kernels/residue.h \
    'mb_residue_zero(m) + (m - (1U << 31) % m) % m' 'mb_residue_zero(m)' fused
mutant pair_not_corrected kernels/residue.h \
    'return r >= p->n ? r - p->n : r;' 'return r;' fused
mutant byte_forgets_half kernels/bytes.h \
    '(p->m % 2 == 1 ? 0 : p->half)' '0' bytes
mutant small_not_corrected kernels/scheme.h \
    'return more || r >= n ? r - n : r;' 'return more ? r - n : r;' bytes
mutant small_inverse_too_large src/plan/constants.c \
    '(1 - 0x1p-21)' '(1 + 0x1p-21)' bytes
mutant all_sums_small src/plan/constants.c \
    'join->small = factors <= MB_SMALL;' 'join->small = factors > 0;' "tiny gemm"
mutant lands_with_old_C src/run/exec.c \
    'alpha == 1 && c->beta == 0 &&' 'alpha == 1 &&' fused
mutant lands_without_alpha src/run/exec.c \
    'alpha == 1 && c->beta == 0 &&' 'alpha > 0 && c->beta == 0 &&' fused
mutant lands_in_every_chunk src/plan/constants.c \
    '!= MODBLAS_SCHEME_RNS && plan->chunks == 1 &&' '!= MODBLAS_SCHEME_RNS &&' fused
mutant lands_on_inputs src/plan/constants.c \
    '!plan->request.overlap &&' '' fused
mutant bytes_biased src/plan/constants.c \
    'join->bias = math->fused ? 0 : math->thin' 'join->bias = math->thin' fused

mutant batch_step_left_out src/run/batch.c 'A.cols % r->backend->batch_step != 0' 'false' batch

# ---- thin products and packed operands

mutant thin_bytes_are_signed src/plan/split.c ', byte = 255;' ', byte = 128;' thin
mutant thin_on_any_engine src/plan/split.c \
    'math->engine->in == MB_ELEMENT_I8 && math->radix_bits == BYTE' 'math->radix_bits == BYTE' packed
mutant thin_bytes_beyond_a_bound src/plan/split.c 'math->a.limit != UINT64_MAX ||' 'false ||' thin
mutant thin_signed_bytes src/plan/split.c 'return type == MODBLAS_U8 ||' \
    'return type == MODBLAS_I32 || type == MODBLAS_U8 ||' thin
mutant thin_bias_of_32_bits src/plan/constants.c ' : math->thin ? MB_LONG_SUM : ' ' : ' thin
mutant thin_too_wide src/plan/split.c 'MB_THIN_COLUMNS / math->digits_b' 'MB_THIN_COLUMNS' thin
mutant bytes_off_their_places src/run/operands.c 'view->row_stride * size % align == 0' 'true' thin
mutant thin_kernel_not_tested src/run/selftest.c 'i < 4 && device->caps.thins' 'i < 0' thin
mutant ways_without_bytes src/run/way.c '4 * request->bytes_a + ' '' thin
mutant bytes_between_places src/plan/split.c 'chunk >= request->problem.k ||' 'chunk >= 0 ||' thin
mutant packed_in_two_tiles src/plan/tile.c '(packing || plan->request.packs) && plan->request' 'packing && plan->request' packed
mutant packed_without_its_bound src/packed.c 'x->other_bound != 0 && (other == 0 ||' 'x->other_bound != 0 && (' packed
mutant few_columns_at_the_end src/plan/plain.c \
    ': p->n - (plan->tiles_n - 1) * plan->tile_n;' ': plan->tile_n;' few
mutant packed_for_another_engine src/plan/plan.c \
    '(packing->math.scheme != rules->scheme || packing->math.engine != caps->engine[e])' \
    'packing->math.scheme != rules->scheme' packed
mutant packed_with_fewer_moduli src/plan/plan.c 'math->moduli > packing->math.moduli || ' '' packed
mutant packed_in_longer_chunks src/plan/plan.c ' || math->longest_k < packing->chunk_k' '' packed
mutant packed_on_either_side src/packed.c 'if (side != x->side)' 'if ((unsigned)side > 1)' packed
mutant packed_modulo_another src/packed.c 'if (x->N != p->N)' 'if (x->N == p->N + 1)' packed
mutant packed_beside_a_view src/packed.c '*given != NULL && (*given)->data != planes' \
    '(void *)*given == (const void *)planes' packed

mutant more_digits_than_planes src/plan/split.c \
    'math->digits_b > MB_MAX_PLANES' 'math->digits_b > 2 * MB_MAX_PLANES' tiny
mutant entries_beyond_N_pass src/run/freivalds.c \
    'thin(check, &team, C, true,' 'thin(check, &team, C, false,' verify

# ---- host ----
mutant swapped_strides src/backend/host.h \
    'i * view->row_stride + j * view->col_stride' \
    'i * view->col_stride + j * view->row_stride' views
mutant padding_not_cleared src/backend/host_kernels.c \
    'last ? job->k_padded - k : 0' '0 * (last ? job->k_padded - k : 0)' gemm
mutant write_beyond_C src/backend/host_enter.c \
    'store(mb_host_at(C, i, j), C->type, C->col_stride, r, count);' \
    'store(mb_host_at(C, i, j), C->type, C->col_stride, r, count + (i == 0));' gemm
mutant sum_of_wrong_column src/backend/host_gemm.c \
    'C[r * ldc + c + x] = sum[x];' 'C[r * ldc + c + x] = sum[x & 1];' gemm

# ---- double arithmetic ----
mutant reciprocal_too_large src/backend/host_real.c \
    'nearly_one = 1 - 0x1p-50' 'nearly_one = 1 + 0x1p-50' host_real
mutant negative_rest_kept src/backend/host_real.c \
    'r += r < 0 ? 2 * m : 0;' 'r += r < 0 ? m : 0;' host_real
mutant rest_too_large src/backend/host_real.c \
    'dst[j] = (r >= m ? r - m : r) - half;' 'dst[j] = r - half;' host_real
mutant high_half_lost src/backend/host_real.c \
    '((unsigned __int128)hi[j] << 32) + lo[j]' '(unsigned __int128)((hi[j] << 32) + lo[j])' \
    host_real
mutant divisor_too_large src/backend/host_real.c \
    'm > 16 && m <= most' 'm > 16 && m / 2 <= most' host_real
mutant small_reals_too_large src/backend/host.h \
    '#define MB_HOST_REAL_LIMIT ((uint64_t)1 << 51)' \
    '#define MB_HOST_REAL_LIMIT ((uint64_t)1 << 53)' host_real

# ---- plain products ----
mutant plain_doubles_too_long src/exact/bound.c \
    'if (k <= mb_bound_longest_k(S, mb_range_magnitude(a), mb_range_magnitude(b)))' \
    'if (k / 2 <= mb_bound_longest_k(S, mb_range_magnitude(a), mb_range_magnitude(b)))' plain
mutant plain_words_too_long src/exact/bound.c \
    'k <= mb_bound_longest_k(UINT64_MAX, N - 1, N - 1)' \
    'k <= mb_bound_longest_k(UINT64_MAX, N - 1, N - 1) + 1' plain
mutant plain_halves_too_wide src/exact/bound.c \
    'mb_mod_bits(N) <= 32 ? MB_SUMS_HALVES' 'mb_mod_bits(N) <= 33 ? MB_SUMS_HALVES' plain
mutant plain_folds_too_rare src/exact/bound.c \
    'fold.every = mb_bound_longest_k(fold.by, x, y);' \
    'fold.every = mb_bound_longest_k(fold.by, x, y) + 1;' plain
mutant plain_fold_of_wide_entries src/exact/bound.c \
    'b.neg > word ||' 'b.neg > word + 1 ||' plain
mutant plain_overlap_ignored src/plan/plain.c \
    'plan->request.overlap ? all : rows' \
    'plan->request.overlap && rows == 0 ? all : rows' views
mutant plain_overlap_tiled src/plan/plain.c \
    'caps->workers_add && !plan->request.overlap' 'caps->workers_add' plain
mutant plain_reads_late src/run/plain.c \
    '.overlap = plan->request.overlap' '.overlap = false' views
mutant plain_faults_not_turned src/backend/host_plain.c \
    'sum_block(&t, sum, i, rows) << job->turned' 'sum_block(&t, sum, i, rows)' plain
mutant plain_prefix_of_sums src/backend/host_plain.c \
    'b + digits, depth, mod' 'b + 0 * digits, depth, mod' plain
mutant plain_top_lost src/backend/host_panel.c \
    'top += low >> 2 * BITS;' '' plain
mutant plain_alpha_lost src/backend/host_plain.c \
    'c < cols && job->alpha != 1' 'c < cols && job->alpha > 1U << 20' plain
mutant plain_faults_of_B_lost src/backend/host_plain.c \
    '<< !job->turned;' '<< 0;' plain
mutant few_signs_lost src/backend/host_few.c \
    'sum < 0 ? mb_negmod(r, mod) : r' 'r' few
mutant few_last_places_lost src/backend/host_few.c \
    'l < left; l++' 'l < left - 1; l++' few
mutant few_bounds_ignored src/backend/host_few.c \
    'job->a->bound >= mb_type_most_positive(type) &&' '' few
mutant few_words_wrap src/backend/host_few.c \
    '(mod->n & (mod->n - 1)) == 0' 'mod->n % 2 == 0' few
mutant panel_folds_late src/backend/host_panel.c \
    'fold->every < k - l ? l + fold->every : k;
        mb_host_panel_u64' \
    'fold->every < k - l ? l + fold->every + 1 : k;
        mb_host_panel_u64' panel
mutant bytes_first_block_lost src/backend/host_bytes.c \
    'ldc, j == 0);' 'ldc, true);' panel
mutant join_of_floats_as_words src/backend/host_real.c \
    'buffer[j] = ((const float *)sums)[first + j];' \
    'buffer[j] = ((const int32_t *)sums)[first + j];' host_real
mutant told_rates_ignored src/backend/host_rates.c \
    '*rate = 1e9 * value;' '*rate = 1e8 * value;' rates
mutant told_rates_by_prefix src/backend/host_rates.c \
    '"%s%s=", scheme, name' '"%s%.2s", scheme, name' rates
mutant ignored_status_plain src/run/plain.c \
    'MB_TRY(c->team->device->backend->plain(mb_team_worker(c->team, w), &job));' \
    '(void)c->team->device->backend->plain(mb_team_worker(c->team, w), &job);' faults
mutant third_word_unshifted kernels/arith.h \
    's ? hi << s | v.hi >> (64 - s) : hi' 's ? hi << s : hi' plain
mutant easy_limit_too_high src/backend/host_enter.c \
    'cut->raw ? UINT64_MAX : cut->mod.n - 1' 'UINT64_MAX' plain
mutant easy_bound_ignored src/backend/host_enter.c \
    'return easy < cut->bound ? easy : cut->bound;' 'return easy;' errors
mutant least_cost_too_high src/plan/cost.c \
    '(JOBS_AROUND + 1) * caps->rates.launch +' '(JOBS_AROUND + 9) * caps->rates.launch +' plain

# ---- batches ----
mutant last_line_of_input_unseen src/apart.c \
    't < x->width && q < x->lines' 't < x->width && q + 1 < x->lines' batch
mutant lines_wrap_unseen src/apart.c \
    'if (to > pitch)' 'if (to > 2 * pitch)' apart
mutant last_line_forgotten src/apart.c \
    's[i].first <= s[j].last && s[j].first <= s[i].last' \
    's[i].first < s[j].last && s[j].first <= s[i].last' apart
mutant any_pitch_is_common src/apart.c \
    'x->lines == 1 || y->lines == 1 || x->pitch == y->pitch' 'x->lines >= 1 || y->lines == 1' apart
mutant inputs_unchecked src/apart.c \
    'o->C[i].index != in->index && share(' 'o->C[i].index > in->index + 1 && share(' batch
mutant batch_k_one_longer src/plan/batch.c \
    'k <= mb_bound_longest_k(mb_batch_bias(' 'k <= 1 + mb_bound_longest_k(mb_batch_bias(' batch
mutant batch_weights_cut src/plan/batch.c \
    'mb_mod_bits(N) > 32 ? MB_BATCH_DIGITS : 1' 'mb_mod_bits(N) > 33 ? MB_BATCH_DIGITS : 1' batch
mutant batch_center_of_others src/plan/batch.c \
    'entries->raw ? center : mb_reduce64(center, &rule->mod)' 'center' batch
mutant batch_bias_unweighed src/plan/batch.c \
    'mb_mulmod(rule.bias, weights, &rule.mod)' 'mb_mulmod(rule.bias, 1, &rule.mod)' batch
mutant batch_overlap_fused src/run/batch.c \
    'meet(c, x) ||' 'false ||' batch
mutant batch_alpha_zero_fused src/run/batch.c \
    's->rule.weight[0] == 0 ||' 'false ||' batch
mutant batch_rule_of_old_part src/run/batch.c \
    'if (s->number == p->number && s->part == k)' 'if (s->number >= 0 && s->part == k)' batch
mutant batch_rules_by_modulus src/run/batch.c \
    's->alpha == alpha && s->a == a && s->b == b' 's->a == a && s->b == b' batch
mutant batch_faults_lost src/run/batch.c \
    'status = status == MODBLAS_OK ? judge(faults) : status;' '(void)judge;' batch
mutant ignored_status_batch src/run/batch.c \
    'return r->backend->batch(mb_team_worker(&r->team, r->next_worker), &job);' \
    'return r->backend->batch(mb_team_worker(&r->team, r->next_worker), &job), MODBLAS_OK;' batch
mutant batch_stops_unseen src/run/crew.c \
    'if (status != MODBLAS_OK)' 'if (status > MODBLAS_EINTERNAL)' batch
mutant batch_index_lost src/batch.c \
    'return name_product(status, i);' 'return name_product(status, 0);' batch

# ---- the tests' helpers ----
mutant canvas_sees_nothing tests/support/canvas.c \
    'intact = intact && (inside[i]' 'intact = intact || (inside[i]' support
mutant oracle_forgets_carries tests/support/oracle.c \
    'carries += sum < p;' 'carries += sum < p && l < 0;' support
mutant model_sees_one_side tests/support/model.c \
    '-end[0] > (__int128)engine->S || ' '' support
mutant fault_never_comes tests/support/fault.c \
    'int left = atomic_fetch_sub(&countdown, 1);' 'int left = 2;' support

printf '%d killed, %d survived, %d not built, %d timed out\n' "${#killed[@]}" "${#survived[@]}" \
    "${#unbuilt[@]}" "${#timed_out[@]}"
if [[ ${#survived[@]} != 0 ]]; then
    printf 'survived: %s\n' "${survived[*]}"
    exit 1
fi
