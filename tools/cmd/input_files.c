/* Opens the files of commands that only read. See input_files.h.
 *
 * One set of references serves all files: images that were found for one are there for the next.
 * For --json the files are objects of one array; as_object() wraps the command's own work, so a
 * command does not know whether its file is the only one. A file that cannot be opened has no
 * object, and is reported on standard error. */
#include "tools/cmd/input_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"
#include "host/text_out.h"
#include "tools/tool.h"

/* ---- the command line ---- */

/* argc bounds the number of --reference-path options, so the array needs no growing. */
void input_files_begin(struct input_files *files, int argc, enum schema schema)
{
    *files = (struct input_files){.reference_paths = need(calloc((size_t)argc, sizeof(char *))),
                                  .schema = schema};
}

void input_files_end(struct input_files *files)
{
    free(files->reference_paths);
}

bool input_files_option(struct input_files *files, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_REFERENCE_PATH: files->reference_paths[files->reference_count++] = value; break;
    case OPTION_JSON: files->as_json = true; break;
    default: return false;
    }
    return true;
}

/* Borrowed from argv, as the paths of --reference-path are. */
enum exit_code input_files_operands(struct input_files *files, const struct option_reader *reader,
                                    const char *command)
{
    files->files = reader->operands;
    files->file_count = reader->operand_count;
    return files->file_count != 0 ? EXIT_DONE : usage_error(command, "no file is named");
}

/* ---- the files ---- */

/* The references get their target first, since what they find depends on its folder and program.
 * View and image live as long as the work. */
static enum exit_code work_on(struct opened_file *file, file_work *work, void *user)
{
    struct file_view view;
    struct ilp_error error;
    if (!file_view_open(&view, file->path)) {
        report_message("%s: cannot read: %s", file->path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    enum exit_code code;
    references_set_target(file->references, file->path);
    if (ilp_image_open(&file->image, view.bytes, ILP_LAYOUT_FILE, file->path, NULL, &error) !=
        ILP_OK) {
        report_file_error(file->path, &error);
        code = exit_code_of(&error);
    } else {
        code = work(user, file);
        ilp_image_close(file->image);
    }
    file_view_close(&view);
    return code;
}

enum exit_code with_file(const char *path, struct references *references, file_work *work,
                         void *user)
{
    char *assembly = program_assembly(path);
    struct opened_file file = {.path = assembly, .references = references};
    enum exit_code code = work_on(&file, work, user);
    free(assembly);
    return code;
}

/* What is done with a file inside its JSON object. */
struct object_work {
    struct ilpi_json json;
    file_work *work;
    void *user;
};

static enum exit_code as_object(void *user, const struct opened_file *file)
{
    struct object_work *object = user;
    struct opened_file own = *file;
    own.json = &object->json;
    ilpi_json_line(&object->json, 4);
    ilpi_json_object(&object->json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(&object->json, "file", file->path);
    enum exit_code code = object->work(object->user, &own);
    ilpi_json_end(&object->json);
    return code;
}

/* The worst code of all files: one that cannot be read does not keep the others from it. */
static enum exit_code each_of(const struct input_files *files, file_work *work, void *user)
{
    struct references *references =
        need(references_open(files->reference_paths, files->reference_count));
    enum exit_code worst = EXIT_DONE;
    for (int i = 0; i < files->file_count; i++) {
        enum exit_code code = with_file(files->files[i], references, work, user);
        worst = worse(worst, code);
    }
    references_close(references);
    return worst;
}

/* The array is closed also if files failed, so the output is JSON in every case. */
enum exit_code each_file(const struct input_files *files, file_work *work, void *user)
{
    if (!files->as_json) {
        return each_of(files, work, user);
    }
    struct object_work object = {.work = work, .user = user};
    ilpi_json_begin(&object.json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(&object.json, files->schema, ILPI_JSON_INLINE);
    ilpi_json_array(&object.json, "files", ILPI_JSON_LINES_ALWAYS);
    enum exit_code worst = each_of(files, as_object, &object);
    ilpi_json_end(&object.json);
    ilpi_json_end(&object.json);
    bool written = ilpi_json_finish(&object.json) == ILP_OK;
    return written || worst > EXIT_CANNOT_WRITE ? worst : EXIT_CANNOT_WRITE;
}
