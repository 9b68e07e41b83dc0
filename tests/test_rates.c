/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of the host: some told, the others measured; the same ones ever after. */
#include "src/backend/host.h"
#include "support/suite.h"

#include <stdlib.h>

START_TEST(some_are_told)
{
    mb_rates told = {.launch = 1}, again = {.launch = 1};
    setenv("MODBLAS_HOST_RATES", "i8=600,plain/u64=12.5,f64=-3,plain/f64=,f3=1", 1);
    mb_host_rates(&told);
    ck_assert_double_eq(told.gemm[0], 600e9);
    ck_assert_double_eq(told.plain[MB_SUMS_U64], 12.5e9);
    setenv("MODBLAS_HOST_RATES", "i8=1", 1);
    mb_host_rates(&again);
    for (int e = 0; e < MB_MAX_ENGINES; e++) {
        ck_assert_double_eq(told.gemm[e], again.gemm[e]);
        ck_assert_double_gt(told.gemm[e], 1e7);
    }
    for (int s = 0; s < MB_SUMS_COUNT; s++) {
        ck_assert_double_eq(told.plain[s], again.plain[s]);
        ck_assert_double_gt(told.plain[s], 1e6);
    }
    ck_assert_double_eq(told.launch, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {some_are_told};
    return test_main("rates", tests, TEST_COUNT(tests));
}
