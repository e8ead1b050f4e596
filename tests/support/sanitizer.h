/* Whether the build is checked by the address sanitizer, which takes time, and ends a process that gets no memory. */
#ifndef EIG_TEST_SANITIZER_H
#define EIG_TEST_SANITIZER_H

#ifdef __has_feature
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { ADDRESS_SANITIZED = 1 };
#else
enum { ADDRESS_SANITIZED = 0 };
#endif

#endif
