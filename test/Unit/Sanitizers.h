//===- Sanitizers.h - Whether tests run under a sanitizer -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_SANITIZERS_H
#define TANDEM_TEST_UNIT_SANITIZERS_H

#if defined(__has_feature)
#define TANDEM_HAS_FEATURE(x) __has_feature(x)
#else
#define TANDEM_HAS_FEATURE(x) 0
#endif

#define TANDEM_UNDER_ASAN TANDEM_HAS_FEATURE(address_sanitizer)
#define TANDEM_UNDER_TSAN TANDEM_HAS_FEATURE(thread_sanitizer)

#endif // TANDEM_TEST_UNIT_SANITIZERS_H
