/* The files of a command line. See each_file.h. */
#include "tools/patch/each_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"

static enum exit_code with_image(const char *file, struct references *references, file_work *work,
                                 void *user)
{
    struct file_view view;
    struct ilp_error error;
    struct ilp_image *image;
    if (!file_view_open(&view, file)) {
        tell("%s: cannot read: %s", file, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    enum exit_code code;
    references_set_target(references, file);
    if (ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, file, NULL, &error) != ILP_OK) {
        tell_error(file, &error);
        code = exit_code_of(&error);
    } else {
        code = work(user, image, file, references);
        ilp_image_close(image);
    }
    file_view_close(&view);
    return code;
}

/* What is done with each, between its name and its end. */
struct each {
    struct ilpi_json *json;
    file_work *work;
    void *user;
};

static enum exit_code as_object(void *user, struct ilp_image *image, const char *file,
                                struct references *references)
{
    struct each *each = user;
    ilpi_json_line(each->json, 4);
    ilpi_json_object(each->json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(each->json, "file", file);
    enum exit_code code = each->work(each->user, image, file, references);
    ilpi_json_end(each->json);
    return code;
}

static enum exit_code each_of(char **files, int count, struct references *references,
                              file_work *work, void *user)
{
    enum exit_code worst = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        char *file = program_assembly(files[i]);
        enum exit_code code = with_image(file, references, work, user);
        free(file);
        worst = code > worst ? code : worst;
    }
    return worst;
}

enum exit_code each_file(char **files, int count, struct references *references,
                         struct ilpi_json *json, file_work *work, void *user)
{
    struct each each = {json, work, user};
    if (!json) {
        return each_of(files, count, references, work, user);
    }
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_array(json, "files", ILPI_JSON_LINES_ALWAYS);
    enum exit_code worst = each_of(files, count, references, as_object, &each);
    ilpi_json_end(json);
    ilpi_json_end(json);
    return ilpi_json_finish(json) != ILP_OK && worst < EXIT_CANNOT_WRITE ? EXIT_CANNOT_WRITE
                                                                         : worst;
}
