/* src/inspect/async/state_machine.c: which MoveNext belongs to which method, by the attributes that
 * compilers make. That all of it runs is for tests/runtime/programs/async and iterators. */
#include "tests/unit/inspect_image.h"

#include "inspect/async/state_machine.h"

struct at_work {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
};

static void begin(struct at_work *work)
{
    ilpi_alloc_init(&work->alloc, NULL);
    work->arena = (struct ilp_arena){.alloc = &work->alloc};
}

static void end(struct at_work *work)
{
    ilpi_arena_free(&work->arena);
    assert_int_equal(work->alloc.used, 0);
}

/* ---- which MoveNext ---- */

#define OUTER   2u /* TypeDef rows, in the order in which they are made */
#define MACHINE 3u

/* An attribute with this text on method 1, in a module where N.Outer has a nested type of that
 * name. */
static const struct {
    const char *text, *machine, *move_next, *attribute;
    enum ilpi_state_machine_kind found;
} names[] = {
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute",
     ILPI_STATE_MACHINE_ASYNC},
    {"N.Outer+<M>d__0, App, Version=1.0.0.0", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute",
     ILPI_STATE_MACHINE_ASYNC},
    {"N.Outer+<M>d__0", "<M>d__0", "System.Runtime.IAsyncStateMachine.MoveNext",
     "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_ASYNC},
    {"N.Outer+<I<int\\[\\]\\,N-T>-M>d__0", "<I<int[],N-T>-M>d__0", "MoveNext",
     "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_ASYNC},
    {"N.Outer+a\\+b\\\\c", "a+b\\c", "MoveNext", "AsyncStateMachineAttribute",
     ILPI_STATE_MACHINE_ASYNC},
    {"N.Outer+a.b", "a.b", "MoveNext", "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_ASYNC},
    /* marks nothing */
    {"N.Outer+M\\", "M\\", "MoveNext", "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_ASYNC},
    {"N.Outer+a+b", "a+b", "MoveNext", "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_NONE},
    {"N.Outer+<M>d__1", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute",
     ILPI_STATE_MACHINE_NONE},
    {"<M>d__0", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_NONE},
    {"", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_NONE},
    {"N.Outer+", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", ILPI_STATE_MACHINE_NONE},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNextAsync", "AsyncStateMachineAttribute",
     ILPI_STATE_MACHINE_NONE},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNext", "IteratorStateMachineAttribute",
     ILPI_STATE_MACHINE_ITERATOR},
    {"N.Outer+<M>d__0", "<M>d__0", "System.Collections.IEnumerator.MoveNext",
     "IteratorStateMachineAttribute", ILPI_STATE_MACHINE_ITERATOR},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNext", "AsyncIteratorStateMachineAttribute",
     ILPI_STATE_MACHINE_ASYNC_ITERATOR},
    {"N.Outer+<M>d__1", "<M>d__0", "MoveNext", "IteratorStateMachineAttribute",
     ILPI_STATE_MACHINE_NONE},
    {"N.Outer+<M>d__0", "<M>d__0", "RemoveNext", "IteratorStateMachineAttribute",
     ILPI_STATE_MACHINE_NONE},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNextAsync", "AsyncIteratorStateMachineAttribute",
     ILPI_STATE_MACHINE_NONE},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNext", "StateMachineAttribute", ILPI_STATE_MACHINE_NONE},
};

enum { ITERATOR = 13 };

static struct ilp_image *named_machine(const char *text, size_t cut, size_t i)
{
    struct ib_image b;
    uint8_t blob[5000] = {1, 0};
    struct ib_bytes packed = {.data = NULL};
    ii_begin(&b, "App");
    ilp_token attribute = ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                      names[i].attribute);
    ii_type(&b, "N", "Outer", II_OBJECT);
    ii_method(&b, "M", "00 00 01");
    ii_type(&b, "", names[i].machine, II_OBJECT);
    ii_method(&b, "Other", "20 00 01");
    ii_method(&b, names[i].move_next, "20 00 01");
    IB_ROW(&b, NestedClass, MACHINE, OUTER);
    ilp_rid constructor = IB_ROW(&b, MemberRef, attribute, ib_string(&b, ".ctor"),
                                 ii_blob(&b, "20 00 01"));
    ib_packed(&packed, (uint32_t)strlen(text));
    size_t size = 2 + packed.size + strlen(text) + 2;
    assert_true(size <= sizeof blob);
    memcpy(blob + 2, packed.data, packed.size);
    memcpy(blob + 2 + packed.size, text, strlen(text));
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, 1), ILP_TOKEN(ILP_MemberRef, constructor),
           ib_blob(&b, blob, cut < size ? cut : size));
    ib_free(&packed);
    return built_root(&b);
}

/* Of the methods M, Other and the one that may be MoveNext, only those of an iterator belong to it
 * as a whole. */
static enum ilpi_state_machine_kind finds(struct ilp_image *image)
{
    struct at_work work;
    struct ilpi_state_machines machines = {NULL, NULL, NULL};
    struct ilpi_budget budget = {1000};
    begin(&work);
    assert_int_equal(ilpi_state_machines_find(image, &work.arena, &budget, &machines, NULL),
                     ILP_OK);
    enum ilpi_state_machine_kind kind = machines.kind_of[1];
    bool found = machines.move_next_of[1] != 0;
    bool whole = found && kind != ILPI_STATE_MACHINE_ASYNC;
    assert_int_equal(machines.move_next_of[1], found ? 3 : 0);
    assert_int_equal(machines.kickoff_of[3], found ? 1 : 0);
    assert_int_equal(machines.kickoff_of[2], whole ? 1 : 0);
    assert_int_equal(machines.kickoff_of[1] + machines.move_next_of[2] + machines.move_next_of[3],
                     0);
    assert_int_equal(machines.kind_of[2] + machines.kind_of[3], 0);
    assert_true(found || kind != ILPI_STATE_MACHINE_ASYNC); /* then it is a method like any other */
    end(&work);
    return found ? kind : ILPI_STATE_MACHINE_NONE;
}

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_image *image = named_machine(names[i].text, SIZE_MAX, i);
        if (finds(image) != names[i].found) {
            fail_msg("%s, %s", names[i].text, names[i].attribute);
        }
        close_built(image);
    }
}

/* A blob that ends early, and names that are longer than any. */
static void test_bad_names(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 2 + 1 + 15; cut++) {
        struct ilp_image *image = named_machine(names[0].text, cut, 0);
        assert_false(finds(image));
        close_built(image);
    }
    char text[4000];
    memset(text, 'x', sizeof text);
    memcpy(text, "N.Outer+", 8);
    for (size_t length = 2040; length < 2070; length++) {
        text[length] = '\0';
        struct ilp_image *image = named_machine(text, SIZE_MAX, 0);
        assert_false(finds(image));
        close_built(image);
        text[length] = 'x';
    }
}

/* An iterator that names no machine stays one. Many attributes on one large type are work that has
 * an end. */
static void test_marked(void **state)
{
    (void)state;
    struct ilp_image *image = named_machine("N.Other", SIZE_MAX, ITERATOR);
    struct at_work work;
    struct ilpi_state_machines machines;
    struct ilpi_budget budget = {1000};
    begin(&work);
    assert_int_equal(ilpi_state_machines_find(image, &work.arena, &budget, &machines, NULL),
                     ILP_OK);
    assert_int_equal(machines.kind_of[1], ILPI_STATE_MACHINE_ITERATOR);
    assert_int_equal(machines.move_next_of[1], 0);
    close_built(image);
    image = named_machine(names[ITERATOR].text, SIZE_MAX, ITERATOR);
    budget.left = 1;
    assert_int_equal(ilpi_state_machines_find(image, &work.arena, &budget, &machines, NULL),
                     ILP_E_TOO_LARGE);
    close_built(image);
    end(&work);
}

/* Fails at every allocation in turn. */
static void test_memory(void **state)
{
    (void)state;
    struct ilp_image *image = named_machine(names[0].text, SIZE_MAX, 0);
    size_t needed = 0;
    for (ilp_status status = ILP_E_NO_MEMORY; status != ILP_OK; needed += 16) {
        struct at_work work;
        struct ilpi_state_machines machines = {NULL, NULL, NULL};
        struct ilpi_budget budget = {1000};
        begin(&work);
        work.alloc.hook.limit = needed + 1;
        status = ilpi_state_machines_find(image, &work.arena, &budget, &machines, NULL);
        assert_true(status == ILP_OK || (status == ILP_E_NO_MEMORY && !machines.kickoff_of));
        end(&work);
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_marked),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
