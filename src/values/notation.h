/* The two notations of a value: text, and JSON as data/line.schema.json has it. Who writes values
 * says here what there is, and where it begins and ends; what a number, a date or a name reads like
 * is written between scalar_begin() and scalar_end(), the same for both.
 *
 *            text                       JSON
 *   mark     {...}, {cycle}             {"$":"..."}
 *   object   Person {Name="x", ...}     {"$type":"Person","Name":"x","$more":true}
 *   elements [9: 1, 2, ...], [3: ...]   [1,2], {"$count":9,"$items":[1,2]}, {"$count":3}
 *   list     (1, 2), Circle(2.5)        [1,2], {"$case":"Circle","$fields":[2.5]}
 *   pair     "a"=1                      {"$key":"a","$value":1}
 *   methods  Func {N.C::A}, {2: A, B}   {"$type":"Func","$methods":["N.C::A"]}
 *
 * JSON stays whole where the line is full: what ends is written into room that is kept for it. */
#ifndef ILPI_VALUES_NOTATION_H
#define ILPI_VALUES_NOTATION_H

#include "values/writer.h"

/* The room that is kept. */
enum { NOTATION_RESERVE = 1024 };

void put_null(struct value_writer *writer);

/* "...", "cycle", "redacted". */
void put_mark(struct value_writer *writer, const char *what);
void put_mark_of_elements(struct value_writer *writer, const char *what);

/* Of an object within another value: before its mark or its fields. `plain_size` is that of a plain
 * name (line.h), and else 0. */
void put_type_name(struct value_writer *writer, const char *name, uint32_t plain_size);

/* A literal is `true` or `false`; a number is one in JSON if no reader can change it. */
enum scalar { SCALAR_LITERAL, SCALAR_WORD, SCALAR_INTEGER, SCALAR_REAL };
size_t scalar_begin(struct value_writer *writer);
void scalar_end(struct value_writer *writer, size_t begin, enum scalar scalar);

/* A string, of UTF-16. */
void put_text(struct value_writer *writer, const uint8_t *utf16, int32_t length);
/* The same of a text of which only that much was counted, which is more than is shown of any. */
void put_text_at_least(struct value_writer *writer, const uint8_t *utf16, int32_t length);

void object_begin(struct value_writer *writer);
/* False: there is no room for it, and its value is not to be written. */
bool object_member(struct value_writer *writer, const char *name, bool first);
bool object_field(struct value_writer *writer, const struct shape_field *field, bool first);
void object_end(struct value_writer *writer, bool more);

/* The elements of a collection, one by one. */
struct elements {
    struct value_writer *writer;
    int32_t count, shown;
    unsigned depth;
    bool wrapped; /* in JSON: in an object with their number */
};

/* `lengths` are those of an array with several indexes; without any it is the count. `at_least`:
 * there are more than that. False: no elements are to be written, and nothing ends. */
bool elements_begin(struct elements *elements, int32_t count, bool at_least, const int32_t *lengths,
                    unsigned rank);
/* Whether one more is to be written. */
bool elements_next(struct elements *elements);
/* Not all need have been found. */
void elements_end(struct elements *elements);

/* What a tuple or, with a name, a case of a union has. */
void list_begin(struct value_writer *writer, const char *name);
void list_next(struct value_writer *writer, bool first);
void list_more(struct value_writer *writer);
void list_end(struct value_writer *writer, const char *name);

/* Of a delegate, with list_next() between them; `more`: not all are shown. */
void methods_begin(struct value_writer *writer, int32_t count);
void methods_end(struct value_writer *writer, bool more);

void pair_begin(struct value_writer *writer);
void pair_between(struct value_writer *writer);
void pair_end(struct value_writer *writer);

#endif
