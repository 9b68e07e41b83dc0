/* SPDX-License-Identifier: BSD-3-Clause */
/* What the bench may know of a graph. */
#ifndef MB_GRAPH_H
#define MB_GRAPH_H

#include "api.h"

/* modblas_graph_run that stamps each product, as an event whose tile is its number; the graph is
 * captured anew. Requires: room for all products. */
modblas_status mb_graph_run_traced(modblas_graph *graph, mb_trace *trace);

#endif
