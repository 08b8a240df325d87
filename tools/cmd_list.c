/* ilpatch list: every method, its signature, and what would be inserted or why not. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "companion.h"
#include "inspect/inspector.h"
#include "references.h"
#include "text_out.h"

static const char help[] =
    "ilpatch list [--reference-path DIR]... [--inspector X.dll] FILE\n"
    "\n"
    "Prints a line for every method, changing nothing:\n"
    "  token, the answer (inspected, void, byref-like, ...), the signature, and behind it what would be\n"
    "  inserted before each ret, or why nothing is.\n";

struct listing {
    struct ilp_image *image;
    struct ilp_arena *arena;
    const struct ilp_inspector *inspector;
};

static ilp_status print_method(void *user, ilp_token method, const struct ilp_method_result *result,
                               struct ilp_error *error)
{
    struct listing *listing = user;
    const char *text;
    ilp_arena_reset(listing->arena);
    ilp_status status = ilp_method_text(listing->image, method, listing->arena, &text, error);
    if (status != ILP_OK) {
        return status;
    }
    printf("%08X  %-17s  ", method, ilp_reason_code(result->reason));
    text_out(stdout, text, false);
    if (result->reason == ILP_REASON_INSPECTED) {
        printf("  + dup;%s%s call", result->boxed ? " box;" : "",
               listing->inspector->takes_name ? " ldstr;" : "");
        if (result->inspected != 1) {
            printf(" x%u", result->inspected);
        }
    } else {
        printf("  - %s", ilp_reason_text(result->reason));
    }
    if (result->detail[0] != '\0') {
        fputs(" (", stdout);
        text_out(stdout, result->detail, false);
        fputc(')', stdout);
    }
    putchar('\n');
    return ILP_OK;
}

static enum exit_code list(const char *file, const char *inspector, struct references *references)
{
    struct file_view view;
    struct companion companion;
    struct listing listing = {0};
    struct ilp_error error;
    if (!file_view_open(&view, file)) {
        tell("%s: cannot read: %s", file, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    enum exit_code code = companion_open(&companion, inspector);
    listing.inspector = companion.inspector;
    references_set_target(references, file);
    struct ilp_resolver resolver = references_resolver(references);
    struct ilp_report report = {&listing, print_method};
    if (code == EXIT_DONE &&
        (ilp_image_open(&listing.image, view.bytes, ILP_LAYOUT_FILE, file, NULL, &error) != ILP_OK ||
         ilp_arena_open(&listing.arena, NULL, &error) != ILP_OK ||
         ilp_inspect_returns(listing.image, NULL, companion.inspector, &resolver, &report, NULL,
                             &error) != ILP_OK)) {
        tell_error(file, &error);
        code = exit_code_of(&error);
    }
    ilp_arena_close(listing.arena);
    ilp_image_close(listing.image);
    companion_close(&companion);
    file_view_close(&view);
    return code;
}

/* Where the options leave their values. */
struct list_options {
    const char **paths;
    size_t path_count;
    const char *inspector;
};

static enum exit_code parse(int argc, char **argv, struct list_options *options, bool *finished)
{
    static const struct option long_options[] = {
        {"reference-path", required_argument, NULL, 'r'},
        {"inspector", required_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    opterr = 0;
    *finished = true;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case 'r':
            options->paths[options->path_count++] = optarg;
            break;
        case 'i':
            options->inspector = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_DONE;
        default:
            return option_error("list", option, argv, ":h");
        }
    }
    if (argc - optind != 1) {
        return usage_error("list", "one file has to be named");
    }
    *finished = false;
    return EXIT_DONE;
}

enum exit_code cmd_list(int argc, char **argv)
{
    struct list_options options = {.paths = need(calloc((size_t)argc, sizeof *options.paths))};
    bool finished;
    enum exit_code code = parse(argc, argv, &options, &finished);
    if (!finished) {
        struct references *references = references_open(options.paths, options.path_count);
        code = list(argv[optind], options.inspector, references);
        references_close(references);
    }
    free(options.paths);
    return code;
}
