/* Names that compilers make, as the source would call them. Those of C# were taken from a trace of
 * a program that csc of .NET 10 had compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/export/readable_name.c" /* the library has no tools in it */

struct row {
    const char *type, *name, *readable; /* NULL: as it is */
};

static const struct row rows[] = {
    /* lambdas */
    {"Shop.Program/<>c", "<Main>b__0_1", "Shop.Program.Main+lambda#1"},
    {"Shop.Program/<>c__DisplayClass0_0", "<RunAsync>b__0", "Shop.Program.RunAsync+lambda#0"},
    {"Shop.Program/<>c__DisplayClass1", "<Old>b__0", "Shop.Program.Old+lambda#0"},
    {"Shop.Program", "<Main>b__12_34", "Shop.Program.Main+lambda#34"},
    {"Shop.Box`1/<>c__5`1", "<Gen>b__5_0", "Shop.Box`1.Gen+lambda#0"},
    {"Shop.Box`1/<>c__DisplayClass4_0`1", "<Sum>b__0", "Shop.Box`1.Sum+lambda#0"},
    {"Shop.Box`1/<>c", "<get_P>b__8_0", "Shop.Box`1.get_P+lambda#0"},
    {"Shop.Box`1", "<.ctor>b__1_0", "Shop.Box`1..ctor+lambda#0"},
    {"Program/<>c", "<<Main>$>b__0_0", "Program.<Main>$+lambda#0"},
    {"A/B/<>c", "<I<C<int>>.M>b__0_0", "A/B.I<C<int>>.M+lambda#0"},
    {"<File>F1__C/<>c", "<Main>b__0_0", "<File>F1__C.Main+lambda#0"},
    /* local functions */
    {"Shop.Outer/Inner", "<Twice>g__Add|0_0", "Shop.Outer/Inner.Twice+Add"},
    {"Shop.Program/<>c__DisplayClass0_0", "<RunAsync>g__Local|1", "Shop.Program.RunAsync+Local"},
    {"Program", "<<Main>$>g__\xC3\x84pfel|0_2", "Program.<Main>$+\xC3\x84pfel"},
    /* state machines */
    {"Shop.Program/<RunAsync>d__0", "MoveNext", "Shop.Program.RunAsync+MoveNext"},
    {"Shop.Box`1/<AGen>d__6`1", "MoveNext", "Shop.Box`1.AGen+MoveNext"},
    {"Shop.Program/<Stream>d__1", ".ctor", "Shop.Program.Stream+.ctor"},
    {"S/<It>d__1", "System.IDisposable.Dispose", "S.It+System.IDisposable.Dispose"},
    {"Shop.Box`1/<System-Collections-IEnumerable-GetEnumerator>d__3", "MoveNext",
     "Shop.Box`1.System.Collections.IEnumerable.GetEnumerator+MoveNext"},
    {"Shop.Box`1/<>c/<<-ctor>b__1_1>d", "MoveNext", "Shop.Box`1..ctor+lambda#1+MoveNext"},
    {"Shop.Program/<>c__DisplayClass0_0/<<RunAsync>b__0>d", "MoveNext",
     "Shop.Program.RunAsync+lambda#0+MoveNext"},
    {"Shop.Program/<<RunAsync>g__It|0_2>d", "MoveNext", "Shop.Program.RunAsync+It+MoveNext"},
    {"Shop-1.A-B/<M>d__1", "MoveNext", "Shop-1.A-B.M+MoveNext"},
    {"Shop.Module/VB$StateMachine_3_RunAsync", "MoveNext", "Shop.Module.RunAsync+MoveNext"},
    /* what says nothing more, or is of none of these forms */
    {"Shop.Program", "Main", NULL},
    {"Shop.Program", "<Main>", NULL},
    {"Program", "<Main>$", NULL},
    {"Shop.Program/<>c", ".cctor", NULL},
    {"Shop.Program/<>c__DisplayClass0_0", ".ctor", NULL},
    {"Shop.Program/main@5-1", "Invoke", NULL},
    {"Shop.Module/_Closure$__", "_Lambda$__0-1", NULL},
    {"Shop.Program", "<>n__0", NULL},
    {"<>c", "<Main>b__0_0", NULL},
    {"", "<Main>b__0_0", NULL},
    {"<RunAsync>d__3", "MoveNext", NULL},
    {"/<RunAsync>d__3", "MoveNext", NULL},
    {"A/<RunAsync>d__3", "", NULL},
    {"A/<RunAsync>d", "MoveNext", NULL},
    {"A/<RunAsync>d__", "MoveNext", NULL},
    {"A/<RunAsync>d__03", "MoveNext", NULL},
    {"A/<RunAsync>d__3x", "MoveNext", NULL},
    {"A/<RunAsync>d__3`", "MoveNext", NULL},
    {"A/<RunAsync>d__3#1", "MoveNext", NULL},
    {"A/<>c/<RunAsync>d__3", "MoveNext", NULL},
    {"A/<Run+Async>d__3", "MoveNext", NULL},
    {"A/<RunAsync", "MoveNext", NULL},
    {"A/RunAsync>d__3", "MoveNext", NULL},
    {"A/>RunAsync<d__3", "MoveNext", NULL},
    {"A/VB$StateMachine_3_", "MoveNext", NULL},
    {"A/VB$StateMachine_RunAsync", "MoveNext", NULL},
    {"A", "<Main>b__0_0#1", NULL},
    {"A", "<Main>b__", NULL},
    {"A", "<Main>b__0_", NULL},
    {"A", "<Main>b__-1", NULL},
    {"A", "<>b__0_0", NULL},
    {"A", "<Main>b__0_0 ", NULL},
    {"A", " <Main>b__0_0", NULL},
    {"A", "<Ma<in>b__0_0", NULL},
    {"A", "<Main>g__Add", NULL},
    {"A", "<Main>g__|0_0", NULL},
    {"A", "<Main>g__Add|", NULL},
    {"A", "<Main>g__Add|0|0", NULL},
    {"A", "<Main>g__A<d|0_0", NULL},
    {"A", "<Main>h__Add|0_0", NULL},
    {"A/<>d", "<Main>b__0_0", NULL},
    {"A/<>c__DisplayClass", "<Main>b__0_0", NULL},
    {"A/<>c__5x", "<Main>b__0_0", NULL},
};

/* An exact copy, so that a read too far shows under ASan. */
static struct ilp_bytes copy_of(const char *text, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    return (struct ilp_bytes){copy, size};
}

static size_t read_into(const char *type, size_t type_size, const char *name, size_t name_size,
                        char *text, size_t room, size_t *of_type)
{
    struct ilp_bytes types = copy_of(type, type_size);
    struct ilp_bytes names = copy_of(name, name_size);
    size_t size = readable_name(types, names, text, room, of_type);
    free((void *)types.data);
    free((void *)names.data);
    return size;
}

static void names_are_those_of_the_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        char text[256];
        size_t of_type = 0;
        size_t size = read_into(row->type, strlen(row->type), row->name, strlen(row->name), text,
                                sizeof text - 1, &of_type);
        text[size] = '\0';
        assert_string_equal(text, row->readable ? row->readable : "");
        if (row->readable) {
            assert_int_equal(text[of_type], '.');
            assert_memory_equal(text, row->type, of_type);
        }
    }
}

/* All that is shorter, and all with another character, of any form: none is read too far, and no
 * name is longer than its room. */
static void any_bytes_are_a_name(void **state)
{
    static const char others[] = "<>|`/+$-_.#09bdgc\xFF";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char type[256], name[256], text[256];
        size_t type_size = strlen(rows[i].type), name_size = strlen(rows[i].name), of_type;
        memcpy(type, rows[i].type, type_size);
        memcpy(name, rows[i].name, name_size);
        for (size_t end = 0; end <= type_size; end++) {
            read_into(type, end, name, name_size, text, sizeof text, &of_type);
        }
        for (size_t end = 0; end <= name_size; end++) {
            read_into(type, type_size, name, end, text, sizeof text, &of_type);
        }
        for (size_t at = 0; at < type_size + name_size; at++) {
            char *changed = at < type_size ? &type[at] : &name[at - type_size];
            char was = *changed;
            for (size_t k = 0; k < sizeof others; k++) {
                *changed = others[k];
                read_into(type, type_size, name, name_size, text, sizeof text, &of_type);
            }
            *changed = was;
        }
        for (size_t room = 0; room < sizeof text; room++) {
            memset(text, '~', sizeof text);
            size_t size = read_into(type, type_size, name, name_size, text, room, &of_type);
            assert_true(size <= room && text[room] == '~');
            assert_true(size == 0 || of_type <= size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_source),
        cmocka_unit_test(any_bytes_are_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
