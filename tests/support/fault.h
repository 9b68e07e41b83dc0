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

/* Name of the function that failed since test_fault_arm, or NULL. */
const char *test_fault_met(void);

#endif
