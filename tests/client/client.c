/* SPDX-License-Identifier: BSD-3-Clause */
#include <modblas.h>
#include <stdio.h>

int main(void)
{
    const uint64_t A[4] = {1, 2, 3, 4}, B[4] = {5, 6, 7, 8};
    uint64_t C[4];
    modblas_context *context = NULL;
    modblas_status status = modblas_context_create(&context, NULL);
    if (status == MODBLAS_OK)
        status = modblas_matmul(context, C, 2, A, 2, B, 2, 2, 2, 2, 10);
    if (status != MODBLAS_OK)
        return printf("%s: %s\n", modblas_status_text(status), modblas_detail()), 1;
    printf("%d %d %d %d\n", (int)C[0], (int)C[1], (int)C[2], (int)C[3]);
    modblas_context_destroy(context);
    return 0;
}
