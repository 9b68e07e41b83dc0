/* SPDX-License-Identifier: BSD-3-Clause */
/* A context in words. */
#include "../writer.h"
#include "context.h"

#include <inttypes.h>

modblas_status modblas_context_text(const modblas_context *context, char *text, size_t size,
                                    size_t *needed)
{
    mb_writer w = {.text = text, .size = size};
    if (context == NULL || (text == NULL && size > 0))
        return mb_fail(MODBLAS_EINVAL, "context or text is NULL; both are required");
    for (int d = 0; d < context->device_count; d++) {
        const mb_device *device = &context->device[d];
        mb_caps caps = mb_device_caps(context, device);
        modblas_device_info info;
        modblas_status status = device->backend->device_info(device->ordinal, &info);
        if (status != MODBLAS_OK)
            return status;
        mb_put(&w, "device   %s %d: %s (%s)\n", device->backend->name, device->ordinal, info.name,
               info.libraries);
        mb_put(&w, "workers  %d, memory %" PRIu64 " bytes\n", caps.workers, caps.memory);
        for (int e = 0; e < MB_MAX_ENGINES && caps.engine[e] != NULL; e++) {
            bool struck = caps.struck[e][0] != '\0';
            mb_put(&w, "engine   %s: %s\n", caps.engine[e]->name,
                   struck ? caps.struck[e] : "exact in its self-test");
        }
    }
    if (needed != NULL)
        *needed = w.used + 1;
    return MODBLAS_OK;
}
