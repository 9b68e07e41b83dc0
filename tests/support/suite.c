/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#include <stdlib.h>

int test_main(const char *name, const TTest *const *tests, int count)
{
    return test_main_each(name, tests, count, 1);
}

int test_main_each(const char *name, const TTest *const *tests, int count, int times)
{
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    for (int i = 0; i < count; i++)
        tcase_add_loop_test(group, tests[i], 0, times);
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    /* A device's context does not survive a fork. */
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner), ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran == count * times ? EXIT_SUCCESS : EXIT_FAILURE;
}
