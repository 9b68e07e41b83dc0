/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of the library that works for one worker of a synchronous backend. It is made when it
 * is first needed and kept until the context goes. */
#ifndef MB_RUN_HELPER_H
#define MB_RUN_HELPER_H

#include <pthread.h>
#include <stdbool.h>

/* All zero: not made yet. Whoever holds the worker holds its helper. */
typedef struct mb_helper {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows; never held while work runs */
    pthread_cond_t changed;
    bool made, leaves;
    void (*work)(void *argument); /* NULL: idle */
    void *argument;
} mb_helper;

/* Has work(argument) done by the helper; false if there can be no thread. Requires: idle. */
bool mb_helper_start(mb_helper *helper, void (*work)(void *argument), void *argument);

/* Waits until it is done. */
void mb_helper_wait(mb_helper *helper);

/* Ends the thread, if there is one. Requires: idle. */
void mb_helper_end(mb_helper *helper);

#endif
