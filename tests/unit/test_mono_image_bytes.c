/* Where a MonoImage has its bytes is found in whichever of its first words that is, and other bytes
 * take their place there. */
#include "profiler/mono/image_bytes.h"
#include "tests/unit/mono_host.h"

static struct image_bytes_place place;
static unsigned noted;

static void note(void *user, mono_image *image)
{
    (void)user;
    noted += image_bytes_note(&place, image);
}

/* In a Mono that has them at this word. */
static bool find(unsigned word)
{
    const struct mono_functions mono = played_functions();
    played.place = word;
    played.image_loading = note;
    place = (struct image_bytes_place){.index = 0};
    noted = 0;
    bool found = image_bytes_find(&place, &mono);
    assert_int_equal(noted, 1);
    assert_false(place.probes);
    return found;
}

static void test_is_found(void **state)
{
    static const uint8_t bytes[] = "MZ", others[] = "others";
    (void)state;
    for (unsigned word = 1; word < 8; word++) {
        assert_true(find(word));
        assert_int_equal(place.index, word);
        mono_image *image = played_image("App.exe", (struct ilp_bytes){bytes, sizeof bytes});
        mono_image before = *image;
        same_bytes(image_bytes(&place, image), (struct ilp_bytes){bytes, sizeof bytes});
        assert_false(image_bytes_note(&place, image)); /* it is opened for something else */
        image_bytes_replace(&place, image, (struct ilp_bytes){others, sizeof others});
        assert_ptr_equal(played_bytes(image).data, others);
        assert_int_equal(played_bytes(image).size, sizeof others);
        /* nothing else of it has changed, not even beside the size */
        image_bytes_replace(&place, image, (struct ilp_bytes){bytes, sizeof bytes});
        assert_memory_equal(image, &before, sizeof before);
        played_close(image);
    }
}

static void test_is_not_found(void **state)
{
    (void)state;
    assert_false(find(0));
    assert_false(find(8));
}

/* The file's storage has the address as well, and not the size. */
static void test_size_follows(void **state)
{
    (void)state;
    played.has_storage = true;
    assert_true(find(3));
    assert_int_equal(place.index, 3);
    assert_false(find(0));
    played.has_storage = false;
}

static void test_no_bytes(void **state)
{
    (void)state;
    assert_true(find(2));
    mono_image *image = played_image("App.exe", (struct ilp_bytes){NULL, 100});
    assert_int_equal(image_bytes(&place, image).size, 0);
    played_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_found), cmocka_unit_test(test_is_not_found),
        cmocka_unit_test(test_size_follows), cmocka_unit_test(test_no_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
