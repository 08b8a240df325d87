/* Patterns of names and texts. Wildcards: `*` is any run of characters, `?` one character, `\`
 * makes the next character literal.
 *
 * PCRE2 is loaded when the first regular expression is compiled. Each compiled expression keeps the
 * functions it needs, so that matching loads nothing.
 *
 * Names can be any bytes: where they are not UTF-8, `?` takes one byte, and a regular expression
 * does not match across such bytes (PCRE2_MATCH_INVALID_UTF). */
#include "base/pattern.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/bytes.h"
#include "base/library.h"
#include "base/utf8.h"

/* By symbol name: the names in pcre2.h are macros for these. */
#define PCRE2_FUNCTIONS(F)            \
    F(pcre2_general_context_create_8) \
    F(pcre2_general_context_free_8)   \
    F(pcre2_compile_context_create_8) \
    F(pcre2_compile_context_free_8)   \
    F(pcre2_set_max_pattern_length_8) \
    F(pcre2_compile_8)                \
    F(pcre2_jit_compile_8)            \
    F(pcre2_code_free_8)              \
    F(pcre2_get_error_message_8)      \
    F(pcre2_pattern_info_8)           \
    F(pcre2_config_8)                 \
    F(pcre2_match_data_create_8)      \
    F(pcre2_match_data_free_8)        \
    F(pcre2_match_context_create_8)   \
    F(pcre2_match_context_free_8)     \
    F(pcre2_set_match_limit_8)        \
    F(pcre2_set_depth_limit_8)        \
    F(pcre2_set_heap_limit_8)         \
    F(pcre2_jit_stack_create_8)       \
    F(pcre2_jit_stack_assign_8)       \
    F(pcre2_jit_stack_free_8)         \
    F(pcre2_match_8)

struct pcre2 {
    PCRE2_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

/* The step limit of one match. A name of 1,000 characters against a sensible expression takes some
 * thousand steps. */
#define MATCH_LIMIT    100000u
#define DEPTH_LIMIT    1000u
#define HEAP_LIMIT_KIB 4096u

/* The same with fixed memory, where other threads wait for the result. PCRE2 counts no steps within
 * repeats of one character. */
#define FIXED_MATCH_LIMIT 10000u
#define FIXED_HEAP_KIB    160u

/* PCRE2 begins with 20 KiB of frames, and doubles them while it keeps the old ones. */
#define FIXED_ROOM  (512u * 1024)
#define FIXED_STACK (128u * 1024)

/* The same for wildcards, in character comparisons. */
#define MAX_COMPARISONS 1000000u

/* No sensible expression over names is longer. */
#define MAX_REGEX 32768u

/* ---- memory: PCRE2 frees without a size, so each block stores its own ---- */

#define SIZE_ROOM 16u /* keeps what follows aligned for anything */

static void *allocate(size_t size, void *user)
{
    struct ilpi_alloc *alloc = user;
    uint8_t *block = size <= SIZE_MAX - SIZE_ROOM ? ilpi_resize(alloc, NULL, 0, size + SIZE_ROOM)
                                                  : NULL;
    if (!block) {
        return NULL;
    }
    memcpy(block, &size, sizeof size);
    return block + SIZE_ROOM;
}

static void give_back(void *block, void *user)
{
    struct ilpi_alloc *alloc = user;
    if (block) {
        size_t size;
        uint8_t *start = (uint8_t *)block - SIZE_ROOM;
        memcpy(&size, start, sizeof size);
        ilpi_resize(alloc, start, size + SIZE_ROOM, 0);
    }
}

/* ---- compiling ---- */

struct ilpi_pattern_compiler {
    struct ilpi_alloc *alloc; /* borrowed */
    struct pcre2 pcre2;
    pcre2_general_context *memory;  /* by which PCRE2 allocates from `alloc` */
    pcre2_compile_context *context; /* the limits of compiling */
};

struct ilpi_regex {
    struct ilpi_alloc *alloc; /* borrowed; must outlive it */
    struct pcre2 pcre2;       /* a copy, so that it needs no compiler to be matched or freed */
    pcre2_code *code;
    size_t machine_code; /* its size, which is counted as memory */
};

static ilp_status load_pcre2(struct pcre2 *pcre2, struct ilp_error *error)
{
    static const struct ilpi_library_function names[] = {PCRE2_FUNCTIONS(ILPI_LIBRARY_NAME)};
    ilp_status status = ilpi_library_load(PCRE2_SONAME, names, sizeof names / sizeof names[0],
                                          pcre2, sizeof *pcre2);
    switch (status) {
    case ILP_OK: return status;
    case ILP_E_NO_MEMORY: return ilpi_fail_memory(error, 0);
    default:
        return ilpi_fail(error, ILP_E_NO_LIBRARY, ILPI_NO_OFFSET, 0,
                         "regular expressions are those of PCRE2, but " PCRE2_SONAME
                         " is not installed (Debian: libpcre2-8-0)");
    }
}

static ilp_status open_compiler(struct ilpi_pattern_compiler *compiler, struct ilp_error *error)
{
    const struct pcre2 *pcre2 = &compiler->pcre2;
    ILPI_TRY(load_pcre2(&compiler->pcre2, error));
    compiler->memory = pcre2->pcre2_general_context_create(allocate, give_back, compiler->alloc);
    compiler->context = compiler->memory ? pcre2->pcre2_compile_context_create(compiler->memory)
                                         : NULL;
    if (!compiler->context) {
        return ilpi_fail_memory(error, 0);
    }
    pcre2->pcre2_set_max_pattern_length(compiler->context, MAX_REGEX);
    return ILP_OK;
}

ilp_status ilpi_pattern_compiler_open(struct ilpi_pattern_compiler **out, struct ilpi_alloc *alloc,
                                      struct ilp_error *error)
{
    *out = ilpi_resize(alloc, NULL, 0, sizeof **out);
    if (!*out) {
        return ilpi_fail_memory(error, sizeof **out);
    }
    **out = (struct ilpi_pattern_compiler){.alloc = alloc};
    ilp_status status = open_compiler(*out, error);
    if (status != ILP_OK) {
        ilpi_pattern_compiler_close(*out);
        *out = NULL;
    }
    return status;
}

void ilpi_pattern_compiler_close(struct ilpi_pattern_compiler *compiler)
{
    if (!compiler) {
        return;
    }
    if (compiler->memory) {
        compiler->pcre2.pcre2_compile_context_free(compiler->context);
        compiler->pcre2.pcre2_general_context_free(compiler->memory);
    }
    ilpi_resize(compiler->alloc, compiler, sizeof *compiler, 0);
}

/* Without a JIT compiler for this machine PCRE2 uses its interpreter: slower, the same results. So
 * do large sets of expressions, and those that are matched seldom. */
static ilp_status compile_for_machine(struct ilpi_regex *regex, const struct ilpi_pattern *pattern,
                                      struct ilp_error *error)
{
    size_t size = 0;
    if (pattern->seldom || ilpi_alloc_is_short(regex->alloc)) {
        return ILP_OK;
    }
    regex->pcre2.pcre2_jit_compile(
        regex->code, PCRE2_JIT_COMPLETE | (pattern->of_starts ? PCRE2_JIT_PARTIAL_HARD : 0));
    regex->pcre2.pcre2_pattern_info(regex->code, PCRE2_INFO_JITSIZE, &size);
    if (!ilpi_alloc_charge(regex->alloc, size)) {
        return ilpi_fail_memory(error, size);
    }
    regex->machine_code = size;
    return ILP_OK;
}

/* PCRE2_NEVER_BACKSLASH_C: \C would split a UTF-8 sequence. PCRE2_DOLLAR_ENDONLY: names have no
 * line ends, and `$` means the end only. */
static ilp_status compile(struct ilpi_regex *regex, const struct ilpi_pattern *pattern,
                          struct ilpi_pattern_compiler *compiler, struct ilp_error *error)
{
    static const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                                    PCRE2_DOLLAR_ENDONLY;
    const struct pcre2 *pcre2 = &regex->pcre2;
    int code;
    size_t offset;
    regex->code = pcre2->pcre2_compile(pattern->text.data, pattern->text.size, options, &code,
                                       &offset, compiler->context);
    if (!regex->code) {
        PCRE2_UCHAR message[160] = "";
        if (code == PCRE2_ERROR_HEAP_FAILED) {
            return ilpi_fail_memory(error, pattern->text.size);
        }
        pcre2->pcre2_get_error_message(code, message, sizeof message);
        ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "%s", (const char *)message);
        if (error) {
            error->column = (uint32_t)offset;
        }
        return ILP_E_BAD_RULES;
    }
    return compile_for_machine(regex, pattern, error);
}

ilp_status ilpi_pattern_compile(struct ilpi_pattern *pattern,
                                struct ilpi_pattern_compiler *compiler, struct ilp_error *error)
{
    if (pattern->kind != ILPI_PATTERN_REGEX) {
        return ILP_OK;
    }
    struct ilpi_regex *regex = ilpi_resize(compiler->alloc, NULL, 0, sizeof *regex);
    if (!regex) {
        return ilpi_fail_memory(error, sizeof *regex);
    }
    *regex = (struct ilpi_regex){.alloc = compiler->alloc, .pcre2 = compiler->pcre2};
    pattern->regex = regex;
    ilp_status status = compile(regex, pattern, compiler, error);
    if (status != ILP_OK) {
        ilpi_pattern_free(pattern);
    }
    return status;
}

/* Machine code is not from the allocator: its size was charged when it was made, and is discharged
 * here. */
void ilpi_pattern_free(struct ilpi_pattern *pattern)
{
    struct ilpi_regex *regex = pattern->regex;
    if (regex) {
        ilpi_alloc_discharge(regex->alloc, regex->machine_code);
        regex->pcre2.pcre2_code_free(regex->code);
        ilpi_resize(regex->alloc, regex, sizeof *regex, 0);
    }
    pattern->regex = NULL;
}

/* ---- matching ---- */

/* One block of memory that a match takes its allocations from. */
struct fixed_memory {
    struct ilpi_alloc *alloc;
    uint8_t *room; /* owned; NULL: memory still comes from `alloc` */
    size_t used;
    size_t blocks; /* in use; at 0 the room is reset */
};

struct ilpi_pattern_matcher {
    struct ilpi_alloc *alloc;
    struct pcre2 pcre2;
    struct fixed_memory fixed; /* of matchers with fixed memory */
    pcre2_general_context *memory;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack; /* of its own; NULL: the thread's default */
};

/* Blocks follow one another, and none is reused before all are given back. What was allocated
 * before the room existed (contexts, stack) is given back to the allocator. */
static void *take_fixed(size_t size, void *user)
{
    struct fixed_memory *fixed = user;
    size_t rounded = (size + SIZE_ROOM - 1) & ~(size_t)(SIZE_ROOM - 1);
    if (!fixed->room) {
        return allocate(size, fixed->alloc);
    }
    if (size > FIXED_ROOM || rounded > FIXED_ROOM - fixed->used) {
        return NULL;
    }
    void *block = fixed->room + fixed->used;
    fixed->used += rounded;
    fixed->blocks++;
    return block;
}

static bool is_in_room(const struct fixed_memory *fixed, const void *block)
{
    uintptr_t room = (uintptr_t)fixed->room;
    uintptr_t at = (uintptr_t)block;
    return fixed->room && at >= room && at - room < FIXED_ROOM;
}

static void give_back_fixed(void *block, void *user)
{
    struct fixed_memory *fixed = user;
    if (!is_in_room(fixed, block)) {
        give_back(block, fixed->alloc);
    } else if (--fixed->blocks == 0) {
        fixed->used = 0;
    }
}

/* `memory` is the matcher's, or NULL if it could not be allocated. */
static ilp_status open_matcher(struct ilpi_pattern_matcher *matcher, struct ilp_error *error)
{
    const struct pcre2 *pcre2 = &matcher->pcre2;
    if (matcher->memory) {
        matcher->data = pcre2->pcre2_match_data_create(1, matcher->memory);
        matcher->context = pcre2->pcre2_match_context_create(matcher->memory);
    }
    if (!matcher->data || !matcher->context) {
        return ilpi_fail_memory(error, 0);
    }
    pcre2->pcre2_set_match_limit(matcher->context, MATCH_LIMIT);
    pcre2->pcre2_set_depth_limit(matcher->context, DEPTH_LIMIT);
    pcre2->pcre2_set_heap_limit(matcher->context, HEAP_LIMIT_KIB);
    return ILP_OK;
}

static struct ilpi_pattern_matcher *
new_matcher(struct ilpi_alloc *alloc, const struct ilpi_pattern *regex, struct ilp_error *error)
{
    struct ilpi_pattern_matcher *matcher = ilpi_resize(alloc, NULL, 0, sizeof *matcher);
    if (!matcher) {
        ilpi_note_memory(error, sizeof *matcher);
        return NULL;
    }
    *matcher = (struct ilpi_pattern_matcher){
        .alloc = alloc, .pcre2 = regex->regex->pcre2, .fixed.alloc = alloc};
    return matcher;
}

/* Passes the matcher out, or frees it after a failure. */
static ilp_status give_matcher(struct ilpi_pattern_matcher **out,
                               struct ilpi_pattern_matcher *matcher, ilp_status status)
{
    *out = status == ILP_OK ? matcher : NULL;
    if (!*out) {
        ilpi_pattern_matcher_close(matcher);
    }
    return status;
}

ilp_status ilpi_pattern_matcher_open(struct ilpi_pattern_matcher **out, struct ilpi_alloc *alloc,
                                     const struct ilpi_pattern *regex, struct ilp_error *error)
{
    *out = NULL;
    struct ilpi_pattern_matcher *matcher = new_matcher(alloc, regex, error);
    if (!matcher) {
        return ILP_E_NO_MEMORY;
    }
    matcher->memory = matcher->pcre2.pcre2_general_context_create(allocate, give_back, alloc);
    return give_matcher(out, matcher, open_matcher(matcher, error));
}

/* Compiled code gets a stack of its own, which never grows. Where PCRE2 has no JIT compiler, its
 * interpreter keeps its frames in the room. */
static ilp_status open_fixed(struct ilpi_pattern_matcher *matcher, struct ilp_error *error)
{
    const struct pcre2 *pcre2 = &matcher->pcre2;
    uint32_t compiles = 0;
    matcher->memory = pcre2->pcre2_general_context_create(take_fixed, give_back_fixed,
                                                          &matcher->fixed);
    ILPI_TRY(open_matcher(matcher, error));
    pcre2->pcre2_set_match_limit(matcher->context, FIXED_MATCH_LIMIT);
    pcre2->pcre2_set_heap_limit(matcher->context, FIXED_HEAP_KIB);
    pcre2->pcre2_config(PCRE2_CONFIG_JIT, &compiles);
    if (compiles) {
        matcher->stack = pcre2->pcre2_jit_stack_create(FIXED_STACK, FIXED_STACK, matcher->memory);
        if (!matcher->stack) {
            return ilpi_fail_memory(error, FIXED_STACK);
        }
        pcre2->pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    }
    matcher->fixed.room = ilpi_resize(matcher->alloc, NULL, 0, FIXED_ROOM);
    return matcher->fixed.room ? ILP_OK : ilpi_fail_memory(error, FIXED_ROOM);
}

ilp_status ilpi_pattern_matcher_open_fixed(struct ilpi_pattern_matcher **out,
                                           struct ilpi_alloc *alloc,
                                           const struct ilpi_pattern *regex,
                                           struct ilp_error *error)
{
    *out = NULL;
    struct ilpi_pattern_matcher *matcher = new_matcher(alloc, regex, error);
    return matcher ? give_matcher(out, matcher, open_fixed(matcher, error)) : ILP_E_NO_MEMORY;
}

void ilpi_pattern_matcher_close(struct ilpi_pattern_matcher *matcher)
{
    if (matcher) {
        const struct pcre2 *pcre2 = &matcher->pcre2;
        pcre2->pcre2_jit_stack_free(matcher->stack);
        pcre2->pcre2_match_context_free(matcher->context);
        pcre2->pcre2_match_data_free(matcher->data);
        pcre2->pcre2_general_context_free(matcher->memory);
        ilpi_resize(matcher->alloc, matcher->fixed.room, matcher->fixed.room ? FIXED_ROOM : 0, 0);
        ilpi_resize(matcher->alloc, matcher, sizeof *matcher, 0);
    }
}

/* The result of pcre2_match(): a match, PCRE2_ERROR_NOMATCH, or another error. */
static int run_regex(const struct ilpi_pattern *pattern, const struct ilpi_pattern_matcher *matcher,
                     struct ilp_bytes text, uint32_t options)
{
    static const uint8_t empty;
    const struct ilpi_regex *regex = pattern->regex;
    return regex->pcre2.pcre2_match(regex->code, text.data ? text.data : &empty, text.size, 0,
                                    options, matcher->data, matcher->context);
}

static enum ilp_tristate match_regex(const struct ilpi_pattern *pattern,
                                     const struct ilpi_pattern_matcher *matcher,
                                     struct ilp_bytes text)
{
    int result = run_regex(pattern, matcher, text, 0);
    if (result >= 0) {
        return ILP_YES;
    }
    return result == PCRE2_ERROR_NOMATCH ? ILP_NO : ILP_UNKNOWN;
}

/* PCRE2_PARTIAL_HARD stops where a match would have to look past the end, so a full match did not
 * need to. NOMATCH holds for the whole text only if a match must begin at its start. */
enum ilp_tristate ilpi_pattern_match_start(const struct ilpi_pattern *pattern,
                                           const struct ilpi_pattern_matcher *matcher,
                                           struct ilp_bytes start)
{
    uint32_t options = 0;
    int result = run_regex(pattern, matcher, start, PCRE2_PARTIAL_HARD);
    if (result >= 0) {
        return ILP_YES;
    }
    pattern->regex->pcre2.pcre2_pattern_info(pattern->regex->code, PCRE2_INFO_ALLOPTIONS, &options);
    return result == PCRE2_ERROR_NOMATCH && (options & PCRE2_ANCHORED) != 0 ? ILP_NO : ILP_UNKNOWN;
}

/* The length of the character at `at`; 1 for a byte that is not UTF-8. */
static size_t character(const uint8_t *at, const uint8_t *end)
{
    uint32_t code;
    unsigned length = ilpi_utf8_read(at, (size_t)(end - at), &code);
    return length != 0 ? length : 1;
}

/* On a mismatch the last `*` takes one more character. Earlier ones need not be tried again: any
 * match that they allow, the last one allows as well. So the steps are at most the product of both
 * sizes, and not exponential; MAX_COMPARISONS limits that as well. */
static enum ilp_tristate match_like(struct ilp_bytes pattern, struct ilp_bytes text)
{
    const uint8_t *p = pattern.data;
    const uint8_t *pattern_end = p + pattern.size;
    const uint8_t *t = text.data;
    const uint8_t *end = t + text.size;
    const uint8_t *star = NULL;   /* after the last `*` of the pattern; NULL: none yet */
    const uint8_t *resume = NULL; /* where the text after the run of that `*` is tried */
    for (uint32_t comparisons = 0; comparisons < MAX_COMPARISONS; comparisons++) {
        if (p != pattern_end && *p == '*') {
            star = ++p;
            resume = t;
            continue;
        }
        if (p == pattern_end && t == end) {
            return ILP_YES;
        }
        bool matched = false;
        if (p != pattern_end && t != end) {
            bool literal = *p == '\\' && p + 1 != pattern_end;
            matched = (*p == '?' && !literal) || p[literal] == *t;
            if (matched) {
                t += *p == '?' ? character(t, end) : 1;
                p += literal ? 2 : 1;
            }
        }
        if (!matched) {
            if (!star || resume == end) {
                return ILP_NO;
            }
            resume += character(resume, end);
            t = resume;
            p = star;
        }
    }
    return ILP_UNKNOWN;
}

enum ilp_tristate ilpi_pattern_match(const struct ilpi_pattern *pattern,
                                     const struct ilpi_pattern_matcher *matcher,
                                     struct ilp_bytes text)
{
    switch (pattern->kind) {
    case ILPI_PATTERN_EXACT: return ilpi_bytes_equal(pattern->text, text) ? ILP_YES : ILP_NO;
    case ILPI_PATTERN_LIKE: return match_like(pattern->text, text);
    case ILPI_PATTERN_REGEX: return match_regex(pattern, matcher, text);
    }
    return ILP_NO;
}
