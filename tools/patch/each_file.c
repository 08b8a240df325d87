/* The files of a command line. See each_file.h. */
#include "tools/patch/each_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"
#include "host/text_out.h"

static enum exit_code with_image(const char *file, struct references *references, file_work *work, void *user)
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

/* What is done with each, and what stands between them. */
struct each {
    file_work *work;
    void *user;
    bool any;
};

static enum exit_code name_file(void *user, struct ilp_image *image, const char *file, struct references *references)
{
    struct each *each = user;
    printf("%s\n    {\"file\": ", each->any ? "," : "");
    json_out_string(stdout, file);
    each->any = true;
    return each->work(each->user, image, file, references);
}

enum exit_code each_file(char **files, int count, struct references *references, bool json, file_work *work, void *user)
{
    struct each each = {work, user, false};
    enum exit_code worst = EXIT_DONE;
    fputs(json ? "{\"files\": [" : "", stdout);
    for (int i = 0; i < count; i++) {
        char *file = program_assembly(files[i]);
        enum exit_code code = json ? with_image(file, references, name_file, &each)
                                   : with_image(file, references, work, user);
        free(file);
        worst = code > worst ? code : worst;
    }
    fputs(json ? "\n]}\n" : "", stdout);
    return worst;
}
