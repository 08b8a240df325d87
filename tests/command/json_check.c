/* Checks what ilpatch writes as JSON, with an independent reader.
 *
 *   json_check report FILE       a report: its methods add up to its summaries and to what its
 *                                rules did
 *   json_check get FILE a b 0    the value at that path: a string as it is, anything else as JSON
 *
 * Exit code 0, 1 with a message, or 2 for a path that leads nowhere. */
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return 1;
}

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Whether a method with this answer was changed. */
static bool changes(const char *answer)
{
    return strcmp(answer, "inspected") == 0 || strcmp(answer, "sets-result") == 0 ||
           strcmp(answer, "yields") == 0;
}

/* Every ret is counted once: as inspected, now or before, or as left alone for one reason. */
static int check_sites(const json_t *sites, size_t i)
{
    json_int_t sum = number(sites, "inspected") + number(sites, "already") +
                     number(sites, "tailCall") + number(sites, "unreachable");
    if (sum > number(sites, "ret") || number(sites, "stripped") > number(sites, "inspected")) {
        return fail("method %zu: its sites do not add up", i);
    }
    return 0;
}

/* Each method is counted under its answer, and each of its sites. */
static int check_module(const json_t *module)
{
    const json_t *methods = json_object_get(module, "methods");
    const json_t *summary = json_object_get(module, "summary");
    json_t *counted = json_object();
    json_int_t sites = 0;
    json_int_t sum = 0;
    if (!json_is_string(json_object_get(module, "file"))) {
        return fail("a module without a file");
    }
    if (json_is_string(json_object_get(module, "left"))) {
        return json_object_size(module) == 2
                   ? 0
                   : fail("a module that was left alone has more members");
    }
    if (!methods) {
        return json_is_string(json_object_get(module, "message"))
                   ? 0
                   : fail("neither methods nor message");
    }
    for (size_t i = 0; i < json_array_size(methods); i++) {
        const json_t *method = json_array_get(methods, i);
        const char *answer = json_string_value(json_object_get(method, "answer"));
        if (!answer || !json_is_string(json_object_get(method, "name")) ||
            !json_is_string(json_object_get(method, "signature")) ||
            !json_is_string(json_object_get(method, "token"))) {
            return fail("method %zu lacks something", i);
        }
        json_object_set_new(counted, answer, json_integer(number(counted, answer) + 1));
        json_int_t inspected = number(json_object_get(method, "sites"), "inspected");
        if (changes(answer) != (inspected != 0)) {
            return fail("method %zu: %s, but %lld sites", i, answer, (long long)inspected);
        }
        if (check_sites(json_object_get(method, "sites"), i) != 0) {
            return 1;
        }
        sites += inspected;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)summary, key, value)
    {
        if (strcmp(key, "methods") != 0 && strcmp(key, "sites") != 0) {
            sum += json_integer_value(value);
            if (json_integer_value(value) != number(counted, key)) {
                return fail("summary says %s %lld, methods say %lld", key,
                            (long long)json_integer_value(value), (long long)number(counted, key));
            }
        }
    }
    json_decref(counted);
    if (number(summary, "methods") != (json_int_t)json_array_size(methods) ||
        sum != number(summary, "methods") || number(summary, "sites") != sites) {
        return fail("the summary does not add up");
    }
    return 0;
}

/* How many methods of all modules name the rule. */
static void count_rule(const json_t *modules, size_t rule, json_int_t *methods,
                       json_int_t *inspected)
{
    size_t i;
    size_t j;
    json_t *module;
    json_t *method;
    *methods = *inspected = 0;
    json_array_foreach((json_t *)modules, i, module)
    {
        json_array_foreach(json_object_get(module, "methods"), j, method)
        {
            const json_t *named = json_object_get(method, "rule");
            if (named && json_integer_value(named) == (json_int_t)rule) {
                ++*methods;
                *inspected += changes(json_string_value(json_object_get(method, "answer")));
            }
        }
    }
}

static int check_rules(const json_t *modules, const json_t *rules)
{
    json_int_t all = 0;
    json_int_t with_rule = 0;
    size_t i;
    size_t j;
    json_t *rule;
    json_t *module;
    json_t *method;
    json_array_foreach((json_t *)rules, i, rule)
    {
        json_int_t methods;
        json_int_t inspected;
        count_rule(modules, i, &methods, &inspected);
        if (methods != number(rule, "methods") || inspected != number(rule, "inspected")) {
            return fail("rule %zu says %lld methods, %lld inspected; methods say %lld and %lld", i,
                        (long long)number(rule, "methods"), (long long)number(rule, "inspected"),
                        (long long)methods, (long long)inspected);
        }
        all += methods;
    }
    json_array_foreach((json_t *)modules, i, module)
    {
        json_array_foreach(json_object_get(module, "methods"), j, method)
        {
            with_rule += json_object_get(method, "rule") != NULL;
        }
    }
    return all == with_rule ? 0 : fail("a method names a rule that is not there");
}

static int check_report(const json_t *report)
{
    const json_t *modules = json_object_get(report, "modules");
    const json_t *rules = json_object_get(report, "rules");
    int bad = json_is_string(json_object_get(report, "ilpatch")) && json_is_array(modules) &&
                      json_is_array(rules)
                  ? check_rules(modules, rules)
                  : fail("not a report");
    for (size_t i = 0; i < json_array_size(modules) && !bad; i++) {
        bad = check_module(json_array_get(modules, i));
    }
    return bad;
}

static int get(const json_t *value, char **path)
{
    for (; *path && value; path++) {
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(*path))
                                     : json_object_get(value, *path);
    }
    if (!value) {
        return 2;
    }
    if (json_is_string(value)) {
        puts(json_string_value(value));
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        puts(text);
        free(text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc < 3) {
        return fail("json_check report FILE | json_check get FILE PATH...");
    }
    json_t *json = json_load_file(argv[2], JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        return fail("%s:%d: %s", argv[2], error.line, error.text);
    }
    int code = strcmp(argv[1], "report") == 0 ? check_report(json) : get(json, argv + 3);
    json_decref(json);
    return code;
}
