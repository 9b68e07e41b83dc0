/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the fuzzer's target on files, without a fuzzer: the committed seeds are a test wherever
 * there is a C compiler, and a failing input can be looked at in a debugger. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    static uint8_t data[LONGEST];
    int ran = 0;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        ran++;
    }
    printf("%d inputs\n", ran);
    return ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
