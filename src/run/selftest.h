/* SPDX-License-Identifier: BSD-3-Clause */
/* Known-answer GEMMs at the bound, on each engine of a device. */
#ifndef MB_RUN_SELFTEST_H
#define MB_RUN_SELFTEST_H

#include "context.h"

/* Strikes engines that fail off device->caps, with the reason. Fails only if the device does. */
modblas_status mb_selftest(mb_device *device);

#endif
