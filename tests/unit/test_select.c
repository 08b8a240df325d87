/* src/rules/select.c, rules.c, explain.c: rules that are looked up by their names decide as a plain
 * walk over all of them would; looking up is what happens; memory that runs out; a budget that is
 * spent. */
#include "tests/unit/rules_test.h"
#include "tests/unit/test_inputs.h"

#include <ctype.h>

static uint32_t random_below(uint32_t limit)
{
    static uint32_t state = 0x12345679;
    return xorshift_below(&state, limit);
}

static void put(struct ib_bytes *text, const char *more)
{
    ib_put(text, more, strlen(more));
}

/* ---- all rules, one after the other ---- */

static void plain_select(struct ilp_selector *selector, ilp_token method,
                         struct ilp_selection *selection)
{
    const struct ilp_rules *rules = selector->rules;
    assert_int_equal(ilpi_select_begin(selector, method, selection, NULL), ILP_OK);
    selector->match.one_by_one = true;
    for (uint32_t i = 0; i < rules->rules.count; i++) {
        enum ilp_tristate outcome;
        if (!rules->rules.items[i].head.enabled) {
            continue;
        }
        assert_int_equal(ilpi_conditions_hold(&selector->match, rules->rules.items[i].conditions,
                                              &outcome, NULL),
                         ILP_OK);
        if (outcome != ILP_NO) {
            selection->rule = i;
            selection->action = rules->rules.items[i].head.action;
            selection->included = rules->rules.items[i].head.exclude ? ILP_NO : ILP_YES;
            if (outcome == ILP_UNKNOWN) {
                selection->included = ILP_UNKNOWN;
                snprintf(selection->detail, sizeof selection->detail, "%s",
                         selector->match.facts.why);
            }
            return;
        }
    }
}

static void same_selection(const struct ilp_selection *a, const struct ilp_selection *b,
                           ilp_token method, const struct ib_bytes *xml)
{
    if (a->rule != b->rule || a->included != b->included || strcmp(a->detail, b->detail) != 0 ||
        memcmp(&a->action, &b->action, sizeof a->action) != 0) {
        fail_msg("%08X: rule %u (%d), expected %u (%d)\n%.*s", method, a->rule, a->included,
                 b->rule, b->included, (int)xml->size, (const char *)xml->data);
    }
}

/* ---- random rules ---- */

/* Texts of the methods of an image, so that literal names do meet some. */
struct names {
    struct ilp_image *image;
    struct ilp_arena *arena;
};

static void put_escaped(struct ib_bytes *xml, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<': put(xml, "&lt;"); break;
        case '&': put(xml, "&amp;"); break;
        case '\'': put(xml, "&apos;"); break;
        default: put(xml, (const char[]){*text, '\0'}); break;
        }
    }
}

/* One name of a random method: most meet few methods, some meet none, and one in four is a
 * neighbour's. */
static void put_name(struct ib_bytes *xml, const struct names *names, const char *element)
{
    ilp_rid rid = 1 + random_below(ilp_row_count(names->image, ILP_MethodDef));
    const char *text = NULL;
    const char *name_space = "";
    ilp_arena_reset(names->arena);
    if (strcmp(element, "signature") == 0) {
        assert_int_equal(
            ilp_method_text(names->image, ILP_TOKEN(ILP_MethodDef, rid), names->arena, &text, NULL),
            ILP_OK);
    } else if (strcmp(element, "type") == 0) {
        ilp_token owner = ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(names->image, rid));
        assert_int_equal(ilp_type_text(names->image, owner, names->arena, &text, NULL), ILP_OK);
    } else if (strcmp(element, "namespace") == 0) {
        ilpi_type_name(names->image, ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(names->image, rid)),
                       &name_space, &text);
        text = name_space;
    } else {
        text = name_at(names->image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    }
    bool usable = random_below(8) != 0;
    for (const char *at = text; *at;
         at++) { /* no UTF-8, or a wildcard: not in a file, not in name= */
        usable = usable && (*at & 0x80) == 0 && !strchr("*?", *at);
    }
    put(xml, "<");
    put(xml, element);
    put(xml, strcmp(element, "signature") == 0 ? " text='" : " name='");
    put_escaped(xml, usable ? text : "Nobody");
    put(xml, "'/>");
}

/* A pattern of a piece of such a name: it is found by a part of that, or by none. */
static void put_pattern(struct ib_bytes *xml, const struct names *names, const char *element)
{
    static const char *const around[][3] = {
        {"like", "*", "*"},   {"like", "*", ""},       {"like", "", "*"},
        {"like", "", ""},     {"like", "?", "*"},      {"like", "*e*", "*"},
        {"regex", "", ""},    {"regex", "^", ""},      {"regex", "", "$"},
        {"regex", "", "?"},   {"regex", "", "+[a-z]"}, {"regex", "(?i)", ""},
        {"regex", "", "|e$"}, {"regex", "(I|V)?", ""}, {"regex", "[A-Z].*", ""},
    };
    ilp_rid rid = 1 + random_below(ilp_row_count(names->image, ILP_MethodDef));
    ilp_token owner = ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(names->image, rid));
    const char *text = name_at(names->image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    const char *ignored;
    char piece[16] = "";
    size_t size = 0;
    ilp_arena_reset(names->arena);
    if (strcmp(element, "type") == 0) {
        assert_int_equal(ilp_type_text(names->image, owner, names->arena, &text, NULL), ILP_OK);
    } else if (strcmp(element, "namespace") == 0) {
        ilpi_type_name(names->image, owner, &text, &ignored);
    }
    size_t length = strlen(text);
    text += random_below(2) == 0 || length == 0 ? 0 : random_below((uint32_t)length);
    for (size_t most = 1 + random_below(14); size < most && isalnum((unsigned char)text[size]);) {
        piece[size] = text[size];
        size++;
    }
    const char *const *form = around[random_below(COUNT(around))];
    const char *const parts[] = {
        "<", element, " ", form[0], "='", form[1], size != 0 ? piece : "Nobody", form[2], "'/>"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        put(xml, parts[i]);
    }
}

static void put_condition(struct ib_bytes *xml, const struct names *names, unsigned depth);

static void put_few(struct ib_bytes *xml, const struct names *names, unsigned depth)
{
    for (uint32_t n = 1 + random_below(3); n != 0; n--) {
        put_condition(xml, names, depth);
    }
}

/* So many conditions that their group has an index: names, patterns and others, each in a group of
 * its own; in <all> and <not> mostly a <not>. Or of the type alone. */
static void put_many(struct ib_bytes *xml, const struct names *names, bool negated)
{
    static const char *const around[] = {"not", "all", "any"};
    bool of_type = random_below(4) == 0;
    for (uint32_t n = 8 + random_below(20); n != 0; n--) {
        uint32_t other = random_below(8);
        const char *group = around[other < 3 ? other : negated ? 0 : 1];
        put(xml, "<");
        put(xml, group);
        put(xml, ">");
        if (of_type) {
            put_pattern(xml, names, random_below(2) == 0 ? "type" : "namespace");
        } else {
            put_few(xml, names, 3);
        }
        put(xml, "</");
        put(xml, group);
        put(xml, ">");
    }
}

static void put_condition(struct ib_bytes *xml, const struct names *names, unsigned depth)
{
    static const char *const elements[] = {"signature", "type", "method", "namespace"};
    static const char *const others[] = {
        "<method like='*e*'/>",
        "<method regex='^[A-Mg]'/>",
        "<type nested='yes'/>",
        "<method static='yes'/>",
        "<return kind='struct'/>",
        "<return kind='class enum'/>",
        "<return larger-than='8'/>",
        "<method role='accessor'/>",
        "<affected-by bug='x86-struct-return'/>",
        "<assembly version='(,1.5]'/>",
        "<assembly name='Other'/>",
        "<body min-size='3'/>",
        "<attribute like='*' on='method type'/>",
        "<attribute like='*Generated*' on='method type'/>",
        "<attribute regex='Attribute$' on='type'/>",
        "<attribute name='System.ObsoleteAttribute'/>",
        "<attribute like='System.Ob*' on='assembly method'/>",
        "<attribute name='System.Runtime.CompilerServices.CompilerGeneratedAttribute' on='type'/>",
        "<type visibility='public'/>",
    };
    static const char *const groups[] = {"all", "any", "not"};
    uint32_t kind = random_below(depth < 3 ? 10 : 7);
    if (kind < 4 && random_below(2) == 0) {
        put_pattern(xml, names, elements[kind == 0 ? 2 : kind]);
    } else if (kind < 4) {
        put_name(xml, names, elements[kind]);
    } else if (kind < 7) {
        put(xml, others[random_below(COUNT(others))]);
    } else {
        put(xml, "<");
        put(xml, groups[kind - 7]);
        put(xml, ">");
        if (random_below(4) == 0) {
            put_many(xml, names, kind != 8);
        } else {
            put_few(xml, names, depth + 1);
        }
        put(xml, "</");
        put(xml, groups[kind - 7]);
        put(xml, ">");
    }
}

static void put_rules(struct ib_bytes *xml, const struct names *names)
{
    put(xml, "<rules>");
    for (uint32_t n = random_below(20); n != 0; n--) {
        bool exclude = random_below(3) == 0;
        put(xml, exclude ? "\n<exclude" : "\n<include");
        put(xml, random_below(8) == 0 ? " enabled='no'" : "");
        put(xml, !exclude && random_below(2) == 0 ? " pass='value' inspector='i'" : "");
        put(xml, ">");
        uint32_t size = random_below(12);
        if (size == 1) {
            put_many(xml, names, true);
        } else if (size != 0) {
            put_few(xml, names, 0);
        }
        put(xml, exclude ? "</exclude>" : "</include>");
    }
    put(xml, "\n</rules>");
}

static ilp_status ignore_trace(void *user, const struct ilp_rule_trace *trace)
{
    (void)user;
    (void)trace;
    return ILP_OK;
}

struct counts {
    unsigned none;
    unsigned yes;
    unsigned no;
    unsigned unknown;
};

/* One set of rules on all methods of an image, from two files. */
static void compare(const struct rt_app *app, const struct names *names, struct counts *counts)
{
    struct ilp_rules *rules;
    struct ib_bytes xml = {0};
    put_rules(&xml, names);
    size_t first = xml.size;
    put_rules(&xml, names);
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    const struct ilp_bytes files[] = {{xml.data, first}, {xml.data + first, xml.size - first}};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct ilp_error error = {0};
        if (ilp_rules_add(rules, files[i], "r.xml", &error) != ILP_OK) {
            fail_msg("%s\n%.*s", error.message, (int)files[i].size, (const char *)files[i].data);
        }
    }
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    struct ilp_selector *plain = rt_selector(app, rules, ILP_TARGET_AUTO);
    bool possible;
    assert_int_equal(ilpi_select_any(selector, &possible, NULL), ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(app->image, ILP_MethodDef); rid++) {
        ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
        struct ilp_selection selection;
        struct ilp_selection explained;
        struct ilp_selection expected;
        plain_select(plain, method, &expected);
        assert_int_equal(ilp_select(selector, method, &selection, NULL), ILP_OK);
        same_selection(&selection, &expected, method, &xml);
        assert_true(possible || selection.included != ILP_YES);
        if (rid % 8 == 0) {
            assert_int_equal(ilp_explain(selector, method, ignore_trace, NULL, &explained, NULL),
                             ILP_OK);
            same_selection(&explained, &expected, method, &xml);
        }
        counts->none += selection.rule == ILP_NO_RULE;
        counts->yes += selection.included == ILP_YES;
        counts->no += selection.rule != ILP_NO_RULE && selection.included == ILP_NO;
        counts->unknown += selection.included == ILP_UNKNOWN;
    }
    ilp_selector_close(plain);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    ib_free(&xml);
}

static struct counts compare_image(const struct rt_app *app, unsigned times)
{
    struct names names = {app->image, NULL};
    struct counts counts = {0};
    assert_int_equal(ilp_arena_open(&names.arena, NULL, NULL), ILP_OK);
    for (unsigned i = 0; i < times; i++) {
        compare(app, &names, &counts);
    }
    ilp_arena_close(names.arena);
    assert_true(counts.none > 0 && counts.yes > 0 && counts.no > 0);
    return counts;
}

static void test_random_built(void **state)
{
    assert_true(compare_image(*state, 1500).unknown > 1000);
}

static void test_random_files(void **state)
{
    static const char *const files[] = {"good-csharp.dll", "good-il.dll", "good-uncompressed.dll"};
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct rt_app app = {0};
        struct ilp_bytes bytes = load(files[i]);
        app.image = open_image(bytes, ILP_LAYOUT_FILE);
        compare_image(&app, 300);
        ilp_image_close(app.image);
        drop(bytes);
    }
}

/* What the assembly alone decides: "Rules" is its name. */
static void test_any(void **state)
{
    static const struct {
        const char *rules;
        bool possible;
    } cases[] = {
        {"", false},
        {"<include/>", true},
        {"<include enabled='no'/>", false},
        /* that takes more than the assembly */
        {"<include><method name='Nobody'/></include>", true},
        {"<include><assembly name='Other'/><method name='M'/></include>", false},
        {"<include><assembly name='Other'/></include><include><type like='*'/></include>", true},
        {"<include><any><assembly name='Other'/><assembly name='Third'/></any></include>", false},
        {"<include><any><assembly name='Other'/><method name='M'/></any></include>", true},
        {"<exclude><not><assembly name='Other'/></not></exclude><include/>", false},
        {"<exclude><not><assembly name='Other'/><method name='M'/></not></exclude><include/>",
         false},
        {"<exclude><not><any><assembly name='Other'/><method "
         "name='M'/></any></not></exclude><include/>",
         true},
        {"<exclude enabled='no'/><include/>", true},
        {"<exclude/><include/>", false},
        {"<exclude><method name='M'/></exclude><include/>", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char xml[256];
        bool possible;
        snprintf(xml, sizeof xml, "<rules>%s</rules>", cases[i].rules);
        struct ilp_rules *rules = rt_rules(xml);
        struct ilp_selector *selector = rt_selector(*state, rules, ILP_TARGET_AUTO);
        assert_int_equal(ilpi_select_any(selector, &possible, NULL), ILP_OK);
        if (possible != cases[i].possible) {
            fail_msg("%s", cases[i].rules);
        }
        ilp_selector_close(selector);
        ilp_rules_close(rules);
    }
}

/* ---- looking up ---- */

/* The rules that a method may meet, as far as the index has them: by its type, its name, ... */
static uint32_t chain_length(const struct ilp_rules *rules, uint64_t hash)
{
    uint32_t length = 0;
    for (uint32_t i = ilpi_chain_of(&rules->index, hash); i != ILPI_NO_LINK;
         i = rules->index.links.items[i].next) {
        length++;
    }
    return length;
}

static struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

/* 10,000 rules of each kind that can be looked up; no method is tested with any but its own. */
static void test_look_up(void **state)
{
    enum { MANY = 1000 };
    static const char *const forms[] = {
        "<include><type name='N.T%u'/><method name='M'/></include>\n",
        "<include><method name='M%u'/></include>\n",
        "<include><type name='N.T%u'/></include>\n",
        "<include><namespace name='N%u'/></include>\n",
        "<include><signature text='void N.T%u::M()'/></include>\n",
        "<include><method like='*'/><all><type name='X.T%u'/></all></include>\n",
        "<include><any><method name='A%1$u'/><type name='A.T%1$u'/></any></include>\n",
        "<include><method like='P%05uPP*'/></include>\n",
        "<include><method regex='^R%05uRR.*$'/></include>\n",
        "<include><type like='*.T%05uT'/></include>\n",
        "<include><namespace regex='N%05uNN'/><method like='*'/></include>\n",
        "<include><any><method like='*A%1$05uAA'/><type like='A%1$05uAA*'/></any></include>\n",
    };
    struct rt_app *app = *state;
    struct ib_bytes xml = {0};
    struct ilp_bytes none = {NULL, 0};
    put(&xml, "<rules>");
    for (unsigned i = 0; i < MANY; i++) {
        for (size_t j = 0; j < COUNT(forms); j++) {
            char rule[120];
            snprintf(rule, sizeof rule, forms[j], i);
            put(&xml, rule);
        }
    }
    put(&xml, "<include><type name='R.Returns.Host`1'/></include></rules>");
    ib_number(&xml, 0, 1);
    struct ilp_rules *rules = rt_rules((const char *)xml.data);
    assert_int_equal(rules->rules.count, MANY * COUNT(forms) + 1);
    assert_int_equal(rules->others.first, ILPI_NO_LINK);
    /* an <any> has a chain for each of its names, and the signatures one for the only method in
     * them */
    assert_int_equal(rules->index.chains.count, MANY * (COUNT(forms) + 2) + 2);
    assert_false(rules->any_signature);
    assert_true(ilpi_rules_know_signature(rules, bytes_of("M")));
    assert_false(ilpi_rules_know_signature(rules, bytes_of("M77")));
    assert_true(rules->index.chain_numbers.capacity >= 2 * rules->index.chains.count);
    assert_int_equal(chain_length(rules, ilpi_key_hash(ILPI_KEY_TYPE_AND_METHOD, bytes_of("N.T77"),
                                                       bytes_of("M"))),
                     1);
    assert_int_equal(chain_length(rules, ilpi_key_hash(ILPI_KEY_METHOD, bytes_of("M77"), none)), 1);
    assert_int_equal(chain_length(rules, ilpi_key_hash(ILPI_KEY_TYPE, bytes_of("N.T77"), none)), 1);
    assert_int_equal(chain_length(rules, ilpi_key_hash(ILPI_KEY_NAMESPACE, bytes_of("N77"), none)),
                     1);
    assert_int_equal(
        chain_length(rules, ilpi_key_hash(ILPI_KEY_SIGNATURE, bytes_of("void N.T77::M()"), none)),
        1);
    assert_int_equal(chain_length(rules, ilpi_key_hash(ILPI_KEY_METHOD, bytes_of("M10000"), none)),
                     0);
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    assert_int_equal(selector->other_count, 0);
    struct ilp_selection selection;
    uint64_t steps = selector->steps;
    assert_int_equal(ilp_select(selector, rt_method(app->image, "Int"), &selection, NULL), ILP_OK);
    assert_int_equal(selector->steps, steps - 1); /* no other rule is tried */
    assert_int_equal(selection.rule, MANY * COUNT(forms));
    assert_int_equal(ilp_select(selector, rt_method(app->image, "naïve"), &selection, NULL),
                     ILP_OK);
    assert_int_equal(selection.rule, ILP_NO_RULE);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    ib_free(&xml);
}

/* Patterns of one rule that are found by the same part do not hide each other. */
static void test_shared_part(void **state)
{
    struct ilp_selection selection;
    rt_select(*state, "Void", "<any><method like='*QVoid*'/><method like='*Void'/></any>",
              ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_YES);
}

static void count_chain(void *user, uint32_t link)
{
    (void)link;
    ++*(unsigned *)user;
}

/* Both attributes of a method have the part: its chain is taken once, with the pairs of both. */
static void test_chain_found_twice(void **state)
{
    struct rt_app *app = *state;
    struct ilp_selection selection;
    char xml[1024] = "<rules><include><any>";
    for (unsigned i = 0; i < ILPI_LEAST_INDEXED; i++) {
        strcat(xml, "<attribute like='*Obs*ttribute'/>");
    }
    strcat(xml, "</any></include></rules>");
    struct ilp_rules *rules = rt_rules(xml);
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    ilp_token method = rt_method(app->image, "twice");
    assert_int_equal(ilp_select(selector, method, &selection, NULL), ILP_OK);
    assert_int_equal(selection.included, ILP_YES);
    unsigned count = 0;
    bool known;
    struct ilpi_look_up look_up = {.index = &rules->group_index,
                                   .keys = &rules->groups.items[0].keys,
                                   .group = 1,
                                   .found = count_chain,
                                   .user = &count,
                                   .found_chains = &selector->match.found_chains};
    for (unsigned time = 1; time <= 2; time++) {
        ilpi_look_up_begin(&look_up);
        assert_int_equal(
            ilpi_look_up_key(&look_up, &selector->match, ILPI_KEY_ATTRIBUTE_PART, &known, NULL),
            ILP_OK);
        assert_int_equal(count, time);
        look_up.found_chains->look_ups = UINT32_MAX; /* the next number is 0, which none has */
    }
    ilp_selector_close(selector);
    ilp_rules_close(rules);
}

/* Each method is found by its whole signature, however odd its names are: signatures are looked up
 * only for methods whose name is in one. */
static void check_signature(const struct rt_app *app, ilp_token method)
{
    struct ib_bytes xml = {0};
    struct ilp_arena *arena;
    const char *text;
    struct ilp_selection selection;
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_method_text(app->image, method, arena, &text, NULL), ILP_OK);
    put(&xml, "<rules><include><signature text='");
    put_escaped(&xml, text);
    put(&xml, "'/></include></rules>");
    ib_number(&xml, 0, 1);
    struct ilp_rules *rules = rt_rules((const char *)xml.data);
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    assert_int_equal(ilp_select(selector, method, &selection, NULL), ILP_OK);
    if (selection.rule != 0) {
        fail_msg("'%s' is not found", text);
    }
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    ilp_arena_close(arena);
    ib_free(&xml);
}

static void test_odd_signatures(void **state)
{
    static const char *const odd[] = {"M",  "M<2>", "M<>",  "<2>", "a::b",      "::", "a(",  "(",
                                      "()", "a:b",  "M<12", "M2>", "<M>b__0_1", "",   "a b", "a,b"};
    static const char *const signatures[] = {"00 00 01", "00 00 12 08", "10 02 00 01",
                                             "00 01 01 1B 00 00 01"};
    char name[1101] = "";
    struct ib_image b;
    struct rt_app app = {0};
    (void)state;
    ii_begin(&b, "App");
    for (unsigned type = 0; type < 3; type++) { /* <Module>, a type, and one with an odd name */
        if (type != 0) {
            ii_type(&b, "N", type == 1 ? "C" : "A::B(", II_OBJECT);
        }
        for (size_t i = 0; i < COUNT(odd) * COUNT(signatures); i++) {
            ii_method(&b, odd[i / COUNT(signatures)], signatures[i % COUNT(signatures)]);
        }
        for (size_t size = 1021; size < 1026; size++) { /* longer ones are cut */
            memset(name, 'n', size);
            ii_method(&b, name, "00 00 01");
        }
    }
    app.image = built_root(&b);
    for (ilp_rid rid = 1; rid <= ilp_row_count(app.image, ILP_MethodDef); rid++) {
        check_signature(&app, ILP_TOKEN(ILP_MethodDef, rid));
    }
    close_built(app.image);
}

/* What is found in another assembly is not looked up again for each method. */
static void test_other_assemblies(void **state)
{
    struct ilp_rules *rules = rt_rules(
        "<rules><include><assembly name='Other'/><method like='*'/></include>"
        "<include><assembly like='A*'/><method like='I*'/></include>"
        "<include><any><assembly name='Other'/><method name='Void'/></any></include>"
        "<include><method like='x'/><assembly version='9'/></include></rules>");
    struct rt_app *app = *state;
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    struct ilp_selection selection;
    assert_int_equal(selector->other_count, 2);
    assert_int_equal(ilp_select(selector, rt_method(app->image, "Int"), &selection, NULL), ILP_OK);
    assert_int_equal(selection.rule, 1);
    assert_int_equal(ilp_select(selector, rt_method(app->image, "Void"), &selection, NULL), ILP_OK);
    assert_int_equal(selection.rule, 2);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
}

/* A module that is no assembly has no name, and no version. */
static void test_no_assembly(void **state)
{
    struct ib_image b;
    struct rt_app app = {0};
    struct ilp_selection selection;
    (void)state;
    rt_build(&b);
    b.tables[ILP_Assembly].count = 0;
    app.image = built_root(&b);
    rt_select(&app, "Int", "<assembly name=''/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_YES);
    rt_select(&app, "Int", "<assembly version='[0]'/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_YES);
    rt_select(&app, "Int", "<assembly name='App'/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_NO);
    rt_close(&app);
}

/* Many threads may evaluate one set of rules, each with a selector of its own: here two, in
 * turns. */
static void test_two_selectors(void **state)
{
    struct rt_app *app = *state;
    struct ilp_rules *rules =
        rt_rules("<rules><include><method regex='^(I|V)'/></include></rules>");
    struct ilp_selector *first = rt_selector(app, rules, ILP_TARGET_AUTO);
    struct ilp_selector *second = rt_selector(app, rules, ILP_TARGET_X86);
    for (ilp_rid rid = 1; rid <= ilp_row_count(app->image, ILP_MethodDef); rid++) {
        struct ilp_selection a;
        struct ilp_selection b;
        assert_int_equal(ilp_select(first, ILP_TOKEN(ILP_MethodDef, rid), &a, NULL), ILP_OK);
        assert_int_equal(ilp_select(second, ILP_TOKEN(ILP_MethodDef, rid), &b, NULL), ILP_OK);
        assert_int_equal(a.rule, b.rule);
    }
    ilp_selector_close(first);
    ilp_selector_close(second);
    ilp_rules_close(rules);
}

/* ---- memory ---- */

static const char memory_rules[] =
    "<rules><include><signature text='x'/></include><include><type name='x'/><method "
    "name='y'/></include>"
    "<exclude><any><type regex='^x'/><namespace like='x*'/></any></exclude>"
    "<include><attribute like='x*' on='method type assembly'/></include>"
    "<include><method role='setter' compiler-generated='yes'/></include>"
    "<include><return kind='task' larger-than='99'/></include><include><return "
    "like='x*'/></include>"
    "<include><return type='x[]'/></include><include><parameters types='int, x'/></include>"
    "<include><parameters count='2'/><parameter type='x' position='2'/></include><include><source "
    "file='x'/></include>"
    "<include><implements name='x'/><derives-from like='x*'/></include>"
    "<include><body tail-calls='yes' min-size='2'/><affected-by "
    "bug='x86-struct-return'/></include></rules>";

/* Each method, selected and explained. *failed counts the queries that were made twice. */
static ilp_status select_all(const struct rt_app *app, struct ilp_selector *selector,
                             unsigned *failed)
{
    ilp_status first = ILP_OK;
    for (ilp_rid rid = 1; rid <= ilp_row_count(app->image, ILP_MethodDef); rid++) {
        for (unsigned i = 0; i < 2; i++) {
            ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
            struct ilp_selection selection;
            struct ilp_error error = {0};
            ilp_status status = i == 0 ? ilp_select(selector, method, &selection, &error)
                                       : ilp_explain(selector, method, ignore_trace, NULL,
                                                     &selection, &error);
            if (status != ILP_OK) {
                assert_int_equal(status, ILP_E_NO_MEMORY);
                assert_int_equal(error.status, ILP_E_NO_MEMORY);
                first = status;
                ++*failed;
                i--; /* once more: one allocation failed, the next one does not */
                assert_true(*failed < 10);
            }
        }
    }
    return first;
}

/* The n-th allocation fails; the query can be repeated. */
static void test_memory_fails(void **state)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_rules *rules = rt_rules(memory_rules);
    struct rt_app *app = *state;
    struct ilp_selector *selector;
    unsigned failed = 0;
    unsigned failures = 0;
    assert_int_equal(ilp_selector_open(&selector, rules, app->image, &app->resolver,
                                       ILP_TARGET_AUTO, &allocator, NULL),
                     ILP_OK);
    assert_int_equal(select_all(app, selector, &failed), ILP_OK);
    ilp_selector_close(selector);
    memory_is_empty(&memory);
    size_t calls = memory.calls;
    size_t step = calls / 400 + 1; /* the first ones each, then some */
    for (size_t n = 1; n <= calls; n += n < 200 ? 1 : step) {
        struct ilp_error error = {0};
        memory = (struct memory){.fail_at = n};
        failed = 0;
        ilp_status status = ilp_selector_open(&selector, rules, app->image, &app->resolver,
                                              ILP_TARGET_AUTO, &allocator, &error);
        if (status == ILP_OK) {
            status = select_all(app, selector, &failed);
            ilp_selector_close(selector);
        } else {
            assert_null(selector);
            assert_int_equal(error.status, ILP_E_NO_MEMORY);
        }
        failures += status != ILP_OK;
        memory_is_empty(&memory);
    }
    assert_true(failures > 50);
    ilp_rules_close(rules);
}

static void test_memory_limit(void **state)
{
    struct rt_app *app = *state;
    struct ilp_rules *rules = rt_rules(memory_rules);
    unsigned enough = 0;
    for (size_t limit = 1; limit < 4u << 20; limit += limit / 5 + 1) {
        struct memory memory = {0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_selector *selector;
        allocator.limit = limit;
        ilp_status status = ilp_selector_open(&selector, rules, app->image, &app->resolver,
                                              ILP_TARGET_AUTO, &allocator, NULL);
        for (ilp_rid rid = 1; status == ILP_OK && rid <= ilp_row_count(app->image, ILP_MethodDef);
             rid++) {
            struct ilp_selection selection;
            status = ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        assert_true(status == ILP_OK || enough == 0);
        enough += status == ILP_OK;
        ilp_selector_close(selector);
        assert_true(memory.most <= limit);
        memory_is_empty(&memory);
    }
    assert_int_not_equal(enough, 0);
    ilp_rules_close(rules);
}

/* ---- a budget that is spent ---- */

/* Methods that share one signature, whose text names a long type many times: at some point it is
 * not made any more, and what requests it is not known. Rules in front of that one still decide. */
static void test_budget(void **state)
{
    enum { METHODS = 1000, PARAMETERS = 60 };
    struct ib_image b;
    struct rt_app app = {0};
    char name[1001];
    (void)state;
    memset(name, 'n', 1000);
    name[1000] = '\0';
    ii_begin(&b, "App");
    ii_type_ref(&b, II_MSCORLIB, "", name);
    ii_type(&b, "N", "C", II_OBJECT);
    struct ib_bytes signature = {0};
    ib_put(&signature, (const uint8_t[]){0, PARAMETERS, 1}, 3);
    for (unsigned i = 0; i < PARAMETERS; i++) {
        ib_put(&signature, (const uint8_t[]){0x12, 0x11}, 2);
    }
    uint32_t blob = ib_blob(&b, signature.data, signature.size);
    uint32_t method_name = ib_string(&b, "M");
    for (unsigned i = 0; i < METHODS; i++) {
        IB_ROW(&b, MethodDef, 0, 0, 0x16, method_name, blob, 1);
    }
    app.image = built_root(&b);
    ib_free(&signature);
    static const struct {
        const char *xml;
        uint32_t rule;
        enum ilp_tristate included;
    } cases[] = {
        {"<rules><exclude><method like='M'/></exclude><include><signature "
         "text='x'/></include></rules>",
         0, ILP_NO},
        {"<rules><exclude><method name='M'/></exclude><include><signature "
         "text='x'/></include></rules>",
         0, ILP_NO},
        {"<rules><exclude><method name='X'/></exclude><include enabled='no'/>"
         "<include><signature text='x'/></include></rules>",
         2, ILP_UNKNOWN},
        {"<rules><include><signature like='x'/></include><include/></rules>", 0, ILP_UNKNOWN},
        {"<rules><include><not><signature regex='x'/></not></include></rules>", 0, ILP_UNKNOWN},
        {"<rules><include><signature text='x'/><method name='X'/></include><exclude/></rules>", 1,
         ILP_NO},
        {"<rules><include><method name='X'/><signature text='x'/></include><exclude/></rules>", 1,
         ILP_NO},
    };
    /* a question has one answer, also for the method with which the budget ends */
    struct ilp_rules *none = rt_rules("<rules/>");
    struct ilp_selector *own = rt_selector(&app, none, ILP_TARGET_AUTO);
    unsigned answered = 0;
    for (ilp_rid rid = 1; rid <= METHODS; rid++) {
        struct ilp_bytes text;
        bool known;
        bool still_known;
        ilpi_facts_set(&own->match.facts, rid);
        assert_int_equal(ilpi_facts_signature(&own->match.facts, &text, &known, NULL), ILP_OK);
        assert_int_equal(ilpi_facts_signature(&own->match.facts, &text, &still_known, NULL),
                         ILP_OK);
        assert_int_equal(known, still_known);
        assert_true(!known || rid == answered + 1); /* it does not come back */
        answered += known;
    }
    assert_true(answered > 100 && answered < METHODS);
    ilp_selector_close(own);
    ilp_rules_close(none);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_rules *rules = rt_rules(cases[i].xml);
        struct ilp_selector *selector = rt_selector(&app, rules, ILP_TARGET_AUTO);
        struct ilp_selection selection;
        struct ilp_selection again;
        for (ilp_rid rid = 1; rid <= METHODS; rid++) {
            assert_int_equal(ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL),
                             ILP_OK);
        }
        assert_int_equal(selection.rule, cases[i].rule);
        assert_int_equal(selection.included, cases[i].included);
        if (selection.included == ILP_UNKNOWN) {
            assert_int_equal(strncmp(selection.detail, "its signature is too long: ", 27), 0);
        }
        assert_int_equal(ilp_explain(selector, ILP_TOKEN(ILP_MethodDef, METHODS), ignore_trace,
                                     NULL, &again, NULL),
                         ILP_OK);
        assert_int_equal(again.rule, selection.rule);
        assert_int_equal(again.included, selection.included);
        ilp_selector_close(selector);
        ilp_rules_close(rules);
    }
    close_built(app.image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_random_built),
        cmocka_unit_test(test_random_files),
        cmocka_unit_test(test_look_up),
        cmocka_unit_test(test_shared_part),
        cmocka_unit_test(test_chain_found_twice),
        cmocka_unit_test(test_odd_signatures),
        cmocka_unit_test(test_other_assemblies),
        cmocka_unit_test(test_no_assembly),
        cmocka_unit_test(test_two_selectors),
        cmocka_unit_test(test_memory_fails),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, rt_setup, rt_teardown);
}
