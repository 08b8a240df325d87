/* Heaps, read (heap_read.c) and built (heap_build.c): edges of what can be read, and that what is
 * added is found again, shared, and within its limits. */
#include "metadata_test.h"

/* ---- reading ---- */

/* An image whose heap of that name holds these bytes, with nothing after them. */
static struct ilp_image *with_heap(const char *name, const void *bytes, size_t size)
{
    struct ib_image b;
    ib_begin(&b);
    b.stream_count = 1;
    ib_stream(&b, name, bytes, size);
    struct ib_bytes root = ib_root(&b);
    root.size -= (4 - size % 4) % 4; /* no padding */
    struct ilp_image *image = open_image(taken(root), ILP_LAYOUT_METADATA);
    ib_end(&b);
    return image;
}

static void strings_end_within_the_heap(void **state)
{
    (void)state;
    struct ilp_image *image = with_heap("#Strings", "\0abc\0open", 9);
    assert_string_equal(ilp_string(image, 0), "");
    assert_string_equal(ilp_string(image, 1), "abc");
    assert_string_equal(ilp_string(image, 3), "c"); /* names may share their ends */
    assert_string_equal(ilp_string(image, 4), "");
    for (uint32_t at = 5; at < 12; at++) {
        assert_string_equal(ilp_string(image, at), "");
    }
    assert_string_equal(ilp_string(image, UINT32_MAX), "");
    assert_true(ilpi_string_is(image, 1, "abc"));
    assert_true(ilpi_string_is(image, 2, "bc"));
    assert_true(ilpi_string_is(image, 0, ""));
    assert_false(ilpi_string_is(image, 1, "ab"));
    assert_false(ilpi_string_is(image, 1, "abcd"));
    assert_false(ilpi_string_is(image, 5, "open"));
    assert_false(ilpi_string_is(image, 9, ""));
    assert_false(ilpi_string_is(image, UINT32_MAX, ""));
    close_built(image);
}

static void strings_without_any_end(void **state)
{
    (void)state;
    struct ilp_image *image = with_heap("#Strings", "abc", 3);
    for (uint32_t at = 0; at < 5; at++) {
        assert_string_equal(ilp_string(image, at), "");
    }
    assert_false(ilpi_string_is(image, 0, "abc"));
    close_built(image);
}

static void blobs_are_whole_or_empty(void **state)
{
    (void)state;
    /* at 0 empty, at 1 two bytes, at 4 one too many, at 7 a bad prefix, at 8 a two-byte prefix cut
     */
    struct ilp_image *image = with_heap("#Blob", "\x00\x02pq\x05xy\xFF\x80", 9);
    assert_int_equal(ilp_blob(image, 0).size, 0);
    same_bytes(ilp_blob(image, 1), (struct ilp_bytes){(const uint8_t *)"pq", 2});
    assert_ptr_equal(image->pe.bytes.data + ilpi_blob_offset(image, 1), ilp_blob(image, 1).data);
    assert_int_equal(ilp_blob(image, 4).size, 0);
    assert_int_equal(ilp_blob(image, 7).size, 0);
    assert_int_equal(ilp_blob(image, 8).size, 0);
    assert_int_equal(ilp_blob(image, 9).size, 0);
    assert_int_equal(ilp_blob(image, UINT32_MAX).size, 0);
    close_built(image);
}

static void blobs_with_every_length_of_prefix(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x12345};
    struct ib_image b;
    uint32_t offsets[COUNT(sizes)];
    ib_begin(&b);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint8_t *bytes = calloc(1, sizes[i] + 1);
        memset(bytes, (int)i + 1, sizes[i]);
        offsets[i] = ib_blob(&b, bytes, sizes[i]);
        free(bytes);
    }
    struct ilp_image *image = built_root(&b);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ilp_bytes blob = ilp_blob(image, offsets[i]);
        assert_int_equal(blob.size, sizes[i]);
        assert_true(blob.size == 0 || (blob.data[0] == i + 1 && blob.data[blob.size - 1] == i + 1));
    }
    close_built(image);
}

static void user_strings_lose_their_last_byte(void **state)
{
    (void)state;
    struct ilp_image *image = with_heap("#US",
                                        "\x00\x05"
                                        "a\0b\0\0"
                                        "\x01\x00"
                                        "\x04"
                                        "c\0d\0"
                                        "\x09xx",
                                        16);
    same_bytes(ilp_user_string(image, 0x70000001), (struct ilp_bytes){(const uint8_t *)"a\0b", 4});
    same_bytes(ilp_user_string(image, 1), (struct ilp_bytes){(const uint8_t *)"a\0b", 4});
    assert_int_equal(ilp_user_string(image, 7).size, 0);  /* the empty string */
    assert_int_equal(ilp_user_string(image, 9).size, 4);  /* no last byte: all of it */
    assert_int_equal(ilp_user_string(image, 14).size, 0); /* cut */
    assert_int_equal(ilp_user_string(image, 16).size, 0);
    assert_int_equal(ilp_user_string(image, 0).size, 0);
    close_built(image);
}

static void guids_count_from_one(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789ABCDEFghijklmnopqrstuvfifteen bytes..";
    struct ilp_image *image = with_heap("#GUID", bytes, sizeof bytes - 1);
    assert_int_equal(ilp_guid(image, 0).size, 0);
    assert_memory_equal(ilp_guid(image, 1).data, "0123456789ABCDEF", 16);
    assert_memory_equal(ilp_guid(image, 2).data, "ghijklmnopqrstuv", 16);
    assert_int_equal(ilp_guid(image, 3).size, 0);
    assert_int_equal(ilp_guid(image, UINT32_MAX).size, 0);
    close_built(image);
}

/* ---- building ---- */

struct building {
    struct memory memory;
    struct ilpi_alloc memory_alloc;
    struct ilpi_heap_edit alloc;
    struct ilpi_buf entry;
};

static struct building *building_begin(struct building *building, struct ilp_bytes base,
                                       size_t limit)
{
    *building = (struct building){0};
    struct ilp_allocator allocator = memory_allocator(&building->memory);
    ilpi_alloc_init(&building->memory_alloc, &allocator);
    ilpi_heap_edit_init(&building->alloc, &building->memory_alloc, base, limit);
    building->entry.alloc = &building->memory_alloc;
    return building;
}

static void building_end(struct building *building)
{
    ilpi_heap_edit_free(&building->alloc);
    ilpi_buf_free(&building->entry);
    memory_is_empty(&building->memory);
}

static ilp_status add(struct building *building, const char *text, uint32_t *offset)
{
    building->entry.size = 0;
    building->entry.status = ILP_OK;
    ilpi_entry_string(&building->entry, text);
    return ilpi_heap_edit_add(&building->alloc, &building->entry, offset, NULL);
}

static void equal_entries_are_added_once(void **state)
{
    (void)state;
    struct building building;
    struct ilp_bytes base = {(const uint8_t *)"\0old", 5};
    building_begin(&building, base, 1 << 20);
    uint32_t offsets[1000];
    uint32_t end = 5; /* of the entries until then */
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT(offsets); i++) {
            char text[20];
            uint32_t offset = 0;
            snprintf(text, sizeof text, "entry %u", i);
            assert_int_equal(add(&building, text, &offset), ILP_OK);
            if (round == 0) {
                assert_int_equal(offset, end);
                end += (uint32_t)strlen(text) + 1;
                offsets[i] = offset;
            }
            assert_int_equal(offset, offsets[i]);
        }
    }
    size_t size = ilpi_heap_edit_size(&building.alloc);
    assert_int_equal(size, offsets[999] + sizeof "entry 999");
    uint32_t offset = 0;
    assert_int_equal(add(&building, "entry 5000", &offset), ILP_OK);
    assert_int_equal(offset, size);
    building_end(&building);
}

static void a_heap_that_was_not_there_begins_with_its_empty_entry(void **state)
{
    (void)state;
    struct building building;
    building_begin(&building, (struct ilp_bytes){NULL, 0}, 100);
    uint32_t offset = 0;
    assert_int_equal(add(&building, "a", &offset), ILP_OK);
    assert_int_equal(offset, 1);
    assert_int_equal(add(&building, "b", &offset), ILP_OK);
    assert_int_equal(offset, 3);
    assert_int_equal(building.alloc.added.size, 5);
    assert_memory_equal(building.alloc.added.data, "\0a\0b", 5);
    building_end(&building);
}

static void the_limit_is_reached_but_not_passed(void **state)
{
    (void)state;
    for (size_t base_size = 0; base_size <= 12; base_size++) {
        struct building building;
        struct ilp_bytes base = {(const uint8_t *)"\0\0\0\0\0\0\0\0\0\0\0\0", base_size};
        size_t start = base_size == 0 ? 1 : base_size;
        building_begin(&building, base, 10);
        uint32_t offset = 99;
        ilp_status status = add(&building, "abcd", &offset);
        if (start + 5 <= 10) {
            assert_int_equal(status, ILP_OK);
            assert_int_equal(offset, start);
            /* the equal one needs no room */
            assert_int_equal(add(&building, "abcd", &offset), ILP_OK);
            assert_int_equal(add(&building, "too long to fit", &offset), ILP_E_TOO_LARGE);
            assert_int_equal(ilpi_heap_edit_size(&building.alloc), start + 5);
        } else {
            assert_int_equal(status, ILP_E_TOO_LARGE);
            assert_int_equal(building.alloc.added.size, 0);
        }
        building_end(&building);
    }
}

/* ---- user strings ---- */

static const struct {
    const char *utf8;
    size_t utf8_size;
    const char *units; /* little-endian */
    size_t units_size;
    uint8_t special;
} texts[] = {
#define TEXT(utf8, units, special)                                \
    {                                                             \
        utf8, sizeof(utf8) - 1, units, sizeof(units) - 1, special \
    }
    TEXT("", "", 0),
    TEXT("abc", "a\0b\0c\0", 0),
    TEXT("a\0b", "a\0\0\0b\0", 0),
    /* II.24.2.4: the characters below 0x80 that need more than a comparison of bytes */
    TEXT("\x01", "\x01\0", 1),
    TEXT("\x08", "\x08\0", 1),
    TEXT("\x09", "\x09\0", 0),
    TEXT("\x0D", "\x0D\0", 0),
    TEXT("\x0E", "\x0E\0", 1),
    TEXT("\x1F", "\x1F\0", 1),
    TEXT("\x20", "\x20\0", 0),
    TEXT("\x26", "\x26\0", 0),
    TEXT("'", "'\0", 1),
    TEXT("-", "-\0", 1),
    TEXT("\x7E", "\x7E\0", 0),
    TEXT("\x7F", "\x7F\0", 1),
    /* two, three, four bytes */
    TEXT("\xC2\x80", "\x80\x00", 0),
    TEXT("\xC3\xBF", "\xFF\x00", 0),
    TEXT("\xC4\x80", "\x00\x01", 1),
    TEXT("\xDF\xBF", "\xFF\x07", 1),
    TEXT("\xE0\xA0\x80", "\x00\x08", 1),
    TEXT("\xE2\x82\xAC", "\xAC\x20", 1),
    TEXT("\xEF\xBF\xBF", "\xFF\xFF", 1),
    TEXT("\xF0\x90\x80\x80", "\x00\xD8\x00\xDC", 1),
    TEXT("\xF4\x8F\xBF\xBF", "\xFF\xDB\xFF\xDF", 1),
    /* a lone surrogate, as compilers write names: kept */
    TEXT("\xED\xA0\x80", "\x00\xD8", 1),
    TEXT("x\xED\xBF\xBFy", "x\0\xFF\xDFy\0", 1),
    /* bytes that are no UTF-8: U+FFFD each */
    TEXT("\x80", "\xFD\xFF", 1),
    TEXT("a\xFF"
         "b",
         "a\0\xFD\xFF"
         "b\0",
         1),
    TEXT("\xC2", "\xFD\xFF", 1),
    TEXT("\xC2z", "\xFD\xFFz\0", 1),
    TEXT("\xE2\x82", "\xFD\xFF\xFD\xFF", 1),
    TEXT("\xC0\x80", "\xFD\xFF\xFD\xFF", 1),
    TEXT("\xC1\xBF", "\xFD\xFF\xFD\xFF", 1),
    TEXT("\xF5\x80\x80\x80", "\xFD\xFF\xFD\xFF\xFD\xFF\xFD\xFF", 1),
    /* longer than needed, and beyond U+10FFFF */
    TEXT("\xE0\x80\x80", "\xFD\xFF\xFD\xFF\xFD\xFF", 1),
    TEXT("\xE0\x9F\xBF", "\xFD\xFF\xFD\xFF\xFD\xFF", 1),
    TEXT("\xF0\x80\x80\x80", "\xFD\xFF\xFD\xFF\xFD\xFF\xFD\xFF", 1),
    TEXT("\xF0\x8F\xBF\xBF", "\xFD\xFF\xFD\xFF\xFD\xFF\xFD\xFF", 1),
    TEXT("\xF4\x90\x80\x80", "\xFD\xFF\xFD\xFF\xFD\xFF\xFD\xFF", 1),
#undef TEXT
};

static void user_strings_from_utf8(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct building building;
        building_begin(&building, (struct ilp_bytes){NULL, 0}, 100);
        struct ilp_bytes utf8 = exact(texts[i].utf8, texts[i].utf8_size);
        ilpi_entry_user_string(&building.entry, utf8);
        assert_int_equal(building.entry.status, ILP_OK);
        const uint8_t *entry = building.entry.data;
        if (building.entry.size != texts[i].units_size + 2 || entry[0] != texts[i].units_size + 1 ||
            memcmp(entry + 1, texts[i].units, texts[i].units_size) != 0) {
            fail_msg("text %zu has other units", i);
        }
        if (entry[building.entry.size - 1] != texts[i].special) {
            fail_msg("text %zu: the last byte is %u", i, entry[building.entry.size - 1]);
        }
        drop(utf8);
        building_end(&building);
    }
}

/* The same character in texts long enough for any loop that takes several at a time, at every
 * place. */
static void special_characters_at_every_place(void **state)
{
    (void)state;
    for (size_t length = 1; length <= 70; length += 23) {
        for (size_t at = 0; at < length; at++) {
            for (unsigned c = 0; c < 0x80; c++) {
                uint8_t text[70];
                memset(text, 'a', sizeof text);
                text[at] = (uint8_t)c;
                struct building building;
                building_begin(&building, (struct ilp_bytes){NULL, 0}, 1000);
                struct ilp_bytes utf8 = exact(text, length);
                ilpi_entry_user_string(&building.entry, utf8);
                drop(utf8);
                bool special = (c >= 0x01 && c <= 0x08) || (c >= 0x0E && c <= 0x1F) || c == 0x27 ||
                               c == 0x2D || c == 0x7F;
                const uint8_t *entry = building.entry.data + (length * 2 + 1 < 0x80 ? 1 : 2);
                assert_int_equal(entry[at * 2], c);
                assert_int_equal(entry[at * 2 + 1], 0);
                assert_int_equal(entry[length * 2], special);
                building_end(&building);
            }
        }
    }
}

static void long_user_strings_have_long_prefixes(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        size_t prefix;
    } sizes[] = {{63, 1}, {64, 2}, {8191, 2}, {8192, 4}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (unsigned wide = 0; wide < 2; wide++) {
            struct ib_bytes text = {0};
            for (size_t k = 0; k < sizes[i].length; k++) {
                ib_put(&text, wide ? "\xC3\xA4" : "a", wide ? 2 : 1);
            }
            struct building building;
            building_begin(&building, (struct ilp_bytes){NULL, 0}, 100000);
            ilpi_entry_user_string(&building.entry, (struct ilp_bytes){text.data, text.size});
            assert_int_equal(building.entry.size, sizes[i].prefix + sizes[i].length * 2 + 1);
            assert_int_equal(building.entry.data[sizes[i].prefix], wide ? 0xE4 : 'a');
            building_end(&building);
            ib_free(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_end_within_the_heap),
        cmocka_unit_test(strings_without_any_end),
        cmocka_unit_test(blobs_are_whole_or_empty),
        cmocka_unit_test(blobs_with_every_length_of_prefix),
        cmocka_unit_test(user_strings_lose_their_last_byte),
        cmocka_unit_test(guids_count_from_one),
        cmocka_unit_test(equal_entries_are_added_once),
        cmocka_unit_test(a_heap_that_was_not_there_begins_with_its_empty_entry),
        cmocka_unit_test(the_limit_is_reached_but_not_passed),
        cmocka_unit_test(user_strings_from_utf8),
        cmocka_unit_test(special_characters_at_every_place),
        cmocka_unit_test(long_user_strings_have_long_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
