/* Reads rule files: XML as events, each with its line. The only user of libxml2.
 *
 * The library is loaded when the first rule file is read: with its dependencies (ICU, ...) it would
 * take half of the time and most of the memory that patching a small file needs.
 *
 * A rule file is not trusted. A document type declaration is refused, so there are no entities but
 * XML's own five; no other file and no network is opened; the bytes must be UTF-8, and are limited.
 *
 *   check the bytes (xml_text.c) -> xmlCtxtReadIO -> on_document, on_start, on_end, on_text, ...
 *                                                      \--> build.c;  parsed form, if requested
 *
 * After the first failure `status` is set, the parser is stopped, and events that still arrive are
 * ignored. Lines and columns are counted in the text (xml_text.c), since libxml2's columns are not
 * always characters. */
#include <libxml/parser.h>
#include <string.h>

#include "base/library.h"
#include "rules/parsed.h"
#include "rules/xml_text.h"

/* More attributes than any element has. Their names differ (XML 1.0, 3.1), so if there are more,
 * one of the first 64 is unknown, and is refused; those after them are not looked at. */
#define MAX_ATTRIBUTES 64u

/* The namespace of the attribute by which editors find the schema. */
static const char schema_instance[] = "http://www.w3.org/2001/XMLSchema-instance";

/* ---- libxml2 ---- */

#define LIBXML_FUNCTIONS(F)        \
    F(xmlNewParserCtxt)            \
    F(xmlFreeParserCtxt)           \
    F(xmlCtxtReadIO)               \
    F(xmlFreeDoc)                  \
    F(xmlByteConsumed)             \
    F(xmlStopParser)               \
    F(xmlSetStructuredErrorFunc)   \
    F(__xmlStructuredError)        \
    F(__xmlStructuredErrorContext) \
    F(xmlResetLastError)

struct libxml {
    LIBXML_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

static ilp_status load_libxml(struct libxml *libxml, struct ilp_error *error)
{
    static const struct ilpi_library_function names[] = {LIBXML_FUNCTIONS(ILPI_LIBRARY_NAME)};
    ilp_status status = ilpi_library_load(LIBXML2_SONAME, names, sizeof names / sizeof names[0],
                                          libxml, sizeof *libxml);
    switch (status) {
    case ILP_OK: return status;
    case ILP_E_NO_MEMORY: return ilpi_fail_memory(error, 0);
    default:
        return ilpi_fail(error, ILP_E_NO_LIBRARY, ILPI_NO_OFFSET, 0,
                         "rule files are read with libxml2, but " LIBXML2_SONAME
                         " is not installed (Debian: libxml2)");
    }
}

struct xml_reader {
    struct libxml libxml;
    struct ilpi_builder builder;
    struct ilpi_buf *parsed; /* NULL: not requested */
    xmlParserCtxtPtr parser; /* owned while parse() runs; else NULL */
    struct ilpi_xml_text text;
    size_t passed;     /* bytes passed to libxml2 */
    size_t content;    /* after the last tag */
    bool begun;        /* libxml2 has begun to read */
    ilp_status status; /* the first failure */
    struct ilp_error *error;
};

/* The first failure stays; xmlStopParser() ends the parse, but some callbacks may follow it. */
static void fail_at(struct xml_reader *reader, ilp_status status, size_t offset)
{
    if (reader->status == ILP_OK) {
        reader->status = status;
        if (status == ILP_E_BAD_RULES) {
            ilpi_xml_place(&reader->text, offset, reader->error);
        }
    }
    if (reader->parser) {
        reader->libxml.xmlStopParser(reader->parser);
    }
}

static size_t position(struct xml_reader *reader)
{
    long consumed = reader->libxml.xmlByteConsumed(reader->parser);
    if (consumed < 0) {
        return 0;
    }
    return (size_t)consumed < reader->text.size ? (size_t)consumed : reader->text.size;
}

/* ---- events ---- */

/* libxml2 reports a position after the tag only, so that of an attribute or of a character in its
 * value is searched for in the text again. */
static void fail_element(struct xml_reader *reader, size_t tag,
                         const struct ilpi_attribute_text *attributes)
{
    const struct ilpi_builder *builder = &reader->builder;
    size_t place = tag;
    if (reader->status == ILP_E_BAD_RULES && builder->wrong_attribute >= 0) {
        const struct ilpi_attribute_text *wrong = &attributes[builder->wrong_attribute];
        size_t name;
        size_t value;
        ilpi_xml_find_attribute(&reader->text, tag, wrong, &name, &value);
        place = builder->wrong_value
                    ? ilpi_xml_find_in_value(&reader->text, value, wrong, builder->wrong_offset)
                    : name;
    }
    ilpi_xml_place(&reader->text, place, reader->error);
}

/* libxml2 passes five pointers per attribute: name, prefix, namespace, and the ends of its
 * value. */
static unsigned read_attributes(struct xml_reader *reader, const xmlChar **from, int count,
                                size_t tag, struct ilpi_attribute_text *to)
{
    unsigned used = 0;
    for (int i = 0; i < count && used < MAX_ATTRIBUTES; i++, from += 5) {
        const char *name = (const char *)from[0];
        if (from[2] && strcmp((const char *)from[2], schema_instance) == 0) {
            continue;
        }
        if (from[2]) {
            ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                      "attributes must not have a namespace, but '%s' has one", name);
            fail_at(reader, ILP_E_BAD_RULES, tag);
            return 0;
        }
        to[used++] = (struct ilpi_attribute_text){name, strlen(name), (const char *)from[3],
                                                  (size_t)(from[4] - from[3])};
    }
    return used;
}

/* The tag's start is searched backward from the parser's position, which is at its end. Namespaces
 * are refused, except the attribute by which editors find the schema. */
static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count,
                     int defaulted, const xmlChar **attributes)
{
    struct xml_reader *reader = ((xmlParserCtxtPtr)context)->_private;
    struct ilpi_attribute_text texts[MAX_ATTRIBUTES];
    (void)prefix, (void)namespace_count, (void)namespaces, (void)defaulted;
    if (reader->status != ILP_OK) {
        return;
    }
    size_t end = position(reader);
    size_t tag = ilpi_xml_tag_start(&reader->text, end);
    reader->content = end + ilpi_xml_starts_with(&reader->text, end, ">");
    if (uri) {
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                  "elements must not have a namespace, but <%s> has one", (const char *)name);
        fail_at(reader, ILP_E_BAD_RULES, tag);
        return;
    }
    unsigned count = read_attributes(reader, attributes, attribute_count, tag, texts);
    if (reader->status != ILP_OK) {
        return;
    }
    uint32_t line = ilpi_xml_line(&reader->text, tag);
    size_t size = strlen((const char *)name);
    reader->status = ilpi_build_start(&reader->builder, (const char *)name, size, texts, count,
                                      line, reader->error);
    if (reader->status == ILP_OK && reader->parsed) {
        ilpi_parsed_start(reader->parsed, (const char *)name, size, texts, count, line);
    }
    if (reader->status != ILP_OK) {
        fail_element(reader, tag, texts);
        reader->libxml.xmlStopParser(reader->parser);
    }
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct xml_reader *reader = ((xmlParserCtxtPtr)context)->_private;
    (void)name, (void)prefix, (void)uri;
    if (reader->status == ILP_OK) {
        reader->content = position(reader);
        ilp_status status = ilpi_build_end(&reader->builder, reader->error);
        if (status == ILP_OK && reader->parsed) {
            ilpi_parsed_end(reader->parsed);
        }
        if (status != ILP_OK) {
            fail_at(reader, status, ilpi_xml_tag_start(&reader->text, reader->content));
        }
    }
}

/* libxml2's position may be before or after the text. */
static void on_text(void *context, const xmlChar *text, int size)
{
    struct xml_reader *reader = ((xmlParserCtxtPtr)context)->_private;
    for (int i = 0; i < size && reader->status == ILP_OK; i++) {
        if (ilpi_xml_is_space((char)text[i])) {
            continue;
        }
        struct ilpi_buf expected = {.alloc = &reader->builder.rules->alloc};
        ilpi_build_expected(&reader->builder, &expected);
        ilpi_buf_u8(&expected, 0);
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                  "text is not expected here, but %s",
                  expected.status == ILP_OK ? (const char *)expected.data : "elements");
        ilpi_buf_free(&expected);
        fail_at(reader, ILP_E_BAD_RULES, ilpi_xml_find_content(&reader->text, reader->content));
    }
}

/* A DTD is refused as such: entities could expand without end, and rules need none. */
static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    struct xml_reader *reader = ((xmlParserCtxtPtr)context)->_private;
    (void)name, (void)external, (void)system;
    if (reader->status == ILP_OK) {
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                  "a document type declaration is not accepted");
        fail_at(reader, ILP_E_BAD_RULES, ilpi_xml_tag_start(&reader->text, position(reader)));
    }
}

static void fail_encoding(struct xml_reader *reader, const char *encoding)
{
    ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
              "the file says that it is in %s: save it as UTF-8", encoding);
    fail_at(reader, ILP_E_BAD_RULES, 0);
}

/* An error that libxml2 finds: at its current position, since its own columns are not always
 * characters, with its message up to the line's end. */
static void on_error(void *context, const xmlError *problem)
{
    xmlParserCtxtPtr parser = context;
    struct xml_reader *reader = parser ? parser->_private : NULL;
    if (!reader || reader->status != ILP_OK || problem->level < XML_ERR_ERROR) {
        return;
    }
    if (problem->code == XML_ERR_NO_MEMORY) {
        reader->status = ilpi_fail_memory(reader->error, 0);
        return;
    }
    if (problem->code == XML_ERR_UNSUPPORTED_ENCODING && problem->str1) {
        fail_encoding(reader, problem->str1); /* built without iconv it knows few encodings */
        return;
    }
    const char *message = problem->message ? problem->message : "not well-formed";
    reader->status = ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                               "not well-formed XML: %.*s", (int)strcspn(message, "\n"), message);
    ilpi_xml_place(&reader->text, position(reader), reader->error);
}

/* libxml2 declares its callback without const before 2.12. */
static void on_structured_error(void *context, xmlErrorPtr problem)
{
    on_error(context, problem);
}

/* ---- errors of the thread ---- */

/* Failures without a parser, mostly for lack of memory, go to the thread's handler; without one
 * libxml2 prints them on stderr. The handler and the copy of the last error are global to the
 * process, in which the program may use libxml2, too. */
struct thread_handler {
    xmlStructuredErrorFunc function;
    void *context;
};

static void on_thread_error(struct xml_reader *reader, const xmlError *problem)
{
    if (reader->status == ILP_OK && problem->code == XML_ERR_NO_MEMORY) {
        reader->status = ilpi_fail_memory(reader->error, 0);
    }
}

static void on_structured_thread_error(void *context, xmlErrorPtr problem)
{
    on_thread_error(context, problem);
}

/* In threads other than the first, libxml2 allocates its per-thread state, and recurses without end
 * if there is no memory for that (xmlNewGlobalState() of 2.9). */
static bool has_memory_for_thread(void)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    void *block = ilpi_resize(&alloc, NULL, 0, sizeof(xmlGlobalState));
    ilpi_resize(&alloc, block, block ? sizeof(xmlGlobalState) : 0, 0);
    return block;
}

static struct thread_handler set_thread_handler(const struct libxml *libxml,
                                                struct thread_handler handler)
{
    struct thread_handler before = {*libxml->__xmlStructuredError(),
                                    *libxml->__xmlStructuredErrorContext()};
    libxml->xmlSetStructuredErrorFunc(handler.context, handler.function);
    return before;
}

/* ---- files ---- */

/* Refuses declared encodings other than UTF-8 and US-ASCII. Before 2.12, libxml2 stores them with
 * the input. */
static void check_declaration(struct xml_reader *reader)
{
    const xmlChar *declared = reader->parser->encoding;
    if (!declared && reader->parser->input) {
        declared = reader->parser->input->encoding;
    }
    const char *encoding = (const char *)declared;
    if (encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "US-ASCII") != 0) {
        fail_encoding(reader, encoding);
    }
}

static void on_document(void *context)
{
    struct xml_reader *reader = ((xmlParserCtxtPtr)context)->_private;
    reader->begun = true;
    if (reader->status == ILP_OK) {
        check_declaration(reader);
    }
}

/* Passes the text in pieces: libxml2 copies a text that it gets as a whole. After an error it would
 * continue with what it has, so it gets no more. */
static int pass_text(void *context, char *to, int room)
{
    struct xml_reader *reader = context;
    size_t left = reader->text.size - reader->passed;
    size_t size = left < (size_t)room ? left : (size_t)room;
    size = reader->status == ILP_OK ? size : 0;
    memcpy(to, reader->text.text + reader->passed, size);
    reader->passed += size;
    return (int)size;
}

/* libxml2 calls the functions of `events`, and no tree is built: the file becomes rules while it is
 * read. It is an external library that reads untrusted text, so a DOCTYPE is refused, and the
 * network is off. */
static void parse(struct xml_reader *reader, const char *file)
{
    xmlSAXHandler events = {
        .initialized = XML_SAX2_MAGIC,
        .startDocument = on_document,
        .startElementNs = on_start,
        .endElementNs = on_end,
        .characters = on_text,
        .cdataBlock = on_text,
        .internalSubset = on_doctype,
        .serror = on_structured_error,
    };
    reader->parser = reader->libxml.xmlNewParserCtxt();
    if (!reader->parser) {
        reader->status = reader->status == ILP_OK
                             ? ilpi_fail_memory(reader->error, sizeof *reader->parser)
                             : reader->status;
        return;
    }
    *reader->parser->sax = events;
    reader->parser->_private = reader;
    /* NOENT replaces `&amp;` in attributes by the character; no other entities exist */
    xmlDocPtr document = reader->libxml.xmlCtxtReadIO(reader->parser, pass_text, NULL, reader, file,
                                                      NULL, XML_PARSE_NONET | XML_PARSE_NOENT);
    reader->libxml.xmlFreeDoc(document);
    if (reader->status == ILP_OK && !reader->begun) {
        /* it reports nothing if its input buffer cannot be allocated */
        reader->status = ilpi_fail_memory(reader->error, reader->text.size);
    }
    if (reader->status == ILP_OK && !reader->parser->wellFormed) {
        reader->status = ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                                   "not well-formed XML");
    }
    reader->libxml.xmlFreeParserCtxt(reader->parser);
    reader->parser = NULL;
}

/* libxml2 reports some errors to a handler of the thread, which may be the program's: it is
 * replaced and restored, and the last error is cleared. */
static void parse_quietly(struct xml_reader *reader, const char *file)
{
    struct thread_handler own = {on_structured_thread_error, reader};
    if (!has_memory_for_thread()) {
        reader->status = ilpi_fail_memory(reader->error, sizeof(xmlGlobalState));
        return;
    }
    struct thread_handler before = set_thread_handler(&reader->libxml, own);
    parse(reader, file);
    set_thread_handler(&reader->libxml, before);
    reader->libxml.xmlResetLastError();
}

/* The text is checked before libxml2 sees it (UTF-8, size, tags): its own messages are about its
 * state, not about the mistake. */
ilp_status ilpi_rules_read(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                           struct ilpi_buf *parsed, struct ilp_error *error)
{
    struct xml_reader reader = {
        .text = {(const char *)xml.data, xml.size, 0, 1}, .parsed = parsed, .error = error};
    reader.builder.rules = rules;
    reader.builder.file = ilpi_arena_copy(&rules->arena, file, strlen(file) + 1);
    if (!reader.builder.file) {
        return ilpi_fail_memory(error, strlen(file) + 1);
    }
    ILPI_TRY(load_libxml(&reader.libxml, error));
    ILPI_TRY(ilpi_xml_text_check(&reader.text, error));
    if (parsed) {
        ilpi_parsed_begin(parsed);
    }
    parse_quietly(&reader, file);
    if (reader.status == ILP_OK && parsed && parsed->status != ILP_OK) {
        reader.status = ilpi_fail_memory(error, parsed->size);
    }
    if (reader.status == ILP_OK) {
        rules->rules.count += reader.builder.pending;
    }
    return reader.status;
}
