/* Errors inside the library: where a failure is recorded, and nothing else.
 *
 * The caller of a public function owns the struct ilp_error. Internal code fills it through
 * ilpi_fail(), once, where the failure is found, and passes the status upward. */
#ifndef ILPI_ERROR_H
#define ILPI_ERROR_H

#include "ilpatch.h"

/* On Windows, gcc checks plain `printf` against Microsoft's C library. */
#if defined(__MINGW32__)
#define ILPI_PRINTF(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#elif defined(__GNUC__)
#define ILPI_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define ILPI_PRINTF(format_index, first)
#endif

/* The offset of an error that is not at a file offset. */
#define ILPI_NO_OFFSET UINT64_MAX

/* Fills *error (which may be NULL) and returns status, so that a caller can `return
 * ilpi_fail(...)`. */
ilp_status ilpi_fail(struct ilp_error *error, ilp_status status, uint64_t offset, ilp_token token,
                     const char *format, ...) ILPI_PRINTF(5, 6);

/* ILP_E_MISUSE where the reserved members of a caller's struct are not zero: the caller was
 * compiled for a later version and wants what this one does not know, or has not zeroed the
 * struct. `object` may be NULL. Inline, since a method's rule action is checked each time. */
#define ILPI_CHECK_RESERVED(object, error)                                   \
    (!(object) || ilpi_is_zero((object)->reserved, sizeof(object)->reserved) \
         ? ILP_OK                                                            \
         : ilpi_fail_reserved(error))
static inline bool ilpi_is_zero(const void *bytes, size_t size)
{
    uint8_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= ((const uint8_t *)bytes)[i];
    }
    return bits == 0;
}
ilp_status ilpi_fail_reserved(struct ilp_error *error);

/* Records that an allocation of `size` bytes failed. The status is a macro so that compilers and
 * analyzers, which do not see into ilpi_fail(), know that it is never ILP_OK. */
void ilpi_note_memory(struct ilp_error *error, size_t size);

static inline ilp_status ilpi_fail_memory(struct ilp_error *error, size_t size)
{
    ilpi_note_memory(error, size);
    return ILP_E_NO_MEMORY;
}

/* Returns from the enclosing function when `expression` is not ILP_OK. */
#define ILPI_TRY(expression)                        \
    do {                                            \
        ilp_status ilpi_try_status_ = (expression); \
        if (ilpi_try_status_ != ILP_OK) {           \
            return ilpi_try_status_;                \
        }                                           \
    } while (0)

#endif
