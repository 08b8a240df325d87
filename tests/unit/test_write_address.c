/* IP addresses as text (src/values/write_address.c), against the table of RFC 5952 and what
 * IPAddress.ToString() of .NET 10 gives. */
#include "metadata_test.h"

#include "tests/unit/any_room.h"
#include "tests/unit/own_shapes.h"

struct address {
    const struct shape *type;
    const void *numbers;
    uint32_t number;
};

struct end_point {
    const struct shape *type;
    const void *address;
    int32_t port;
};

struct numbers {
    const struct shape *type;
    int32_t length, padding;
    uint16_t items[8];
};

static const struct shape word = {.kind = SHAPE_UNSIGNED, .size = 2, .name = "System.UInt16"};
static const struct shape number = {.kind = SHAPE_UNSIGNED, .size = 4, .name = "System.UInt32"};
static const struct shape words = {.kind = SHAPE_ELEMENTS,
                                   .references = true,
                                   .inner = &word,
                                   .data = offsetof(struct numbers, items),
                                   .name = "System.UInt16[]"};
static const struct shape_field address_fields[] = {
    FIELD("_addressOrScopeId", offsetof(struct address, number), &number),
    FIELD("_numbers", offsetof(struct address, numbers), &any)};
static const struct shape address = {.kind = SHAPE_FRAMEWORK,
                                     .known = KNOWN_ADDRESS,
                                     .is_class = true,
                                     .size = sizeof(struct address),
                                     .fields = address_fields,
                                     .field_count = 2,
                                     .name = "System.Net.IPAddress",
                                     .short_name = "IPAddress"};
static const struct shape_field end_point_fields[] = {
    FIELD("_address", offsetof(struct end_point, address), &any),
    FIELD("_port", offsetof(struct end_point, port), &number)};
static const struct shape end_point = {.kind = SHAPE_FRAMEWORK,
                                       .known = KNOWN_END_POINT,
                                       .is_class = true,
                                       .size = sizeof(struct end_point),
                                       .fields = end_point_fields,
                                       .field_count = 2,
                                       .name = "System.Net.IPEndPoint",
                                       .short_name = "IPEndPoint"};

static const char *shown(const void *object)
{
    static char text[200];
    const struct shaped_value shaped = {
        .shape = &any, .types = &own_types, .value = &object, .size = sizeof object};
    fits_any_room(&shaped);
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

static const char *six(const uint16_t groups[8], uint32_t scope)
{
    struct numbers numbers = {.type = &words, .length = 8};
    const struct address own = {&address, &numbers, scope};
    memcpy(numbers.items, groups, sizeof numbers.items);
    return shown(&own);
}

static void test_four(void **state)
{
    const struct address own = {&address, NULL, 0x0100A8C0};
    (void)state;
    assert_string_equal(shown(&own), "192.168.0.1");
}

static void test_six(void **state)
{
    static const struct {
        uint16_t groups[8];
        uint32_t scope;
        const char *text;
    } cases[] = {
        {{0, 0, 0, 0, 0, 0, 0, 0}, 0, "::"},
        {{0, 0, 0, 0, 0, 0, 0, 1}, 0, "::1"},
        {{1, 0, 0, 0, 0, 0, 0, 0}, 0, "1::"},
        {{0, 1, 0, 0, 0, 0, 0, 0}, 0, "0:1::"},
        {{1, 2, 3, 4, 5, 6, 7, 8}, 0, "1:2:3:4:5:6:7:8"},
        {{1, 0, 3, 4, 5, 6, 7, 8}, 0, "1:0:3:4:5:6:7:8"},
        {{1, 0, 0, 4, 0, 0, 0, 8}, 0, "1:0:0:4::8"},
        {{1, 0, 0, 4, 5, 0, 0, 8}, 0, "1::4:5:0:0:8"},
        {{0x2001, 0xDB8, 0, 0, 0, 0xFF00, 0x42, 0x8329}, 0, "2001:db8::ff00:42:8329"},
        {{0xFE80, 0, 0, 0, 0, 0, 0, 1}, 3, "fe80::1%3"},
        {{0, 0, 0, 0, 0, 0xFFFF, 0x102, 0x304}, 0, "::ffff:1.2.3.4"},
        {{0, 0, 0, 0, 0, 0, 0x102, 0x304}, 0, "::1.2.3.4"},
        {{0, 0, 0, 0, 0xFFFF, 0, 0x102, 0x304}, 0, "::ffff:0:1.2.3.4"},
        {{0xFE80, 0, 0, 0, 0, 0x5EFE, 0x102, 0x304}, 7, "fe80::5efe:1.2.3.4%7"},
        {{1, 2, 3, 4, 0, 0x5EFE, 0, 0}, 0, "1:2:3:4:0:5efe:0.0.0.0"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(six(cases[i].groups, cases[i].scope), cases[i].text);
    }
}

static void test_end_points(void **state)
{
    struct numbers numbers = {.type = &words, .length = 8, .items = {[7] = 1}};
    const struct address four = {&address, NULL, 0x0100007F}, loop = {&address, &numbers, 0};
    struct end_point own = {&end_point, &four, 80};
    (void)state;
    assert_string_equal(shown(&own), "127.0.0.1:80");
    own.address = &loop;
    assert_string_equal(shown(&own), "[::1]:80");
    own.address = NULL;
    assert_string_equal(shown(&own), "{...}");
    own.address = &numbers;
    assert_string_equal(shown(&own), "{...}");
}

/* What is laid out otherwise is not read. */
static void test_odd(void **state)
{
    static const struct shape bytes = {.kind = SHAPE_ELEMENTS, .inner = &number, .data = 16};
    struct numbers numbers = {.type = &words, .length = 7};
    struct address own = {&address, &numbers, 0};
    (void)state;
    assert_string_equal(shown(&own), "{...}");
    numbers.type = &bytes;
    numbers.length = 8;
    assert_string_equal(shown(&own), "{...}");
    own.numbers = &own;
    assert_string_equal(shown(&own), "{...}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four),
        cmocka_unit_test(test_six),
        cmocka_unit_test(test_end_points),
        cmocka_unit_test(test_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
