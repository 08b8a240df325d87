/* profiler/value_spool.c: values of several threads, read back from the file. */
#include "spool_builder.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect_image.h"
#include "profiler/clr/runtime.h"
#include "profiler/value_spool.h"
#include "trace/calls.h"

static char folder[] = "/tmp/value-spool-XXXXXX";
static char path[sizeof folder + 16];
static const struct runtime runtime = {.version_text = "10.0.0"};

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *place(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void no_spool_is_nothing(void **state)
{
    (void)state;
    assert_false(value_spool_is_open());
    assert_null(value_spool_begin_thread());
    assert_int_equal(value_spool_method(NULL, "App.dll", 0x06000001), 0);
    value_spool_end_thread(NULL);
    value_spool_close();
    value_spool_forget();
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(place("pipe"), 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_false(value_spool_open(path, false, &runtime));
    close(reader);
    unlink(path);
    assert_false(value_spool_open(place("missing"), true, &runtime));
    int file = open(place("text"), O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "some text", 9), 9);
    close(file);
    assert_false(value_spool_open(path, false, &runtime));
    unlink(path);
    assert_false(value_spool_is_open());
}

static void put_text(struct recording_thread *thread, uint64_t method, bool thrown,
                     const char *arguments, const char *value)
{
    uint8_t *text = value_spool_begin(thread, method, thrown, text_bytes(arguments));
    if (text) {
        memcpy(text, value, strlen(value));
        value_spool_end(thread, text, strlen(value));
    }
}

static uint64_t id;

static void *record(void *name)
{
    struct recording_thread *thread = value_spool_begin_thread();
    for (int i = 0; i < 1000; i++) {
        put_text(thread, id, false, name ? "x=1" : NULL, "42");
    }
    put_text(thread, id, true, name ? "x=1" : NULL, "{}");
    value_spool_end_thread(thread);
    return NULL;
}

/* One thread after the other. */
struct sums {
    unsigned values, with_arguments, thrown;
};

static ilp_status add(void *user, const struct ilpi_call *calls, size_t depth,
                      const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    struct sums *sums = user;
    (void)error;
    assert_int_equal(depth, 1);
    assert_int_equal(calls[0].method, 0);
    assert_int_equal(ending->value.size, 2);
    sums->values++;
    sums->with_arguments += calls[0].arguments.size == 3;
    sums->thrown += ending->how == CALL_UNWOUND;
    return ILP_OK;
}

static struct sums read_back(void)
{
    static uint8_t bytes[1 << 20];
    struct sums sums = {0, 0, 0};
    const struct ilpi_call_visitor visitor = {&sums, NULL, add, NULL};
    struct ilpi_spool_file file;
    struct ilpi_thread_story story;
    int input = open(path, O_RDONLY);
    ssize_t size = read(input, bytes, sizeof bytes);
    close(input);
    assert_true(size > 0 && (size_t)size < sizeof bytes);
    assert_int_equal(ilpi_spool_open(&file, (struct ilp_bytes){bytes, (size_t)size}, NULL, NULL),
                     ILP_OK);
    struct ilpi_traced_process *process = &file.processes.items[0];
    assert_memory_equal(process->path.data, ILPI_PATH_OF_VALUES, process->path.size);
    assert_memory_equal(process->runtime.data, "10.0.0", process->runtime.size);
    assert_int_equal(process->methods.count, 1);
    assert_memory_equal(process->methods.items[0].module.data, "App.dll", 7);
    for (size_t i = 0; i < process->threads.count; i++) {
        assert_int_equal(ilpi_visit_calls(&file, process, &process->threads.items[i], false,
                                          &visitor, &story, NULL),
                         ILP_OK);
    }
    assert_int_equal(file.damaged, 0);
    ilpi_spool_close(&file);
    return sums;
}

static void values_are_recorded(void **state)
{
    (void)state;
    struct ib_image b;
    pthread_t other;
    ii_begin(&b, "App");
    ii_type(&b, "N", "T", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "00 00 08");
    struct ilp_image *image = built_root(&b);
    assert_true(value_spool_open(place("spool"), false, &runtime));
    assert_true(value_spool_is_open());
    id = value_spool_method(image, "App.dll", method);
    assert_int_equal(id, 1);
    pthread_create(&other, NULL, record, "with");
    record(NULL);
    pthread_join(other, NULL);
    struct recording_thread *late = value_spool_begin_thread();
    value_spool_close();
    value_spool_end_thread(late); /* by then its memory is all that is left to give back */
    assert_false(value_spool_is_open());
    struct sums sums = read_back();
    assert_int_equal(sums.values, 2002);
    assert_int_equal(sums.with_arguments, 1001);
    assert_int_equal(sums.thrown, 2);
    unlink(path);
    close_built(image);
}

static void a_copy_records_nothing(void **state)
{
    (void)state;
    assert_true(value_spool_open(place("spool"), false, &runtime));
    value_spool_forget();
    assert_false(value_spool_is_open());
    assert_null(value_spool_begin_thread());
    unlink(path);
}

/* ---- a file that another process makes shorter ---- */

static sigjmp_buf elsewhere;
static struct sigaction of_spools; /* cmocka puts its own in the place of it before each test */

static void leave(int number)
{
    (void)number;
    siglongjmp(elsewhere, 1);
}

/* Has to be the first with a spool, for which the signal is taken: faults that are none of the
 * spool's go to whoever had it before. */
static void other_faults_go_where_they_went(void **state)
{
    (void)state;
    const struct sigaction own = {.sa_handler = leave};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(sigaction(SIGBUS, &own, NULL), 0);
    assert_true(value_spool_open(place("spool"), false, &runtime));
    value_spool_forget();
    unlink(path);
    assert_int_equal(sigaction(SIGBUS, NULL, &of_spools), 0);
    int file = open(place("other"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(file, (off_t)page), 0);
    volatile char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    memory[0] = 1;
    assert_int_equal(ftruncate(file, 0), 0);
    if (sigsetjmp(elsewhere, 1) == 0) {
        memory[0] = 2;
        fail();
    }
    if (sigsetjmp(elsewhere, 1) == 0) {
        raise(SIGBUS);
        fail();
    }
    munmap((void *)(uintptr_t)memory, page);
    close(file);
    unlink(path);
}

/* Has to be the last: nothing is recorded any more in this process. */
static void a_spool_that_is_cut_off_ends_alone(void **state)
{
    (void)state;
    assert_int_equal(sigaction(SIGBUS, &of_spools, NULL), 0);
    assert_true(value_spool_open(place("spool"), false, &runtime));
    struct recording_thread *thread = value_spool_begin_thread();
    put_text(thread, 1, false, NULL, "42");
    assert_int_equal(truncate(path, 0), 0);
    for (int i = 0; i < 100000; i++) {
        put_text(thread, 1, false, NULL, "42");
    }
    struct recording_thread *late = value_spool_begin_thread();
    put_text(late, 1, false, NULL, "42");
    value_spool_end_thread(late);
    value_spool_end_thread(thread);
    value_spool_close();
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_spool_is_nothing),
        cmocka_unit_test(other_faults_go_where_they_went),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(values_are_recorded),
        cmocka_unit_test(a_copy_records_nothing),
        cmocka_unit_test(a_spool_that_is_cut_off_ends_alone),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
