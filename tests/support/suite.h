/* SPDX-License-Identifier: BSD-3-Clause */
/* Running Check. */
#ifndef TEST_SUPPORT_SUITE_H
#define TEST_SUPPORT_SUITE_H

#include <check.h>

/* Runs the tests in this process; returns main's result. */
int test_main(const char *name, const TTest *const *tests, int count);

#define TEST_COUNT(tests) ((int)(sizeof(tests) / sizeof((tests)[0])))

#endif
