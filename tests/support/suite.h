/* SPDX-License-Identifier: BSD-3-Clause */
/* Running Check. */
#ifndef TEST_SUPPORT_SUITE_H
#define TEST_SUPPORT_SUITE_H

#include <check.h>

/* Runs the tests in this process; returns main's result. */
int test_main(const char *name, const TTest *const *tests, int count);

/* The same, each test for _i = 0 .. times-1. */
int test_main_each(const char *name, const TTest *const *tests, int count, int times);

#define TEST_COUNT(tests) ((int)(sizeof(tests) / sizeof((tests)[0])))

#endif
