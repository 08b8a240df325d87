/* Verifies inserted sequences, each as a body of its own:
 *
 *   before ret        T value on the stack; sequence; ret
 *   at the entry      L: sequence; br L           L is reached with an empty stack, so the sequence
 *                                                 must leave it empty
 *
 * At a ret of a method without findings, the stack is one value of the returned type, so one proof
 * holds for all. See sequences.h. */
#include "verify/sequences.h"

#include "base/bytes.h"
#include "base/hash.h"

/* ---- places ---- */

static bool is_in(uint32_t offset, uint32_t start, uint32_t end)
{
    return offset >= start && offset < end;
}

/* Whether an instruction is in a protected block or handler, or is the label of the end of one. */
static bool is_protected(const struct ilp_body *body, uint32_t offset, bool *ends)
{
    bool is = false;
    *ends = false;
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        uint32_t try_end = clause->try_offset + clause->try_length;
        uint32_t end = clause->handler_offset + clause->handler_length;
        bool filter = clause->flags == ILPI_EH_FILTER;
        is = is || is_in(offset, clause->try_offset, try_end) ||
             is_in(offset, filter ? clause->token_or_filter : clause->handler_offset, end);
        *ends = *ends || offset == try_end || offset == end;
    }
    return is;
}

/* Before a ret there is only the value; a ret at the start of the sequence, which labels skip,
 * belongs to a tail call. *skipped: its size.
 *
 *   call; ret         [sequence] ret          entry 0
 *   tail. call; ret   [ret, sequence] ret     entry 1: labels skip the first ret */
static bool find_place(const struct ilpi_surroundings *around, const struct ilpi_inserted *inserted,
                       const uint8_t *bytes, bool *at_ret, uint32_t *skipped)
{
    const struct ilp_body *old = around->changed->old;
    bool ends;
    *skipped = 0;
    *at_ret = inserted->op == ILPI_OP_RET;
    if (*at_ret) {
        bool keeps = inserted->entry == 1 && inserted->size > 1 &&
                     bytes[0] == ilpi_opcodes[ILPI_OP_RET].value;
        bool is = is_protected(old, inserted->before, &ends);
        *skipped = keeps;
        if (is || inserted->after_tail != keeps || (keeps && ends)) {
            return false;
        }
        if (inserted->before == 0 && !keeps) { /* no label refers to it, if it is not the start */
            return around->returned.data[0] == ILP_ELEMENT_VOID &&
                   (inserted->entry == 0 || old->code.size == 1);
        }
        return keeps || inserted->entry == 0;
    }
    return inserted->before == 0 && inserted->entry == inserted->size;
}

/* ---- clauses ---- */

/* The clauses in it, relative to its start. */
static bool take_clauses(struct ilpi_sequences *sequences, const struct ilpi_surroundings *around,
                         const struct ilpi_inserted *inserted, uint32_t skipped)
{
    const struct ilp_body *new = around->changed->new;
    sequences->clauses.count = 0;
    for (size_t i = 0; i < around->changed->same->added_clauses; i++) {
        struct ilp_eh_clause clause = new->clauses[i];
        if (!ilpi_inserted_has(inserted, &clause)) {
            continue;
        }
        if (clause.try_offset - inserted->at < skipped ||
            clause.handler_offset - inserted->at < skipped) {
            return false;
        }
        clause.try_offset -= inserted->at + skipped;
        clause.handler_offset -= inserted->at + skipped;
        if (ILPI_LIST_ADD(sequences->alloc, &sequences->clauses, clause, NULL) != ILP_OK) {
            return false;
        }
    }
    return true;
}

/* ---- the verdict ---- */

/* The hash finds candidates; the key decides, byte by byte. */
static struct ilpi_known_sequence *find(const struct ilpi_sequences *sequences, uint64_t hash)
{
    struct ilpi_map_search search = ilpi_map_find(&sequences->map, hash);
    for (uint32_t number; (number = ilpi_map_next(&search)) != 0;) {
        struct ilpi_known_sequence *known = &sequences->known.items[number - 1];
        if (ilpi_bytes_equal(known->key, ilpi_buf_bytes(&sequences->key))) {
            return known;
        }
    }
    return NULL;
}

/* Without memory it is verified again next time. Only right sequences are remembered: a wrong one
 * ends the proof, and the whole body is verified. */
static void remember(struct ilpi_sequences *sequences, uint64_t hash, uint16_t max_stack)
{
    struct ilpi_known_sequence known = {.key.size = sequences->key.size, .max_stack = max_stack};
    known.key.data = ilpi_arena_copy(&sequences->keys, sequences->key.data, sequences->key.size);
    if (known.key.data &&
        ILPI_LIST_ADD(sequences->alloc, &sequences->known, known, NULL) == ILP_OK) {
        (void)ilpi_map_add(&sequences->map, sequences->alloc, hash,
                           (uint32_t)sequences->known.count, NULL);
    }
}

/* The sequence and an end as a body of its own. `br L` returns to its start, so that the join
 * checks that the stack is empty again. */
static bool make_body(struct ilpi_sequences *sequences, const struct ilpi_surroundings *around,
                      const struct ilpi_sequence *sequence)
{
    struct ilp_body body = *around->changed->new;
    sequences->code.size = sequences->body.size = 0;
    ilpi_buf_bytes_add(&sequences->code, sequence->code.data, sequence->code.size);
    if (sequence->at_ret) {
        ilpi_buf_u8(&sequences->code, (uint8_t)ilpi_opcodes[ILPI_OP_RET].value);
    } else {
        ilpi_buf_u8(&sequences->code, (uint8_t)ilpi_opcodes[ILPI_OP_BR].value);
        ilpi_buf_u32(&sequences->code, 0u - ((uint32_t)sequence->code.size + 5u));
    }
    body.fat = true;
    body.code = ilpi_buf_bytes(&sequences->code);
    body.clauses = sequences->clauses.items;
    body.clause_count = sequences->clauses.count;
    body.other = (struct ilp_bytes){NULL, 0};
    return sequences->code.status == ILP_OK &&
           ilpi_body_write(&sequences->body, &body, NULL) == ILP_OK;
}

/* Looks the verdict up by key, or runs the verifier. A larger MaxStack than one that was enough is
 * enough as well. */
static bool judge(struct ilpi_sequences *sequences, const struct ilpi_surroundings *around,
                  const struct ilpi_sequence *sequence, const struct ilpi_part_verifier *verifier)
{
    const struct ilpi_changed_body *changed = around->changed;
    uint16_t max_stack = changed->new->max_stack;
    if (!ilpi_sequence_key(&sequences->key, around, sequence)) {
        return false;
    }
    uint64_t hash = XXH3_64bits(sequences->key.data, sequences->key.size);
    struct ilpi_known_sequence *known = find(sequences, hash);
    if (known && known->max_stack <= max_stack) {
        return true;
    }
    if (!make_body(sequences, around, sequence) ||
        !verifier->is_right(verifier->user, changed->method, ilpi_buf_bytes(&sequences->body),
                            sequence->at_ret)) {
        return false;
    }
    if (known) {
        known->max_stack = max_stack;
    } else {
        remember(sequences, hash, max_stack);
    }
    return true;
}

/* Whether the same sequence was just judged: usually before the previous ret of the method. */
static bool is_as_before(const struct ilpi_sequence *sequence, const struct ilpi_sequence *before)
{
    return sequence->clause_count == 0 && before->clause_count == 0 && before->code.size != 0 &&
           sequence->at_ret == before->at_ret && ilpi_bytes_equal(sequence->code, before->code);
}

/* `before`: the last sequence of the method that was judged right; then this one. */
static bool is_right(struct ilpi_sequences *sequences, const struct ilpi_surroundings *around,
                     const struct ilpi_inserted *inserted,
                     const struct ilpi_part_verifier *verifier, struct ilpi_sequence *before)
{
    const uint8_t *bytes = around->changed->new->code.data + inserted->at;
    struct ilpi_sequence sequence;
    uint32_t skipped;
    if (!find_place(around, inserted, bytes, &sequence.at_ret, &skipped) ||
        !take_clauses(sequences, around, inserted, skipped)) {
        return false;
    }
    sequence.code = (struct ilp_bytes){bytes + skipped, inserted->size - skipped};
    sequence.clauses = sequences->clauses.items;
    sequence.clause_count = sequences->clauses.count;
    bool right = is_as_before(&sequence, before) || judge(sequences, around, &sequence, verifier);
    *before = sequence;
    return right;
}

/* `before` is the previous sequence: mostly the same one is inserted at many places (an epilog
 * before each ret), and a sequence equal to a right one is right without a look at it. */
bool ilpi_sequences_are_right(struct ilpi_sequences *sequences,
                              const struct ilpi_changed_body *changed,
                              const struct ilpi_part_verifier *verifier)
{
    struct ilpi_surroundings around = {.changed = changed};
    sequences->keys.alloc = sequences->key.alloc = sequences->alloc;
    sequences->code.alloc = sequences->body.alloc = sequences->alloc;
    struct ilpi_sequence before = {.clause_count = 0};
    bool right = ilpi_look_around(&around);
    for (size_t i = 0; i < changed->same->inserted.count && right; i++) {
        right = is_right(sequences, &around, &changed->same->inserted.items[i], verifier, &before);
    }
    return right;
}

void ilpi_sequences_free(struct ilpi_sequences *sequences)
{
    ilpi_buf_free(&sequences->key);
    ilpi_buf_free(&sequences->code);
    ilpi_buf_free(&sequences->body);
    ilpi_map_free(&sequences->map, sequences->alloc);
    ILPI_LIST_FREE(sequences->alloc, &sequences->known);
    ILPI_LIST_FREE(sequences->alloc, &sequences->clauses);
    ilpi_arena_free(&sequences->keys);
    *sequences = (struct ilpi_sequences){.alloc = sequences->alloc};
}
