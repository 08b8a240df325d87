/* Whether this is a build for AddressSanitizer, which gcc and clang report in different ways. */
#ifndef ILPI_SANITIZERS_H
#define ILPI_SANITIZERS_H

#if defined __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#endif

#endif
