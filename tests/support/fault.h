/* SPDX-License-Identifier: BSD-3-Clause */
/* A backend whose n-th call fails. */
#ifndef TEST_SUPPORT_FAULT_H
#define TEST_SUPPORT_FAULT_H

#include "src/backend/backend.h"

/* Wraps every function of inner that returns a status. One at a time. */
void test_fault_make(mb_backend *backend, const mb_backend *inner);

/* The n-th call from now returns status without reaching the inner backend, and all calls before
 * and after it do. */
void test_fault_arm(int n, modblas_status status);

/* The n-th call from now and all after it return EDEVICE: a device is lost. */
void test_fault_lose(int n);

/* Workers and buffers that were made and not given back, by all backends wrapped so far. */
int test_fault_outstanding(void);

/* How many calls of a function (NULL: of any) failed so far; later ones of a lost device are not
 * counted. */
int test_fault_tally(const char *name);

/* Name of the function that failed since test_fault_arm, or NULL. */
const char *test_fault_met(void);

#endif
