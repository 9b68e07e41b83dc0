/* SPDX-License-Identifier: BSD-3-Clause */
/* The host behind the interface of a GPU with streams: what goes to a stream waits there until it
 * is asked for, recorded jobs are kept and replayed, and a stream can be captured. */
#ifndef TEST_SUPPORT_DEFERRED_H
#define TEST_SUPPORT_DEFERRED_H

#include "src/backend/backend.h"

typedef struct test_stream test_stream;

const mb_backend *test_deferred(void);

/* Streams are the test's; free does what is left. */
test_stream *test_stream_make(void);
void test_stream_free(test_stream *stream);

/* Does all that waits on the stream. */
void test_stream_do(test_stream *stream);

/* How many launches wait there. */
int test_stream_waiting(const test_stream *stream);

/* While it is on, jobs ordered on the stream are kept, and done by each play. */
void test_stream_capture(test_stream *stream, bool on);
void test_stream_play(const test_stream *stream);

/* Since the last call: records made, and jobs whose arguments were replaced. */
void test_deferred_count(int *records, int *revised);

/* This address lies where only a host can use it; NULL: none does. */
void test_deferred_hide(const void *data);

/* From the n-th on, workers cannot be made; 0: all can. */
void test_deferred_workers(int n);

#endif
