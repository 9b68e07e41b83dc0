/* SPDX-License-Identifier: BSD-3-Clause */
#include "helper.h"

#include <signal.h>

static void *serve(void *argument)
{
    mb_helper *h = argument;
    pthread_mutex_lock(&h->lock);
    while (!h->leaves) {
        if (h->work == NULL) {
            pthread_cond_wait(&h->changed, &h->lock);
            continue;
        }
        pthread_mutex_unlock(&h->lock);
        h->work(h->argument);
        pthread_mutex_lock(&h->lock);
        h->work = NULL;
        pthread_cond_broadcast(&h->changed);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* A thread's stack, where a process gives new threads less. */
enum { STACK_BYTES = 1 << 20 };

static bool begin(mb_helper *h)
{
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_getstacksize(&attributes, &bytes);
    if (bytes < STACK_BYTES)
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool made = pthread_create(&h->thread, &attributes, serve, h) == 0;
    pthread_attr_destroy(&attributes);
    return made;
}

/* Signals are for the program's own threads. */
static bool make(mb_helper *h)
{
    sigset_t all, before;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    h->made = begin(h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!h->made) {
        pthread_cond_destroy(&h->changed);
        pthread_mutex_destroy(&h->lock);
    }
    return h->made;
}

bool mb_helper_start(mb_helper *helper, void (*work)(void *argument), void *argument)
{
    if (!helper->made && !make(helper))
        return false;
    pthread_mutex_lock(&helper->lock);
    helper->work = work;
    helper->argument = argument;
    pthread_cond_broadcast(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
    return true;
}

void mb_helper_wait(mb_helper *helper)
{
    pthread_mutex_lock(&helper->lock);
    while (helper->work != NULL)
        pthread_cond_wait(&helper->changed, &helper->lock);
    pthread_mutex_unlock(&helper->lock);
}

void mb_helper_end(mb_helper *helper)
{
    if (!helper->made)
        return;
    pthread_mutex_lock(&helper->lock);
    helper->leaves = true;
    pthread_cond_broadcast(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
    pthread_join(helper->thread, NULL);
    pthread_cond_destroy(&helper->changed);
    pthread_mutex_destroy(&helper->lock);
    helper->made = helper->leaves = false;
}
