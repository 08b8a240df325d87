/* The vocabulary of rule files as an XML Schema 1.0, for editors and validators. What such a schema
 * cannot express is left to the reader: at most one pattern, no wildcards in `name`, regular
 * expressions that compile. */
#include "rules/rules.h"

#include <stdarg.h>
#include <stdio.h>

struct schema_writer {
    const struct ilp_text_sink *sink; /* borrowed: gets each line as it is made */
    char line[1024];
    bool cut; /* a line did not fit: rules.def has grown */
};

static void put(struct schema_writer *writer, const char *format, ...) ILPI_PRINTF(2, 3);

/* A line is cut only if rules.def has a longer text than any before; ilp_rules_schema() then
 * fails. */
static void put(struct schema_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(writer->line, sizeof writer->line, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof writer->line) {
        writer->cut = true;
        return;
    }
    writer->sink->write(writer->sink->user, writer->line, (size_t)size);
}

/* Only here do texts of rules.def need escapes for `&` and `<`. */
static const char *escape(const char *text, char *to, size_t room)
{
    size_t used = 0;
    for (; *text && used + 6 < room; text++) {
        char plain[2] = {*text, '\0'};
        const char *written = plain;
        if (*text == '&') {
            written = "&amp;";
        } else if (*text == '<') {
            written = "&lt;";
        }
        used += (size_t)snprintf(to + used, room - used, "%s", written);
    }
    return to;
}

static void put_documentation(struct schema_writer *writer, const char *indent, const char *text)
{
    char escaped[512] = "";
    put(writer, "%s<xs:annotation><xs:documentation>%s</xs:documentation></xs:annotation>\n",
        indent, escape(text, escaped, sizeof escaped));
}

/* The name of a list in the schema: that of the attributes that use it, in lower case. */
static const char *list_name(enum ilpi_list list)
{
    for (size_t i = 0; i < ILPI_ATTRIBUTE_COUNT; i++) {
        if (ilpi_attributes[i].list == list) {
            return ilpi_attributes[i].word;
        }
    }
    return NULL;
}

/* The type in XML Schema of an attribute's form. Lists of words get a type of their own
 * (put_lists()). */
static const char *form_name(enum ilpi_form form)
{
    switch (form) {
    case ILPI_FORM_EXACT:
    case ILPI_FORM_LIKE:
    case ILPI_FORM_REGEX: return "xs:string";
    case ILPI_FORM_WHEN:
    case ILPI_FORM_SECRETS:
    case ILPI_FORM_TEXT: return "text";
    case ILPI_FORM_YESNO: return "yes-or-no";
    case ILPI_FORM_NUMBER: return "number";
    case ILPI_FORM_VERSIONS: return "versions";
    case ILPI_FORM_KEY_TOKEN: return "key-token";
    case ILPI_FORM_ONE:
    case ILPI_FORM_SOME: break;
    }
    return NULL; /* named by its list */
}

/* Forms that all attributes of them share. The patterns accept what value.c does, or more: the
 * schema is for editors, and the program checks again. */
static void put_forms(struct schema_writer *writer)
{
    put(writer,
        "  <xs:simpleType name=\"text\">\n"
        "    <xs:restriction base=\"xs:string\"><xs:minLength value=\"1\"/></xs:restriction>\n"
        "  </xs:simpleType>\n");
    put(writer,
        "  <xs:simpleType name=\"yes-or-no\">\n"
        "    <xs:restriction base=\"xs:string\"><xs:pattern value=\"yes|no\"/></xs:restriction>\n"
        "  </xs:simpleType>\n");
    put(writer,
        "  <xs:simpleType name=\"number\">\n"
        "    <xs:restriction base=\"xs:string\"><xs:pattern value=\"[0-9]+\"/></xs:restriction>\n"
        "  </xs:simpleType>\n");
    put(writer, "  <xs:simpleType name=\"key-token\">\n"
                "    <xs:restriction base=\"xs:string\"><xs:pattern "
                "value=\"[0-9A-Fa-f]{16}|none\"/></xs:restriction>\n"
                "  </xs:simpleType>\n");
    put(writer, "  <xs:simpleType name=\"versions\">\n"
                "    <xs:restriction base=\"xs:string\">\n"
                "      <xs:pattern value=\"[0-9]+(\\.[0-9]+){0,3}\"/>\n"
                "      <xs:pattern value=\"\\[[0-9]+(\\.[0-9]+){0,3}\\]\"/>\n"
                "      <xs:pattern "
                "value=\"[\\[\\(]([0-9]+(\\.[0-9]+){0,3})?,([0-9]+(\\.[0-9]+){0,3})?[\\]\\)]\"/>\n"
                "    </xs:restriction>\n"
                "  </xs:simpleType>\n");
}

/* A list of words is an enumeration, with the text of each word for the editor to show. */
static void put_lists(struct schema_writer *writer)
{
    for (unsigned list = 0; list < ILPI_LIST_NONE; list++) {
        const char *name = list_name((enum ilpi_list)list);
        if (!name) {
            continue;
        }
        put(writer, "  <xs:simpleType name=\"%s\">\n    <xs:restriction base=\"xs:string\">\n",
            name);
        for (size_t i = 0; i < ilpi_word_count; i++) {
            if (ilpi_words[i].list == (enum ilpi_list)list) {
                put(writer, "      <xs:enumeration value=\"%s\">\n", ilpi_words[i].word);
                put_documentation(writer, "        ", ilpi_words[i].text);
                put(writer, "      </xs:enumeration>\n");
            }
        }
        put(writer, "    </xs:restriction>\n  </xs:simpleType>\n");
    }
}

/* An attribute of one word has the list's type by name. One of several words needs a type of its
 * own: a list of that type, separated by blanks, which must not be empty (minLength). */
static void put_attribute(struct schema_writer *writer,
                          const struct ilpi_attribute_words *attribute)
{
    const char *type = form_name(attribute->form);
    if (attribute->form == ILPI_FORM_SOME) {
        put(writer, "    <xs:attribute name=\"%s\">\n", attribute->word);
    } else {
        put(writer, "    <xs:attribute name=\"%s\" type=\"%s\">\n", attribute->word,
            type ? type : list_name(attribute->list));
    }
    put_documentation(writer, "      ", attribute->text);
    if (attribute->form == ILPI_FORM_SOME) {
        put(writer,
            "      <xs:simpleType><xs:restriction>\n"
            "        <xs:simpleType><xs:list itemType=\"%s\"/></xs:simpleType>\n"
            "        <xs:minLength value=\"1\"/>\n"
            "      </xs:restriction></xs:simpleType>\n",
            list_name(attribute->list));
    }
    put(writer, "    </xs:attribute>\n");
}

/* What an element contains: rules, conditions or nothing. A group contains at least one
 * condition. */
static void put_element(struct schema_writer *writer, unsigned element)
{
    enum ilpi_place place = ilpi_elements[element].place;
    put(writer, "  <xs:complexType name=\"%s\">\n", ilpi_elements[element].word);
    put_documentation(writer, "    ", ilpi_elements[element].text);
    if (place == ILPI_PLACE_TOP) {
        put(writer, "    <xs:group ref=\"rules\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>\n");
    } else if (place != ILPI_PLACE_CONDITION) {
        put(writer, "    <xs:group ref=\"conditions\" minOccurs=\"%u\" maxOccurs=\"unbounded\"/>\n",
            place == ILPI_PLACE_GROUP);
    }
    for (unsigned i = 0; i < ILPI_ATTRIBUTE_COUNT; i++) {
        if (ilpi_attributes[i].element == element) {
            put_attribute(writer, &ilpi_attributes[i]);
        }
    }
    put(writer, "  </xs:complexType>\n");
}

/* A group of the schema has the elements that rules.def allows in that place, so that the schema
 * and the reader cannot differ. */
static void put_group(struct schema_writer *writer, const char *name, enum ilpi_place outer)
{
    put(writer, "  <xs:group name=\"%s\">\n    <xs:choice>\n", name);
    for (unsigned i = 0; i < ILPI_ELEMENT_COUNT; i++) {
        if (ilpi_may_stand_in(ilpi_elements[i].place, outer)) {
            put(writer, "      <xs:element name=\"%s\" type=\"%s\"/>\n", ilpi_elements[i].word,
                ilpi_elements[i].word);
        }
    }
    put(writer, "    </xs:choice>\n  </xs:group>\n");
}

ilp_status ilp_rules_schema(const struct ilp_text_sink *sink, struct ilp_error *error)
{
    struct schema_writer writer = {.sink = sink};
    put(&writer,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- Rule files of ilpatch (docs/RULES.md). Written by `ilpatch rules schema`. -->\n"
        "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n");
    for (unsigned i = 0; i < ILPI_ELEMENT_COUNT; i++) {
        if (ilpi_elements[i].place == ILPI_PLACE_TOP) {
            put(&writer, "  <xs:element name=\"%s\" type=\"%s\"/>\n", ilpi_elements[i].word,
                ilpi_elements[i].word);
        }
    }
    put_group(&writer, "rules", ILPI_PLACE_TOP);
    put_group(&writer, "conditions", ILPI_PLACE_RULE);
    for (unsigned i = 0; i < ILPI_ELEMENT_COUNT; i++) {
        put_element(&writer, i);
    }
    put_forms(&writer);
    put_lists(&writer);
    put(&writer, "</xs:schema>\n");
    return writer.cut ? ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0, "a text is too long")
                      : ILP_OK;
}
