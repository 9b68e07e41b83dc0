/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs: sets of independent products, one after the other. */
#include "graph.h"

#include "product.h"
#include "run/operands.h"
#include "run/sched.h"

#include <stdlib.h>

/* Products of a set that run side by side on a GPU; more would wait for its units all the same. */
enum { MOST_BRANCHES = 8 };

struct modblas_graph {
    modblas_context *context;
    mb_item *item;
    int *set; /* of each item */
    int count, room, sets;
    bool current; /* the record is of these items ... */
    int strikes;  /* ... when so many engines had been struck off */
    mb_team team; /* the record's workers */
    mb_replay *replay;
    mb_trace *trace; /* of the run under way */
};

modblas_status modblas_graph_create(modblas_context *context, modblas_graph **graph)
{
    if (context == NULL || graph == NULL)
        return mb_fail(MODBLAS_EINVAL, "context or graph is NULL; both are required");
    *graph = calloc(1, sizeof **graph);
    if (*graph == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a graph");
    (*graph)->context = context;
    return MODBLAS_OK;
}

/* Gives back the record and its workers. */
static void forget(modblas_graph *g)
{
    bool done;
    g->current = false;
    if (g->team.count == 0)
        return;
    mb_worker *first = mb_team_worker(&g->team, 0);
    (void)g->context->backend->streams->done(first, true, &done);
    g->context->backend->streams->drop(first, g->replay);
    g->replay = NULL;
    for (int i = 0; i < g->team.count; i++)
        mb_slot_release(g->context, g->team.device, g->team.slot[i]);
    g->team.count = 0;
}

void modblas_graph_destroy(modblas_graph *graph)
{
    if (graph == NULL)
        return;
    forget(graph);
    free(graph->item);
    free(graph->set);
    free(graph);
}

static modblas_status make_room(modblas_graph *g)
{
    enum { FIRST = 16 };
    if (g->count < g->room)
        return MODBLAS_OK;
    int room = g->room ? 2 * g->room : FIRST;
    mb_item *item = realloc(g->item, (size_t)room * sizeof *item);
    g->item = item != NULL ? item : g->item;
    int *set = realloc(g->set, (size_t)room * sizeof *set);
    g->set = set != NULL ? set : g->set;
    if (item == NULL || set == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for more products in a graph");
    g->room = room;
    return MODBLAS_OK;
}

modblas_status modblas_graph_add(modblas_graph *graph, modblas_plan *plan, const modblas_matrix *C,
                                 const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                 uint64_t beta)
{
    modblas_status status = MODBLAS_OK;
    if (graph == NULL)
        return mb_fail(MODBLAS_EINVAL, "graph is NULL; modblas_graph_create makes one");
    modblas_matrix packed;
    MB_TRY(mb_check_plan_views(plan, &packed, C, &A, &B));
    if (plan->context != graph->context)
        return mb_fail(MODBLAS_EINVAL, "the plan is of another context than the graph");
    MB_TRY(make_room(graph));
    graph->item[graph->count] =
        (mb_item){.plan = plan, .C = *C, .A = *A, .B = *B, .alpha = alpha, .beta = beta};
    graph->set[graph->count++] = graph->sets;
    graph->current = false;
fail:
    return status;
}

modblas_status modblas_graph_join(modblas_graph *graph)
{
    if (graph == NULL)
        return mb_fail(MODBLAS_EINVAL, "graph is NULL; modblas_graph_create makes one");
    graph->sets += graph->count > 0 && graph->set[graph->count - 1] == graph->sets;
    return MODBLAS_OK;
}

/* The items of a set are neighbours. */
static int end_of_set(const modblas_graph *g, int begin)
{
    int end = begin;
    while (end < g->count && g->set[end] == g->set[begin])
        end++;
    return end;
}

/* Prepares all items: *widest is the number in the largest set, *bytes what each worker needs. */
static modblas_status prepare(modblas_graph *g, int *widest, uint64_t *bytes)
{
    modblas_status status = MODBLAS_OK;
    *widest = 1;
    *bytes = 0;
    g->strikes = __atomic_load_n(&g->context->strikes, __ATOMIC_ACQUIRE);
    for (int begin = 0, end; begin < g->count; begin = end) {
        end = end_of_set(g, begin);
        *widest = end - begin > *widest ? end - begin : *widest;
        for (int i = begin; i < end; i++) {
            mb_item *item = &g->item[i];
            MB_TRY(mb_item_prepare(item));
            *bytes = item->bytes > *bytes ? item->bytes : *bytes;
            if (item->device != g->item[0].device)
                MB_TRY(mb_fail(MODBLAS_EINVAL, "the products of a graph lie on several devices"));
        }
    }
fail:
    return status;
}

/* One set under way, from item `begin`. */
typedef struct {
    modblas_graph *graph;
    const mb_team *team;
    int begin;
} set;

/* Orders item `task` of the set on worker w. A synchronous worker tells of faults at once. */
static modblas_status item_task(void *argument, int w, int64_t task)
{
    modblas_status status = MODBLAS_OK;
    const set *s = argument;
    const int index = s->begin + (int)task;
    const mb_item *item = &s->graph->item[index];
    const mb_backend *backend = s->team->device->backend;
    mb_worker *worker = mb_team_worker(s->team, w);
    bool swapped = item->way != NULL && item->way->plan.request.swapped;
    uint32_t faults = 0;
    int handle;
    if (backend->streams != NULL)
        backend->streams->blame(worker, swapped ? MB_BLAME_SWAPPED : MB_BLAME_ORDER);
    MB_TRY(mb_trace_begin(s->graph->trace, s->team, w, MB_STAGE_GEMM, index, &handle));
    MB_TRY(mb_item_order(item, s->team, w));
    MB_TRY(mb_trace_end(s->graph->trace, s->team, w, handle));
    if (backend->synchronous) {
        MB_TRY(backend->wait(worker, &faults));
        MB_TRY(mb_judge_faults(faults, swapped));
    }
fail:
    return status;
}

/* The sets from item `begin` on, up to item `last`. */
static modblas_status order_sets(modblas_graph *g, int begin, int last, const mb_team *team)
{
    modblas_status status = MODBLAS_OK;
    for (int end; begin < last; begin = end) {
        end = end_of_set(g, begin);
        set s = {g, team, begin};
        MB_TRY(mb_sched_run(team, &s, end - begin, item_task, NULL));
    }
fail:
    return status;
}

/* Workers of the graph's own: as many as are of use and the budget has room for, one at least. */
static modblas_status hold_workers(modblas_graph *g, int wanted, uint64_t bytes)
{
    mb_device *device = g->item[0].device;
    g->team = (mb_team){.context = g->context, .device = device, .each = bytes};
    for (int i = 0; i < wanted && i < MOST_BRANCHES; i++) {
        modblas_status status = mb_slot_hold(&g->team.slot[i], g->context, device, bytes);
        if (status != MODBLAS_OK)
            return i > 0 && status == MODBLAS_ENOMEM ? MODBLAS_OK : status;
        g->team.count = i + 1;
    }
    return MODBLAS_OK;
}

static modblas_status record(modblas_graph *g)
{
    modblas_status status = MODBLAS_OK;
    const mb_backend *backend = g->context->backend;
    int widest;
    uint64_t bytes;
    bool stale;
    forget(g);
    MB_TRY(prepare(g, &widest, &bytes));
    for (int i = 0; i < g->count; i++) {
        if (!g->item[i].empty)
            MB_TRY(mb_require_direct(g->item[i].device, &g->item[i].o, g->item[i].way != NULL));
    }
    MB_TRY(hold_workers(g, widest, bytes));
    MB_TRY(backend->streams->begin(mb_team_worker(&g->team, 0), &g->replay));
    for (int i = 1; i < g->team.count && status == MODBLAS_OK; i++)
        status = backend->after(mb_team_worker(&g->team, i), mb_team_worker(&g->team, 0));
    if (status == MODBLAS_OK)
        status = order_sets(g, 0, g->count, &g->team);
    modblas_status ended = backend->streams->end(mb_team_worker(&g->team, 0), &g->replay,
                                                 status != MODBLAS_OK, &stale);
    MB_TRY(status);
    MB_TRY(ended);
    g->current = g->trace == NULL;
    return MODBLAS_OK;
fail:
    forget(g);
    return status;
}

static modblas_status make_current(modblas_graph *g)
{
    if (g->current && g->strikes == __atomic_load_n(&g->context->strikes, __ATOMIC_ACQUIRE))
        return MODBLAS_OK;
    return record(g);
}

static modblas_status judge(const modblas_graph *g)
{
    modblas_status status = MODBLAS_OK;
    const mb_streams *streams = g->context->backend->streams;
    uint32_t bits[MB_BLAMES] = {0};
    for (int i = 0; i < g->team.count; i++) {
        mb_worker *worker = mb_team_worker(&g->team, i);
        bits[MB_BLAME_ORDER] |= streams->faults(worker, MB_BLAME_ORDER);
        bits[MB_BLAME_SWAPPED] |= streams->faults(worker, MB_BLAME_SWAPPED);
    }
    MB_TRY(mb_judge_faults(bits[MB_BLAME_ORDER], false));
    MB_TRY(mb_judge_faults(bits[MB_BLAME_SWAPPED], true));
fail:
    return status;
}

static modblas_status replay(modblas_graph *g)
{
    modblas_status status = MODBLAS_OK;
    const mb_backend *backend = g->context->backend;
    uint32_t faults = 0;
    MB_TRY(make_current(g));
    mb_worker *first = mb_team_worker(&g->team, 0);
    MB_TRY(backend->streams->launch(first, g->replay, NULL, true));
    MB_TRY(backend->wait(first, &faults));
    MB_TRY(mb_trace_read(g->trace, &g->team));
    MB_TRY(judge(g));
fail:
    return status;
}

/* As modblas_plan_run runs it. */
static modblas_status run_one(const mb_item *item)
{
    modblas_plan *plan = item->plan;
    return mb_multiply(plan->context, &item->C, &item->A, &item->B, item->alpha, item->beta,
                       plan->problem.N, &plan->options, plan, NULL);
}

/* Items from `begin` to `end` on a team of the pool, each on one worker. */
static modblas_status run_range(modblas_graph *g, int begin, int end, int widest, uint64_t bytes)
{
    mb_team team;
    mb_device *device = g->item[begin].device;
    int most = device->caps.workers;
    modblas_status status =
        mb_team_take(&team, g->context, device, widest < most ? widest : most, 0, bytes);
    if (status != MODBLAS_OK)
        return status;
    status = order_sets(g, begin, end, &team);
    return mb_exec_finish(&team, status, false, g->trace);
}

/* Without a record; a set of one product has all workers for it. */
static modblas_status run_sets(modblas_graph *g)
{
    modblas_status status = MODBLAS_OK;
    int widest;
    uint64_t bytes;
    MB_TRY(prepare(g, &widest, &bytes));
    if (g->trace != NULL)
        return run_range(g, 0, g->count, widest, bytes);
    for (int begin = 0, end; begin < g->count; begin = end) {
        end = end_of_set(g, begin);
        if (end - begin == 1)
            MB_TRY(run_one(&g->item[begin]));
        else
            MB_TRY(run_range(g, begin, end, end - begin, bytes));
    }
fail:
    return status;
}

static modblas_status run_one_by_one(const modblas_graph *g)
{
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < g->count; i++)
        MB_TRY(run_one(&g->item[i]));
fail:
    return status;
}

static modblas_status run(modblas_graph *g)
{
    const mb_backend *backend = g->context->backend;
    if (g->count == 0)
        return MODBLAS_OK;
    if (g->context->verify != MODBLAS_VERIFY_OFF)
        return run_one_by_one(g);
    if (backend->streams != NULL)
        return replay(g);
    /* Several products at once pay where workers have threads, and operands need no upload. */
    return backend->synchronous ? run_sets(g) : run_one_by_one(g);
}

modblas_status modblas_graph_run(modblas_graph *graph)
{
    if (graph == NULL)
        return mb_fail(MODBLAS_EINVAL, "graph is NULL; modblas_graph_create makes one");
    return run(graph);
}

modblas_status mb_graph_run_traced(modblas_graph *graph, mb_trace *trace)
{
    graph->current = false;
    graph->trace = trace;
    modblas_status status = run(graph);
    graph->trace = NULL;
    return status;
}

modblas_status modblas_graph_order(modblas_graph *graph, void *stream)
{
    modblas_status status = MODBLAS_OK;
    uint64_t id;
    bool captured;
    if (graph == NULL)
        return mb_fail(MODBLAS_EINVAL, "graph is NULL; modblas_graph_create makes one");
    const mb_streams *streams = graph->context->backend->streams;
    if (streams == NULL || graph->count == 0)
        return run(graph);
    if (graph->context->verify != MODBLAS_VERIFY_OFF)
        return mb_fail(MODBLAS_EUNAVAILABLE,
                       "the context checks each product, which nothing on a stream can be; use a "
                       "context without verify");
    MB_TRY(make_current(graph));
    mb_worker *first = mb_team_worker(&graph->team, 0);
    MB_TRY(streams->identify(first, stream, &id, &captured));
    if (captured)
        return mb_fail(MODBLAS_EINVAL, "the stream is being captured, and a graph is not part of "
                                       "another; order its products one by one");
    MB_TRY(streams->launch(first, graph->replay, stream, false));
    MB_TRY(streams->mark(first, stream));
fail:
    return status;
}
