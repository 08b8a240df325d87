/* Finds, updates and restores the symbols of a file. See symbols_file.h.
 *
 *   symbols_find    which PDB is the input, and what becomes of it: the answer
 *   symbols_make    the new PDB, from the edit of the assembly
 *   symbols_write   into the transaction, with the old one kept as .orig
 *   symbols_restore the kept one back to its place */
#include "host/symbols_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/file_io.h"
#include "host/mdb_file.h"
#include "host/memory.h"
#include "metadata/edit.h"
#include "host/path.h"
#include "host/text_out.h"
#include "host/file_view.h"

const char *symbols_word(enum symbols_answer answer)
{
    static const char *const words[] = {
        [SYMBOLS_ANSWER_NONE] = "none",       [SYMBOLS_ANSWER_UPDATED] = "updated",
        [SYMBOLS_ANSWER_DROPPED] = "dropped", [SYMBOLS_ANSWER_KEPT] = "kept",
        [SYMBOLS_ANSWER_LEFT] = "left",       [SYMBOLS_ANSWER_ASIDE] = "aside"};
    return words[answer];
}

__attribute__((format(printf, 3, 4))) static void
answer(struct symbols_file *symbols, enum symbols_answer answer, const char *why, ...)
{
    va_list arguments;
    symbols->answer = answer;
    va_start(arguments, why);
    vsnprintf(symbols->why, sizeof symbols->why, why, arguments);
    va_end(arguments);
}

/* Not "": an empty format causes a warning. */
#define NO_REASON "%s", ""

/* ---- names ---- */

/* The file name in the path that the compiler stored, on any system; NULL if it is not a name. */
static char *noted_name(const struct ilp_symbols_info *info)
{
    size_t start = info->path.size;
    while (start > 0 && info->path.data[start - 1] != '/' && info->path.data[start - 1] != '\\') {
        start--;
    }
    size_t size = info->path.size - start;
    if (size == 0) {
        return NULL;
    }
    char *name = copy_part((const char *)info->path.data + start, size);
    if (!name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        free(name);
        return NULL;
    }
    return name;
}

/* App.pdb for App.dll. */
static char *own_name(const char *file)
{
    const char *name = path_name(file);
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    return format_text("%.*s.pdb", stem, name);
}

/* ---- finding ---- */

/* An unreadable file is not treated as missing; a folder is. */
static void note_unreadable(struct symbols_file *symbols, const char *path)
{
    bool none = errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == ENOTSUP;
    if (path && !none && !symbols->unreadable) {
        symbols->error = errno;
        symbols->unreadable = copy_text(path);
    }
}

/* The reason of a second search counts for the first as well. */
static void note_as(struct symbols_file *symbols, const struct symbols_file *other)
{
    errno = other->error;
    note_unreadable(symbols, other->unreadable);
}

/* A file whose presence cannot be determined is noted as unreadable. */
static bool is_there(struct symbols_file *symbols, const char *path)
{
    bool there = file_exists(path);
    if (!there) {
        note_unreadable(symbols, path);
    }
    return there;
}

/* Without memory it is unknown whether the PDB fits. */
static bool open_symbols(struct symbols_file *symbols, const struct ilp_image *image,
                         struct ilp_bytes pdb, struct ilp_error *error)
{
    ilp_status status = ilp_symbols_open(&symbols->library, image, pdb, NULL, error);
    if (status == ILP_E_NO_MEMORY) {
        memory_failed();
    }
    return status == ILP_OK;
}

/* Opens a PDB; the last reason for refusing one is kept. */
static bool try_file(struct symbols_file *symbols, const struct ilp_image *image, const char *path)
{
    struct ilp_error error;
    struct ilp_bytes none = {NULL, 0};
    struct file_view view = {.bytes = none};
    if (!file_view_open(&view, path)) {
        note_unreadable(symbols, path);
        return false;
    }
    char *input = copy_text(path);
    if (input && view.bytes.size != 0 && open_symbols(symbols, image, view.bytes, &error)) {
        symbols->view = view;
        symbols->input = input;
        return true;
    }
    free(input);
    if (!input) {
        file_view_close(&view);
        return false;
    }
    snprintf(symbols->why, sizeof symbols->why, "%.100s: %.120s", path_name(path),
             view.bytes.size != 0 ? error.message : "the file is empty");
    file_view_close(&view);
    return false;
}

/* `name` beside the assembly, as the kept original or as it is. */
static bool try_name(struct symbols_file *symbols, const struct ilp_image *image,
                     const char *directory, const char *name)
{
    char *path = path_join(directory, name);
    char *kept = path ? format_text("%s.orig", path) : NULL;
    bool found = try_file(symbols, image, kept) || try_file(symbols, image, path);
    free(kept);
    free(path);
    return found;
}

/* The PDB beside the assembly: by the compiler's name, or by the assembly's own. */
static bool find_beside(struct symbols_file *symbols, const struct ilp_image *image,
                        const struct ilp_symbols_info *info, const char *file)
{
    char *directory = path_home(file);
    char *noted = noted_name(info);
    char *own = own_name(file);
    bool found = noted && directory && try_name(symbols, image, directory, noted);
    symbols->name = copy_text(found ? noted : own);
    if (!found && own && (!noted || strcmp(noted, own) != 0)) {
        found = try_name(symbols, image, directory, own);
    }
    free(directory);
    free(noted);
    free(own);
    return found;
}

/* ---- output paths ---- */

/* A second PDB beside an assembly with another name, so that both have their own. The link then has
 * the new name. */
static void place_separate(struct symbols_file *symbols, const struct symbols_place *place)
{
    char *directory = path_directory(place->output);
    bool renamed = strcmp(path_name(place->output), path_name(place->file)) != 0;
    char *own = renamed ? own_name(place->output) : copy_text(symbols->name);
    symbols->output = path_join(directory, own);
    if (renamed && symbols->output) {
        const char *noted = path_name(symbols->output);
        symbols->link.path = (struct ilp_bytes){(const uint8_t *)noted, strlen(noted)};
    }
    free(own);
    free(directory);
    if (file_is_same(symbols->output, symbols->input)) {
        answer(symbols, SYMBOLS_ANSWER_DROPPED, "the new PDB would replace that of the input");
    }
}

/* Whether the PDB at `path` belongs to `image` (may be NULL). */
static bool is_pdb_of(struct symbols_file *symbols, const char *path, const struct ilp_image *image)
{
    struct symbols_file there = {.answer = SYMBOLS_ANSWER_NONE};
    bool same = image && try_file(&there, image, path);
    note_as(symbols, &there);
    symbols_close(&there);
    return same;
}

static bool is_mdb_of(struct symbols_file *symbols, const char *path, const struct ilp_image *image)
{
    struct file_view view;
    if (!file_view_open(&view, path)) {
        note_unreadable(symbols, path);
        return false;
    }
    bool same = mdb_is_of(view.bytes, image);
    file_view_close(&view);
    return same;
}

/* The existing PDB is kept, once; the next run begins with it. */
static void place_here(struct symbols_file *symbols, const struct symbols_place *place)
{
    char *directory = path_home(place->file);
    symbols->output = path_join(directory, symbols->name);
    free(directory);
    if (!place->in_place && symbols->output && strcmp(symbols->input, symbols->output) == 0) {
        symbols->kept = format_text("%s.orig", symbols->output);
        bool there = is_there(symbols, symbols->kept);
        symbols->stale = there && is_pdb_of(symbols, symbols->kept, place->stale);
        if (there && !symbols->stale) {
            answer(symbols, SYMBOLS_ANSWER_DROPPED,
                   "%s is kept of another build: move it away first", path_name(symbols->kept));
        }
    }
}

/* Found, and where it goes; found, but not of this build (LEFT, with the reason); or not there. */
static void find_in(struct symbols_file *symbols, const struct ilp_image *image,
                    const struct ilp_symbols_info *info, const struct symbols_place *place)
{
    if (find_beside(symbols, image, info, place->file)) {
        answer(symbols, SYMBOLS_ANSWER_UPDATED, NO_REASON);
        if (place->alone) {
            answer(symbols, SYMBOLS_ANSWER_DROPPED, "a PDB has no place beside standard output");
        } else if (place->separate) {
            place_separate(symbols, place);
        } else {
            place_here(symbols, place);
        }
    } else if (symbols->why[0] != '\0') {
        symbols->answer = SYMBOLS_ANSWER_LEFT;
    } else {
        answer(symbols, SYMBOLS_ANSWER_DROPPED, "%s is not there",
               symbols->name ? symbols->name : "the PDB");
    }
}

/* The PDB in a bundle and the one beside it are the same, by id. */
static void find_file(struct symbols_file *symbols, const struct ilp_image *image,
                      const struct ilp_symbols_info *info, const struct symbols_place *place)
{
    find_in(symbols, image, info, place);
    if (!place->host) {
        return;
    }
    struct symbols_file at_host = {.at_host = true};
    find_in(&at_host, image, info, place->host);
    note_as(symbols, &at_host); /* one of the two is dropped */
    note_as(&at_host, symbols);
    bool better = symbols->answer == SYMBOLS_ANSWER_DROPPED ||
                  at_host.answer == SYMBOLS_ANSWER_UPDATED;
    if (!symbols->library && better) {
        symbols_close(symbols);
        *symbols = at_host;
    } else if (at_host.answer == SYMBOLS_ANSWER_UPDATED) {
        symbols->copy = new_items(1, sizeof *symbols->copy);
        if (symbols->copy) {
            *symbols->copy = at_host;
        } else {
            symbols_close(&at_host);
        }
    } else {
        symbols_close(&at_host);
    }
}

/* An embedded PDB has no file, and nothing to place: it is written with the assembly. */
static void find_embedded(struct symbols_file *symbols, const struct ilp_image *image)
{
    struct ilp_error error;
    struct ilp_bytes none = {NULL, 0};
    if (open_symbols(symbols, image, none, &error)) {
        answer(symbols, SYMBOLS_ANSWER_UPDATED, NO_REASON);
    } else {
        answer(symbols, SYMBOLS_ANSWER_DROPPED, "%s", error.message);
    }
}

static const char mdb_stays[] = "symbols in Mono's format (.mdb) cannot be moved along";

/* Beside the new FILE, Mono would find them and report a mismatch. */
static void put_aside(struct symbols_file *symbols, const struct ilp_image *image,
                      const struct symbols_place *place, const char *name, bool here)
{
    symbols->kept = format_text("%s.orig", name);
    if (!symbols->kept) {
        answer(symbols, SYMBOLS_ANSWER_LEFT, "out of memory");
        return;
    }
    symbols->stale = here && is_there(symbols, symbols->kept) &&
                     !is_mdb_of(symbols, symbols->kept, image);
    if (!symbols->stale || (place->stale && is_mdb_of(symbols, symbols->kept, place->stale))) {
        symbols->input = here ? copy_text(name) : NULL;
        answer(symbols, SYMBOLS_ANSWER_ASIDE, "%s: %s", path_name(symbols->kept), mdb_stays);
    } else {
        symbols->stale = false;
        answer(symbols, SYMBOLS_ANSWER_LEFT, "%s is kept of another build: move it away first",
               path_name(symbols->kept));
    }
}

/* Mono's format has no writer here: such symbols, which no longer match, are renamed, so that Mono
 * does not use them. */
static void find_mdb(struct symbols_file *symbols, enum ilp_symbols_entries wanted,
                     const struct ilp_image *image, const struct symbols_place *place)
{
    char *name = mdb_path(place->file);
    char *kept = name ? format_text("%s.orig", name) : NULL;
    bool here = is_mdb_of(symbols, name, image);
    if (!here && !is_mdb_of(symbols, kept, image)) {
        answer(symbols, SYMBOLS_ANSWER_NONE, NO_REASON);
    } else if (place->separate) {
        answer(symbols, SYMBOLS_ANSWER_LEFT, "%s", mdb_stays);
    } else if (here && wanted == ILP_SYMBOLS_KEEP) {
        answer(symbols, SYMBOLS_ANSWER_KEPT, NO_REASON);
    } else {
        put_aside(symbols, image, place, name, here);
    }
    free(kept);
    free(name);
}

/* Where the PDB may be, without opening anything: for the order of files, and for the cache. */
void symbols_paths(const struct ilp_image *image, const char *file, char *paths[2])
{
    struct ilp_symbols_info info;
    ilp_image_symbols(image, &info);
    paths[0] = paths[1] = NULL;
    if (info.kind == ILP_SYMBOLS_BESIDE) {
        char *directory = path_home(file);
        char *noted = noted_name(&info);
        char *own = own_name(file);
        paths[0] = path_join(directory, own);
        paths[1] = noted && (!own || strcmp(noted, own) != 0) ? path_join(directory, noted) : NULL;
        free(directory);
        free(noted);
        free(own);
    }
}

/* By the kind of the debug directory's entry, then by what is requested. */
void symbols_find(struct symbols_file *symbols, enum ilp_symbols_entries wanted,
                  const struct ilp_image *image, const struct symbols_place *place)
{
    struct ilp_symbols_info info;
    ilp_image_symbols(image, &info);
    if (info.kind == ILP_SYMBOLS_NONE) {
        find_mdb(symbols, wanted, image, place);
    } else if (wanted == ILP_SYMBOLS_KEEP) {
        answer(symbols, SYMBOLS_ANSWER_KEPT, NO_REASON);
    } else if (wanted == ILP_SYMBOLS_DROP) {
        answer(symbols, SYMBOLS_ANSWER_DROPPED, NO_REASON);
    } else if (info.kind == ILP_SYMBOLS_EMBEDDED) {
        find_embedded(symbols, image);
    } else if (info.kind == ILP_SYMBOLS_WINDOWS) {
        answer(symbols, SYMBOLS_ANSWER_LEFT, "a Windows PDB, which cannot be moved along");
    } else {
        find_file(symbols, image, &info, place);
    }
}

/* ---- updating ---- */

/* With no body changed and no new id the old PDB still fits. A PDB that cannot be moved is dropped
 * with its reason, and does not stop the patch. */
ilp_status symbols_make(struct symbols_file *symbols, struct ilp_edit *edit,
                        struct ilp_write_options *options, struct ilp_error *error)
{
    options->symbols = symbols->answer == SYMBOLS_ANSWER_KEPT ? ILP_SYMBOLS_KEEP : ILP_SYMBOLS_DROP;
    /* these refer to the MVID */
    bool renamed = symbols->answer == SYMBOLS_ANSWER_ASIDE && edit->guids;
    if (edit->bodies.size == 0 && !renamed) {
        symbols_stay(symbols);
    }
    if (symbols->answer != SYMBOLS_ANSWER_UPDATED) {
        return ILP_OK;
    }
    struct ilp_bytes path = symbols->link.path;
    ilp_status status = ilp_symbols_write(symbols->library, edit, &symbols->pdb, &symbols->link,
                                          error);
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return status;
    }
    if (status != ILP_OK) {
        answer(symbols, SYMBOLS_ANSWER_DROPPED, "%s", error->message);
        return ILP_OK;
    }
    symbols->link.path = path;
    options->symbols = ILP_SYMBOLS_UPDATE;
    options->link = &symbols->link;
    return ILP_OK;
}

/* An equal file is not replaced: it keeps its times. */
static bool has_bytes(const char *path, struct ilp_bytes bytes)
{
    struct file_view view;
    bool same = file_view_open(&view, path) && ilpi_bytes_equal(view.bytes, bytes);
    file_view_close(&view);
    return same;
}

/* The link to an unchanged PDB keeps its name, even if the assembly's name changes. */
static bool replace_unchanged(struct symbols_file *symbols, struct transaction *to)
{
    char *directory = path_directory(symbols->output);
    free(symbols->output);
    symbols->output = path_join(directory, symbols->name);
    free(directory);
    if (symbols->output && !has_bytes(symbols->output, symbols->view.bytes)) {
        symbols->replaces = transaction_write(to, symbols->output, symbols->view.bytes,
                                              symbols->input);
        return symbols->replaces;
    }
    return symbols->output != NULL;
}

static bool replace_changed(struct symbols_file *symbols, struct ilp_bytes pdb,
                            struct transaction *to)
{
    symbols->replaces = (!symbols->kept || transaction_link(to, symbols->output, symbols->kept)) &&
                        transaction_write(to, symbols->output, pdb, symbols->input);
    return symbols->replaces;
}

/* An embedded PDB is written with the assembly. */
bool symbols_replace(struct symbols_file *symbols, struct transaction *beside,
                     struct transaction *at_host)
{
    struct symbols_file *files[] = {symbols, symbols->copy};
    if (symbols->answer == SYMBOLS_ANSWER_ASIDE && symbols->input &&
        !transaction_move(beside, symbols->input, symbols->kept)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        struct symbols_file *file = files[i];
        if (!file || !file->library || !file->output) {
            continue;
        }
        struct transaction *to = file->at_host ? at_host : beside;
        bool added = true;
        if (symbols->answer == SYMBOLS_ANSWER_UPDATED) {
            added = replace_changed(file, symbols->pdb, to);
        } else if (symbols->answer == SYMBOLS_ANSWER_NONE) {
            added = replace_unchanged(file, to);
        }
        if (!added) {
            return false;
        }
    }
    return true;
}

void symbols_stay(struct symbols_file *symbols)
{
    answer(symbols, SYMBOLS_ANSWER_NONE, NO_REASON);
}

void symbols_summary(const struct symbols_file *symbols, FILE *out)
{
    static const char *const texts[] = {
        [SYMBOLS_ANSWER_NONE] = "",
        [SYMBOLS_ANSWER_UPDATED] = "; symbols updated",
        [SYMBOLS_ANSWER_DROPPED] = "; link to symbols dropped",
        [SYMBOLS_ANSWER_KEPT] = "; symbols kept, but they no longer match",
        [SYMBOLS_ANSWER_LEFT] = "; symbols left as they are, without a link to them",
        [SYMBOLS_ANSWER_ASIDE] = "; symbols put aside"};
    fputs(texts[symbols->answer], out);
    if (symbols->why[0] != '\0') {
        fputs(" (", out);
        text_out(out, symbols->why, false);
        fputc(')', out);
    }
}

/* Also of the copy beside a bundle. The structure is then as before symbols_find(). */
void symbols_close(struct symbols_file *symbols)
{
    if (symbols->copy) {
        symbols_close(symbols->copy);
        free(symbols->copy);
    }
    ilp_symbols_close(symbols->library);
    file_view_close(&symbols->view);
    free(symbols->unreadable);
    free(symbols->input);
    free(symbols->output);
    free(symbols->kept);
    free(symbols->name);
    *symbols = (struct symbols_file){.answer = SYMBOLS_ANSWER_NONE};
}

/* ---- restoring ---- */

static bool put_back(struct transaction *changes, const char *kept, const char *path)
{
    return transaction_move(changes, kept, path);
}

/* The same search as for a patch, with the original's image: it finds the .orig first, and that
 * goes back to its place. */
bool symbols_restore(struct transaction *changes, const struct ilp_image *original,
                     const char *file)
{
    struct symbols_file symbols = {.answer = SYMBOLS_ANSWER_NONE};
    struct symbols_place place = {.file = file, .output = file};
    bool restored = true;
    symbols_find(&symbols, ILP_SYMBOLS_UPDATE, original, &place);
    if (symbols.unreadable) {
        restored = transaction_fail_reading(changes, symbols.unreadable, symbols.error);
    } else if (symbols.answer == SYMBOLS_ANSWER_ASIDE && !symbols.input) {
        char *name = mdb_path(file);
        restored = name && put_back(changes, symbols.kept, name);
        free(name);
    } else if (symbols.library && symbols.input && !symbols.kept &&
               strcmp(symbols.input, symbols.output) != 0) {
        restored = put_back(changes, symbols.input, symbols.output);
    }
    symbols_close(&symbols);
    return restored;
}

/* For a build that is replaced: its kept symbols fit nothing any more. */
void symbols_forget(struct transaction *changes, const struct ilp_image *stale, const char *file)
{
    struct symbols_file symbols = {.answer = SYMBOLS_ANSWER_NONE};
    struct symbols_place place = {.file = file, .output = file};
    symbols_find(&symbols, ILP_SYMBOLS_UPDATE, stale, &place);
    if (symbols.unreadable) {
        transaction_fail_reading(changes, symbols.unreadable, symbols.error);
    } else if (symbols.answer == SYMBOLS_ANSWER_ASIDE && !symbols.input) {
        transaction_remove(changes, symbols.kept);
    } else if (symbols.library && symbols.input && ends_with(symbols.input, ".orig")) {
        transaction_remove(changes, symbols.input);
    }
    symbols_close(&symbols);
}
