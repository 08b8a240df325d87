/* Fuzzes signatures: what is read is written, read again and written again, to the same bytes and
 * the same text.
 *
 *   u8 kind (modulo the number of kinds)   blob
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "sig/sig.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIG_ORIGIN 0x100u

static ilp_status sig_same_token(void *user, ilp_token from, ilp_token *to, struct ilp_error *error)
{
    uint32_t *seen = user;
    (void)error;
    FUZZ_CHECK(ILP_TOKEN_RID(from) != 0);
    ++*seen;
    *to = from;
    return ILP_OK;
}

/* A method's first half again, by the reader that builds no tree. */
static void check_shape(struct ilp_bytes blob, const struct ilp_sig *sig)
{
    struct ilpi_sig_call call;
    ilp_status status = ilpi_sig_call_shape(blob, SIG_ORIGIN, &call, NULL);
    if (sig && sig->kind == ILP_SIG_METHOD) {
        FUZZ_CHECK(status == ILP_OK && call.convention == sig->convention &&
                   call.params == sig->param_count);
        FUZZ_CHECK(call.returns == (ilpi_type_unmodified(sig->ret)->element != ILP_ELEMENT_VOID));
    }
}

static void round_trip(const struct ilp_sig *sig, struct ilp_arena *arena, struct ilpi_alloc *alloc)
{
    struct ilpi_buf text = {.alloc = alloc};
    struct ilpi_buf text_again = {.alloc = alloc};
    struct ilpi_buf bytes = {.alloc = alloc};
    struct ilpi_buf bytes_again = {.alloc = alloc};
    struct ilpi_buf measured = {0};
    uint32_t tokens = 0;
    struct ilpi_sig_map map = {&tokens, sig_same_token};
    struct ilp_sig *again;
    ilpi_sig_text(&text, sig, "M", NULL);
    FUZZ_CHECK(ilpi_sig_write(&bytes, sig, NULL, NULL) == ILP_OK);
    FUZZ_CHECK(ilpi_sig_write(&measured, sig, &map, NULL) == ILP_OK && measured.size == bytes.size);
    FUZZ_CHECK(ilp_sig_read(&again, ilpi_buf_bytes(&bytes), sig->kind, 0, arena, NULL) == ILP_OK);
    ilpi_sig_text(&text_again, again, "M", NULL);
    FUZZ_CHECK(ilpi_bytes_equal(ilpi_buf_bytes(&text), ilpi_buf_bytes(&text_again)));
    FUZZ_CHECK(ilpi_sig_write(&bytes_again, again, &map, NULL) == ILP_OK);
    FUZZ_CHECK(ilpi_bytes_equal(ilpi_buf_bytes(&bytes), ilpi_buf_bytes(&bytes_again)));
    ilpi_buf_free(&text);
    ilpi_buf_free(&text_again);
    ilpi_buf_free(&bytes);
    ilpi_buf_free(&bytes_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    enum ilp_sig_kind kind = (enum ilp_sig_kind)(data[0] % (ILP_SIG_STANDALONE + 1));
    struct ilp_bytes blob = {data + 1, size - 1};
    struct ilpi_alloc alloc;
    struct ilp_arena *arena;
    struct ilp_error error = {0};
    struct ilp_sig *sig = NULL;
    ilpi_alloc_init(&alloc, NULL);
    FUZZ_CHECK(ilp_arena_open(&arena, NULL, NULL) == ILP_OK);
    ilp_status status = ilp_sig_read(&sig, blob, kind, SIG_ORIGIN, arena, &error);
    if (status == ILP_OK) {
        FUZZ_CHECK(sig->kind == kind || kind == ILP_SIG_STANDALONE);
        FUZZ_CHECK(sig->param_count < size && sig->required_count <= sig->param_count);
        check_shape(blob, sig);
        round_trip(sig, arena, &alloc);
    } else {
        FUZZ_CHECK(error.status == status && error.message[0] != '\0');
        FUZZ_CHECK(error.offset >= SIG_ORIGIN && error.offset <= SIG_ORIGIN + blob.size);
        check_shape(blob, NULL);
    }
    FUZZ_CHECK(alloc.used == 0);
    ilp_arena_close(arena);
    return 0;
}
