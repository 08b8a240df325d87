/* What a command line asks for, in the same words for every command: which methods, what is called,
 * where referenced assemblies are. */
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

/* The options, as they are given; zeroed before the first. All texts are borrowed. */
struct request_options {
    struct option_list rules;
    struct option_list wheres;
    struct option_list methods;       /* Type::Method or Method, with wildcards */
    bool args;                        /* of what no rule decides about; */
    bool exceptions;                  /* the same */
    struct option_choice affected_by; /* ILP_BUG_* */
    struct option_choice target;      /* ILP_TARGET_*; AUTO if it is not given */
    const char *inspector;
    struct option_list reference_paths;
    /* the first value that is none of its option's words: request_open() reports it; NULL: none */
    const char *wrong_word;
    enum option_id wrong;
    bool in_process; /* not from the command line: a profiler reads the options again, elsewhere */
    /* not from the command line: what a command has parsed of the rules; NULL: nothing. Borrowed */
    const char *parsed;
    /* not from the command line: the inspector of this name, which is the default one for methods
     * that are changed in a process; NULL: in a file, where there is none. Borrowed */
    const struct ilp_native *unmanaged;
    /* not from the command line: in a process whose values the profiler cannot read the stock
     * inspector stands in for it, and `unmanaged` is NULL */
    bool stands_in;
};

/* Words of --inspector: the profiler's own one, and the two editions of the stock one. */
#define UNMANAGED "unmanaged"
#define FULL      "full"
#define SMALL     "small"

void request_options_end(struct request_options *options);

/* Takes an option that says which methods, or what is called; false for any other. */
bool request_option(struct request_options *options, enum option_id option, const char *value);

/* The word is none of the option's, which request_open() reports. */
void request_option_is_wrong(struct request_options *options, enum option_id option,
                             const char *word);

/* Whether any says which methods. */
bool request_options_select(const struct request_options *options);

/* Ready for use: rules read, inspectors opened. */
struct request {
    struct ilp_rules *rules;     /* NULL: every method */
    struct parsed_rules *parsed; /* of a process, or for one; NULL: neither */
    uint32_t filters;            /* so many rules in front come from options that narrow */
    bool every;                  /* the last rule comes from --inspect-returns */
    unsigned target;
    bool embed;                             /* the inspectors are copied into what is patched */
    bool framework;                         /* assemblies of the runtime are meant, too */
    struct inspector_file *inspector_files; /* the default inspector, then those of the rules */
    size_t inspector_file_count;
    /* the default one is the stock one, in the edition that a file needs (inspector_fit.h) */
    bool any_edition;
    struct inspector_file other;        /* its other edition, once it was needed */
    char *library;                      /* of --inspector native:LIBRARY!SYMBOL, else NULL */
    const struct ilp_native *unmanaged; /* as in the options */
    bool stands_in;                     /* the same */
    const struct ilp_inspector **inspectors;
    struct references *references;
};

/* What request_open() opened (request_open.h). */
void request_close(struct request *request);

/* The same request for another thread (turn.h): with references, and an edition of the stock
 * inspector, of its own; the rest is borrowed. False: no memory. It is closed before `request`. */
bool request_share(struct request *own, const struct request *request);
void request_unshare(struct request *own, const struct request *request);

/* Whether --target is given without anything that could depend on it. */
bool request_target_is_idle(const struct request_options *options);

/* Whether a rule calls this inspector; without rules it is the default one. */
bool request_calls_inspector(const struct request *request, size_t number);

/* Whether any rule passes exceptions. */
bool request_passes_exceptions(const struct request *request);

/* Whether any inspector that is called is a native function, or else is managed code. */
bool request_calls(const struct request *request, bool native);

/* Where it is said that ids are passed, in the form of request_rule_place(); NULL: nowhere. Owned
 * by the caller. */
char *request_passes_ids(const struct request *request);

/* For the library; borrowed from the request and `resolver`. */
struct ilp_request request_for_library(const struct request *request,
                                       const struct ilp_resolver *resolver);

/* Indexes an image whose methods are inspected (ilp_image_index()), if many of its types will be
 * looked up by name. Without memory for that the work takes longer. */
void request_index_image(const struct ilp_request *request, struct ilp_image *image);

/* Whether an option made the rule. */
bool request_is_option(const struct request *request, uint32_t number);

/* "rules.xml:12: rule 'name'", or the option that made a rule. Owned by the caller. */
char *request_rule_place(const struct request *request, uint32_t number);

#endif
