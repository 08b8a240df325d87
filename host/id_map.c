/* Reads, extends and writes the file of --id-map. See id_map.h. Lines are in the order of ids,
 * which is that of modules and, in these, of methods; new ones of all modules are merged with those
 * that were read. */
#include "host/id_map.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "host/file_image.h"
#include "host/file_io.h"
#include "host/file_view.h"
#include "host/path.h"
#include "host/schemas.h"

/* An id is positive, so that it fits a signed number. */
#define MAX_NUMBER 0x7FFFFFFFu

#define METHOD_OF(id) ((ilp_token)((uint64_t)(id)&UINT32_MAX))
#define NUMBER_OF(id) ((uint32_t)((uint64_t)(id) >> 32))

struct id_map_entry {
    int64_t id;
    char *line; /* owned; without the line feed */
};

struct id_map_module {
    uint32_t number;
    char *key; /* owned: its name and MVID */
};

/* Entries are in three parts, of which each begins where the one before ends:
 *
 *   0 ...... kept ......... put ........ count
 *     in the file  in a transaction  of the current module
 *
 * kept and put move forward when a transaction is committed or given up (id_map_settle()). */
struct id_map {
    const char *path;      /* borrowed */
    struct file_view read; /* as read, or last written */
    bool there;
    struct id_map_entry *entries;
    size_t kept;  /* number of entries that are in the file: the first ones, sorted by id */
    size_t put;   /* the same after the transaction commits */
    size_t count; /* number of entries, and of them those of the current module */
    size_t capacity;
    struct id_map_module *modules;
    size_t module_count;
    struct ilp_arena *arena;
    struct ilp_image *image; /* the current one */
    struct id_map_module current;
    bool failed; /* an entry could not be added or written: ids of this run are lost */
};

/* ---- entries ---- */

static int compare(const void *left, const void *right)
{
    const struct id_map_entry *a = left;
    const struct id_map_entry *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* Takes over `line`. False: no memory. */
static bool put_entry(struct id_map *map, int64_t id, char *line)
{
    if (line && map->count == map->capacity) {
        size_t capacity = map->capacity != 0 ? map->capacity * 2 : 256;
        struct id_map_entry *entries = grow_items(map->entries, capacity, sizeof *entries);
        map->entries = entries ? entries : map->entries;
        map->capacity = entries ? capacity : map->capacity;
    }
    if (!line || map->count == map->capacity) {
        free(line);
        return false;
    }
    map->entries[map->count++] = (struct id_map_entry){id, line};
    return true;
}

static void forget_entries(struct id_map *map, size_t from)
{
    while (map->count > from) {
        free(map->entries[--map->count].line);
    }
}

static void forget_module(struct id_map *map)
{
    forget_entries(map, map->put);
    free(map->current.key);
    map->current.key = NULL;
}

/* A file has few modules, so they are compared one by one. */
static struct id_map_module *find_module(const struct id_map *map, const char *key)
{
    for (size_t i = 0; i < map->module_count; i++) {
        if (strcmp(map->modules[i].key, key) == 0) {
            return &map->modules[i];
        }
    }
    return NULL;
}

/* Among those in the file, which are sorted. */
static const struct id_map_entry *find_entry(const struct id_map *map, int64_t id)
{
    struct id_map_entry key = {id, NULL};
    return map->kept != 0 ? bsearch(&key, map->entries, map->kept, sizeof key, compare) : NULL;
}

/* False if another module has the number, or the module has another number; or without memory. */
static bool know_module(struct id_map *map, uint32_t number, const char *key)
{
    const struct id_map_module *known = find_module(map, key);
    if (known) {
        return known->number == number;
    }
    for (size_t i = 0; i < map->module_count; i++) {
        if (map->modules[i].number == number) {
            return false;
        }
    }
    char *own = copy_text(key);
    struct id_map_module *modules =
        own ? grow_items(map->modules, map->module_count + 1, sizeof *modules) : NULL;
    if (!modules) {
        free(own);
        return false;
    }
    map->modules = modules;
    map->modules[map->module_count++] = (struct id_map_module){number, own};
    return true;
}

/* ---- lines ---- */

/* The finished text, owned by the caller; NULL: no memory. */
static char *take_text(struct ilpi_json_text *text)
{
    struct ilp_bytes bytes = ilpi_json_text_bytes(text);
    char *taken = NULL;
    if (text->json.status == ILP_OK) {
        taken = copy_part((const char *)bytes.data, bytes.size);
    } else {
        memory_failed();
    }
    ilpi_json_text_close(text);
    return taken;
}

/* Names are equal if their JSON is. */
static char *key_of(const char *module, const char *mvid)
{
    struct ilpi_json_text text;
    ilpi_json_text_open(&text, ILPI_JSON_COMPACT);
    ilpi_json_array(&text.json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(&text.json, NULL, module);
    ilpi_json_string(&text.json, NULL, mvid);
    ilpi_json_end(&text.json);
    return take_text(&text);
}

static const char *module_name(const struct ilp_image *image)
{
    return ilp_string(image, ilp_cell(image, ILP_Module, 1, ILP_Module_Name));
}

#define MVID_TEXT sizeof "00112233-4455-6677-8899-aabbccddeeff"

/* In the usual form: the first three parts are little-endian numbers (II.22.30 has 16 bytes). */
static const char *mvid_text(const struct ilp_image *image, char text[MVID_TEXT])
{
    struct ilp_bytes guid = image_mvid(image);
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    size_t size = 0;
    for (size_t i = 0; i < sizeof order; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        size += (size_t)snprintf(text + size, MVID_TEXT - size, "%s%02x", dash ? "-" : "",
                                 guid.size == sizeof order ? guid.data[order[i]] : 0u);
    }
    return text;
}

/* Parses a line of the file; false if it is not such a line. */
static bool read_line(struct id_map *map, const char *line, size_t size)
{
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
    const char *module = json_string_value(json_object_get(object, "module"));
    const char *mvid = json_string_value(json_object_get(object, "mvid"));
    json_t *number = json_object_get(object, "id");
    int64_t id = json_is_integer(number) ? (int64_t)json_integer_value(number) : 0;
    bool good = module && mvid && id > 0 && NUMBER_OF(id) != 0 &&
                ILP_TOKEN_TABLE(METHOD_OF(id)) == ILP_MethodDef;
    if (good) {
        char *key = key_of(module, mvid);
        good = key && know_module(map, NUMBER_OF(id), key);
        free(key);
    }
    json_decref(object);
    return good && put_entry(map, id, copy_part(line, size));
}

/* A line that is not in the form that this file writes, or not in order, refuses the file: it would
 * be lost when it is written again. */
static enum exit_code read_lines(struct id_map *map)
{
    unsigned failures = memory_failures();
    const char *text = (const char *)map->read.bytes.data;
    const char *end = text + map->read.bytes.size;
    for (unsigned number = 1; text != end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        if (!stop || !read_line(map, text, size) ||
            (number > 1 && map->entries[map->count - 2].id >= map->entries[map->count - 1].id)) {
            if (memory_failures() != failures) {
                return EXIT_CANNOT_WRITE;
            }
            report_message(
                "%s:%u: not a line of an id map. Name another file, or move this one away",
                map->path, number);
            return EXIT_BAD_INPUT;
        }
        text = stop + 1;
    }
    map->kept = map->count;
    map->put = map->count;
    return EXIT_DONE;
}

/* A file that is not there is an empty one, to be written at the end. */
enum exit_code id_map_open(struct id_map **out, const char *path)
{
    struct id_map *map = new_items(1, sizeof *map);
    enum exit_code code = EXIT_DONE;
    *out = NULL;
    if (!map) {
        return EXIT_CANNOT_WRITE;
    }
    map->path = path;
    map->there = file_view_open(&map->read, path);
    int error = errno;
    if (ilp_arena_open(&map->arena, NULL, NULL) != ILP_OK) {
        memory_failed();
        code = EXIT_CANNOT_WRITE;
    } else if (map->there) {
        code = read_lines(map);
    } else if (error != ENOENT) {
        report_message("%s: cannot read: %s", path, strerror(error));
        code = EXIT_BAD_INPUT;
    }
    if (code != EXIT_DONE) {
        id_map_close(map);
        map = NULL;
    }
    *out = map;
    return code;
}

void id_map_close(struct id_map *map)
{
    if (!map) {
        return;
    }
    map->put = 0;
    forget_module(map);
    for (size_t i = 0; i < map->module_count; i++) {
        free(map->modules[i].key);
    }
    free(map->modules);
    free(map->entries);
    ilp_arena_close(map->arena);
    file_view_close(&map->read);
    free(map);
}

/* ---- one module ---- */

/* For a module without a number; 0 when none is left. Above all that are used, so that numbers of
 * modules that are gone are not used again. */
static uint32_t free_number(const struct id_map *map)
{
    uint32_t last = 0;
    for (size_t i = 0; i < map->module_count; i++) {
        last = map->modules[i].number > last ? map->modules[i].number : last;
    }
    return last < MAX_NUMBER ? last + 1 : 0;
}

/* A module that is known keeps its number; ids in code that was patched earlier stay valid. */
uint32_t id_map_module(struct id_map *map, struct ilp_image *image)
{
    char mvid[MVID_TEXT];
    forget_module(map);
    map->image = image;
    map->current.key = key_of(module_name(image), mvid_text(image, mvid));
    if (!map->current.key) {
        map->failed = true;
        map->current.number = 0;
        return 0;
    }
    const struct id_map_module *known = find_module(map, map->current.key);
    map->current.number = known ? known->number : free_number(map);
    return map->current.number;
}

/* The number is known from now on, so that the next module gets another one. */
uint32_t id_map_reserve(struct id_map *map, struct ilp_image *image)
{
    uint32_t number = id_map_module(map, image);
    return number != 0 && know_module(map, number, map->current.key) ? number : 0;
}

static char *line_of(struct id_map *map, int64_t id)
{
    struct ilpi_json_text text;
    char mvid[MVID_TEXT];
    const char *name = "";
    const char *signature = "";
    ilp_arena_reset(map->arena);
    if (ilp_method_name_text(map->image, METHOD_OF(id), map->arena, &name, NULL) != ILP_OK ||
        ilp_method_text(map->image, METHOD_OF(id), map->arena, &signature, NULL) != ILP_OK) {
        memory_failed();
        return NULL;
    }
    ilpi_json_text_open(&text, ILPI_JSON_SPACED);
    schema_object(&text.json, SCHEMA_IDS, ILPI_JSON_INLINE);
    ilpi_json_signed(&text.json, "id", id);
    ilpi_json_string(&text.json, "module", module_name(map->image));
    ilpi_json_string(&text.json, "mvid", mvid_text(map->image, mvid));
    ilpi_json_token(&text.json, "token", METHOD_OF(id));
    ilpi_json_string(&text.json, "name", name);
    ilpi_json_string(&text.json, "signature", signature);
    ilpi_json_end(&text.json);
    return take_text(&text);
}

/* An id that is there with another line is added as well: put_in_order() reports the conflict. */
void id_map_add(struct id_map *map, int64_t id)
{
    char *line = line_of(map, id);
    const struct id_map_entry *known = find_entry(map, id);
    if (known && line && strcmp(known->line, line) == 0) {
        free(line);
    } else {
        map->failed = !put_entry(map, id, line) || map->failed;
    }
}

/* ---- writing ---- */

struct id_map_order {
    struct id_map_entry *entries; /* owned; their lines are not */
    size_t count;
    bool conflict; /* an id has two meanings */
};

/* Each id once: a method may have been added repeatedly. False: no memory. */
static bool put_in_order(const struct id_map *map, struct id_map_order *order)
{
    *order = (struct id_map_order){.entries = new_items(map->count, sizeof *map->entries)};
    if (!order->entries) {
        return false;
    }
    memcpy(order->entries, map->entries, map->count * sizeof *map->entries);
    qsort(order->entries, map->count, sizeof *map->entries, compare);
    for (size_t i = 0; i < map->count; i++) {
        const struct id_map_entry *last = &order->entries[order->count - (order->count != 0)];
        if (order->count == 0 || last->id != order->entries[i].id) {
            order->entries[order->count++] = order->entries[i];
        } else if (strcmp(last->line, order->entries[i].line) != 0) {
            order->conflict = true;
        }
    }
    return true;
}

/* Whether the file is unchanged since it was read. Without it, ids that another run has added would
 * be lost when the file is replaced. */
static bool is_unchanged(const struct id_map *map)
{
    struct file_view now;
    bool there = file_view_open(&now, map->path);
    bool same = there == map->there && (!there || ilpi_bytes_equal(now.bytes, map->read.bytes));
    if (there) {
        file_view_close(&now);
    }
    return same;
}

static enum exit_code fail_as_changed(struct id_map *map)
{
    report_message("%s: changed while this ran, so ids may have two meanings: run it again",
                   map->path);
    map->failed = true;
    return EXIT_CANNOT_WRITE;
}

/* Others may have added ids; those of this run keep their meaning. */
static enum exit_code read_again(struct id_map *map)
{
    struct id_map *now;
    bool good = true;
    enum exit_code code = id_map_open(&now, map->path);
    if (code != EXIT_DONE) {
        return code;
    }
    for (size_t i = 0; i < map->kept && good; i++) {
        const struct id_map_entry *entry = find_entry(now, map->entries[i].id);
        good = entry && strcmp(entry->line, map->entries[i].line) == 0;
    }
    if (good) {
        struct id_map before = *map;
        *map = *now;
        *now = before;
    }
    id_map_close(now);
    return good ? EXIT_DONE : fail_as_changed(map);
}

/* From here on the file's folder is locked, so what is read stays so until the transaction ends. */
enum exit_code id_map_begin(struct id_map *map, struct transaction *changes)
{
    char *folder = path_directory(map->path);
    bool locked = folder && transaction_lock(changes, folder);
    free(folder);
    if (!locked) {
        return transaction_report(changes);
    }
    return map->failed || is_unchanged(map) ? EXIT_DONE : read_again(map);
}

static bool write_lines(const struct id_map *map, const struct id_map_order *order,
                        struct transaction *changes)
{
    struct output output;
    bool good = output_begin(&output, map->path, map->there ? map->path : NULL);
    for (size_t i = 0; i < order->count && good; i++) {
        const char *line = order->entries[i].line;
        good = output_bytes(&output, (struct ilp_bytes){(const uint8_t *)line, strlen(line)}) &&
               output_bytes(&output, (struct ilp_bytes){(const uint8_t *)"\n", 1});
    }
    return transaction_put(changes, &output);
}

/* The file is replaced as a whole, in the order of ids. */
static enum exit_code put_lines(struct id_map *map, const struct id_map_order *order,
                                struct transaction *changes)
{
    if (order->conflict) {
        report_message(
            "%s: another file of this name and MVID has other methods: use another file of ids "
            "for this one",
            map->path);
        return EXIT_CANNOT_WRITE;
    }
    if (!is_unchanged(map)) {
        return fail_as_changed(map);
    }
    if (!write_lines(map, order, changes)) {
        return transaction_report(changes);
    }
    map->put = map->count;
    map->failed = !know_module(map, map->current.number, map->current.key);
    return EXIT_DONE;
}

/* With the changes of the same file, so that a patched file and the lines for its ids appear
 * together. */
enum exit_code id_map_put(struct id_map *map, struct transaction *changes)
{
    struct id_map_order order;
    if (map->failed) {
        report_message("%s: ids of files before this one were not written: run it again",
                       map->path);
        return EXIT_CANNOT_WRITE;
    }
    if (map->count == map->put) {
        return EXIT_DONE;
    }
    enum exit_code code = put_in_order(map, &order) ? put_lines(map, &order, changes)
                                                    : EXIT_CANNOT_WRITE;
    free(order.entries);
    return code;
}

/* Records that the transaction was committed. */
static void keep_what_was_put(struct id_map *map)
{
    size_t count = 0;
    qsort(map->entries, map->count, sizeof *map->entries, compare);
    for (size_t i = 0; i < map->count; i++) {
        if (count != 0 && map->entries[count - 1].id == map->entries[i].id) {
            free(map->entries[i].line);
        } else {
            map->entries[count++] = map->entries[i];
        }
    }
    map->count = count;
    map->put = count;
    map->kept = count;
    file_view_close(&map->read);
    map->there = file_view_open(&map->read, map->path);
}

void id_map_settle(struct id_map *map, bool committed)
{
    forget_entries(map, committed ? map->put : map->kept);
    map->put = map->count;
    if (map->put != map->kept) {
        keep_what_was_put(map);
    }
}

/* For use without other changes: a transaction of its own. */
enum exit_code id_map_write(struct id_map *map)
{
    struct transaction changes;
    char *folder = path_directory(map->path);
    enum exit_code code = EXIT_CANNOT_WRITE;
    if (folder && !transaction_begin(&changes, folder, true)) {
        code = transaction_report(&changes);
    } else if (folder) {
        code = id_map_put(map, &changes);
        if (code == EXIT_DONE && !transaction_commit(&changes)) {
            code = transaction_report(&changes);
        }
    }
    map->failed = map->failed || code != EXIT_DONE;
    id_map_settle(map, code == EXIT_DONE);
    if (folder) {
        transaction_end(&changes);
    }
    free(folder);
    return code;
}
