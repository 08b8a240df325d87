/* Each of tests/files' bad inputs, with the status, place and words it must give. */
#include "metadata_test.h"

#include <dirent.h>

/* `offset` is where the wrong bytes are in the file, or where reading could not go on. */
static const struct {
    const char *name;
    ilp_status status;
    uint64_t offset;
    const char *words;
} bad[] = {
    {"bad-mz.dll", ILP_E_NOT_PE, 0, "does not start with \"MZ\""},
    {"bad-truncated-dos.dll", ILP_E_NOT_PE, 0x30, "ends in the DOS header"},
    {"bad-lfanew.dll", ILP_E_NOT_PE, 0x3C, "offset has no \"PE\" signature"},
    {"bad-pe-signature.dll", ILP_E_NOT_PE, 0x3C, "offset has no \"PE\" signature"},
    {"bad-truncated-coff.dll", ILP_E_TRUNCATED, 0x88, "COFF header"},
    {"bad-section-count.dll", ILP_E_BAD_PE, 0x178, "more than 96 sections"},
    {"bad-section-table.dll", ILP_E_TRUNCATED, 0x600, "section table"},
    {"bad-optional-size.dll", ILP_E_TRUNCATED, 0xD8, "PE optional header"},
    {"bad-optional-magic.dll", ILP_E_BAD_PE, 0x98, "neither PE32 nor PE32+"},
    {"bad-truncated-optional.dll", ILP_E_TRUNCATED, 0x98, "the data ends too early"},
    {"bad-truncated-sections.dll", ILP_E_TRUNCATED, 0x19C, "section table"},
    {"bad-cli-rva.dll", ILP_E_TRUNCATED, 0xF8 + 14 * 8, "CLI header: its RVA"},
    {"bad-section-offset.dll", ILP_E_TRUNCATED, 0xF8 + 14 * 8, "CLI header: its RVA"},
    {"bad-section-size.dll", ILP_E_TRUNCATED, 0x240, "CLI header"},
    {"bad-truncated-cli.dll", ILP_E_TRUNCATED, 0x244, "CLI header"},
    {"bad-metadata-rva.dll", ILP_E_TRUNCATED, 0x208, "MetaData leads outside"},
    {"bad-metadata-size.dll", ILP_E_TRUNCATED, 0x208, "MetaData leads outside"},
    {"bad-truncated-root.dll", ILP_E_TRUNCATED, 0x208, "MetaData leads outside"},
    {"bad-truncated-heap.dll", ILP_E_TRUNCATED, 0x208, "MetaData leads outside"},
    {"bad-metadata-empty.dll", ILP_E_TRUNCATED, 0x27C, "metadata root"},
    {"bad-root-magic.dll", ILP_E_BAD_METADATA, 0x27C, "does not start with \"BSJB\""},
    {"bad-version-length.dll", ILP_E_TRUNCATED, 0x28C, "metadata root"},
    {"bad-version-end.dll", ILP_E_TRUNCATED, 0x28C, "a name does not end"},
    {"bad-stream-count.dll", ILP_E_BAD_METADATA, 0x29C, "more streams than bytes"},
    {"bad-stream-more.dll", ILP_E_BAD_METADATA, 0x2E8, "leads outside of the metadata"},
    {"bad-stream-name.dll", ILP_E_TRUNCATED, 0x2F0, "a name does not end"},
    {"bad-stream-offset.dll", ILP_E_BAD_METADATA, 0x29C, "stream #~ leads outside"},
    {"bad-stream-size.dll", ILP_E_BAD_METADATA, 0x29C, "stream #~ leads outside"},
    {"bad-no-tables.dll", ILP_E_BAD_METADATA, 0x27C, "no table stream"},
    {"bad-table-header.dll", ILP_E_TRUNCATED, 0x2F8, "table stream"},
    {"bad-table-unknown.dll", ILP_E_BAD_METADATA, 0x328, "a table 0x3F"},
    {"bad-table-reserved.dll", ILP_E_BAD_METADATA, 0x328, "a table 0x2D"},
    {"bad-rows-beyond-token.dll", ILP_E_BAD_METADATA, 0x300, "16777216 rows"},
    {"bad-rows-beyond-stream.dll", ILP_E_TRUNCATED, 0x328, "16777215 rows of 10 bytes"},
    {"bad-row-cut.dll", ILP_E_TRUNCATED, 0x328, "Module has 1 rows of 10 bytes"},
    {"bad-pdb-stream.pdb", ILP_E_TRUNCATED, 0xC8, "#Pdb stream"},
    {"unsupported-native-pe.dll", ILP_E_NOT_MANAGED, 0xF8,
     "a native program or library of Windows"},
};

enum { NO_LEAD = 9 };

/* How many bytes follow the first one of a character. */
static unsigned bytes_after(uint8_t lead)
{
    if (lead < 0x80) {
        return 0;
    }
    if (lead < 0xC2 || lead >= 0xF5) {
        return NO_LEAD;
    }
    if (lead < 0xE0) {
        return 1;
    }
    return lead < 0xF0 ? 2 : 3;
}

/* "One line of UTF-8", whatever the file puts into names. */
static bool is_one_line(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    while (*at) {
        unsigned more = bytes_after(*at);
        if (more == NO_LEAD || *at < 0x20 || *at == 0x7F) {
            return false;
        }
        for (at++; more != 0; more--, at++) {
            if ((*at & 0xC0) != 0x80) {
                return false;
            }
        }
    }
    return true;
}

static void bad_files_say_what_is_wrong_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct ilp_bytes bytes = load(bad[i].name);
        struct ilp_error error = {0};
        struct ilp_image *image = (struct ilp_image *)&error; /* to see that it is cleared */
        ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, bad[i].name, NULL,
                                           &error);
        if (status != bad[i].status || error.status != status || error.offset != bad[i].offset ||
            !strstr(error.message, bad[i].words)) {
            fail_msg("%s: %s at 0x%llX: %s", bad[i].name, ilp_status_name(status),
                     (unsigned long long)error.offset, error.message);
        }
        assert_null(image);
        assert_int_equal(ilp_status_class(status), ILP_CLASS_DATA);
        /* with nowhere to say it */
        assert_int_equal(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL), status);
        drop(bytes);
    }
}

static void messages_are_one_line_of_utf8(void **state)
{
    (void)state;
    static const char *const names[] = {"a\nb", "a\x1B[31m", "\xFF\xFE", "\xC3", "\xE2\x82"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ib_image b;
        ib_begin(&b);
        ib_stream(&b, names[i], "", 0);
        struct ilp_bytes bytes = taken(ib_root(&b));
        uint8_t *header = memmem((void *)(uintptr_t)bytes.data, bytes.size, names[i],
                                 strlen(names[i]) + 1);
        assert_non_null(header);
        header[-1] = 0x7F; /* a size beyond everything */
        struct ilp_error error = {0};
        struct ilp_image *image;
        assert_int_equal(ilp_image_open(&image, bytes, ILP_LAYOUT_METADATA, NULL, NULL, &error),
                         ILP_E_BAD_METADATA);
        if (!is_one_line(error.message)) {
            fail_msg("name %zu is printed as it is", i);
        }
        drop(bytes);
        ib_end(&b);
    }
}

/* No input is forgotten in the table above. */
static void every_bad_file_is_listed(void **state)
{
    (void)state;
    DIR *folder = opendir(ILP_TEST_FILES);
    assert_non_null(folder);
    size_t found = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, "bad-", 4) != 0) {
            continue;
        }
        bool listed = false;
        for (size_t i = 0; i < COUNT(bad); i++) {
            listed |= strcmp(bad[i].name, entry->d_name) == 0;
        }
        if (!listed) {
            fail_msg("%s is in no test", entry->d_name);
        }
        found++;
    }
    closedir(folder);
    assert_int_equal(found, COUNT(bad) - 1); /* unsupported-native-pe.dll is no bad file */
}

static void no_bytes_at_all(void **state)
{
    (void)state;
    static const enum ilp_layout layouts[] = {ILP_LAYOUT_FILE, ILP_LAYOUT_MAPPED,
                                              ILP_LAYOUT_METADATA};
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct ilp_image *image;
        struct ilp_bytes none = {NULL, 0};
        ilp_status status = ilp_image_open(&image, none, layouts[i], NULL, NULL, NULL);
        assert_int_equal(status,
                         layouts[i] == ILP_LAYOUT_METADATA ? ILP_E_TRUNCATED : ILP_E_NOT_PE);
    }
    ilp_image_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_say_what_is_wrong_and_where),
        cmocka_unit_test(messages_are_one_line_of_utf8),
        cmocka_unit_test(every_bad_file_is_listed),
        cmocka_unit_test(no_bytes_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
