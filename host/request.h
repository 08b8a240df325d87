/* The request of a command line, the same for every command: the methods, the inspectors, and where
 * referenced assemblies are. */
#ifndef REQUEST_H
#define REQUEST_H

#include "host/inspector_file.h"
#include "host/option_fields.h"
#include "host/parsed_rules.h"
#include "host/references.h"

/* REQUEST_FIELDS(FIELD): FIELD(ID, FIELD), with an ID of host/options.def. */
#define REQUEST_FIELDS(FIELD)       \
    FIELD(RULES, rules)             \
    FIELD(WHERE, wheres)            \
    FIELD(METHOD, methods)          \
    FIELD(ARGS, args)               \
    FIELD(EXCEPTIONS, exceptions)   \
    FIELD(AFFECTED_BY, affected_by) \
    FIELD(TARGET, target)           \
    FIELD(INSPECTOR, inspector)     \
    FIELD(REFERENCE_PATH, reference_paths)

/* The options, as given; zeroed before the first. All texts are borrowed. */
struct request_options {
    struct option_list rules;
    struct option_list wheres;
    struct option_list methods;       /* Type::Method or Method, with wildcards */
    bool args;                        /* for methods that no rule decides about */
    bool exceptions;                  /* the same */
    struct option_choice affected_by; /* ILP_BUG_* */
    struct option_choice target;      /* ILP_TARGET_*; AUTO if not given */
    const char *inspector;
    struct option_list reference_paths;
    /* the first invalid word: reported by request_open(); NULL: none */
    const char *wrong_word;
    enum option_id wrong;
    bool in_process; /* not an option: a profiler reads the options again, in a process */
    /* not an option: rules that a command has parsed; NULL: none. Borrowed */
    const char *parsed;
    /* not an option: the inspector of this name, the default one for methods that are changed in a
     * process; NULL: in a file, which has none. Borrowed */
    const struct ilp_native *unmanaged;
    /* not an option: in a process whose values the profiler cannot read, the stock inspector
     * substitutes it, and `unmanaged` is NULL */
    bool stands_in;
};

/* Words of --inspector: the profiler's own one, and the editions of the stock one. */
#define UNMANAGED "unmanaged"
#define FULL      "full"
#define SMALL     "small"

void request_options_end(struct request_options *options);

/* Takes an option that selects methods or inspectors; false for others. */
bool request_option(struct request_options *options, enum option_id option, const char *value);

/* Records an invalid word, which request_open() reports. */
void request_option_is_wrong(struct request_options *options, enum option_id option,
                             const char *word);

/* Whether any option selects methods. */
bool request_options_select(const struct request_options *options);

/* The opened request: rules read, inspectors opened. */
struct request {
    struct ilp_rules *rules;     /* NULL: every method */
    struct parsed_rules *parsed; /* of a process, or for one; NULL: neither */
    uint32_t filters;            /* number of leading rules made from filtering options */
    bool every;                  /* the last rule is made from --inspect-returns */
    unsigned target;
    bool embed;                             /* inspectors are embedded */
    bool framework;                         /* also assemblies of the runtime */
    struct inspector_file *inspector_files; /* the default inspector, then those of the rules */
    size_t inspector_file_count;
    /* the default one is the stock one, in the edition that a file needs (inspector_fit.h) */
    bool any_edition;
    struct inspector_file other;        /* its other edition, once needed */
    char *library;                      /* of --inspector native:LIBRARY!SYMBOL, else NULL */
    const struct ilp_native *unmanaged; /* as in the options */
    bool stands_in;                     /* the same */
    const struct ilp_inspector **inspectors;
    struct references *references;
};

/* Closes what request_open() opened (request_open.h). */
void request_close(struct request *request);

/* The same request for another thread (turn.h): with its own references, and its own edition of the
 * stock inspector; the rest is borrowed. False: no memory. Close it before `request`. */
bool request_share(struct request *own, const struct request *request);
void request_unshare(struct request *own, const struct request *request);

/* Whether --target is given without an option that depends on it. */
bool request_target_is_idle(const struct request_options *options);

/* Whether a rule calls this inspector; without rules it is the default one. */
bool request_calls_inspector(const struct request *request, size_t number);

/* Whether any rule passes exceptions. */
bool request_passes_exceptions(const struct request *request);

/* Whether any called inspector is a native function, or, without `native`, managed code. */
bool request_calls(const struct request *request, bool native);

/* Where ids are requested, in the form of request_rule_place(); NULL: nowhere. Owned by the
 * caller. */
char *request_passes_ids(const struct request *request);

/* For the library; borrowed from the request and `resolver`. */
struct ilp_request request_for_library(const struct request *request,
                                       const struct ilp_resolver *resolver);

/* Indexes an image whose methods are inspected (ilp_image_index()), if many of its types will be
 * looked up by name. Without memory the work takes longer. */
void request_index_image(const struct ilp_request *request, struct ilp_image *image);

/* Whether the rule was made from an option. */
bool request_is_option(const struct request *request, uint32_t number);

/* "rules.xml:12: rule 'name'", or the option that made a rule. Owned by the caller. */
char *request_rule_place(const struct request *request, uint32_t number);

#endif
