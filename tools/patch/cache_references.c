/* Prints and compares the references of assemblies. See cache_references.h.
 *
 *   ref MVID VERSION FLAGS KEY CULTURE NAME    MVID: of what was found; "-": nothing
 *
 * A reference is the input, and the assembly that the search finds for it is what may have changed:
 * another version, another path, or none any more. So the MVID is compared and not the file, and
 * the search is repeated, which costs less than a digest of each framework file. */
#include "tools/patch/cache_references.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/digest_text.h"
#include "host/file_image.h"
#include "host/line_word.h"
#include "host/path.h"

/* The limit of a key; a public key of 1024 bits has 160 bytes. */
#define MAX_KEY 4096u

/* The MVID of an image: it is new with each build, or derived from the contents. */
static void image_digest(const struct ilp_image *image, char text[DIGEST_DIGITS + 1])
{
    if (image) {
        digest_text(image_mvid(image), text);
    } else {
        strcpy(text, "-");
    }
}

/* ---- printing ---- */

/* The destination of reference lines. */
struct reference_lines {
    FILE *out;
    const char *folder; /* references found below it are left out; NULL: none are */
};

/* References between the files of one bundle are part of the bundle's own digest. */
static bool is_left_out(const struct reference_lines *lines, const struct reference *reference)
{
    const char *path = reference->image ? ilp_image_name(reference->image) : NULL;
    return path && path_below(lines->folder, path) != path;
}

/* Words are separated by single spaces; "-" is an empty one. Names may have spaces, so they are
 * escaped (host/line_word.h). */
static void print_reference(void *user, const struct reference *reference)
{
    const struct reference_lines *lines = user;
    FILE *out = lines->out;
    const struct ilp_assembly_name *name = &reference->name;
    const uint16_t *version = name->version;
    char digest[DIGEST_DIGITS + 1];
    if (is_left_out(lines, reference)) {
        return;
    }
    image_digest(reference->image, digest);
    fprintf(out, "ref %s %u.%u.%u.%u %" PRIu32 " ", digest, version[0], version[1], version[2],
            version[3], name->flags);
    for (size_t i = 0; i < name->key.size; i++) {
        fprintf(out, "%02x", name->key.data[i]);
    }
    fputs(name->key.size != 0 ? " " : "- ", out);
    line_word_print(out, name->culture[0] != '\0' ? name->culture : "-");
    fputc(' ', out);
    line_word_print(out, name->name);
    fputc('\n', out);
}

void cache_references_print(FILE *out, const struct references *references, const char *target,
                            const char *folder)
{
    struct reference_lines lines = {out, folder};
    fputs("of ", out);
    line_word_print(out, target);
    fputc('\n', out);
    references_each(references, print_reference, &lines);
}

/* ---- comparing ---- */

/* Hexadecimal digits in pairs, "-" for none. */
static bool read_key(const char *word, uint8_t *key, size_t *size)
{
    unsigned byte;
    for (*size = 0; word[0] != '\0' && word[0] != '-'; word += 2) {
        if (*size == MAX_KEY || sscanf(word, "%2x", &byte) != 1 || word[1] == '\0') {
            return false;
        }
        key[(*size)++] = (uint8_t)byte;
    }
    return true;
}

/* Any word that cannot be read makes the entry stale: the file is patched again, which is never
 * wrong. */
bool cache_reference_is_same(struct references *references, char *rest)
{
    char digest[DIGEST_DIGITS + 1];
    uint8_t key[MAX_KEY];
    const char *noted = line_word_next(&rest);
    const char *version = line_word_next(&rest);
    const char *flags = line_word_next(&rest);
    const char *key_text = line_word_next(&rest);
    char *culture = line_word_next(&rest);
    char *name = line_word_next(&rest);
    struct ilp_assembly_name assembly = {.name = name, .culture = culture, .key = {key, 0}};
    uint16_t *numbers = assembly.version;
    if (!line_word_read(name) || !line_word_read(culture) ||
        !read_key(key_text, key, &assembly.key.size) ||
        sscanf(version, "%hu.%hu.%hu.%hu", &numbers[0], &numbers[1], &numbers[2], &numbers[3]) !=
            4 ||
        sscanf(flags, "%" SCNu32, &assembly.flags) != 1) {
        return false;
    }
    assembly.culture = strcmp(culture, "-") == 0 ? "" : culture;
    const struct reference *found = references_find(references, &assembly);
    image_digest(found ? found->image : NULL, digest);
    return strcmp(digest, noted) == 0;
}
