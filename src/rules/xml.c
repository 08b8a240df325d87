/* Reads rule files: XML as events, each with its line. The only user of libxml2.
 *
 * The library is loaded when the first rule file is read: it brings others along (ICU, ...), which would be half of
 * the time and most of the memory that patching a small file takes.
 *
 * A rule file is not trusted. There is no document type declaration, so there are no entities but the five of XML
 * itself; nothing else is opened, neither files nor the network; the bytes are UTF-8 and not too many.
 */
#include <libxml/parser.h>
#include <string.h>

#include "library.h"
#include "rules/build.h"
#include "utf8.h"

#define MAX_RULE_FILE ((size_t)64 << 20)

/* More attributes than any element has; an error tells of the first one that is too much. */
#define MAX_ATTRIBUTES 64u

/* Editors find the schema by an attribute of this namespace. */
static const char schema_instance[] = "http://www.w3.org/2001/XMLSchema-instance";

/* ---- libxml2 ---- */

#define LIBXML_FUNCTIONS(F) \
    F(xmlNewParserCtxt)     \
    F(xmlFreeParserCtxt)    \
    F(xmlCtxtReadMemory)    \
    F(xmlFreeDoc)           \
    F(xmlByteConsumed)      \
    F(xmlStopParser)

struct libxml {
    LIBXML_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

static ilp_status load_libxml(struct libxml *libxml, struct ilp_error *error)
{
    static const char *const names[] = {LIBXML_FUNCTIONS(ILPI_LIBRARY_NAME)};
    return ilpi_library_load(LIBXML2_SONAME, names, sizeof names / sizeof names[0], libxml, sizeof *libxml)
               ? ILP_OK
               : ilpi_fail(error, ILP_E_NO_LIBRARY, ILPI_NO_OFFSET, 0,
                           "rule files are read with libxml2, but " LIBXML2_SONAME
                           " is not installed (Debian: libxml2)");
}

/* ---- places ---- */

struct reader {
    struct libxml libxml;
    struct ilpi_builder builder;
    xmlParserCtxtPtr parser;
    const char *text;
    size_t size;
    size_t line_offset; /* the line of this offset is `line`; both rise */
    uint32_t line;
    size_t content; /* behind the last tag */
    bool begun;     /* libxml2 has come so far as to read */
    ilp_status status; /* the first failure */
    struct ilp_error *error;
};

static bool starts_with(const struct reader *reader, size_t at, const char *text)
{
    size_t size = strlen(text);
    return reader->size - at >= size && memcmp(reader->text + at, text, size) == 0;
}

/* A byte order mark is nothing that one sees: it has no column. */
static void set_place(struct reader *reader, size_t offset)
{
    uint32_t line = 1;
    uint32_t column = 1;
    offset = offset < reader->size ? offset : reader->size;
    for (size_t i = starts_with(reader, 0, "\xEF\xBB\xBF") ? 3 : 0; i < offset; i++) {
        uint8_t byte = (uint8_t)reader->text[i];
        if (byte == '\n') {
            line++;
            column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            column++;
        }
    }
    if (reader->error) {
        reader->error->line = line;
        reader->error->column = column;
    }
}

static void fail_at(struct reader *reader, ilp_status status, size_t offset)
{
    if (reader->status == ILP_OK) {
        reader->status = status;
        if (status == ILP_E_BAD_RULES) {
            set_place(reader, offset);
        }
    }
    if (reader->parser) {
        reader->libxml.xmlStopParser(reader->parser);
    }
}

static size_t position(struct reader *reader)
{
    long consumed = reader->libxml.xmlByteConsumed(reader->parser);
    return consumed < 0 ? 0 : (size_t)consumed < reader->size ? (size_t)consumed : reader->size;
}

/* Where the tag begins that is read up to `position`: no `<` stands within one (XML 1.0, 2.3). */
static size_t tag_start(const struct reader *reader, size_t position)
{
    while (position != 0 && reader->text[--position] != '<') {
    }
    return position;
}

static uint32_t line_of(struct reader *reader, size_t offset)
{
    for (; reader->line_offset < offset; reader->line_offset++) {
        reader->line += reader->text[reader->line_offset] == '\n';
    }
    return reader->line;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The offsets of an attribute's name and value in the tag at `at`, which libxml2 has found to be well-formed. */
static void find_attribute(const struct reader *reader, size_t at, const char *name, size_t name_size,
                           size_t *name_offset, size_t *value_offset)
{
    const char *text = reader->text;
    *name_offset = *value_offset = at;
    while (at < reader->size && !is_space(text[at]) && text[at] != '>') {
        at++;
    }
    for (;;) {
        while (at < reader->size && is_space(text[at])) {
            at++;
        }
        size_t start = at;
        while (at < reader->size && text[at] != '=' && !is_space(text[at])) {
            at++;
        }
        size_t found_size = at - start;
        while (at < reader->size && text[at] != '"' && text[at] != '\'') {
            at++;
        }
        if (at == reader->size) {
            return;
        }
        char quote = text[at++];
        if (found_size == name_size && memcmp(text + start, name, name_size) == 0) {
            *name_offset = start;
            *value_offset = at;
            return;
        }
        while (at < reader->size && text[at] != quote) {
            at++;
        }
        at++;
    }
}

/* The offset in the file of one byte of a value that begins at `at`: references and line ends may be longer there. */
static size_t find_in_value(const struct reader *reader, size_t at, const struct ilpi_attribute_text *value,
                            size_t wanted)
{
    size_t read = 0;
    while (read < wanted && at < reader->size) {
        uint32_t code;
        unsigned length =
            ilpi_utf8_read((const uint8_t *)value->value + read, value->value_size - read, &code);
        const char *here = reader->text + at;
        const char *end = *here == '&' ? memchr(here, ';', reader->size - at) : NULL;
        at += end ? (size_t)(end - here) + 1 : starts_with(reader, at, "\r\n") ? 2 : length;
        read += length;
    }
    return at;
}

/* Where the text begins behind spaces, comments and processing instructions. */
static size_t find_text(const struct reader *reader, size_t at)
{
    for (;;) {
        bool comment = starts_with(reader, at, "<!--");
        if (comment || starts_with(reader, at, "<?")) {
            const char *end = comment ? "-->" : "?>";
            at += comment ? 4 : 2;
            const char *found = memmem(reader->text + at, reader->size - at, end, strlen(end));
            at = found ? (size_t)(found - reader->text) + strlen(end) : reader->size;
        } else if (starts_with(reader, at, "<![CDATA[")) {
            at += 9;
        } else if (starts_with(reader, at, "]]>")) {
            at += 3;
        } else if (at < reader->size && is_space(reader->text[at])) {
            at++;
        } else {
            return at;
        }
    }
}

/* ---- events ---- */

static void fail_element(struct reader *reader, size_t tag, const struct ilpi_attribute_text *attributes)
{
    const struct ilpi_builder *builder = &reader->builder;
    size_t place = tag;
    if (reader->status == ILP_E_BAD_RULES && builder->wrong_attribute >= 0) {
        const struct ilpi_attribute_text *wrong = &attributes[builder->wrong_attribute];
        size_t name;
        size_t value;
        find_attribute(reader, tag, wrong->name, wrong->name_size, &name, &value);
        place = builder->wrong_value ? find_in_value(reader, value, wrong, builder->wrong_offset) : name;
    }
    set_place(reader, place);
}

/* libxml2 hands five pointers over for each attribute: name, prefix, namespace, and the ends of its value. */
static unsigned read_attributes(struct reader *reader, const xmlChar **from, int count, size_t tag,
                                struct ilpi_attribute_text *to)
{
    unsigned used = 0;
    for (int i = 0; i < count && used < MAX_ATTRIBUTES; i++, from += 5) {
        const char *name = (const char *)from[0];
        if (from[2] && strcmp((const char *)from[2], schema_instance) == 0) {
            continue;
        }
        if (from[2]) {
            ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                      "attributes stand in no namespace, but '%s' does", name);
            fail_at(reader, ILP_E_BAD_RULES, tag);
            return 0;
        }
        to[used++] = (struct ilpi_attribute_text){name, strlen(name), (const char *)from[3],
                                                  (size_t)(from[4] - from[3])};
    }
    return used;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count,
                     int defaulted, const xmlChar **attributes)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    struct ilpi_attribute_text texts[MAX_ATTRIBUTES];
    (void)prefix, (void)namespace_count, (void)namespaces, (void)defaulted;
    if (reader->status != ILP_OK) {
        return;
    }
    size_t end = position(reader);
    size_t tag = tag_start(reader, end);
    reader->content = end + starts_with(reader, end, ">");
    if (uri) {
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                  "elements stand in no namespace, but <%s> does", (const char *)name);
        fail_at(reader, ILP_E_BAD_RULES, tag);
        return;
    }
    unsigned count = read_attributes(reader, attributes, attribute_count, tag, texts);
    if (reader->status != ILP_OK) {
        return;
    }
    reader->status = ilpi_build_start(&reader->builder, (const char *)name, strlen((const char *)name),
                                      texts, count, line_of(reader, tag), reader->error);
    if (reader->status != ILP_OK) {
        fail_element(reader, tag, texts);
        reader->libxml.xmlStopParser(reader->parser);
    }
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    (void)name, (void)prefix, (void)uri;
    if (reader->status == ILP_OK) {
        reader->content = position(reader);
        ilp_status status = ilpi_build_end(&reader->builder, reader->error);
        if (status != ILP_OK) {
            fail_at(reader, status, tag_start(reader, reader->content));
        }
    }
}

/* libxml2 may stand in front of the text or behind it. */
static void on_text(void *context, const xmlChar *text, int size)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    for (int i = 0; i < size && reader->status == ILP_OK; i++) {
        if (is_space((char)text[i])) {
            continue;
        }
        struct ilpi_buf expected = {.alloc = &reader->builder.rules->alloc};
        ilpi_build_expected(&reader->builder, &expected);
        ilpi_buf_u8(&expected, 0);
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                  "text is not expected here, but %s",
                  expected.status == ILP_OK ? (const char *)expected.data : "elements");
        ilpi_buf_free(&expected);
        fail_at(reader, ILP_E_BAD_RULES, find_text(reader, reader->content));
    }
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    (void)name, (void)external, (void)system;
    if (reader->status == ILP_OK) {
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                  "a document type declaration is not accepted");
        fail_at(reader, ILP_E_BAD_RULES, tag_start(reader, position(reader)));
    }
}

/* What libxml2 itself finds wrong: where it stands then, since its columns are not all characters, and its message
 * without the line's end. */
static void on_error(void *context, const xmlError *problem)
{
    xmlParserCtxtPtr parser = context;
    struct reader *reader = parser ? parser->_private : NULL;
    if (!reader || reader->status != ILP_OK || problem->level < XML_ERR_ERROR) {
        return;
    }
    if (problem->code == XML_ERR_NO_MEMORY) {
        reader->status = ilpi_fail_memory(reader->error, 0);
        return;
    }
    const char *message = problem->message ? problem->message : "not well-formed";
    reader->status = ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "not well-formed XML: %.*s",
                               (int)strcspn(message, "\n"), message);
    set_place(reader, position(reader));
}

/* libxml2 declares its callback without const before 2.12. */
static void on_structured_error(void *context, xmlErrorPtr problem)
{
    on_error(context, problem);
}

/* ---- files ---- */

/* Offsets and columns, and patterns, go by UTF-8. */
static ilp_status check_encoding(struct reader *reader)
{
    size_t at = 0;
    if (reader->size > MAX_RULE_FILE) {
        return ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                         "a rule file has at most %zu MB", MAX_RULE_FILE >> 20);
    }
    if (reader->size == 0) {
        ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "the file is empty");
        set_place(reader, 0);
        return ILP_E_BAD_RULES;
    }
    while (at < reader->size) {
        uint32_t code;
        unsigned length = ilpi_utf8_read((const uint8_t *)reader->text + at, reader->size - at, &code);
        if (length == 0 || ilpi_utf8_is_surrogate(code) || code == 0) {
            ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                      "this is no UTF-8: save the file in that encoding");
            set_place(reader, at);
            return ILP_E_BAD_RULES;
        }
        at += length;
    }
    return ILP_OK;
}

/* The declaration may only say what the bytes are. Before 2.12, libxml2 keeps other encodings than UTF-8 with the
 * input. */
static ilp_status check_declaration(struct reader *reader)
{
    const xmlChar *declared = reader->parser->encoding;
    if (!declared && reader->parser->input) {
        declared = reader->parser->input->encoding;
    }
    const char *encoding = (const char *)declared;
    if (!encoding || strcasecmp(encoding, "UTF-8") == 0 || strcasecmp(encoding, "US-ASCII") == 0) {
        return ILP_OK;
    }
    ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
              "the file says that it is in %s: save it as UTF-8", encoding);
    set_place(reader, 0);
    return ILP_E_BAD_RULES;
}

static void on_document(void *context)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    reader->begun = true;
    if (reader->status == ILP_OK && check_declaration(reader) != ILP_OK) {
        fail_at(reader, ILP_E_BAD_RULES, 0);
    }
}

static void parse(struct reader *reader, const char *file)
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
        reader->status = ilpi_fail_memory(reader->error, sizeof *reader->parser);
        return;
    }
    *reader->parser->sax = events;
    reader->parser->_private = reader;
    /* NOENT makes `&amp;` in attributes one character; there are no other entities. */
    xmlDocPtr document =
        reader->libxml.xmlCtxtReadMemory(reader->parser, reader->text, (int)reader->size, file, NULL,
                                         XML_PARSE_NONET | XML_PARSE_NOENT);
    reader->libxml.xmlFreeDoc(document);
    if (reader->status == ILP_OK && !reader->begun) { /* it says nothing when it cannot copy the file */
        reader->status = ilpi_fail_memory(reader->error, reader->size);
    }
    if (reader->status == ILP_OK && !reader->parser->wellFormed) {
        reader->status =
            ilpi_fail(reader->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "not well-formed XML");
    }
    reader->libxml.xmlFreeParserCtxt(reader->parser);
    reader->parser = NULL;
}

ilp_status ilpi_rules_read(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                           struct ilp_error *error)
{
    struct reader reader = {.text = (const char *)xml.data, .size = xml.size, .line = 1, .error = error};
    reader.builder.rules = rules;
    reader.builder.file = ilpi_arena_copy(&rules->arena, file, strlen(file) + 1);
    if (!reader.builder.file) {
        return ilpi_fail_memory(error, strlen(file) + 1);
    }
    ILPI_TRY(load_libxml(&reader.libxml, error));
    ILPI_TRY(check_encoding(&reader));
    parse(&reader, file);
    if (reader.status == ILP_OK) {
        rules->count += reader.builder.pending;
    }
    return reader.status;
}
