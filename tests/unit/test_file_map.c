/* Files as memory: holes are zero, parts are shared, and a file without a name is one. Pages of
 * memory, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/pages.h"
#include "host/file_map.h"

enum { MANY = 16 };

static void test_whole(void **state)
{
    size_t page = file_map_page(), size = MANY * page + 5;
    int file = file_in_memory("ilpatch-test");
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
    assert_int_equal(pwrite(file, "begin", 5, 3), 5); /* between holes */
    assert_int_equal(pwrite(file, "mid", 3, (off_t)(7 * page - 1)), 3);
    assert_int_equal(pwrite(file, "end", 3, (off_t)(size - 3)), 3);
    const uint8_t *bytes = file_map_whole(file, size);
    close(file);
    assert_non_null(bytes);
    assert_memory_equal(bytes + 3, "begin", 5);
    assert_memory_equal(bytes + 7 * page - 1, "mid", 3);
    assert_memory_equal(bytes + size - 3, "end", 3);
    size_t zero = 0;
    for (size_t i = 0; i < size; i++) {
        zero += bytes[i] == 0;
    }
    assert_int_equal(zero, size - 11);
    file_unmap(bytes, size);
}

static void test_shared(void **state)
{
    size_t page = file_map_page();
    char text[4] = "";
    int file = file_in_memory("ilpatch-test");
    (void)state;
    assert_int_equal(ftruncate(file, (off_t)(3 * page)), 0);
    char *one = file_map_shared(file, page, page), *other = file_map_shared(file, 0, 2 * page);
    assert_non_null(one);
    assert_non_null(other);
    file_map_populate(one, page);
    memcpy(one, "abc", 4);
    assert_string_equal(other + page, "abc");
    assert_int_equal(pread(file, text, 4, (off_t)page), 4);
    assert_string_equal(text, "abc");
    file_unmap(one, page);
    file_unmap(other, 2 * page);
    close(file);
    assert_null(file_map_shared(file, 0, page)); /* it is closed */
    assert_null(file_map_whole(file, page));
}

static void test_pages(void **state)
{
    /* of which little is used */
    size_t size = SIZE_MAX > UINT32_MAX ? (size_t)UINT32_MAX + 1 : (size_t)1 << 30;
    uint8_t *pages = ilpi_pages_open(size);
    (void)state;
    assert_non_null(pages);
    assert_int_equal(pages[0] + pages[size / 2] + pages[size - 1], 0);
    pages[size - 1] = 1;
    ilpi_pages_close(pages, size);
    ilpi_pages_close(NULL, size);
    assert_null(ilpi_pages_open(SIZE_MAX / 4 * 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_shared),
                                       cmocka_unit_test(test_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
