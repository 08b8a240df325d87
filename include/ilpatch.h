/* ilpatch: read, change and write .NET assemblies, and show what their methods return.
 *
 * This header is the manual, in reading order. `make install` makes libilpatch(3) and a page for
 * each part of it. Each part begins with its rules and a short program, which the tests compile and
 * run. Shapes, from bytes to bytes:
 *
 *   struct ilp_bytes, a file in memory
 *        |
 *        |  ilp_image_open()
 *        v
 *   struct ilp_image, read-only  ---- ilp_cell(), ilp_blob() --->  numbers, borrowed bytes
 *        |                                                              |
 *        |  ilp_edit_open()                    ilp_sig_read(), ilp_body_read(), ilp_code_decode()
 *        v                                                              v
 *   struct ilp_edit  <--- rows, heap entries, bodies ---  trees and arrays in a struct ilp_arena
 *        |          <--- ilp_inspect_returns() ---------  rules, inspectors, a resolver
 *        |
 *        |  ilp_symbols_write(), ilp_edit_write()
 *        v
 *   struct ilp_sink, which takes the bytes of the new file
 *
 * Close in the reverse order: an edit borrows its image, and an image borrows its bytes.
 *
 * Three words say who owns memory:
 *   - *Borrowed*: it belongs to another object or to the caller, and must outlive its use.
 *   - *Owned*: the holder releases it, with the close function of its type.
 *   - *Copied*: the function took a copy, and the argument may go away.
 *
 * Results. A function that can fail returns an ilp_status. If it fails and its `error` is not NULL,
 * it fills *error; after ILP_OK *error has no meaning. Out parameters are valid only after ILP_OK,
 * unless the text says otherwise. That something was not found is a value (0, NULL, ""), not an
 * error. A function that returns no status cannot fail.
 *
 * NULL is allowed for `error`, for `allocator` (malloc without a limit), as the argument of a close
 * function, and where the text says so. Elsewhere it is a mistake that the library does not check.
 * An empty ilp_bytes may have NULL for its data.
 *
 * The library does no input or output of its own, prints nothing, and keeps no state between calls.
 * It loads other libraries when it first needs them, and they stay loaded: libxml2 for rule files,
 * PCRE2 for regular expressions, libdeflate or zlib for compressed data, libcrypto for signatures
 * and hashes. ILP_E_NO_LIBRARY: one is not installed.
 *
 * Threads. ilp_image_open(), ilp_image_index() and ilp_image_close() alone write to an image.
 * Between them it is only read: any number of threads may use it, and share it as a reference,
 * without a lock. The same holds for rules (after the last ilp_rules_add()), inspectors, bundles
 * and inlining. An object of another kind, such as an edit, rewriter, selector, symbols or an
 * arena, is for one thread at a time. Functions without an object may be called by any thread. The
 * library starts threads only in ilp_inspect_returns(), as many as ilp_request.threads requests.
 *
 * Input is untrusted. Any bytes may be given where an assembly, PDB, bundle, rule file or key is
 * expected: the library reports what is wrong, with an offset. It does not crash, and its time and
 * memory are bounded by the size of the input (SECURITY.md has the limits).
 *
 * Versions. Functions, numbers and the sizes of structs stay from version 1.0 on. A struct that may
 * grow ends in reserved members, which later versions make members of: the caller zeroes the whole
 * struct before filling it, as an initializer does. A reserved member of an argument that is not
 * zero is ILP_E_MISUSE. docs/LIBRARY.md, Compatibility, has the rules.
 *
 * Units and words. A *rid* is a 1-based row number, and 0 is no row. A *token* is
 * table << 24 | rid (III.1.9). An *offset* counts bytes from the start of a file, heap or code. An
 * *rva* is an address relative to the base of the loaded image (II.25.1). Sizes are in bytes. Texts
 * are UTF-8 and end with NUL, unless they are ilp_bytes. Roman numerals cite ECMA-335, 6th edition:
 * II.22.26 is Partition II, clause 22.26. Words such as TypeDef, HasCustomAttribute or MaxStack are
 * spelled as there.
 *
 * Enumerators of the tables in ilpatch/ are listed here as well, for grep, editors and generators
 * of bindings. The build fails where a list and its table differ.
 *
 * Example: what the examples begin with. Each is a `main()` after these lines, or what it does. The
 * folder `samples` is that of the source tree.
 *
 *     #include <ilpatch.h>
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *     #include <string.h>
 *
 *     static struct ilp_error error;
 *
 *     static inline void check(ilp_status status)
 *     {
 *         if (status != ILP_OK) {
 *             fprintf(stderr, "%s\n", error.message);
 *             exit(1);
 *         }
 *     }
 *
 *     static inline struct ilp_bytes read_file(const char *path)
 *     {
 *         FILE *file = fopen(path, "rb");
 *         long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
 *         uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
 *         if (!data || fseek(file, 0, SEEK_SET) != 0 ||
 *             fread(data, 1, (size_t)size, file) != (size_t)size) {
 *             perror(path);
 *             exit(1);
 *         }
 *         fclose(file);
 *         return (struct ilp_bytes){data, (size_t)size};
 *     }
 *
 *     static inline ilp_status write_bytes(void *file, const void *bytes, size_t size)
 *     {
 *         return fwrite(bytes, 1, size, file) == size ? ILP_OK : ILP_E_CALLBACK;
 *     }
 */
#ifndef ILPATCH_H
#define ILPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(ILP_API)
#define ILP_API __attribute__((visibility("default")))
#elif !defined(ILP_API)
#define ILP_API
#endif

#define ILP_VERSION "1.0.0"

/* The same as a number that grows with the version: 0xMMmmpp. */
#define ILP_VERSION_NUMBER 0x010000

/* The version of the library that is linked, in static storage. It differs from ILP_VERSION when
 * the program was compiled with the header of another version. */
ILP_API const char *ilp_version(void);

/* The same in the form of ILP_VERSION_NUMBER. */
ILP_API uint32_t ilp_version_number(void);

/* Row numbers and tokens (II.22, III.1.9). A rid has 24 bits: a table has at most 2^24 - 1 rows. */
typedef uint32_t ilp_rid;
typedef uint32_t ilp_token;

#define ILP_TOKEN(table, rid)  ((ilp_token)(table) << 24 | (ilp_token)(rid))
#define ILP_TOKEN_TABLE(token) ((token) >> 24)
#define ILP_TOKEN_RID(token)   ((token)&0xFFFFFFu)

/* The token byte of user strings, which are no table (III.1.9). */
#define ILP_TOKEN_USER_STRING 0x70u

/* A span of bytes, borrowed. */
struct ilp_bytes {
    const uint8_t *data;
    size_t size;
};

/* ---- statuses and what went wrong: ilp_error(3) ---------------------------------------------- *
 *
 * A status says what kind of thing is wrong; ilp_status_class() says whose fault it is, and so what
 * a caller can do. struct ilp_error adds the place and a message that names the value found. A
 * message needs nothing before or after it: the library puts no file name into it, since it knows
 * none. The function that finds the failure fills the error; callers between pass it on unchanged.
 *
 * A callback that fails returns a status of its choice, such as ILP_E_CALLBACK, and the library
 * function that called it returns that status. Callbacks with an `error` parameter should fill it;
 * after a sink has failed, the library does.
 *
 * Example: why a file is not an assembly.
 *
 *     struct ilp_image *image;
 *     struct ilp_bytes bytes = {(const uint8_t *)"a text", 6};
 *     ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error);
 *     printf("%s: %s\n", ilp_status_name(status), error.message);
 *     printf("%s, class %d\n", ilp_status_text(error.status), ilp_status_class(status));
 *
 * Prints:
 *
 *     NOT_PE: not a PE file: it does not start with "MZ"
 *     not a PE file, class 1
 */

/* ILP_OK is 0, and so is false; every other status is an error. The hundreds of a number are the
 * class of the status, so a program knows the class of a status that its header does not have. A
 * number keeps its meaning in every version; ilpatch/error.def has them all. */
typedef enum ilp_status {
    ILP_E_OK = 0,                /* no error */
    ILP_E_TRUNCATED = 101,       /* the data ends too early */
    ILP_E_NOT_PE = 102,          /* not a PE file */
    ILP_E_NOT_MANAGED = 103,     /* not a .NET assembly */
    ILP_E_BAD_PE = 104,          /* a PE header or section is not valid */
    ILP_E_BAD_METADATA = 105,    /* the metadata is not valid */
    ILP_E_BAD_SIGNATURE = 106,   /* a signature blob is not valid */
    ILP_E_BAD_BODY = 107,        /* a method body is not valid */
    ILP_E_BAD_BUNDLE = 108,      /* a single-file bundle is not valid */
    ILP_E_BAD_DEFLATE = 109,     /* compressed data is not valid */
    ILP_E_BAD_INSPECTOR = 110,   /* the inspector has no method that can be called */
    ILP_E_BAD_SYMBOLS = 111,     /* the symbols are not valid */
    ILP_E_OTHER_SYMBOLS = 112,   /* the symbols belong to another build of the assembly */
    ILP_E_BAD_SPOOL = 113,       /* a spool of a traced program is not valid */
    ILP_E_SYMBOLS_KIND = 201,    /* symbols of this kind cannot be moved */
    ILP_E_READY_TO_RUN = 202,    /* native code that cannot be dropped */
    ILP_E_MIXED_MODE = 203,      /* native code of a mixed-mode image cannot be replaced */
    ILP_E_SIGNED_HOST = 204,     /* the host of a bundle is signed and cannot be changed */
    ILP_E_CORE_LIBRARY = 205,    /* a core library refers to nothing, but can hold an inspector */
    ILP_E_CANNOT_EMBED = 206,    /* the inspector cannot be embedded here */
    ILP_E_NO_ROOM = 207,         /* the PE headers have no room for one more section */
    ILP_E_MAPPED_WRITE = 208,    /* an image in mapped layout cannot be written as a file */
    ILP_E_NOT_VERIFIED = 209,    /* the patched assembly would have findings that it has not now */
    ILP_E_TOO_DEEP = 301,        /* nested too deep */
    ILP_E_TOO_LARGE = 302,       /* too large for the format */
    ILP_E_TOO_MANY = 303,        /* too many rows for the format */
    ILP_E_NO_MEMORY = 401,       /* out of memory */
    ILP_E_CALLBACK = 501,        /* a callback failed */
    ILP_E_SELF_INSPECTION = 601, /* the inspector itself cannot be patched */
    ILP_E_BAD_RULES = 602,       /* a rule file is not valid */
    ILP_E_BAD_KEY = 114,         /* a key file or public key is not valid */
    ILP_E_CANNOT_SIGN = 210,     /* the assembly cannot be signed with this key */
    ILP_E_CANNOT_COMPACT = 211,  /* the file holds what cannot be moved */
    ILP_E_NO_LIBRARY = 212,      /* a library that is needed is not installed */
    ILP_E_MISUSE = 701,          /* the caller broke the contract of a function */
    ILP_OK = ILP_E_OK
} ilp_status;

/* Whose fault a status is. The column of ilpatch/error.def says it for each. */
enum ilp_class {
    ILP_CLASS_OK,
    ILP_CLASS_DATA,        /* the bytes are broken: another copy may be whole */
    ILP_CLASS_UNSUPPORTED, /* the bytes are right, but ilpatch does not handle what they hold */
    ILP_CLASS_LIMIT,       /* a limit of the format or of ilpatch would be passed */
    ILP_CLASS_MEMORY,      /* an allocation failed, or ilp_allocator.limit was reached */
    ILP_CLASS_IO,          /* a callback of the caller failed */
    ILP_CLASS_RULES,       /* the request makes no sense for this input */
    ILP_CLASS_BUG          /* the caller broke the contract of a function */
};

/* What went wrong and where. Owned by the caller; needs no initialisation and no release. All
 * members are set at each failure. */
struct ilp_error {
    ilp_status status; /* the one that the function returned */
    /* in the file, or from the base of a mapped image; UINT64_MAX where there is no place */
    uint64_t offset;
    ilp_token token;      /* the row that it is about, 0 where there is none */
    uint32_t line;        /* in a rule file, 1-based; 0 where there is none */
    uint32_t column;      /* 1-based, in characters; 0 where there is none */
    char message[240];    /* one line of UTF-8, complete without the other members; what in names of
                        * the input is no UTF-8 or a control character is replaced by '?' */
    uint64_t reserved[2]; /* zero */
};

/* The name of a status without its prefix ("TRUNCATED"), its text ("the data ends too early") and
 * its class (ILP_CLASS_DATA). Texts are in static storage and never NULL. A number that is no
 * status gives "UNKNOWN", "unknown status" and ILP_CLASS_BUG. */
ILP_API const char *ilp_status_name(ilp_status status);
ILP_API const char *ilp_status_text(ilp_status status);
ILP_API enum ilp_class ilp_status_class(ilp_status status);

/* ---- memory, its limit, and arenas: ilp_arena(3) --------------------------------------------- *
 *
 * Every open function takes an allocator. The object copies it, and takes all its memory from it:
 *
 *   struct ilp_allocator --- copied by ---> image, edit, arena, rules, selector, rewriter ...
 *      resize(), user, limit                each counts its own bytes against its own limit
 *
 * A limit is therefore one of each object, not of all together. To bound all of them, count in
 * resize(), and let it return NULL.
 *
 * Trees of signatures, arrays of instructions and texts are read into an arena of the caller. An
 * arena never moves or frees anything before it is reset or closed, so results that are read into
 * it may point to each other. Reset it between methods: its memory then stays bounded by the
 * largest one.
 *
 *   arena:  | sig | types ... | body | clauses | code | insns ... | text |  room  |
 *             ^ all of them valid until ilp_arena_reset() or ilp_arena_close()
 *
 * Example: the memory of an image, counted.
 *
 *     static void *count(void *user, void *block, size_t old_size, size_t new_size)
 *     {
 *         size_t *used = user;
 *         void *result = new_size != 0 ? realloc(block, new_size) : NULL;
 *         if (new_size == 0) {
 *             free(block);
 *         }
 *         if (result || new_size == 0) {
 *             *used += new_size - old_size;
 *         }
 *         return result;
 *     }
 *
 *     int main(void)
 *     {
 *         size_t used = 0;
 *         struct ilp_allocator allocator = {count, &used, 1 << 20};
 *         struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *         struct ilp_image *image;
 *
 *         check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, &allocator, &error));
 *         printf("%s\n", used != 0 && used < 100 * bytes.size ? "some" : "none");
 *         ilp_image_close(image);
 *         printf("%zu bytes are left\n", used);
 *
 *         allocator.limit = 100;
 *         ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, &allocator,
 *                                            &error);
 *         printf("%s\n", ilp_status_text(status));
 *         free((void *)bytes.data);
 *     }
 *
 * Prints:
 *
 *     some
 *     0 bytes are left
 *     out of memory
 */

/* Where memory comes from. Copied by what is opened with it; `user` is borrowed until that is
 * closed. */
struct ilp_allocator {
    /* realloc() with the old size given. block NULL and old_size 0: allocate. new_size 0: free, and
     * return NULL. NULL otherwise: there is no memory, and the block is as it was. Blocks are
     * aligned as those of malloc(). Called by one thread at a time for each object, but see
     * ilp_request.threads. */
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
    /* bytes that one object may have at one time; 0: no limit. Beyond it, functions fail as if
     * there were no more memory */
    size_t limit;
};

/* Memory that is released as a whole. */
struct ilp_arena;

/* Opens an empty arena. *out is owned; NULL after a failure, which is ILP_E_NO_MEMORY alone. */
ILP_API ilp_status ilp_arena_open(struct ilp_arena **out, const struct ilp_allocator *allocator,
                                  struct ilp_error *error);

/* Forgets all that was read into the arena: pointers into it are no longer valid. The newest chunk,
 * 16 KB at most unless one object needed more, is kept for what is read next; the others are
 * freed. */
ILP_API void ilp_arena_reset(struct ilp_arena *arena);

/* Frees the arena and all that was read into it. */
ILP_API void ilp_arena_close(struct ilp_arena *arena);

/* ---- open an image: ilp_image(3) ------------------------------------------------------------- *
 *
 * An image is a view of the bytes of an assembly, a module or a Portable PDB. Opening reads the
 * headers and checks that the tables fit into the bytes; cells, names, signatures and bodies are
 * decoded where they are, each time that they are read. What one of them refers to is checked then,
 * by the function that reads it.
 *
 *   MZ ... PE headers, sections                    II.25.2    src/pe/pe_read.c
 *     CLI header                                   II.25.3.3
 *       metadata root "BSJB", stream headers       II.24.2.1  src/metadata/root_read.c
 *         #~ or #-: tables and their rows          II.24.2.6  ilp_row_count(), ilp_cell()
 *         #Strings #US #Blob #GUID: heaps          II.24.2.3  ilp_string(), ilp_blob() ...
 *     method bodies, data of fields                II.25.4    ilp_image_rva()
 *
 * The bytes have to stay as they are while the image is open. A file that another program may cut
 * off or write to has to be copied into memory first, since reading a page of a mapped file that is
 * gone ends the process (SIGBUS).
 *
 * Example: what a file is.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_image_info info;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, "Shop.exe", NULL, &error));
 *     ilp_image_info(image, &info);
 *     printf("%s: metadata %s, %s\n", ilp_image_name(image), info.runtime_version,
 *            (info.cli_flags & 1) != 0 ? "IL only" : "with native code");
 *     if (ILP_TOKEN_TABLE(info.entry_point) == ILP_MethodDef) {
 *         ilp_rid rid = ILP_TOKEN_RID(info.entry_point);
 *         printf("entry point: %s\n",
 *                ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name)));
 *     }
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     Shop.exe: metadata v4.0.30319, IL only
 *     entry point: Main
 */

/* A read-only view of an assembly, a module or a Portable PDB (II.24, II.25). */
struct ilp_image;

/* How the bytes are laid out. */
enum ilp_layout {
    ILP_LAYOUT_FILE,    /* the bytes of a file: RVAs are translated through the section table */
    ILP_LAYOUT_MAPPED,  /* a loaded module: an RVA is an offset from its base */
    ILP_LAYOUT_METADATA /* no PE around it: the bytes start with the metadata root ("BSJB") */
};

/* Opens `bytes`, which are borrowed until ilp_image_close(). *out is owned; NULL after a failure.
 * Bytes that start with "BSJB" are taken as ILP_LAYOUT_METADATA whatever `layout` says, so that
 * Portable PDBs open as they are. `name` (copied, may be NULL) is for the caller's messages:
 * ilp_image_name() returns it.
 *
 * The time does not depend on the number of rows, with two exceptions: a table that has a key but
 * is not marked as sorted (II.24.2.6) is checked, and sorted in memory if it is not in order; and
 * MethodPtr and FieldPtr tables, which edit-and-continue and obfuscators write, are inverted. For
 * ILP_LAYOUT_MAPPED, bytes.size is how much is mapped; SizeOfImage is not used.
 *
 *   ILP_E_NOT_PE        fewer than 64 bytes, no "MZ", or no "PE" signature; the message says which
 *                       other kind of file it is, where ilp_file_kind_of() knows it
 *   ILP_E_NOT_MANAGED   a PE file without a CLI header (II.25.3.3)
 *   ILP_E_BAD_PE        neither PE32 nor PE32+, or more than 96 sections
 *   ILP_E_BAD_METADATA  a root without "BSJB", a stream outside of the metadata, no table stream,
 *                       a table that no specification has, or more than 2^24 - 1 rows in one
 *   ILP_E_TRUNCATED     a header, the metadata or the rows of a table end after the bytes do
 *   ILP_E_NO_MEMORY     out of memory, or beyond the limit of the allocator
 */
ILP_API ilp_status ilp_image_open(struct ilp_image **out, struct ilp_bytes bytes,
                                  enum ilp_layout layout, const char *name,
                                  const struct ilp_allocator *allocator, struct ilp_error *error);

/* Builds the index that finds TypeDefs (II.22.37) and ExportedTypes (II.22.14) by name, once: time
 * and memory in proportion to them. Does nothing where there is one already. Without it all works
 * the same, but each look-up goes through the rows. It is for images in which many types are looked
 * up: those that a resolver returns, and those whose state machines are rewritten. Call it before
 * other threads see the image. Fails with ILP_E_NO_MEMORY alone, and the image stays usable. */
ILP_API ilp_status ilp_image_index(struct ilp_image *image, struct ilp_error *error);

/* Releases the view and its index. What was borrowed from the image is no longer valid, and all
 * that borrows the image has to be closed before: edits, symbols, selectors, rewriters and
 * inspectors. The bytes are the caller's, and stay. */
ILP_API void ilp_image_close(struct ilp_image *image);

/* The name given at opening, "" for none. Borrowed from the image. */
ILP_API const char *ilp_image_name(const struct ilp_image *image);

/* What the PE and CLI headers say (II.25.2, II.25.3.3). For ILP_LAYOUT_METADATA, all but
 * `runtime_version` is zero. */
struct ilp_image_info {
    uint16_t machine;  /* COFF Machine, unchanged: of ReadyToRun code, with the system's mask */
    bool pe32_plus;    /* PE32+, as 64-bit images are */
    bool ready_to_run; /* a ManagedNativeHeader is present: precompiled code, of any form */
    /* COMIMAGE_FLAGS_* (II.25.3.3.1): 1 ILONLY, 2 32BITREQUIRED, 8 STRONGNAMESIGNED,
     * 0x20000 32BITPREFERRED */
    uint32_t cli_flags;
    ilp_token entry_point;       /* MethodDef or File, 0 for a library; not checked */
    const char *runtime_version; /* of the metadata root: "v4.0.30319"; borrowed */
    uint64_t reserved[4];        /* zero */
};
ILP_API void ilp_image_info(const struct ilp_image *image, struct ilp_image_info *info);

/* What a ReadyToRun image says of its native code (readytorun-format.md of dotnet/runtime). */
struct ilp_ready_to_run {
    uint16_t major_version; /* of the format */
    uint16_t minor_version;
    uint32_t flags; /* READYTORUN_FLAG_* of the format's description */
    uint32_t section_count;
    uint16_t machine;         /* COFF Machine without the system's mask; 0: of no known system */
    const char *machine_text; /* "x64", "unknown"; static storage */
    const char *system_text;  /* "Linux", "unknown"; static storage */
    bool composite;       /* holds the native code of several assemblies, and no IL of its own */
    bool component;       /* is one of those: its native code is in another file */
    const char *owner;    /* that file's name, "" if it has none; borrowed from the image */
    uint64_t reserved[4]; /* zero */
};

/* Reads the ReadyToRun header, for images with ilp_image_info.ready_to_run.
 *
 *   ILP_E_MISUSE        the image has no ManagedNativeHeader
 *   ILP_E_READY_TO_RUN  native code in another form, as NGEN writes it
 *   ILP_E_TRUNCATED     the header, or its list of sections, ends after the bytes do
 */
ILP_API ilp_status ilp_image_ready_to_run(const struct ilp_image *image,
                                          struct ilp_ready_to_run *r2r, struct ilp_error *error);

/* The MVIDs of the assemblies that a ReadyToRun image was compiled together with, 16 bytes each: it
 * may hold copies of their methods. CoreCLR ends the process when it finds one of them with another
 * MVID, so an assembly that is recorded here has to keep its own (ilp_edit_keep_mvid()). Empty for
 * other images. Borrowed from the image. */
ILP_API struct ilp_bytes ilp_image_recorded_mvids(const struct ilp_image *image);

/* Whose native code holds copies of which methods of the same image. An inlined method runs without
 * being called, so a body that is changed at run time is not seen there: a profiler has the inliner
 * compiled again as well. */
struct ilp_inlining;

/* Reads the image's table of them (src/pe/ready_to_run_inlining.c): CROSS_MODULE_INLINE_INFO, or
 * INLINING_INFO2 of versions before 6.2. An image without native code, or without the table, gives
 * an empty one. Takes time and memory in proportion to the table. The image is borrowed during the
 * call alone. *out is owned; NULL after a failure.
 *
 *   ILP_E_BAD_PE        entries that overlap, or name methods that are not there
 *   ILP_E_TRUNCATED     the table ends too early
 *   ILP_E_READY_TO_RUN  native code in another form, as NGEN writes it
 *   ILP_E_NO_MEMORY     out of memory
 */
ILP_API ilp_status ilp_inlining_open(struct ilp_inlining **out, const struct ilp_image *image,
                                     const struct ilp_allocator *allocator,
                                     struct ilp_error *error);

/* Releases the table, and what ilp_inlined() returned. */
ILP_API void ilp_inlining_close(struct ilp_inlining *inlining);

/* The MethodDef rows that are inlined in the native code of `inliner`, directly or through others:
 * *count of them. None for a row that is not there. Borrowed. */
ILP_API const ilp_rid *ilp_inlined(const struct ilp_inlining *inlining, ilp_rid inliner,
                                   size_t *count);

/* The bytes that an RVA names, to the end of the raw data that holds them: a body or the data of a
 * field starts there, and its own header or type says how long it is. RVAs within the headers name
 * those, so check an RVA cell for 0 first: a method with 0 has no body. Empty where no section has
 * raw data for the RVA. *offset (may be NULL) receives their offset in the file, and stays as it
 * was where there are none. Borrowed from the image's bytes. */
ILP_API struct ilp_bytes ilp_image_rva(const struct ilp_image *image, uint32_t rva,
                                       uint64_t *offset);

/* ---- tables, rows and heaps: ilp_tables(3) --------------------------------------------------- *
 *
 * Metadata is a set of tables (II.22). A row is found by its rid, a cell by table, rid and column.
 * Cells hold numbers, and numbers are references: to a row, to a run of rows, or to a heap.
 *
 *   TypeDef 2   Flags TypeName TypeNamespace Extends  FieldList MethodList
 *                     |                      |                  |
 *                     v                      v                  v
 *               offset in #Strings     a token of       first MethodDef of the type: its run ends
 *               -> ilp_string()        TypeDefOrRef     where the next TypeDef's begins
 *
 *   kind of column (ilpatch/tables.def)      what ilp_cell() returns
 *   number                                   the number
 *   index of a table, LIST                   a rid; 0: none
 *   coded index (II.24.2.6)                  a token; 0: none, or a tag that names no table
 *   #Strings, #Blob                          an offset, for ilp_string() and ilp_blob()
 *   #GUID                                    a 1-based index, for ilp_guid()
 *
 * No function of this part fails or allocates: a row that is not there has cells of 0, an offset
 * outside of a heap gives "" or no bytes. So a loop over rows needs no checks, and a look-up
 * through several tables needs one at its end. Do not take 0 in a cell for proof that a row is
 * there: compare the rid with ilp_row_count().
 *
 * Example: the methods of each type.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
 *         ilp_rid type = ilp_owner_of_method(image, rid);
 *         printf("%s.%s::%s\n",
 *                ilp_string(image,
 *                           ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_TypeNamespace)),
 *                ilp_string(image, ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_TypeName)),
 *                ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name)));
 *     }
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     Shop.Line::.ctor
 *     Shop.Line::Total
 *     Shop.Program::Last
 *     Shop.Program::Sum
 *     Shop.Program::LevelOf
 *     Shop.Program::Discount
 *     Shop.Program::Money
 *     Shop.Program::PrintBill
 *     Shop.Program::Main
 */

/* Table numbers (II.22), with the clause of each. 0x30 and up are those of the Portable PDB format.
 * II.22 leaves out those of edit-and-continue, and the *Ptr tables, which #- streams have between
 * runs and rows. */
enum ilp_table {
    ILP_Module = 0x00,                 /* II.22.30 */
    ILP_TypeRef = 0x01,                /* II.22.38 */
    ILP_TypeDef = 0x02,                /* II.22.37 */
    ILP_FieldPtr = 0x03,               /* of the #- stream */
    ILP_Field = 0x04,                  /* II.22.15 */
    ILP_MethodPtr = 0x05,              /* of the #- stream */
    ILP_MethodDef = 0x06,              /* II.22.26 */
    ILP_ParamPtr = 0x07,               /* of the #- stream */
    ILP_Param = 0x08,                  /* II.22.33 */
    ILP_InterfaceImpl = 0x09,          /* II.22.23 */
    ILP_MemberRef = 0x0A,              /* II.22.25 */
    ILP_Constant = 0x0B,               /* II.22.9 */
    ILP_CustomAttribute = 0x0C,        /* II.22.10 */
    ILP_FieldMarshal = 0x0D,           /* II.22.17 */
    ILP_DeclSecurity = 0x0E,           /* II.22.11 */
    ILP_ClassLayout = 0x0F,            /* II.22.8 */
    ILP_FieldLayout = 0x10,            /* II.22.16 */
    ILP_StandAloneSig = 0x11,          /* II.22.36 */
    ILP_EventMap = 0x12,               /* II.22.12 */
    ILP_EventPtr = 0x13,               /* of the #- stream */
    ILP_Event = 0x14,                  /* II.22.13 */
    ILP_PropertyMap = 0x15,            /* II.22.35 */
    ILP_PropertyPtr = 0x16,            /* of the #- stream */
    ILP_Property = 0x17,               /* II.22.34 */
    ILP_MethodSemantics = 0x18,        /* II.22.28 */
    ILP_MethodImpl = 0x19,             /* II.22.27 */
    ILP_ModuleRef = 0x1A,              /* II.22.31 */
    ILP_TypeSpec = 0x1B,               /* II.22.39 */
    ILP_ImplMap = 0x1C,                /* II.22.22 */
    ILP_FieldRVA = 0x1D,               /* II.22.18 */
    ILP_ENCLog = 0x1E,                 /* of edit-and-continue */
    ILP_ENCMap = 0x1F,                 /* of edit-and-continue */
    ILP_Assembly = 0x20,               /* II.22.2 */
    ILP_AssemblyProcessor = 0x21,      /* II.22.4 */
    ILP_AssemblyOS = 0x22,             /* II.22.3 */
    ILP_AssemblyRef = 0x23,            /* II.22.5 */
    ILP_AssemblyRefProcessor = 0x24,   /* II.22.7 */
    ILP_AssemblyRefOS = 0x25,          /* II.22.6 */
    ILP_File = 0x26,                   /* II.22.19 */
    ILP_ExportedType = 0x27,           /* II.22.14 */
    ILP_ManifestResource = 0x28,       /* II.22.24 */
    ILP_NestedClass = 0x29,            /* II.22.32 */
    ILP_GenericParam = 0x2A,           /* II.22.20 */
    ILP_MethodSpec = 0x2B,             /* II.22.29 */
    ILP_GenericParamConstraint = 0x2C, /* II.22.21 */
    ILP_Document = 0x30,
    ILP_MethodDebugInformation = 0x31,
    ILP_LocalScope = 0x32,
    ILP_LocalVariable = 0x33,
    ILP_LocalConstant = 0x34,
    ILP_ImportScope = 0x35,
    ILP_StateMachineMethod = 0x36,
    ILP_CustomDebugInformation = 0x37,
    ILP_TABLE_COUNT = 0x40
};

/* Column numbers within their table, from 0 on, in the order of II.22; the last enumerator counts
 * them. ilpatch/tables.def says what their cells hold. */
enum ilp_column_of_Module {
    ILP_Module_Generation,
    ILP_Module_Name,
    ILP_Module_Mvid,
    ILP_Module_EncId,
    ILP_Module_EncBaseId,
    ILP_Module_COLUMNS
};
enum ilp_column_of_TypeRef {
    ILP_TypeRef_ResolutionScope,
    ILP_TypeRef_TypeName,
    ILP_TypeRef_TypeNamespace,
    ILP_TypeRef_COLUMNS
};
enum ilp_column_of_TypeDef {
    ILP_TypeDef_Flags,
    ILP_TypeDef_TypeName,
    ILP_TypeDef_TypeNamespace,
    ILP_TypeDef_Extends,
    ILP_TypeDef_FieldList,
    ILP_TypeDef_MethodList,
    ILP_TypeDef_COLUMNS
};
enum ilp_column_of_FieldPtr { ILP_FieldPtr_Field, ILP_FieldPtr_COLUMNS };
enum ilp_column_of_Field {
    ILP_Field_Flags,
    ILP_Field_Name,
    ILP_Field_Signature,
    ILP_Field_COLUMNS
};
enum ilp_column_of_MethodPtr { ILP_MethodPtr_Method, ILP_MethodPtr_COLUMNS };
enum ilp_column_of_MethodDef {
    ILP_MethodDef_RVA,
    ILP_MethodDef_ImplFlags,
    ILP_MethodDef_Flags,
    ILP_MethodDef_Name,
    ILP_MethodDef_Signature,
    ILP_MethodDef_ParamList,
    ILP_MethodDef_COLUMNS
};
enum ilp_column_of_ParamPtr { ILP_ParamPtr_Param, ILP_ParamPtr_COLUMNS };
enum ilp_column_of_Param { ILP_Param_Flags, ILP_Param_Sequence, ILP_Param_Name, ILP_Param_COLUMNS };
enum ilp_column_of_InterfaceImpl {
    ILP_InterfaceImpl_Class,
    ILP_InterfaceImpl_Interface,
    ILP_InterfaceImpl_COLUMNS
};
enum ilp_column_of_MemberRef {
    ILP_MemberRef_Class,
    ILP_MemberRef_Name,
    ILP_MemberRef_Signature,
    ILP_MemberRef_COLUMNS
};
enum ilp_column_of_Constant {
    ILP_Constant_Type,
    ILP_Constant_Parent,
    ILP_Constant_Value,
    ILP_Constant_COLUMNS
};
enum ilp_column_of_CustomAttribute {
    ILP_CustomAttribute_Parent,
    ILP_CustomAttribute_Type,
    ILP_CustomAttribute_Value,
    ILP_CustomAttribute_COLUMNS
};
enum ilp_column_of_FieldMarshal {
    ILP_FieldMarshal_Parent,
    ILP_FieldMarshal_NativeType,
    ILP_FieldMarshal_COLUMNS
};
enum ilp_column_of_DeclSecurity {
    ILP_DeclSecurity_Action,
    ILP_DeclSecurity_Parent,
    ILP_DeclSecurity_PermissionSet,
    ILP_DeclSecurity_COLUMNS
};
enum ilp_column_of_ClassLayout {
    ILP_ClassLayout_PackingSize,
    ILP_ClassLayout_ClassSize,
    ILP_ClassLayout_Parent,
    ILP_ClassLayout_COLUMNS
};
enum ilp_column_of_FieldLayout {
    ILP_FieldLayout_Offset,
    ILP_FieldLayout_Field,
    ILP_FieldLayout_COLUMNS
};
enum ilp_column_of_StandAloneSig { ILP_StandAloneSig_Signature, ILP_StandAloneSig_COLUMNS };
enum ilp_column_of_EventMap { ILP_EventMap_Parent, ILP_EventMap_EventList, ILP_EventMap_COLUMNS };
enum ilp_column_of_EventPtr { ILP_EventPtr_Event, ILP_EventPtr_COLUMNS };
enum ilp_column_of_Event {
    ILP_Event_EventFlags,
    ILP_Event_Name,
    ILP_Event_EventType,
    ILP_Event_COLUMNS
};
enum ilp_column_of_PropertyMap {
    ILP_PropertyMap_Parent,
    ILP_PropertyMap_PropertyList,
    ILP_PropertyMap_COLUMNS
};
enum ilp_column_of_PropertyPtr { ILP_PropertyPtr_Property, ILP_PropertyPtr_COLUMNS };
enum ilp_column_of_Property {
    ILP_Property_Flags,
    ILP_Property_Name,
    ILP_Property_Type,
    ILP_Property_COLUMNS
};
enum ilp_column_of_MethodSemantics {
    ILP_MethodSemantics_Semantics,
    ILP_MethodSemantics_Method,
    ILP_MethodSemantics_Association,
    ILP_MethodSemantics_COLUMNS
};
enum ilp_column_of_MethodImpl {
    ILP_MethodImpl_Class,
    ILP_MethodImpl_MethodBody,
    ILP_MethodImpl_MethodDeclaration,
    ILP_MethodImpl_COLUMNS
};
enum ilp_column_of_ModuleRef { ILP_ModuleRef_Name, ILP_ModuleRef_COLUMNS };
enum ilp_column_of_TypeSpec { ILP_TypeSpec_Signature, ILP_TypeSpec_COLUMNS };
enum ilp_column_of_ImplMap {
    ILP_ImplMap_MappingFlags,
    ILP_ImplMap_MemberForwarded,
    ILP_ImplMap_ImportName,
    ILP_ImplMap_ImportScope,
    ILP_ImplMap_COLUMNS
};
enum ilp_column_of_FieldRVA { ILP_FieldRVA_RVA, ILP_FieldRVA_Field, ILP_FieldRVA_COLUMNS };
enum ilp_column_of_ENCLog { ILP_ENCLog_Token, ILP_ENCLog_FuncCode, ILP_ENCLog_COLUMNS };
enum ilp_column_of_ENCMap { ILP_ENCMap_Token, ILP_ENCMap_COLUMNS };
enum ilp_column_of_Assembly {
    ILP_Assembly_HashAlgId,
    ILP_Assembly_MajorVersion,
    ILP_Assembly_MinorVersion,
    ILP_Assembly_BuildNumber,
    ILP_Assembly_RevisionNumber,
    ILP_Assembly_Flags,
    ILP_Assembly_PublicKey,
    ILP_Assembly_Name,
    ILP_Assembly_Culture,
    ILP_Assembly_COLUMNS
};
enum ilp_column_of_AssemblyProcessor {
    ILP_AssemblyProcessor_Processor,
    ILP_AssemblyProcessor_COLUMNS
};
enum ilp_column_of_AssemblyOS {
    ILP_AssemblyOS_OSPlatformID,
    ILP_AssemblyOS_OSMajorVersion,
    ILP_AssemblyOS_OSMinorVersion,
    ILP_AssemblyOS_COLUMNS
};
enum ilp_column_of_AssemblyRef {
    ILP_AssemblyRef_MajorVersion,
    ILP_AssemblyRef_MinorVersion,
    ILP_AssemblyRef_BuildNumber,
    ILP_AssemblyRef_RevisionNumber,
    ILP_AssemblyRef_Flags,
    ILP_AssemblyRef_PublicKeyOrToken,
    ILP_AssemblyRef_Name,
    ILP_AssemblyRef_Culture,
    ILP_AssemblyRef_HashValue,
    ILP_AssemblyRef_COLUMNS
};
enum ilp_column_of_AssemblyRefProcessor {
    ILP_AssemblyRefProcessor_Processor,
    ILP_AssemblyRefProcessor_AssemblyRef,
    ILP_AssemblyRefProcessor_COLUMNS
};
enum ilp_column_of_AssemblyRefOS {
    ILP_AssemblyRefOS_OSPlatformID,
    ILP_AssemblyRefOS_OSMajorVersion,
    ILP_AssemblyRefOS_OSMinorVersion,
    ILP_AssemblyRefOS_AssemblyRef,
    ILP_AssemblyRefOS_COLUMNS
};
enum ilp_column_of_File { ILP_File_Flags, ILP_File_Name, ILP_File_HashValue, ILP_File_COLUMNS };
enum ilp_column_of_ExportedType {
    ILP_ExportedType_Flags,
    ILP_ExportedType_TypeDefId,
    ILP_ExportedType_TypeName,
    ILP_ExportedType_TypeNamespace,
    ILP_ExportedType_Implementation,
    ILP_ExportedType_COLUMNS
};
enum ilp_column_of_ManifestResource {
    ILP_ManifestResource_Offset,
    ILP_ManifestResource_Flags,
    ILP_ManifestResource_Name,
    ILP_ManifestResource_Implementation,
    ILP_ManifestResource_COLUMNS
};
enum ilp_column_of_NestedClass {
    ILP_NestedClass_NestedClass,
    ILP_NestedClass_EnclosingClass,
    ILP_NestedClass_COLUMNS
};
enum ilp_column_of_GenericParam {
    ILP_GenericParam_Number,
    ILP_GenericParam_Flags,
    ILP_GenericParam_Owner,
    ILP_GenericParam_Name,
    ILP_GenericParam_COLUMNS
};
enum ilp_column_of_MethodSpec {
    ILP_MethodSpec_Method,
    ILP_MethodSpec_Instantiation,
    ILP_MethodSpec_COLUMNS
};
enum ilp_column_of_GenericParamConstraint {
    ILP_GenericParamConstraint_Owner,
    ILP_GenericParamConstraint_Constraint,
    ILP_GenericParamConstraint_COLUMNS
};
enum ilp_column_of_Document {
    ILP_Document_Name,
    ILP_Document_HashAlgorithm,
    ILP_Document_Hash,
    ILP_Document_Language,
    ILP_Document_COLUMNS
};
enum ilp_column_of_MethodDebugInformation {
    ILP_MethodDebugInformation_Document,
    ILP_MethodDebugInformation_SequencePoints,
    ILP_MethodDebugInformation_COLUMNS
};
enum ilp_column_of_LocalScope {
    ILP_LocalScope_Method,
    ILP_LocalScope_ImportScope,
    ILP_LocalScope_VariableList,
    ILP_LocalScope_ConstantList,
    ILP_LocalScope_StartOffset,
    ILP_LocalScope_Length,
    ILP_LocalScope_COLUMNS
};
enum ilp_column_of_LocalVariable {
    ILP_LocalVariable_Attributes,
    ILP_LocalVariable_Index,
    ILP_LocalVariable_Name,
    ILP_LocalVariable_COLUMNS
};
enum ilp_column_of_LocalConstant {
    ILP_LocalConstant_Name,
    ILP_LocalConstant_Signature,
    ILP_LocalConstant_COLUMNS
};
enum ilp_column_of_ImportScope {
    ILP_ImportScope_Parent,
    ILP_ImportScope_Imports,
    ILP_ImportScope_COLUMNS
};
enum ilp_column_of_StateMachineMethod {
    ILP_StateMachineMethod_MoveNextMethod,
    ILP_StateMachineMethod_KickoffMethod,
    ILP_StateMachineMethod_COLUMNS
};
enum ilp_column_of_CustomDebugInformation {
    ILP_CustomDebugInformation_Parent,
    ILP_CustomDebugInformation_Kind,
    ILP_CustomDebugInformation_Value,
    ILP_CustomDebugInformation_COLUMNS
};

/* No table has more columns than this. */
#define ILP_MAX_COLUMNS 9

/* The table's name in the specification ("TypeDef"), NULL for a number that is no table; static
 * storage. */
ILP_API const char *ilp_table_name(unsigned table);

/* How many rows a table has: its rids are 1 to that number. 0 for a number that is no table. */
ILP_API uint32_t ilp_row_count(const struct ilp_image *image, unsigned table);

/* One cell, as in the table above. 0 where table, row or column do not exist. What it refers to may
 * not exist, either. Constant time. */
ILP_API uint32_t ilp_cell(const struct ilp_image *image, unsigned table, ilp_rid rid,
                          unsigned column);

/* A name of #Strings (II.24.2.3), which ends with NUL within the heap. The format has UTF-8 there,
 * but the bytes are not checked. "" where the offset is 0 or outside, or no NUL follows. Borrowed
 * from the image's bytes. */
ILP_API const char *ilp_string(const struct ilp_image *image, uint32_t offset);

/* The bytes of a blob, without its length (II.24.2.4): a signature, a constant, a custom
 * attribute's value, a public key. Empty where the offset is outside, or the blob is not whole.
 * Borrowed from the image's bytes. */
ILP_API struct ilp_bytes ilp_blob(const struct ilp_image *image, uint32_t offset);

/* A user string (II.24.2.4) by the token that ldstr has, or its offset in #US: UTF-16LE without
 * the final flag byte. It may hold NULs and unpaired surrogates. Empty where there is none, or an
 * empty one. Borrowed from the image's bytes. */
ILP_API struct ilp_bytes ilp_user_string(const struct ilp_image *image, uint32_t offset);

/* 16 bytes of #GUID (II.24.2.5) by 1-based index, as the cells of Module.Mvid hold it; empty where
 * there are none. Borrowed from the image's bytes. */
ILP_API struct ilp_bytes ilp_guid(const struct ilp_image *image, uint32_t index);

/* The TypeDef whose run of methods or fields holds the row (II.22.37); 0 where none does. It takes
 * O(log TypeDefs), through MethodPtr and FieldPtr as well. */
ILP_API ilp_rid ilp_owner_of_method(const struct ilp_image *image, ilp_rid method);
ILP_API ilp_rid ilp_owner_of_field(const struct ilp_image *image, ilp_rid field);

/* The TypeDef that encloses a nested TypeDef (NestedClass, II.22.32); 0 for a top-level one.
 * O(log NestedClass rows). Hostile files have cycles: bound the number of steps outwards. */
ILP_API ilp_rid ilp_enclosing_type(const struct ilp_image *image, ilp_rid type);

/* ---- signatures (II.23.2): ilp_sig(3) -------------------------------------------------------- *
 *
 * A signature is a blob; the library reads it into a small tree and writes trees as blobs. Several
 * kinds have one grammar around their types, so all of them are one struct:
 *
 *   kind                  head                        `ret`               `params`
 *   ILP_SIG_METHOD        convention, generic_count   returned type       parameters
 *   ILP_SIG_FIELD         0x06                        type of the field   -
 *   ILP_SIG_PROPERTY      convention                  type                of the indexer
 *   ILP_SIG_LOCALS        0x07                        -                   locals
 *   ILP_SIG_TYPE_SPEC     -                           the type            -
 *   ILP_SIG_METHOD_SPEC   0x0A                        -                   generic arguments
 *
 * Types are trees by `inner`, and lists by `next`. System.Collections.Generic.List`1<int32[]>[] is
 *
 *   SZARRAY --inner--> GENERICINST --inner--> CLASS List`1 --next--> SZARRAY --inner--> I4
 *                      number 1
 *
 * Custom modifiers (II.23.2.7) are nodes of the tree, before what they modify: whoever looks for
 * the type itself steps over CMOD_REQD and CMOD_OPT. The reader takes more than the clauses allow,
 * as runtimes do: modifiers before and after BYREF, before VOID, and in generic arguments. Tokens
 * are not looked up, so a row that a type names may not exist. src/sig/ has both directions.
 *
 * Example: what a method takes and returns.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_arena *arena;
 *     struct ilp_sig *sig;
 *     const char *name;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_arena_open(&arena, NULL, &error));
 *     uint32_t blob = ilp_cell(image, ILP_MethodDef, 4, ILP_MethodDef_Signature);
 *     check(ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, 0, arena, &error));
 *     check(ilp_type_text(image, sig->ret->token, arena, &name, &error));
 *     printf("returns element type 0x%02X, %s\n", sig->ret->element, name);
 *     for (const struct ilp_type *type = sig->params; type; type = type->next) {
 *         printf("takes 0x%02X in %zu bytes\n", type->element, type->raw.size);
 *     }
 *
 *     struct ilp_type local = {.element = ILP_ELEMENT_I4};
 *     struct ilp_sig locals = {.kind = ILP_SIG_LOCALS, .convention = 0x07, .param_count = 1,
 *                              .params = &local};
 *     struct ilp_bytes written;
 *     check(ilp_sig_write(&written, &locals, arena, &error));
 *     printf("a local: %02X %02X %02X\n", written.data[0], written.data[1], written.data[2]);
 *     ilp_arena_close(arena);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     returns element type 0x11, System.Decimal
 *     takes 0x15 in 6 bytes
 *     takes 0x08 in 1 bytes
 *     a local: 07 01 08
 */

/* Element types (II.23.1.16). INTERNAL has a meaning in memory alone: no blob may have it. */
enum ilp_element {
    ILP_ELEMENT_VOID = 0x01,
    ILP_ELEMENT_BOOLEAN = 0x02,
    ILP_ELEMENT_CHAR = 0x03,
    ILP_ELEMENT_I1 = 0x04,
    ILP_ELEMENT_U1 = 0x05,
    ILP_ELEMENT_I2 = 0x06,
    ILP_ELEMENT_U2 = 0x07,
    ILP_ELEMENT_I4 = 0x08,
    ILP_ELEMENT_U4 = 0x09,
    ILP_ELEMENT_I8 = 0x0A,
    ILP_ELEMENT_U8 = 0x0B,
    ILP_ELEMENT_R4 = 0x0C,
    ILP_ELEMENT_R8 = 0x0D,
    ILP_ELEMENT_STRING = 0x0E,
    ILP_ELEMENT_PTR = 0x0F,
    ILP_ELEMENT_BYREF = 0x10,
    ILP_ELEMENT_VALUETYPE = 0x11,
    ILP_ELEMENT_CLASS = 0x12,
    ILP_ELEMENT_VAR = 0x13,
    ILP_ELEMENT_ARRAY = 0x14,
    ILP_ELEMENT_GENERICINST = 0x15,
    ILP_ELEMENT_TYPEDBYREF = 0x16,
    ILP_ELEMENT_I = 0x18,
    ILP_ELEMENT_U = 0x19,
    ILP_ELEMENT_FNPTR = 0x1B,
    ILP_ELEMENT_OBJECT = 0x1C,
    ILP_ELEMENT_SZARRAY = 0x1D,
    ILP_ELEMENT_MVAR = 0x1E,
    ILP_ELEMENT_CMOD_REQD = 0x1F,
    ILP_ELEMENT_CMOD_OPT = 0x20,
    ILP_ELEMENT_INTERNAL = 0x21,
    ILP_ELEMENT_SENTINEL = 0x41,
    ILP_ELEMENT_PINNED = 0x45
};

/* What a blob is, by the column that has it. A blob does not say it itself: 0x06 begins a field's
 * signature, but is CLASS VALUETYPE ... elsewhere. */
enum ilp_sig_kind {
    ILP_SIG_METHOD,      /* MethodDefSig, MethodRefSig and StandAloneMethodSig (II.23.2.1-3) */
    ILP_SIG_FIELD,       /* II.23.2.4 */
    ILP_SIG_PROPERTY,    /* II.23.2.5 */
    ILP_SIG_LOCALS,      /* II.23.2.6 */
    ILP_SIG_TYPE_SPEC,   /* II.23.2.14 */
    ILP_SIG_METHOD_SPEC, /* II.23.2.15 */
    ILP_SIG_STANDALONE   /* method, field or locals, as the first byte says (II.22.36) */
};

/* The first byte of a method signature (II.23.2.1): a convention in the low four bits, and flags.
 * 0x02, 0x03 and 0x04 are stdcall, thiscall and fastcall. */
#define ILP_CALL_MASK         0x0Fu
#define ILP_CALL_DEFAULT      0x00u
#define ILP_CALL_C            0x01u
#define ILP_CALL_VARARG       0x05u
#define ILP_CALL_UNMANAGED    0x09u /* the convention is in modopts of the return type */
#define ILP_CALL_GENERIC      0x10u
#define ILP_CALL_HASTHIS      0x20u
#define ILP_CALL_EXPLICITTHIS 0x40u

/* A type as a small tree. Which members count depends on `element`:
 *   CLASS VALUETYPE           token
 *   CMOD_REQD CMOD_OPT        token, inner (the modified type)
 *   VAR MVAR                  number
 *   PTR BYREF SZARRAY PINNED  inner
 *   ARRAY                     inner, number (the rank), shape
 *   GENERICINST               inner (CLASS or VALUETYPE, followed by its arguments through `next`),
 *                             number (of arguments)
 *   FNPTR                     method
 * The others, such as I4, STRING or OBJECT, have none. */
struct ilp_type {
    uint8_t element;
    ilp_token token; /* TypeDef, TypeRef or TypeSpec */
    uint32_t number;
    struct ilp_type *inner;
    struct ilp_type *next; /* the next parameter, local or generic argument */
    struct ilp_sig *method;
    struct ilp_array_shape *shape;
    struct ilp_bytes raw; /* the bytes of this type in its blob; borrowed */
};

/* ArrayShape (II.23.2.13): sizes and lower bounds of the first dimensions. The rank is in
 * ilp_type.number, 32 at most, as in CoreCLR. */
struct ilp_array_shape {
    uint32_t size_count;
    uint32_t bound_count;
    uint32_t *sizes;
    int32_t *bounds;
};

/* A signature as a tree, in an arena or made by hand. */
struct ilp_sig {
    enum ilp_sig_kind kind;  /* never ILP_SIG_STANDALONE */
    uint8_t convention;      /* the first byte, whole */
    uint32_t generic_count;  /* of a generic method; else 0 */
    uint32_t param_count;    /* parameters, locals or generic arguments */
    uint32_t required_count; /* of a vararg call: parameters before SENTINEL; else param_count */
    /* what is returned; the type of a field, property or TypeSpec; else NULL */
    struct ilp_type *ret;
    struct ilp_type *params; /* param_count of them, linked through `next` */
};

/* Reads a signature into `arena`: *out borrows the arena, and `blob` for ilp_type.raw. After a
 * failure *out is not valid, and what was read stays in the arena until it is reset. `origin` is
 * the blob's offset in its file, for ilp_error.offset; 0 if it does not matter. Time and memory are
 * in proportion to the blob: a type takes about 60 bytes for each of its own.
 *
 *   ILP_E_BAD_SIGNATURE  an unknown element type, INTERNAL, SENTINEL, VOID or PINNED where they
 *                        cannot be, a token that is no TypeDef, TypeRef or TypeSpec, a blob that
 *                        ends too early, or bytes left over
 *   ILP_E_TOO_DEEP       types nested more than 100 deep
 *   ILP_E_TOO_LARGE      more than 131,072 types, or a rank above 32
 *   ILP_E_MISUSE         `kind` is no enumerator
 *   ILP_E_NO_MEMORY      out of memory
 */
ILP_API ilp_status ilp_sig_read(struct ilp_sig **out, struct ilp_bytes blob, enum ilp_sig_kind kind,
                                uint64_t origin, struct ilp_arena *arena, struct ilp_error *error);

/* Writes a signature as a blob without its length, into `arena` (borrowed by *blob): the pair of
 * ilp_sig_read(). Numbers take their shortest form, so a blob of a compiler that is read and
 * written is the same again. `raw` is not looked at.
 *
 * A tree made by hand must be zero-initialised, and set all that its kind has, `convention` too.
 * Several parents may share a type without `next`. A tree must not contain itself.
 *
 *   ILP_E_MISUSE     a member is missing, a token is no TypeDef, TypeRef or TypeSpec, a convention
 *                    does not fit the kind, or a count is not that of its list
 *   ILP_E_TOO_LARGE  a number is above 2^29 - 1, or a lower bound outside of -2^28 to 2^28 - 1
 *   ILP_E_TOO_DEEP   types nested more than 100 deep
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_sig_write(struct ilp_bytes *blob, const struct ilp_sig *sig,
                                 struct ilp_arena *arena, struct ilp_error *error);

/* ---- method bodies (II.25.4): ilp_body(3) ---------------------------------------------------- *
 *
 * A body is a header, code, and sections with EH clauses:
 *
 *   tiny header (II.25.4.2)  | code, 63 bytes at most                 no locals, no clauses
 *   fat header (II.25.4.3)   | code | pad to 4 | EH section | other   at a multiple of 4
 *                                                (II.25.4.5, II.25.4.6)
 *
 *   MethodDef.RVA --> ilp_image_rva() --> bytes --> ilp_body_read() --> struct ilp_body
 *   struct ilp_body --> ilp_body_write() --> bytes --> ilp_edit_set_body(), SetILFunctionBody()
 *
 * The reader takes what CoreCLR runs, which is more than the clauses allow: fat headers of more
 * than 3 dwords, and EH sections whose DataSize leaves out its own 4 bytes, as Visual Basic and
 * Managed C++ wrote them. src/il/body_read.c has the format.
 *
 * Example: how large the methods are.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_arena *arena;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_arena_open(&arena, NULL, &error));
 *     for (ilp_rid rid = 1; rid <= 4; rid++) {
 *         struct ilp_body body;
 *         uint64_t offset = 0;
 *         struct ilp_bytes from = ilp_image_rva(
 *             image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA), &offset);
 *         ilp_arena_reset(arena);
 *         check(ilp_body_read(&body, from, offset, arena, &error));
 *         printf("%s, %zu bytes of code, max stack %u\n", body.fat ? "fat" : "tiny",
 *                body.code.size, body.max_stack);
 *     }
 *     ilp_arena_close(arena);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     tiny, 22 bytes of code, max stack 8
 *     tiny, 23 bytes of code, max stack 8
 *     tiny, 15 bytes of code, max stack 8
 *     fat, 49 bytes of code, max stack 4
 */

/* One exception handling clause (II.25.4.6), in bytes of the code. Blocks may end at the end of the
 * code. Of nested clauses the inner one comes first (II.19). */
struct ilp_eh_clause {
    uint32_t flags; /* 0 catch, 1 filter, 2 finally, 4 fault */
    uint32_t try_offset;
    uint32_t try_length;
    uint32_t handler_offset;
    uint32_t handler_length;
    uint32_t token_or_filter; /* catch: a type's token; filter: the offset of its code */
};

/* A body: what its header says, its code and its clauses. */
struct ilp_body {
    bool fat;              /* has a fat header; only such a one has the three below */
    bool init_locals;      /* locals begin as zeros (CorILMethod_InitLocals) */
    uint16_t max_stack;    /* 8 for a tiny header */
    ilp_token locals;      /* StandAloneSig, or 0 */
    struct ilp_bytes code; /* borrowed */
    uint64_t code_offset;  /* in the file */
    size_t size;           /* of header, code and sections together */
    size_t clause_count;
    struct ilp_eh_clause *clauses; /* in the arena */
    /* the data sections that are not EH tables, whole, one after the other */
    struct ilp_bytes other;
};

/* Reads a body that starts at bytes.data. More bytes may follow: body->size says where it ends.
 * `origin` is its offset in the file, for code_offset and errors. `code` borrows `bytes`; clauses
 * and other sections are in `arena`. Blocks of clauses are within the code, but need not begin at
 * instructions: ilp_code_decode() checks that. Time is in proportion to header and clauses.
 *
 *   ILP_E_TRUNCATED  header, code or a section pass the end of `bytes`
 *   ILP_E_BAD_BODY   neither tiny nor fat, locals that are no StandAloneSig, a clause of no kind or
 *                    with a block outside of the code, or a section smaller than its header
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_body_read(struct ilp_body *body, struct ilp_bytes bytes, uint64_t origin,
                                 struct ilp_arena *arena, struct ilp_error *error);

/* Writes a body as ilp_edit_set_body() and runtimes take it, into `arena` (borrowed by *bytes): the
 * pair of ilp_body_read(). `size` and `code_offset` are not looked at. A tiny header stays tiny
 * while the body fits (II.25.4.2), and becomes fat where it does not; a fat one stays fat. EH
 * clauses are written small when all fit (II.25.4.6), in one section before the others. Who puts a
 * fat body into memory puts it at a multiple of 4. Code and clauses are not checked:
 * ilp_code_encode() makes bodies that hold.
 *
 *   ILP_E_TOO_LARGE  more than 2^31 - 1 bytes of code, or more than 699,050 clauses
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_body_write(struct ilp_bytes *bytes, const struct ilp_body *body,
                                  struct ilp_arena *arena, struct ilp_error *error);

/* ---- instructions (III): ilp_code(3) --------------------------------------------------------- *
 *
 *   bytes -> ilp_body_read() -> body -> ilp_code_decode() -> code, an array that you change
 *   code -> ilp_code_encode() -> body with new offsets -> ilp_body_stack() -> max_stack
 *   body, max_stack -> ilp_body_write() -> bytes
 *
 * All is in one arena; nothing refers back to what it was made from, but for ilp_body.code and what
 * the arena holds. So the array may be copied to a larger one, and edited there.
 *
 * Labels, not offsets, say where branches, switch arms and clauses lead. An instruction that moves
 * takes its label along:
 *
 *   label  opcode           a nop before 4, also for the branch    a nop that the branch skips
 *   0      ldarg.0          0     ldarg.0                          0     ldarg.0
 *   1      brtrue.s -> 4    1     brtrue.s -> 4                    1     brtrue.s -> 4
 *   3      nop              3     nop                              3     nop
 *   4      ret              4     nop                              NONE  nop
 *                           NONE  ret                              4     ret
 *
 * The decoder knows every opcode of III.1.2.1 and refuses the rest, reachable or not. It does not
 * check types: ilp_verify() does.
 *
 * Example: a nop before each ret.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_arena *arena;
 *     struct ilp_body body;
 *     struct ilp_code code;
 *     struct ilp_encoded encoded;
 *     struct ilp_stack stack;
 *     const char *text;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_arena_open(&arena, NULL, &error));
 *     uint32_t rva = ilp_cell(image, ILP_MethodDef, 7, ILP_MethodDef_RVA);
 *     check(ilp_body_read(&body, ilp_image_rva(image, rva, NULL), 0, arena, &error));
 *     check(ilp_code_decode(&code, &body, arena, &error));
 *
 *     struct ilp_insn *insns = calloc(2 * code.count, sizeof *insns);
 *     struct ilp_code changed = code;
 *     changed.insns = insns;
 *     for (size_t i = 0; i < code.count; i++) {
 *         struct ilp_insn insn = code.insns[i];
 *         if (insn.opcode == ILP_OP_RET) {
 *             *insns++ = (struct ilp_insn){.label = insn.label, .opcode = ILP_OP_NOP};
 *             insn.label = ILP_NO_LABEL;
 *         }
 *         *insns++ = insn;
 *     }
 *     changed.count = (size_t)(insns - changed.insns);
 *     check(ilp_code_encode(&encoded, &changed, &body, arena, &error));
 *     check(ilp_body_stack(&stack, image, &encoded.body, true, arena, &error));
 *     check(ilp_body_text(&text, &encoded.body, NULL, arena, &error));
 *     printf("%s%zu bytes, were %zu; max stack %u\n", text, encoded.body.code.size,
 *            body.code.size, stack.max);
 *     free(changed.insns);
 *     ilp_arena_close(arena);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *         IL_0000:  ldarga.s   0
 *         IL_0002:  ldstr      0x70000001
 *         IL_0007:  call       0x0A00000C
 *         IL_000c:  call       0x0A00000D
 *         IL_0011:  ldstr      0x7000000B
 *         IL_0016:  call       0x0A00000E
 *         IL_001b:  nop
 *         IL_001c:  ret
 *     29 bytes, were 28; max stack 3
 */

/* The opcodes of III.1.2.1 and their values: one byte, or 0xFE00 and the byte after FE. */
enum ilp_opcode {
    ILP_OP_NOP = 0x00,
    ILP_OP_BREAK = 0x01,
    ILP_OP_LDARG_0 = 0x02,
    ILP_OP_LDARG_1 = 0x03,
    ILP_OP_LDARG_2 = 0x04,
    ILP_OP_LDARG_3 = 0x05,
    ILP_OP_LDLOC_0 = 0x06,
    ILP_OP_LDLOC_1 = 0x07,
    ILP_OP_LDLOC_2 = 0x08,
    ILP_OP_LDLOC_3 = 0x09,
    ILP_OP_STLOC_0 = 0x0A,
    ILP_OP_STLOC_1 = 0x0B,
    ILP_OP_STLOC_2 = 0x0C,
    ILP_OP_STLOC_3 = 0x0D,
    ILP_OP_LDARG_S = 0x0E,
    ILP_OP_LDARGA_S = 0x0F,
    ILP_OP_STARG_S = 0x10,
    ILP_OP_LDLOC_S = 0x11,
    ILP_OP_LDLOCA_S = 0x12,
    ILP_OP_STLOC_S = 0x13,
    ILP_OP_LDNULL = 0x14,
    ILP_OP_LDC_I4_M1 = 0x15,
    ILP_OP_LDC_I4_0 = 0x16,
    ILP_OP_LDC_I4_1 = 0x17,
    ILP_OP_LDC_I4_2 = 0x18,
    ILP_OP_LDC_I4_3 = 0x19,
    ILP_OP_LDC_I4_4 = 0x1A,
    ILP_OP_LDC_I4_5 = 0x1B,
    ILP_OP_LDC_I4_6 = 0x1C,
    ILP_OP_LDC_I4_7 = 0x1D,
    ILP_OP_LDC_I4_8 = 0x1E,
    ILP_OP_LDC_I4_S = 0x1F,
    ILP_OP_LDC_I4 = 0x20,
    ILP_OP_LDC_I8 = 0x21,
    ILP_OP_LDC_R4 = 0x22,
    ILP_OP_LDC_R8 = 0x23,
    ILP_OP_DUP = 0x25,
    ILP_OP_POP = 0x26,
    ILP_OP_JMP = 0x27,
    ILP_OP_CALL = 0x28,
    ILP_OP_CALLI = 0x29,
    ILP_OP_RET = 0x2A,
    ILP_OP_BR_S = 0x2B,
    ILP_OP_BRFALSE_S = 0x2C,
    ILP_OP_BRTRUE_S = 0x2D,
    ILP_OP_BEQ_S = 0x2E,
    ILP_OP_BGE_S = 0x2F,
    ILP_OP_BGT_S = 0x30,
    ILP_OP_BLE_S = 0x31,
    ILP_OP_BLT_S = 0x32,
    ILP_OP_BNE_UN_S = 0x33,
    ILP_OP_BGE_UN_S = 0x34,
    ILP_OP_BGT_UN_S = 0x35,
    ILP_OP_BLE_UN_S = 0x36,
    ILP_OP_BLT_UN_S = 0x37,
    ILP_OP_BR = 0x38,
    ILP_OP_BRFALSE = 0x39,
    ILP_OP_BRTRUE = 0x3A,
    ILP_OP_BEQ = 0x3B,
    ILP_OP_BGE = 0x3C,
    ILP_OP_BGT = 0x3D,
    ILP_OP_BLE = 0x3E,
    ILP_OP_BLT = 0x3F,
    ILP_OP_BNE_UN = 0x40,
    ILP_OP_BGE_UN = 0x41,
    ILP_OP_BGT_UN = 0x42,
    ILP_OP_BLE_UN = 0x43,
    ILP_OP_BLT_UN = 0x44,
    ILP_OP_SWITCH = 0x45,
    ILP_OP_LDIND_I1 = 0x46,
    ILP_OP_LDIND_U1 = 0x47,
    ILP_OP_LDIND_I2 = 0x48,
    ILP_OP_LDIND_U2 = 0x49,
    ILP_OP_LDIND_I4 = 0x4A,
    ILP_OP_LDIND_U4 = 0x4B,
    ILP_OP_LDIND_I8 = 0x4C,
    ILP_OP_LDIND_I = 0x4D,
    ILP_OP_LDIND_R4 = 0x4E,
    ILP_OP_LDIND_R8 = 0x4F,
    ILP_OP_LDIND_REF = 0x50,
    ILP_OP_STIND_REF = 0x51,
    ILP_OP_STIND_I1 = 0x52,
    ILP_OP_STIND_I2 = 0x53,
    ILP_OP_STIND_I4 = 0x54,
    ILP_OP_STIND_I8 = 0x55,
    ILP_OP_STIND_R4 = 0x56,
    ILP_OP_STIND_R8 = 0x57,
    ILP_OP_ADD = 0x58,
    ILP_OP_SUB = 0x59,
    ILP_OP_MUL = 0x5A,
    ILP_OP_DIV = 0x5B,
    ILP_OP_DIV_UN = 0x5C,
    ILP_OP_REM = 0x5D,
    ILP_OP_REM_UN = 0x5E,
    ILP_OP_AND = 0x5F,
    ILP_OP_OR = 0x60,
    ILP_OP_XOR = 0x61,
    ILP_OP_SHL = 0x62,
    ILP_OP_SHR = 0x63,
    ILP_OP_SHR_UN = 0x64,
    ILP_OP_NEG = 0x65,
    ILP_OP_NOT = 0x66,
    ILP_OP_CONV_I1 = 0x67,
    ILP_OP_CONV_I2 = 0x68,
    ILP_OP_CONV_I4 = 0x69,
    ILP_OP_CONV_I8 = 0x6A,
    ILP_OP_CONV_R4 = 0x6B,
    ILP_OP_CONV_R8 = 0x6C,
    ILP_OP_CONV_U4 = 0x6D,
    ILP_OP_CONV_U8 = 0x6E,
    ILP_OP_CALLVIRT = 0x6F,
    ILP_OP_CPOBJ = 0x70,
    ILP_OP_LDOBJ = 0x71,
    ILP_OP_LDSTR = 0x72,
    ILP_OP_NEWOBJ = 0x73,
    ILP_OP_CASTCLASS = 0x74,
    ILP_OP_ISINST = 0x75,
    ILP_OP_CONV_R_UN = 0x76,
    ILP_OP_UNBOX = 0x79,
    ILP_OP_THROW = 0x7A,
    ILP_OP_LDFLD = 0x7B,
    ILP_OP_LDFLDA = 0x7C,
    ILP_OP_STFLD = 0x7D,
    ILP_OP_LDSFLD = 0x7E,
    ILP_OP_LDSFLDA = 0x7F,
    ILP_OP_STSFLD = 0x80,
    ILP_OP_STOBJ = 0x81,
    ILP_OP_CONV_OVF_I1_UN = 0x82,
    ILP_OP_CONV_OVF_I2_UN = 0x83,
    ILP_OP_CONV_OVF_I4_UN = 0x84,
    ILP_OP_CONV_OVF_I8_UN = 0x85,
    ILP_OP_CONV_OVF_U1_UN = 0x86,
    ILP_OP_CONV_OVF_U2_UN = 0x87,
    ILP_OP_CONV_OVF_U4_UN = 0x88,
    ILP_OP_CONV_OVF_U8_UN = 0x89,
    ILP_OP_CONV_OVF_I_UN = 0x8A,
    ILP_OP_CONV_OVF_U_UN = 0x8B,
    ILP_OP_BOX = 0x8C,
    ILP_OP_NEWARR = 0x8D,
    ILP_OP_LDLEN = 0x8E,
    ILP_OP_LDELEMA = 0x8F,
    ILP_OP_LDELEM_I1 = 0x90,
    ILP_OP_LDELEM_U1 = 0x91,
    ILP_OP_LDELEM_I2 = 0x92,
    ILP_OP_LDELEM_U2 = 0x93,
    ILP_OP_LDELEM_I4 = 0x94,
    ILP_OP_LDELEM_U4 = 0x95,
    ILP_OP_LDELEM_I8 = 0x96,
    ILP_OP_LDELEM_I = 0x97,
    ILP_OP_LDELEM_R4 = 0x98,
    ILP_OP_LDELEM_R8 = 0x99,
    ILP_OP_LDELEM_REF = 0x9A,
    ILP_OP_STELEM_I = 0x9B,
    ILP_OP_STELEM_I1 = 0x9C,
    ILP_OP_STELEM_I2 = 0x9D,
    ILP_OP_STELEM_I4 = 0x9E,
    ILP_OP_STELEM_I8 = 0x9F,
    ILP_OP_STELEM_R4 = 0xA0,
    ILP_OP_STELEM_R8 = 0xA1,
    ILP_OP_STELEM_REF = 0xA2,
    ILP_OP_LDELEM = 0xA3,
    ILP_OP_STELEM = 0xA4,
    ILP_OP_UNBOX_ANY = 0xA5,
    ILP_OP_CONV_OVF_I1 = 0xB3,
    ILP_OP_CONV_OVF_U1 = 0xB4,
    ILP_OP_CONV_OVF_I2 = 0xB5,
    ILP_OP_CONV_OVF_U2 = 0xB6,
    ILP_OP_CONV_OVF_I4 = 0xB7,
    ILP_OP_CONV_OVF_U4 = 0xB8,
    ILP_OP_CONV_OVF_I8 = 0xB9,
    ILP_OP_CONV_OVF_U8 = 0xBA,
    ILP_OP_REFANYVAL = 0xC2,
    ILP_OP_CKFINITE = 0xC3,
    ILP_OP_MKREFANY = 0xC6,
    ILP_OP_LDTOKEN = 0xD0,
    ILP_OP_CONV_U2 = 0xD1,
    ILP_OP_CONV_U1 = 0xD2,
    ILP_OP_CONV_I = 0xD3,
    ILP_OP_CONV_OVF_I = 0xD4,
    ILP_OP_CONV_OVF_U = 0xD5,
    ILP_OP_ADD_OVF = 0xD6,
    ILP_OP_ADD_OVF_UN = 0xD7,
    ILP_OP_MUL_OVF = 0xD8,
    ILP_OP_MUL_OVF_UN = 0xD9,
    ILP_OP_SUB_OVF = 0xDA,
    ILP_OP_SUB_OVF_UN = 0xDB,
    ILP_OP_ENDFINALLY = 0xDC,
    ILP_OP_LEAVE = 0xDD,
    ILP_OP_LEAVE_S = 0xDE,
    ILP_OP_STIND_I = 0xDF,
    ILP_OP_CONV_U = 0xE0,
    ILP_OP_ARGLIST = 0xFE00,
    ILP_OP_CEQ = 0xFE01,
    ILP_OP_CGT = 0xFE02,
    ILP_OP_CGT_UN = 0xFE03,
    ILP_OP_CLT = 0xFE04,
    ILP_OP_CLT_UN = 0xFE05,
    ILP_OP_LDFTN = 0xFE06,
    ILP_OP_LDVIRTFTN = 0xFE07,
    ILP_OP_LDARG = 0xFE09,
    ILP_OP_LDARGA = 0xFE0A,
    ILP_OP_STARG = 0xFE0B,
    ILP_OP_LDLOC = 0xFE0C,
    ILP_OP_LDLOCA = 0xFE0D,
    ILP_OP_STLOC = 0xFE0E,
    ILP_OP_LOCALLOC = 0xFE0F,
    ILP_OP_ENDFILTER = 0xFE11,
    ILP_OP_UNALIGNED = 0xFE12,
    ILP_OP_VOLATILE = 0xFE13,
    ILP_OP_TAIL = 0xFE14,
    ILP_OP_INITOBJ = 0xFE15,
    ILP_OP_CONSTRAINED = 0xFE16,
    ILP_OP_CPBLK = 0xFE17,
    ILP_OP_INITBLK = 0xFE18,
    ILP_OP_NO = 0xFE19,
    ILP_OP_RETHROW = 0xFE1A,
    ILP_OP_SIZEOF = 0xFE1C,
    ILP_OP_REFANYTYPE = 0xFE1D,
    ILP_OP_READONLY = 0xFE1E
};

/* What follows an opcode (III.1.9 for tokens), and which member of ilp_insn holds it. */
enum ilp_operand {
    ILP_OPERAND_NONE,
    ILP_OPERAND_I1, /* number */
    ILP_OPERAND_U1, /* number */
    ILP_OPERAND_U2, /* number */
    ILP_OPERAND_I4, /* number */
    ILP_OPERAND_I8, /* number */
    /* number: the 32 bits of an IEEE 754 number, not converted, so that a NaN stays what it is */
    ILP_OPERAND_R4,
    ILP_OPERAND_R8, /* number: its 64 bits */
    /* target, at most 128 bytes away; made ILP_OPERAND_TARGET4 where it is further */
    ILP_OPERAND_TARGET1,
    ILP_OPERAND_TARGET4, /* target */
    ILP_OPERAND_SWITCH,  /* arms */
    ILP_OPERAND_TOKEN,   /* token of a field, type or any of them (ldtoken) */
    ILP_OPERAND_METHOD,  /* token of a method that is called or loaded */
    ILP_OPERAND_SIG,     /* token of a StandAloneSig (calli) */
    ILP_OPERAND_STRING   /* token of a user string (ldstr) */
};

/* Where control goes next. Any instruction may also throw. */
enum ilp_flow {
    ILP_FLOW_NEXT,
    ILP_FLOW_BRANCH,      /* br, leave */
    ILP_FLOW_COND_BRANCH, /* to the target, or on; switch, too */
    ILP_FLOW_CALL,        /* and on */
    ILP_FLOW_RETURN,      /* ret, jmp, endfinally, endfilter */
    ILP_FLOW_THROW,
    /* a prefix: on to the instruction that it belongs to, between which and it no branch may
     * lead */
    ILP_FLOW_META,
    ILP_FLOW_BREAK
};

/* Pops or pushes that depend on the operand, or on the whole stack. */
#define ILP_VARIES 0xFFu

/* A row of src/il/opcodes.def. */
struct ilp_opcode_info {
    const char *name; /* ILAsm's, "ldc.i4.s"; static storage */
    enum ilp_operand operand;
    uint8_t pops;   /* values; ILP_VARIES for calls, ret, leave */
    uint8_t pushes; /* values; ILP_VARIES for calls */
    enum ilp_flow flow;
    uint64_t reserved[2]; /* zero */
};

/* What is known of an opcode; false, and *info as it was, when no instruction has this value. */
ILP_API bool ilp_opcode_info(unsigned opcode, struct ilp_opcode_info *info);

/* The label of an instruction that nothing leads to. */
#define ILP_NO_LABEL UINT32_MAX

/* One instruction. A label is its name for branches, switch arms and EH clauses. Code that was
 * decoded has its old offsets for labels, and each instruction has one. An instruction that is
 * removed takes its label away: give it to the next one first if something may lead there. */
struct ilp_insn {
    uint32_t label;  /* each once; ILP_NO_LABEL: nothing leads here */
    uint16_t opcode; /* enum ilp_opcode */
    uint32_t target; /* these by the opcode's operand; the others do not count */
    ilp_token token;
    int64_t number;
    uint32_t arm_count;
    const uint32_t *arms; /* labels; borrowed */
};

/* The instructions of a body, in their order. */
struct ilp_code {
    struct ilp_insn *insns;
    size_t count;
    /* of the end, after the last instruction, where blocks of EH clauses may end; the old size */
    uint32_t end_label;
    /* no label yet: take it for a new instruction that something leads to, and add 1 */
    uint32_t next_label;
};

/* Decodes all code of a body, reachable or not, into `arena`. Time and memory are in proportion to
 * the code: an instruction takes 40 bytes.
 *
 *   ILP_E_BAD_BODY   what is no instruction; a branch, arm or block of a clause that does not begin
 *                    or end at one (III.1.7.2), or leads between a prefix and its instruction
 *                    (III.2); a prefix at the end
 *   ILP_E_TOO_LARGE  more than 2^31 - 1 bytes of code
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_code_decode(struct ilp_code *code, const struct ilp_body *body,
                                   struct ilp_arena *arena, struct ilp_error *error);

/* An IL offset before and after a change. */
struct ilp_il_map {
    uint32_t old_offset;
    uint32_t new_offset;
};

/* A body and where its instructions were before. */
struct ilp_encoded {
    /* code and clauses are new and in the arena; max_stack and all else as it was */
    struct ilp_body body;
    /* one entry per label that is an old offset, by rising offsets, and one for the end; as
     * ilp_symbols_move() takes it when no old instruction was removed or passed another one */
    const struct ilp_il_map *map;
    size_t map_count;
};

/* Makes code of instructions, in `arena`. `body` is the one that was decoded: header, and EH
 * clauses, whose offsets and ends (offset + length, modulo 2^32) are labels; it stays as it is.
 * Short branches that do not reach become long, and only those; nothing else changes, so code as it
 * was decoded gives the same bytes. max_stack is that of `body`: set it to what ilp_body_stack()
 * finds. out->body.code_offset is UINT64_MAX, since the code is in no file yet.
 *
 *   ILP_E_MISUSE     an opcode of no instruction, a number that its operand cannot hold, a label
 *                    that two instructions have, that none has, or that is not below next_label
 *   ILP_E_TOO_LARGE  more than 2^31 - 1 bytes of code
 *   ILP_E_BAD_BODY   ilp_code_decode() would not take the result, as where a branch leads between a
 *                    prefix and its instruction
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_code_encode(struct ilp_encoded *out, const struct ilp_code *code,
                                   const struct ilp_body *body, struct ilp_arena *arena,
                                   struct ilp_error *error);

/* The depth of an instruction that cannot be reached. */
#define ILP_NO_DEPTH UINT32_MAX

/* How many values are on the evaluation stack. */
struct ilp_stack {
    /* before each instruction, in their order; ILP_NO_DEPTH: it cannot be reached */
    const uint32_t *depths;
    size_t count;
    uint16_t max; /* what ilp_body.max_stack has to be at least */
};

/* Follows every path through a body (III.1.7.4); `returns` says whether its method returns a value.
 * Call tokens have to be rows of `image`: of those that an edit has added nothing is known. Takes
 * memory in proportion to the code and to the methods of the image.
 *
 *   ILP_E_BAD_BODY       depths differ where paths meet (I.12.3.2.1), fall below zero or pass
 *                        65,535; ret finds another number of values than the method returns;
 *                        control runs off the end; or ilp_code_decode() does not take the code
 *   ILP_E_BAD_SIGNATURE  the signature of a method that is called
 *   ILP_E_NO_MEMORY      out of memory
 */
ILP_API ilp_status ilp_body_stack(struct ilp_stack *stack, const struct ilp_image *image,
                                  const struct ilp_body *body, bool returns,
                                  struct ilp_arena *arena, struct ilp_error *error);

/* Names tokens for text. `name` returns NULL, or a text that lives until its next call. */
struct ilp_token_names {
    void *user;
    const char *(*name)(void *user, ilp_token token);
};

/* A body's instructions and EH clauses in ILAsm's form, one a line (src/il/text.c), into `arena`:
 * "    IL_0003:  br.s       IL_0007". `names` may be NULL; a token without a name is a number. From
 * the first byte that cannot be decoded on, code is written as bytes. UTF-8 as far as names are.
 * Fails with ILP_E_NO_MEMORY alone; then *text is NULL. */
ILP_API ilp_status ilp_body_text(const char **text, const struct ilp_body *body,
                                 const struct ilp_token_names *names, struct ilp_arena *arena,
                                 struct ilp_error *error);

/* ---- change an image: ilp_edit(3) ------------------------------------------------------------ *
 *
 * An edit collects changes to an image: appended rows and heap entries, changed cells, replaced
 * bodies and data. Nothing is removed, and the image stays as it is. ilp_edit_write() puts both
 * together:
 *
 *   image    #Strings |.........|     TypeRef |...|     MethodDef |......|   bodies
 *   edit                         |++|              |+|                |       bodies'
 *                                 offsets and rids go on from those of the image
 *
 * So tokens and offsets of the image keep their meaning, and those that an edit returns can be used
 * in cells, signatures and code at once. The exception are rows of a table with a key (II.22),
 * such as CustomAttribute or GenericParam: the table is put in order when the image is written.
 * Rids that were returned for it are provisional, and columns that refer to them are renumbered.
 *
 * Runs of rows (FieldList, MethodList, ParamList) end where the next row's begins, so an appended
 * method belongs to the last TypeDef, unless a TypeDef is appended whose MethodList is its rid.
 *
 * A call that fails leaves the edit as it was. Changes are checked for what the format can hold,
 * not for what they mean: ilp_verify_change() does that.
 *
 * Functions of this part that return a status also fail with:
 *
 *   ILP_E_MISUSE     a table, row, column or GUID that is not there; a value that the column cannot
 *                    hold, such as a token of a table that its coded index has not, or an offset
 *                    after the end of its heap
 *   ILP_E_TOO_LARGE  a heap or all new bodies would pass 2^31 - 1 bytes
 *   ILP_E_NO_MEMORY  out of memory, or an entry of 2^29 bytes or more
 *
 * Example: a method gets another name, and a body that returns 2.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_edit *edit;
 *     uint32_t name;
 *     static const uint8_t ldc_ret[] = {2 << 2 | 2, ILP_OP_LDC_I4_2, ILP_OP_RET};
 *     struct ilp_bytes body = {ldc_ret, sizeof ldc_ret};
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_edit_open(&edit, image, NULL, &error));
 *     printf("%s\n", ilp_edit_is_empty(edit) ? "no changes" : "changes");
 *     check(ilp_edit_add_string(edit, "AlwaysGold", &name, &error));
 *     check(ilp_edit_set_cell(edit, ILP_MethodDef, 5, ILP_MethodDef_Name, name, &error));
 *     check(ilp_edit_set_body(edit, 5, body, &error));
 *     check(ilp_edit_renew_mvid(edit, &error));
 *     printf("%s\n", ilp_edit_is_empty(edit) ? "no changes" : "changes");
 *
 *     uint32_t cells[ILP_TypeRef_COLUMNS] = {ILP_TOKEN(ILP_MethodDef, 1), name, 0};
 *     ilp_rid rid;
 *     ilp_status status = ilp_edit_add_row(edit, ILP_TypeRef, cells, &rid, &error);
 *     printf("%s: %s\n", ilp_status_name(status), error.message);
 *     ilp_edit_close(edit);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     no changes
 *     changes
 *     MISUSE: 0x06000001 does not fit into TypeRef.ResolutionScope
 */

/* Changes to an image. */
struct ilp_edit;

/* Opens an edit without changes. The image is borrowed until ilp_edit_close(): several edits of one
 * image may be open, each with its own changes. *out is owned; NULL after a failure, which is
 * ILP_E_NO_MEMORY alone. Whether the image can be written is not checked:
 * ilp_image_can_be_written() does. */
ILP_API ilp_status ilp_edit_open(struct ilp_edit **out, struct ilp_image *image,
                                 const struct ilp_allocator *allocator, struct ilp_error *error);

/* Releases the edit with its changes. */
ILP_API void ilp_edit_close(struct ilp_edit *edit);

/* True while nothing has been changed: then writing gives the bytes of the original, but for
 * ILP_WRITE_COMPACT. A call that adds an entry or sets a cell to the value that it has is a
 * change. */
ILP_API bool ilp_edit_is_empty(const struct ilp_edit *edit);

/* Rows and cells with the changes so far, in the form of ilp_row_count() and ilp_cell(). */
ILP_API uint32_t ilp_edit_row_count(const struct ilp_edit *edit, unsigned table);
ILP_API uint32_t ilp_edit_cell(const struct ilp_edit *edit, unsigned table, ilp_rid rid,
                               unsigned column);

/* Appends a row. `cells` has one value per column, in the form of ilp_cell() (copied). *rid is that
 * of the new row; in a table with a key it is provisional, as above.
 *
 *   ILP_E_TOO_MANY  the table has 2^24 - 1 rows
 */
ILP_API ilp_status ilp_edit_add_row(struct ilp_edit *edit, unsigned table, const uint32_t *cells,
                                    ilp_rid *rid, struct ilp_error *error);

/* Sets one cell of a row, of the original or appended. The first change to a table's original rows
 * copies them all. RVA cells of rows with a new body or data are set when the image is written. */
ILP_API ilp_status ilp_edit_set_cell(struct ilp_edit *edit, unsigned table, ilp_rid rid,
                                     unsigned column, uint32_t value, struct ilp_error *error);

/* Adds a heap entry, or finds the equal one that this edit added before; entries of the original
 * are not looked through. `text` is UTF-8 and ends with NUL, and is not checked. What is empty has
 * offset 0. Copied. */
ILP_API ilp_status ilp_edit_add_string(struct ilp_edit *edit, const char *text, uint32_t *offset,
                                       struct ilp_error *error);
ILP_API ilp_status ilp_edit_add_blob(struct ilp_edit *edit, struct ilp_bytes blob, uint32_t *offset,
                                     struct ilp_error *error);

/* Adds a user string, or finds the equal one that this edit added before. `text` is UTF-8 of any
 * content, NULs too (copied); #US has it as UTF-16LE with the flag byte of II.24.2.4. *token is
 * what ldstr takes.
 *
 *   ILP_E_TOO_LARGE  #US has no room below 2^24, as far as tokens reach (III.1.9)
 */
ILP_API ilp_status ilp_edit_add_user_string(struct ilp_edit *edit, struct ilp_bytes text,
                                            ilp_token *token, struct ilp_error *error);

/* Replaces the GUID with this 1-based index (copied). New ones cannot be added. */
ILP_API ilp_status ilp_edit_set_guid(struct ilp_edit *edit, uint32_t index, const uint8_t guid[16],
                                     struct ilp_error *error);

/* Gives a MethodDef, of the original or appended, a new body, header included (copied): the bytes
 * of ilp_body_write(), ilp_method_result.body or ilp_tail_change(). Of several for one method the
 * last one counts, but the others take room in the file. An empty body is ILP_E_MISUSE. The bytes
 * are not checked. Symbols have to be informed: ilp_symbols_move().
 *
 *   ILP_E_MIXED_MODE  the method is native code (II.23.1.10), which stays where it is
 */
ILP_API ilp_status ilp_edit_set_body(struct ilp_edit *edit, ilp_rid method, struct ilp_bytes body,
                                     struct ilp_error *error);

/* The same for the data that a FieldRVA row refers to (II.22.18). In the file it is at a multiple
 * of 8. */
ILP_API ilp_status ilp_edit_set_data(struct ilp_edit *edit, ilp_rid field_rva,
                                     struct ilp_bytes data, struct ilp_error *error);

/* Sets the module's MVID (II.22.30) to one derived from the old MVID and all changes so far: call
 * it last. The same changes to the same module give the same MVID, others another, so that
 * precompiled code and debuggers do not take the file for the original. It is a UUID of version 8
 * (RFC 9562). Does nothing after ilp_edit_keep_mvid(), for a module without an MVID, and for a
 * component of a composite image: CoreCLR ends the process when such a component has another MVID
 * than the composite image recorded. */
ILP_API ilp_status ilp_edit_renew_mvid(struct ilp_edit *edit, struct ilp_error *error);

/* From now on ilp_edit_renew_mvid() leaves the MVID as it is: a precompiled image records it
 * (ilp_image_recorded_mvids()). */
ILP_API void ilp_edit_keep_mvid(struct ilp_edit *edit);

/* Makes a ReadyToRun image one of IL alone, as any other change does: its native code may hold
 * copies of methods of another assembly, which has changed. Other images stay as they are, and that
 * is not an error. Fails as ilp_image_can_be_written(). */
ILP_API ilp_status ilp_edit_drop_native_code(struct ilp_edit *edit, struct ilp_error *error);

/* ---- symbols that follow the changes: ilp_symbols(3) ----------------------------------------- *
 *
 * A Portable PDB holds IL offsets: sequence points, scopes of locals, await points. When bodies
 * change, it has to follow, and the assembly has to name the new PDB by its id:
 *
 *   ilp_image_symbols()             which PDB the image names
 *   ilp_symbols_open()              that PDB, checked against the image
 *   for each method with a new body:
 *       ilp_edit_set_body()         the body
 *       ilp_symbols_move()          where its instructions went
 *   ilp_symbols_write()             the new PDB, and a struct ilp_symbols_link
 *   ilp_edit_write()                the assembly; options: ILP_SYMBOLS_UPDATE, the link
 *
 * ilp_inspect_returns() calls ilp_symbols_move() by itself, with ilp_request.symbols. Windows PDBs
 * cannot be moved: write with ILP_SYMBOLS_DROP, or keep them out of date. docs/SYMBOLS.md has what
 * debuggers need; src/symbols/ does it.
 *
 * Example: a nop at the start of a method, and the PDB that fits.
 *
 *     struct ilp_bytes bytes = read_file("tests/files/good-csharp.dll");
 *     struct ilp_bytes pdb = read_file("tests/files/good-portable.pdb");
 *     struct ilp_image *image;
 *     struct ilp_symbols *symbols;
 *     struct ilp_symbols_info info;
 *     struct ilp_symbols_link link;
 *     struct ilp_edit *edit;
 *     static const uint8_t nop_ret[] = {2 << 2 | 2, ILP_OP_NOP, ILP_OP_RET};
 *     struct ilp_bytes body = {nop_ret, sizeof nop_ret};
 *     struct ilp_il_map map[] = {{0, 1}, {1, 2}};
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     ilp_image_symbols(image, &info);
 *     printf("%.*s\n", (int)info.path.size, (const char *)info.path.data);
 *     check(ilp_symbols_open(&symbols, image, pdb, NULL, &error));
 *     check(ilp_edit_open(&edit, image, NULL, &error));
 *     check(ilp_edit_set_body(edit, 1, body, &error));
 *     check(ilp_symbols_move(symbols, ILP_TOKEN(ILP_MethodDef, 1), map, 2, &error));
 *
 *     struct ilp_bytes moved;
 *     check(ilp_symbols_write(symbols, edit, &moved, &link, &error));
 *     printf("%.4s, %s id\n", (const char *)moved.data,
 *            memcmp(link.id, info.id, sizeof link.id) == 0 ? "the same" : "another");
 *     ilp_edit_close(edit);
 *     ilp_symbols_close(symbols);
 *     ilp_image_close(image);
 *     free((void *)pdb.data);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     /src/good-portable.pdb
 *     BSJB, another id
 */

/* Where the symbols of an image are. */
enum ilp_symbols_kind {
    ILP_SYMBOLS_NONE,
    ILP_SYMBOLS_BESIDE,   /* a Portable PDB in a file of its own */
    ILP_SYMBOLS_EMBEDDED, /* a Portable PDB in the image, compressed */
    ILP_SYMBOLS_WINDOWS   /* a Windows PDB, or what else "RSDS" refers to */
};

/* What an image's debug directory says of its symbols (PE-COFF.md of the Portable PDB format).
 * Borrowed from the image's bytes. An image with an embedded PDB mostly names one in a file as
 * well: then `kind` is ILP_SYMBOLS_EMBEDDED, and id and path are there. */
struct ilp_symbols_info {
    enum ilp_symbols_kind kind;
    /* that of the PDB: a GUID and, of a Portable PDB, a stamp; zeros where nothing says it */
    uint8_t id[20];
    struct ilp_bytes path; /* where the compiler put the PDB: UTF-8, not checked */
    uint64_t reserved[4];  /* zero */
};
ILP_API void ilp_image_symbols(const struct ilp_image *image, struct ilp_symbols_info *info);

/* The symbols of an image: a Portable PDB that follows the changes of an edit. */
struct ilp_symbols;

/* Opens the PDB of an image. `pdb` has the bytes of the PDB's file, or is empty: then the one that
 * is embedded in the image is unpacked. Both `image` and `pdb` are borrowed until
 * ilp_symbols_close(). *out is owned; NULL after a failure.
 *
 *   ILP_E_OTHER_SYMBOLS  its id is not the one that the image names: another build
 *   ILP_E_SYMBOLS_KIND   a Windows PDB, or no PDB
 *   ILP_E_BAD_SYMBOLS    it is broken, or has another number of methods than the image
 *   ILP_E_NO_LIBRARY     neither libdeflate nor zlib is there to unpack it
 *   ILP_E_MISUSE         `pdb` is empty, and none is embedded
 *   ILP_E_NO_MEMORY      out of memory
 */
ILP_API ilp_status ilp_symbols_open(struct ilp_symbols **out, const struct ilp_image *image,
                                    struct ilp_bytes pdb, const struct ilp_allocator *allocator,
                                    struct ilp_error *error);

/* Releases the symbols, and the PDB and link of ilp_symbols_write(). */
ILP_API void ilp_symbols_close(struct ilp_symbols *symbols);

/* Notes where the instructions of a MethodDef of the image went that gets a new body: a map as
 * ilp_rewriter_map(), ilp_tail_map() and ilp_code_encode() make it (copied), or none (count 0) when
 * no instruction has moved. Offsets rise, and code only grows: between two old instructions there
 * are no fewer bytes than before. Of several maps for one method the last one counts.
 *
 *   ILP_E_MISUSE     `method` is no MethodDef of the image, or the map does not rise so
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_symbols_move(struct ilp_symbols *symbols, ilp_token method,
                                    const struct ilp_il_map *map, size_t count,
                                    struct ilp_error *error);

/* What the debug directory of a written image should say of its symbols: what is empty here stays
 * as it is (the path) or goes (the others). Borrowed. */
struct ilp_symbols_link {
    uint8_t id[20];
    struct ilp_bytes path;
    /* contents of the entry that holds an embedded PDB: "MPDB", size, deflate stream */
    struct ilp_bytes embedded;
    struct ilp_bytes checksum; /* and of the one that vouches for a PDB: "SHA256", NUL, hash */
    uint64_t reserved[4];      /* zero */
};

/* Makes the PDB that fits the edit, once, when the edit is complete: sequence points, scopes and
 * stepping information are where the instructions are, and row counts of the assembly are those of
 * the edit. An instruction that was inserted belongs to the sequence point of the one that it was
 * inserted before. The PDB's id is derived from its content. `pdb` receives its bytes, and `link`
 * what the assembly should say of it: without compressed bytes when the PDB was in a file of its
 * own. Both borrow from `symbols`. Set link->path if the new PDB gets another name. Without
 * libcrypto the link has no checksum.
 *
 *   ILP_E_MISUSE       a method has a new body, but no ilp_symbols_move(); an edit of another
 *                      image; a call after one that has made the PDB
 *   ILP_E_BAD_SYMBOLS  blobs or rows of the PDB are not valid
 *   ILP_E_TOO_LARGE    rows share blobs of more than 4 times the PDB and 4 MB
 *   ILP_E_NO_LIBRARY   no library is there to pack an embedded PDB
 *   ILP_E_NO_MEMORY    out of memory
 */
ILP_API ilp_status ilp_symbols_write(struct ilp_symbols *symbols, struct ilp_edit *edit,
                                     struct ilp_bytes *pdb, struct ilp_symbols_link *link,
                                     struct ilp_error *error);

/* ---- write a changed image: ilp_write(3) ----------------------------------------------------- *
 *
 * Writing plans every size and offset first, then passes the bytes to a sink from the first to the
 * last. Nothing reaches the sink before the plan holds, so a failure before that leaves no half
 * file. The library neither seeks nor reads back. Two layouts (docs/FORMAT.md):
 *
 *   original          | headers | .text  old bodies, metadata | .rsrc | .reloc |
 *   ILP_WRITE_KEEP    | headers | .text  old bodies, metadata | .rsrc | .reloc | bodies, metadata |
 *                       ^ point to the new metadata             all as it was    ^ new section
 *   ILP_WRITE_COMPACT | headers | .text  bodies, metadata | .rsrc | .reloc |
 *
 * Both carry a mark with a digest of the original (ilp_image_origin()). The same image, edit and
 * options give the same bytes, on every machine.
 *
 * Example: a changed file, opened again.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_edit *edit;
 *     struct ilp_write_info info;
 *     struct ilp_write_options options = {.layout = ILP_WRITE_COMPACT};
 *     FILE *file = fopen("Changed.exe", "wb");
 *     struct ilp_sink sink = {file, write_bytes};
 *     uint32_t name;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_image_can_be_written(image, &error));
 *     check(ilp_edit_open(&edit, image, NULL, &error));
 *     check(ilp_edit_add_string(edit, "Changed", &name, &error));
 *     check(ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_Name, name, &error));
 *     check(ilp_edit_write(edit, &options, &sink, &info, &error));
 *     ilp_edit_close(edit);
 *     ilp_image_close(image);
 *     fclose(file);
 *
 *     struct ilp_bytes changed = read_file("Changed.exe");
 *     struct ilp_digest digest, origin;
 *     check(ilp_image_open(&image, changed, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     name = ilp_cell(image, ILP_Assembly, 1, ILP_Assembly_Name);
 *     ilp_digest_of(bytes, &digest);
 *     bool same = ilp_image_origin(image, &origin) &&
 *                 memcmp(&origin, &digest, sizeof origin) == 0;
 *     printf("%s, made from %s, %s\n", ilp_string(image, name), same ? "Shop.exe" : "?",
 *            info.size == changed.size ? "laid out again" : "?");
 *     ilp_image_close(image);
 *     free((void *)changed.data);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     Changed, made from Shop.exe, laid out again
 */

/* Takes the bytes of a file from its first to its last, in calls of any size; `bytes` is borrowed
 * during the call. A status other than ILP_OK stops the writing, and the function that called
 * returns it with the message "the output could not be written" and the offset in the output. */
struct ilp_sink {
    void *user;
    ilp_status (*write)(void *user, const void *bytes, size_t size);
};

/* ILP_OK when changes to this image can be written. Whether there is room in its headers is known
 * only when writing.
 *
 *   ILP_E_MAPPED_WRITE  it was opened with ILP_LAYOUT_MAPPED
 *   ILP_E_READY_TO_RUN  a composite image, or one precompiled by NGEN
 *   ILP_E_BAD_PE        an alignment is not a power of two or above 64 KB, or a section is outside
 *                       of the file or within the headers
 *   ILP_E_TRUNCATED     a ReadyToRun header that ends too early
 */
ILP_API ilp_status ilp_image_can_be_written(const struct ilp_image *image, struct ilp_error *error);

/* What becomes of a strong name (II.6.2.1.3); docs/FORMAT.md, Strong names. */
enum ilp_strong_name {
    /* key, flag and signature stay, so the identity does; the signature no longer fits */
    ILP_STRONG_NAME_KEEP,
    ILP_STRONG_NAME_CLEAR, /* all of them go: the identity has no public key any more */
    ILP_STRONG_NAME_SIGN   /* the file is signed again with the key that it was signed with */
};

/* What becomes of the debug directory entries that refer to symbols, when bodies have changed. If
 * none has, they stay. */
enum ilp_symbols_entries {
    ILP_SYMBOLS_DROP,  /* they go: the symbols are stale */
    ILP_SYMBOLS_KEEP,  /* they stay, stale as they are */
    ILP_SYMBOLS_UPDATE /* they are made by `link`; those that it does not have go */
};

/* Where the parts of a changed file are; docs/FORMAT.md, Two layouts. */
enum ilp_write_layout {
    ILP_WRITE_KEEP, /* where they were; what is new is in a section after them */
    /* laid out again, without the bytes that nothing refers to; even where nothing was changed */
    ILP_WRITE_COMPACT,
    /* a changed file is laid out again, but one with what is not understood keeps its layout */
    ILP_WRITE_AUTO
};

/* How to write. All zero: the defaults, which keep strong name and layout, and drop the link to
 * symbols when bodies have changed. */
struct ilp_write_options {
    enum ilp_strong_name strong_name;
    /* to sign with: the contents of a .snk file; borrowed. The public half alone public-signs: the
     * flag is set, the signature stays empty */
    struct ilp_bytes key;
    enum ilp_write_layout layout;
    enum ilp_symbols_entries symbols;
    const struct ilp_symbols_link *link; /* for ILP_SYMBOLS_UPDATE */
    uint64_t reserved[8];                /* zero */
};

/* Reads the contents of a key file (.snk, as sn writes it), and reports whether it has the private
 * half: without that, ILP_STRONG_NAME_SIGN public-signs.
 *
 *   ILP_E_BAD_KEY  it is no RSA key of that form, or ends too early
 */
ILP_API ilp_status ilp_strong_name_key(struct ilp_bytes key, bool *is_private,
                                       struct ilp_error *error);

/* What became of the strong name. */
enum ilp_strong_name_state {
    ILP_STRONG_NAME_NONE,  /* there was none */
    ILP_STRONG_NAME_STALE, /* kept; it no longer fits */
    ILP_STRONG_NAME_CLEARED,
    ILP_STRONG_NAME_PUBLIC, /* public-signed */
    ILP_STRONG_NAME_SIGNED
};

/* What had to be done besides. All but `size` is zero where the bytes of the original were
 * written. */
struct ilp_write_info {
    uint64_t size;         /* of the file */
    bool headers_grown;    /* section contents moved by one file alignment, RVAs stayed */
    bool section_extended; /* no new section: the last one grew */
    /* debug directory entries that refer to symbols, which are stale, were dropped */
    bool symbols_dropped;
    bool symbols_updated; /* they refer to the symbols of options->link */
    bool symbols_stale;   /* they stayed, but refer to symbols that no longer match */
    /* the Authenticode signature was dropped, since it no longer holds */
    bool certificate_dropped;
    /* a ReadyToRun image is one of IL alone now: methods are compiled when first called */
    bool native_code_dropped;
    const char
        *bound_to;  /* then: the processor it still is for, "x64"; NULL for any; static storage */
    bool mvid_kept; /* the module has the MVID that it had */
    bool compacted; /* the file was laid out again */
    enum ilp_strong_name_state strong_name;
    /* with ILP_WRITE_AUTO, why the layout was kept: ILP_E_CANNOT_COMPACT; else ILP_OK */
    struct ilp_error not_compacted;
    uint64_t reserved[8]; /* zero */
};

/* Writes the changed file. Without changes: the bytes of the original, unless `options` have
 * ILP_WRITE_COMPACT. `options` (NULL: the defaults) and `info` may be NULL. Options that change
 * rows, as strong names do, change them in the edit; else an edit may be written several times. A
 * file that ILP_WRITE_COMPACT wrote before, and that has no changes, is written as it is. Of an
 * image that was opened with ILP_LAYOUT_METADATA the metadata alone is written, and options do not
 * count.
 *
 * Fails as ilp_image_can_be_written() and as the sink does, and with:
 *
 *   ILP_E_NO_ROOM         the headers have no room for one more section, and the last section
 *                         cannot grow; or sections and headers share bytes
 *   ILP_E_CANNOT_COMPACT  with ILP_WRITE_COMPACT: the file has parts that are not understood; the
 *                         message says which
 *   ILP_E_BAD_PE          old bodies or data share bytes with what is written differently
 *   ILP_E_BAD_KEY         options->key is no key
 *   ILP_E_CANNOT_SIGN     the file was not signed with this key, or has no room for the signature
 *   ILP_E_NO_LIBRARY      libcrypto is not there to sign
 *   ILP_E_TOO_LARGE       bodies and metadata, or the file, would pass what the format can hold
 *   ILP_E_TOO_MANY        there are 65,535 streams, and none of the kind that is needed
 *   ILP_E_MISUSE          new bodies for ILP_LAYOUT_METADATA
 *   ILP_E_NO_MEMORY       out of memory
 */
ILP_API ilp_status ilp_edit_write(struct ilp_edit *edit, const struct ilp_write_options *options,
                                  const struct ilp_sink *sink, struct ilp_write_info *info,
                                  struct ilp_error *error);

/* A fingerprint of bytes (XXH3, 128 bits), to recognise a file again; not proof against forgery. */
struct ilp_digest {
    uint8_t bytes[16];
};
ILP_API void ilp_digest_of(struct ilp_bytes bytes, struct ilp_digest *digest);

/* Whether the image was written by ilp_edit_write(), and if so, the digest of the file that it was
 * made from. *digest is as it was where it was not, and for images that are no files. */
ILP_API bool ilp_image_origin(const struct ilp_image *image, struct ilp_digest *digest);

/* ---- what a file is, and single-file bundles: ilp_bundle(3) ---------------------------------- *
 *
 * `dotnet publish -p:PublishSingleFile=true` makes one file of a program: the native host, the
 * assemblies and other files after it, and a manifest that lists them. The host finds the manifest
 * by its offset, which is before a signature of 32 bytes in its own code:
 *
 *   | host ... offset, signature ... | App.dll | Lib.dll | App.deps.json ... | manifest |
 *                 |                                                            ^
 *                 +------------------------------------------------------------+
 *
 * Versions 1, 2 and 6 of the manifest are known (.NET Core 3, .NET 5, .NET 6 and later). Writing
 * leaves all bytes where they are and appends: changed files, each at a multiple of 4096, a mark
 * with the digest of the original, and a new manifest. The files that were replaced stay as bytes
 * that nothing refers to. src/bundle/ does both, src/pe/file_kind.c recognises kinds of files.
 *
 * An open bundle is only read, by any number of threads; ilp_bundle_write() is for one thread at a
 * time.
 *
 * Example: the assemblies of a single-file program.
 *
 *     struct ilp_bytes bytes = read_file("tests/fixtures-0.1/bundle/Sample.orig");
 *     struct ilp_bundle *bundle;
 *     struct ilp_arena *arena;
 *     size_t count;
 *
 *     printf("%s\n", ilp_file_kind_text(ilp_file_kind_of(bytes)));
 *     check(ilp_bundle_open(&bundle, bytes, NULL, &error));
 *     check(ilp_arena_open(&arena, NULL, &error));
 *     const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
 *     for (size_t i = 0; i < count; i++) {
 *         struct ilp_bytes contents;
 *         check(ilp_bundle_read(bundle, &entries[i], arena, &contents, &error));
 *         printf("%s, %zu bytes: %s\n", entries[i].path, contents.size,
 *                ilp_file_kind_text(ilp_file_kind_of(contents)));
 *     }
 *     printf("%s\n", ilp_bundle_find(bundle, "sample.DLL") ? "found" : "paths have a case");
 *     ilp_arena_close(arena);
 *     ilp_bundle_close(bundle);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     a single-file bundle
 *     Sample.dll, 5120 bytes: a PE file with a CLI header: an assembly
 *     Sample.deps.json, 266 bytes: no kind of file that is known
 *     paths have a case
 */

/* Kinds of files that are met where an assembly is expected; the order is that of
 * ilpatch/file_kinds.def. */
enum ilp_file_kind {
    ILP_FILE_UNKNOWN,     /* no kind of file that is known */
    ILP_FILE_PE,          /* a PE file with a CLI header: an assembly */
    ILP_FILE_NATIVE_PE,   /* a native program or library of Windows */
    ILP_FILE_METADATA,    /* metadata alone, as in a Portable PDB */
    ILP_FILE_BUNDLE,      /* a single-file bundle */
    ILP_FILE_APPHOST,     /* a native program that starts a managed one */
    ILP_FILE_NATIVE_AOT,  /* a native program compiled from .NET code ahead of time (Native AOT) */
    ILP_FILE_ELF,         /* a native program or library (ELF) */
    ILP_FILE_MACH_O,      /* a native program or library of macOS (Mach-O) */
    ILP_FILE_WEBCIL,      /* an assembly in a WebCIL file */
    ILP_FILE_WEBCIL_WASM, /* an assembly in a WebCIL file in a WebAssembly module */
    ILP_FILE_WASM,        /* a WebAssembly module */
    ILP_FILE_ZIP,         /* a zip archive, as packages (.nupkg) are */
    ILP_FILE_WINDOWS_PDB, /* a Windows PDB */
    ILP_FILE_MDB,         /* symbols of Mono (.mdb) */
    ILP_FILE_ARCHIVE,     /* a library of object files */
    ILP_FILE_COMPRESSED,  /* a compressed assembly (XALZ), as in Android packages */
    ILP_FILE_XML,         /* text: XML */
    ILP_FILE_SCRIPT,      /* text: a script */
};

/* Distinguishes them by their first bytes, and programs for .NET by what the SDK puts into them:
 * the signature of a bundle's host in the first 64 MB, the code section of Native AOT. A PE file
 * with a CLI header is an assembly, whatever else is in it. The bytes are the whole file; they are
 * borrowed during the call. */
ILP_API enum ilp_file_kind ilp_file_kind_of(struct ilp_bytes bytes);

/* What a kind is ("a single-file bundle"), and what to do with it instead, as in the messages of
 * ilp_image_open(). Static storage; "" for a number that is no kind. */
ILP_API const char *ilp_file_kind_text(enum ilp_file_kind kind);
ILP_API const char *ilp_file_kind_advice(enum ilp_file_kind kind);

/* A program with its files after it: what `dotnet publish -p:PublishSingleFile=true` makes. */
struct ilp_bundle;

/* What the manifest says that a file is: the numbers of the format. A bundle that the SDK of .NET
 * 10 makes for .NET Core 3 has ILP_BUNDLE_UNKNOWN for all files. */

enum ilp_bundle_type {
    ILP_BUNDLE_UNKNOWN,
    ILP_BUNDLE_ASSEMBLY,
    ILP_BUNDLE_NATIVE,
    ILP_BUNDLE_DEPS_JSON,
    ILP_BUNDLE_RUNTIME_CONFIG_JSON,
    ILP_BUNDLE_SYMBOLS,
    ILP_BUNDLE_TYPES
};

/* One file of a bundle. */
struct ilp_bundle_entry {
    const char *path; /* relative, never out of its folder; folders are divided by '/'; borrowed */
    enum ilp_bundle_type type;
    uint64_t offset; /* in the bundle's file */
    uint64_t size;
    /* of the compressed bytes in the bundle, 0 where they are not compressed */
    uint64_t packed_size;
    uint64_t reserved[2]; /* zero */
};

/* Opens a bundle and reads its manifest. `bytes` is borrowed until ilp_bundle_close(). *out is
 * owned; NULL after a failure. Every path is relative and does not leave its folder, so that files
 * can be extracted to it.
 *
 *   ILP_E_BAD_BUNDLE  no bundle; a manifest of another version, or one that ends too early; a file
 *                     outside of the bytes or within the host; files that overlap; a path that
 *                     leads elsewhere; more than 65,536 files
 *   ILP_E_NO_MEMORY   out of memory
 */
ILP_API ilp_status ilp_bundle_open(struct ilp_bundle **out, struct ilp_bytes bytes,
                                   const struct ilp_allocator *allocator, struct ilp_error *error);

/* Releases the bundle and its entries. */
ILP_API void ilp_bundle_close(struct ilp_bundle *bundle);

/* The files in the order of the manifest, *count of them; and the first one of this path, in the
 * case that it has there, or NULL. Borrowed from the bundle. */
ILP_API const struct ilp_bundle_entry *ilp_bundle_entries(const struct ilp_bundle *bundle,
                                                          size_t *count);
ILP_API const struct ilp_bundle_entry *ilp_bundle_find(const struct ilp_bundle *bundle,
                                                       const char *path);

/* What is in a file of this bundle: *contents is borrowed from the bundle's bytes, or unpacked into
 * `arena` if the file is compressed.
 *
 *   ILP_E_BAD_DEFLATE  the compressed bytes are not valid, or give another size
 *   ILP_E_NO_LIBRARY   neither libdeflate nor zlib is there to unpack it
 *   ILP_E_NO_MEMORY    out of memory
 */
ILP_API ilp_status ilp_bundle_read(const struct ilp_bundle *bundle,
                                   const struct ilp_bundle_entry *entry, struct ilp_arena *arena,
                                   struct ilp_bytes *contents, struct ilp_error *error);

/* A file in the place of the one with this path, or, if there is none, one more. It is stored
 * uncompressed. The path is relative, its parts divided by '/', and none of them is "." or "..". */
struct ilp_bundle_change {
    const char *path;
    enum ilp_bundle_type type; /* of one more; another file keeps its own */
    struct ilp_bytes bytes;
    uint64_t reserved[2]; /* zero */
};

/* Whether the host takes other files.
 *
 *   ILP_E_SIGNED_HOST  a signature covers them: Authenticode, or that of a program of macOS
 */
ILP_API ilp_status ilp_bundle_can_be_written(const struct ilp_bundle *bundle,
                                             struct ilp_error *error);

/* Writes the bundle with these changes; without any, its own bytes. Each path may be there once.
 * The changes are borrowed during the call. The bundle gets another id, so that hosts which extract
 * files do not take those of the original for its own. Fails as the sink does, and with:
 *
 *   ILP_E_MISUSE       a change has an unknown type or a path that is not so
 *   ILP_E_SIGNED_HOST  as ilp_bundle_can_be_written()
 *   ILP_E_TOO_LARGE    a path longer than hosts take, or more bytes than the format can count
 *   ILP_E_NO_MEMORY    out of memory
 */
ILP_API ilp_status ilp_bundle_write(struct ilp_bundle *bundle,
                                    const struct ilp_bundle_change *changes, size_t count,
                                    const struct ilp_sink *sink, struct ilp_error *error);

/* Whether ilp_bundle_write() wrote it, and if so, the digest of the file that it was made from. */
ILP_API bool ilp_bundle_origin(const struct ilp_bundle *bundle, struct ilp_digest *digest);

/* ---- referenced assemblies: ilp_resolver(3) -------------------------------------------------- *
 *
 * What an assembly says of its own types is in its image. Of a type of another assembly it says
 * the name alone (TypeRef, II.22.38): whether it is a struct, how large it is, what it derives from
 * is in that assembly. The library opens no files, so the caller finds them:
 *
 *   TypeRef --> ResolutionScope: AssemblyRef --> resolver.open(identity) --> struct ilp_image *
 *               ResolutionScope: ModuleRef   --> resolver.open_module(file) --> struct ilp_image *
 *       type forwards (ExportedType, II.22.14) and enclosing types are followed, 32 steps at most
 *
 * Without a resolver, or where it returns NULL, a type stays unknown, which is an outcome and not
 * an error: ILP_UNKNOWN of rules, ILP_REASON_UNRESOLVED of methods, ILP_FINDING_UNKNOWN of the
 * verifier. data/known_types.def has the value types of the framework that are known without it.
 * host/resolve/ is the resolver of the command, with the rules of the hosts of .NET and Mono
 * (docs/RESOLVE.md).
 *
 * Example: what the verifier has to open, and what it cannot check without it.
 *
 *     static struct ilp_image *open_none(void *user, const struct ilp_assembly_name *name)
 *     {
 *         if ((*(unsigned *)user)++ == 0) {
 *             printf("open %s %u.%u.%u.%u\n", name->name, name->version[0], name->version[1],
 *                    name->version[2], name->version[3]);
 *         }
 *         return NULL;
 *     }
 *
 *     static ilp_status count(void *user, const struct ilp_verify_finding *finding,
 *                             struct ilp_error *why)
 *     {
 *         (void)why;
 *         *(unsigned *)user += finding->kind == ILP_FINDING_UNKNOWN;
 *         return ILP_OK;
 *     }
 *
 *     int main(void)
 *     {
 *         struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *         struct ilp_image *image;
 *         unsigned opened = 0, unknown = 0;
 *         struct ilp_resolver resolver = {.user = &opened, .open = open_none};
 *         struct ilp_findings_sink sink = {.user = &unknown, .finding = count};
 *
 *         check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *         check(ilp_verify(image, &resolver, &sink, NULL, &error));
 *         printf("%s\n", unknown != 0 ? "some are unknown" : "all are known");
 *         ilp_image_close(image);
 *         free((void *)bytes.data);
 *     }
 *
 * Prints:
 *
 *     open mscorlib 4.0.0.0
 *     some are unknown
 */

/* An assembly's identity (II.22.2, II.22.5). All pointers are borrowed. */
struct ilp_assembly_name {
    const char *name;
    const char *culture; /* "" for neutral */
    uint16_t version[4]; /* major, minor, build, revision */
    uint32_t flags;      /* 1: `key` is a whole public key, else its 8-byte token or empty */
    struct ilp_bytes key;
    uint64_t reserved[2]; /* zero */
};

/* The identity in the image's Assembly row; false for a module without one. Borrows from the
 * image. */
ILP_API bool ilp_image_assembly_name(const struct ilp_image *image, struct ilp_assembly_name *name);

/* The identity that an AssemblyRef row has; false when there is no such row. Borrows from the
 * image. */
ILP_API bool ilp_image_reference_name(const struct ilp_image *image, ilp_rid assembly_ref,
                                      struct ilp_assembly_name *name);

/* Finds the images of referenced assemblies. Borrowed by what is opened with it.
 *
 * The images are the resolver's: it keeps them open until all that was opened with it is closed,
 * since the library keeps pointers to them. It should return the same image for the same name each
 * time: types are equal by image and row. Types are looked up in these images by name, so call
 * ilp_image_index() when you open one. The callbacks may be called for one name very often, and
 * keep what they have found.
 *
 * Objects in several threads (a profiler's: JITCompilationStarted comes on many) may share a
 * resolver whose callbacks are safe for that. See ilp_inspect_returns() for its own threads. */
struct ilp_resolver {
    void *user;
    /* The image of the assembly of this identity, which is borrowed during the call; NULL: there is
     * none. Which version is taken is the resolver's to decide. */
    struct ilp_image *(*open)(void *user, const struct ilp_assembly_name *name);
    /* The file of this name that belongs to the same assembly as `image` (File, ModuleRef); NULL:
     * there is none. The member may be NULL. */
    struct ilp_image *(*open_module)(void *user, const struct ilp_image *image, const char *file);
    /* The symbols of `image`, whose methods rules select, for conditions on source files. Called
     * at most once by each selector, and borrowed until that is closed. NULL with the reason in
     * error->message: there are none. The member may be NULL. */
    struct ilp_symbols *(*open_symbols)(void *user, const struct ilp_image *image,
                                        struct ilp_error *error);
    void (*reserved[4])(void); /* NULL */
};

/* ---- rules, which select methods: ilp_rules(3) ----------------------------------------------- *
 *
 * Rules say which methods are inspected, and how. They are XML (docs/RULES.md is the reference),
 * and one set takes several files:
 *
 *   a.xml, b.xml --> ilp_rules_add() --> struct ilp_rules: 0, 1, 2 ... in the order of the files
 *   a method     --> ilp_select()    --> the first rule whose conditions it meets:
 *                                          <include>  inspected, by the rule's action
 *                                          <exclude>  left alone
 *                                        no rule: not selected
 *
 * Conditions are tristate. A condition on a type that is not found is ILP_UNKNOWN, and so is a
 * rule that depends on it. Such a rule ends the search, and the method is undecided: a later rule
 * must not include what an earlier one might have excluded.
 *
 * A rule also names inspectors. They are numbered, each once, from 1 on; 0 is the default one. The
 * caller opens them by ilp_rules_inspector() and ilp_rules_native() and puts them into
 * ilp_request.inspectors in that order.
 *
 * Example: rules from a text, and one that is wrong.
 *
 *     static const char text[] = "<rules>\n"
 *                                "  <include name='structs'><return kind='struct'/></include>\n"
 *                                "</rules>\n";
 *     static const char wrong[] = "<rules>\n"
 *                                 "  <include><return kind='strukt'/></include>\n"
 *                                 "</rules>\n";
 *     struct ilp_bytes xml = {(const uint8_t *)text, sizeof text - 1};
 *     struct ilp_bytes bad = {(const uint8_t *)wrong, sizeof wrong - 1};
 *     struct ilp_rules *rules;
 *     struct ilp_rule rule;
 *
 *     check(ilp_rules_open(&rules, NULL, &error));
 *     check(ilp_rules_add(rules, xml, "structs.xml", &error));
 *     ilp_status status = ilp_rules_add(rules, bad, "wrong.xml", &error);
 *     printf("%s, line %u, column %u\n", ilp_status_name(status), error.line, error.column);
 *     for (uint32_t number = 0; number < ilp_rules_count(rules); number++) {
 *         ilp_rules_get(rules, number, &rule);
 *         printf("%s:%u: %s %s\n", rule.file, rule.line, rule.exclude ? "exclude" : "include",
 *                rule.name);
 *     }
 *     ilp_rules_close(rules);
 *
 * Prints:
 *
 *     BAD_RULES, line 2, column 26
 *     structs.xml:2: include structs
 */

/* The words of rule files: `kind="struct"` is 1u << ILP_KIND_STRUCT, `byref="inspect"`
 * ILP_BYREF_INSPECT. ilpatch/rules.def says what each means. */
enum ilp_words_PASS { ILP_PASS_NAME, ILP_PASS_VALUE, ILP_PASS_ID, ILP_PASS_HANDLE, ILP_PASS_COUNT };
enum ilp_words_BYREF { ILP_BYREF_SKIP, ILP_BYREF_INSPECT, ILP_BYREF_COUNT };
enum ilp_words_POINTERS { ILP_POINTERS_SKIP, ILP_POINTERS_INSPECT, ILP_POINTERS_COUNT };
enum ilp_words_TAIL_CALLS {
    ILP_TAIL_CALLS_AUTO,
    ILP_TAIL_CALLS_KEEP,
    ILP_TAIL_CALLS_STRIP,
    ILP_TAIL_CALLS_COUNT
};
enum ilp_words_ASYNC { ILP_ASYNC_RESULT, ILP_ASYNC_TASK, ILP_ASYNC_SKIP, ILP_ASYNC_COUNT };
enum ilp_words_ITERATORS { ILP_ITERATORS_SEQUENCE, ILP_ITERATORS_CURRENT, ILP_ITERATORS_COUNT };
enum ilp_words_REFERENCES { ILP_REFERENCES_SKIP, ILP_REFERENCES_INSPECT, ILP_REFERENCES_COUNT };
enum ilp_words_ON_THROW {
    ILP_ON_THROW_PASS,
    ILP_ON_THROW_KEEP,
    ILP_ON_THROW_OFF,
    ILP_ON_THROW_COUNT
};
enum ilp_words_KIND {
    ILP_KIND_VOID,
    ILP_KIND_PRIMITIVE,
    ILP_KIND_ENUM,
    ILP_KIND_STRUCT,
    ILP_KIND_CLASS,
    ILP_KIND_GENERIC,
    ILP_KIND_BYREF,
    ILP_KIND_POINTER,
    ILP_KIND_TASK,
    ILP_KIND_COUNT
};
enum ilp_words_VISIBILITY {
    ILP_VISIBILITY_PRIVATESCOPE,
    ILP_VISIBILITY_PRIVATE,
    ILP_VISIBILITY_FAMANDASSEM,
    ILP_VISIBILITY_ASSEMBLY,
    ILP_VISIBILITY_FAMILY,
    ILP_VISIBILITY_FAMORASSEM,
    ILP_VISIBILITY_PUBLIC,
    ILP_VISIBILITY_COUNT
};
enum ilp_words_ROLE {
    ILP_ROLE_GETTER,
    ILP_ROLE_SETTER,
    ILP_ROLE_EVENT,
    ILP_ROLE_ACCESSOR,
    ILP_ROLE_OPERATOR,
    ILP_ROLE_CONSTRUCTOR,
    ILP_ROLE_ORDINARY,
    ILP_ROLE_COUNT
};
enum ilp_words_ON { ILP_ON_METHOD, ILP_ON_TYPE, ILP_ON_ASSEMBLY, ILP_ON_COUNT };
enum ilp_words_BUG { ILP_BUG_X86_STRUCT_RETURN, ILP_BUG_COUNT };
enum ilp_words_TARGET {
    ILP_TARGET_AUTO,
    ILP_TARGET_ANYCPU,
    ILP_TARGET_X86,
    ILP_TARGET_X64,
    ILP_TARGET_ARM,
    ILP_TARGET_ARM64,
    ILP_TARGET_COUNT
};

/* How an included method is treated: the attributes of <include>. All zero, it is as safe as it can
 * be without a decision of the user. */
struct ilp_rule_action {
    /* index into ilp_request.inspectors; 0: the default one */
    uint32_t inspector;
    /* ILP_PASS_*, what the inspector gets besides the value; 0: the name, if it takes one */
    uint8_t pass;
    /* ILP_BYREF_*, of methods that return a reference (T&); 0: they stay as they are */
    uint8_t byref;
    /* ILP_POINTERS_*, of methods that return a pointer; 0: they stay as they are */
    uint8_t pointers;
    /* ILP_TAIL_CALLS_*, of returns by explicit tail calls; 0: inspected where the stack stays
     * bounded without the prefix */
    uint8_t tail_calls;
    /* ILP_ASYNC_*, of methods that return a task; 0: of async ones the result, when it is set, of
     * others the task */
    uint8_t async;
    /* ILP_ITERATORS_*, of iterators; 0: the sequence that they return */
    uint8_t iterators;
    /* ILP_REFERENCES_*, of native functions; 0: they get no value that may hold an object reference
     * while garbage may be collected */
    uint8_t references;
    /* what the inspector throws is caught, and the value returned all the same; as on_throw KEEP,
     * where that is not set */
    bool guard;
    uint8_t on_throw; /* 1 + ILP_ON_THROW_*; 0: as is usual where the method is rewritten */
    bool arguments;  /* the inspector gets them at entry, and at the return what it made of them; */
    bool self;       /* `this` as well, before the others */
    bool exceptions; /* the inspector gets those that leave the method */
    uint8_t reserved[16]; /* zero */
};

/* A set of rules. After the last ilp_rules_add() it is only read, and any number of threads and
 * selectors may use it. A selector that is open must not see another ilp_rules_add(). */
struct ilp_rules;

/* Opens an empty set, by which no method is selected. *out is owned; NULL after a failure, which is
 * ILP_E_NO_MEMORY alone. */
ILP_API ilp_status ilp_rules_open(struct ilp_rules **out, const struct ilp_allocator *allocator,
                                  struct ilp_error *error);

/* Releases the set, and the texts of its rules. */
ILP_API void ilp_rules_close(struct ilp_rules *rules);

/* Appends the rules of a file (copied) after those that are there. Its regular expressions and
 * conditions on values are compiled here, once. `file` (copied) is for messages and ilp_rule.file.
 * After a failure no rule of the file was added, and the set is as it was.
 *
 *   ILP_E_BAD_RULES   no XML, or an element, attribute or word that the schema does not have;
 *                     error->line and column say where
 *   ILP_E_TOO_LARGE   a file above 64 MB, or rules that take more than 1.75 times the size of their
 *                     files and some MB
 *   ILP_E_NO_LIBRARY  libxml2, which is loaded at the first call, is not installed, or PCRE2, which
 *                     is loaded at the first regular expression
 *   ILP_E_NO_MEMORY   out of memory
 */
ILP_API ilp_status ilp_rules_add(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                                 struct ilp_error *error);

/* How many rules there are, those that are not enabled among them. */
ILP_API uint32_t ilp_rules_count(const struct ilp_rules *rules);

/* One rule, by its number: 0 is tried first. Texts are borrowed from the set. A number that no rule
 * has gives a rule of zeros and "". */
struct ilp_rule {
    const char *file;
    const char *name; /* "" where it has none */
    uint32_t line;    /* of its element */
    bool exclude;
    bool enabled;
    bool conditional; /* it has conditions: else it decides about every method */
    /* for whoever shows values: the library itself does nothing about these. NULL: not given */
    const char *when;   /* the condition that they have to meet (docs/CONDITIONS.md) */
    const char *redact; /* names and types that are hidden, with commas between (docs/VALUES.md) */
    /* of what the action passes: a condition may need more than is shown */
    bool shows_arguments, shows_self;
    struct ilp_rule_action action;
    uint64_t reserved[4]; /* zero */
};
ILP_API void ilp_rules_get(const struct ilp_rules *rules, uint32_t number, struct ilp_rule *rule);

/* The functions that get arguments. They are called at a method's entry where a rule has
 * args="yes", or, of an async method, right before what gets its result or exception: `enter` with
 * the address of a local of the method, a 0 and the id; then for each argument that is not
 * withheld, in their order, one of the others. That local is the copy that the value's address
 * refers to at the return: by it the calls are known to belong together. All are addresses in the
 * process. */
struct ilp_native_arguments {
    uint64_t enter;     /* void enter(const void *local, uint32_t, int64_t id) */
    uint64_t object;    /* void object(const void *object, uint32_t size, int64_t id): itself */
    uint64_t reference; /* void reference(const void *argument, uint32_t size, int64_t id) */
    uint64_t typed;     /* as `typed` of struct ilp_native */
    /* of a method that returns nothing, in place of what gets the value: as `enter`; 0: nothing */
    uint64_t leave;
};

/* The functions that get the thread. After any of the functions of such an inspector `wants` is
 * called; where that returns other than 0, System.Threading.Thread::get_CurrentThread(), then
 * `thread` with what that returned, and `then` of struct ilp_native. Where it returns 0, none of
 * these three is called. Both are called as the function is, so what `thread` gets may be read
 * until it returns; but between the two a garbage collection may move objects: the function must
 * not keep a reference for `thread`. In a core library, get_CurrentThread() and what it calls
 * may be inspected as well: on this thread, and until `thread` is called, the function and
 * `then` have to do nothing, and `wants` to return 0. After the value of get_CurrentThread()
 * itself comes `then` alone. */
struct ilp_native_context {
    uint64_t wants;  /* int32_t wants(void) */
    uint64_t thread; /* void thread(const void *object): itself */
};

/* How a native function is called. */
enum ilp_native_call {
    ILP_NATIVE_PINVOKE,               /* by a P/Invoke method that is added to the module */
    ILP_NATIVE_PINVOKE_NO_TRANSITION, /* the same with SuppressGCTransitionAttribute (.NET 5) */
    /* at its address, which is good for one process only: unmanaged, cdecl; */
    ILP_NATIVE_CALLI,
    ILP_NATIVE_CALLI_NO_TRANSITION, /* unmanaged, with CallConvSuppressGCTransition (.NET 5); */
    ILP_NATIVE_CALLI_MANAGED        /* managed, as far as the runtime knows */
};

/* A native function as an inspector: void symbol(const void *value, uint32_t size, int64_t id).
 * `value` is the address of a copy, of `size` bytes, that lives during the call; it is NULL for a
 * null reference. `id` is as with ILP_PASS_ID, and always there. In all but the first of each group
 * the function is called without a GC transition: it may read objects, and has to return at once,
 * without waiting, locking or calling back (docs/INSPECTORS.md). */
struct ilp_native {
    enum ilp_native_call call;
    const char *library; /* of the first two; as the runtime's loader takes it */
    const char *symbol;
    uint64_t address; /* of the others */
    /* of those, too: void then(void), called right after it with a GC transition, where it may
     * take its time; 0: nothing */
    uint64_t then;
    /* of the last one, too: what is called in its place with a value whose type has type arguments
     * or is a type parameter: void typed(const void *, uint32_t, int64_t, const void *type), with
     * the object that System.RuntimeTypeHandle of the type holds; 0: nothing */
    uint64_t typed;
    /* of the last one, too: what is called in its place with the value itself, where that is an
     * object reference, or a bool, a char or an integer, and arguments are not passed. Such a
     * method needs no new local, which makes it cheaper to compile; 0: all values are copied.
     *   void object(const void *object, uint32_t size, int64_t id): `size` is a reference's
     *   void integer(int64_t value, uint32_t size, int64_t id): the value is its low bytes */
    uint64_t object;
    uint64_t integer;
    /* of the last one, too; all 0: it takes no arguments. Where it takes them, the id of an async
     * method's result or an iterator's value is that of MoveNext, which ilp_rewriter_kickoff()
     * takes: with the id of the kickoff method comes what that returns */
    struct ilp_native_arguments arguments;
    /* of the last one, too: void exception(const void *object, const void *local, int64_t id), with
     * an exception that leaves a method, and what `enter` got of the call, or NULL; 0: it takes
     * none */
    uint64_t exception;
    /* of the last one, too; all 0: it does not get to know the thread */
    struct ilp_native_context context;
    uint64_t reserved[4]; /* zero */
};

/* The inspectors that rules name, each once: index 0 is that of action.inspector 1, and NULL is
 * returned after the last. The path of the assembly is as it is in the rule file, and *file is the
 * rule file that named it first: relative paths are relative to that. Borrowed from the set. */
ILP_API const char *ilp_rules_inspector(const struct ilp_rules *rules, uint32_t index,
                                        const char **file);

/* Whether that inspector is a native function, and which one: `call`, `library` and `symbol` are
 * set, and its library is relative to nothing. *native is as it was otherwise. Borrowed from the
 * set. */
ILP_API bool ilp_rules_native(const struct ilp_rules *rules, uint32_t index,
                              struct ilp_native *native);

/* Takes text, piece by piece; a piece is borrowed during the call and does not end with NUL. */
struct ilp_text_sink {
    void *user;
    void (*write)(void *user, const char *text, size_t size);
};

/* The vocabulary as an XML Schema 1.0, the same as data/rules.xsd: made from ilpatch/rules.def, so
 * it fits this version. Needs no libxml2. Fails with ILP_E_TOO_LARGE alone, where a text of the
 * table is too long. */
ILP_API ilp_status ilp_rules_schema(const struct ilp_text_sink *sink, struct ilp_error *error);

/* ---- select the methods of an image by rules: ilp_selector(3) -------------------------------- *
 *
 * A selector puts rules to the methods of one image, one after the other, and remembers what they
 * have in common. Methods in the order of the table are fastest: what a type's rules are is found
 * once for all its methods. Rules with literal names, or patterns with literal parts, are looked
 * up; only the others are tried one by one.
 *
 * ilp_select() is for programs. ilp_explain() is for people: it reports every condition on the way,
 * and gives the same outcome.
 *
 * Example: which methods return a struct, and why.
 *
 *     static ilp_status print(void *user, const struct ilp_rule_trace *trace)
 *     {
 *         static const char *const words[] = {"no", "yes", "unknown"};
 *         (void)user;
 *         printf("  line %u, %s: %s%s\n", trace->line, words[trace->outcome],
 *                trace->line != 0 ? trace->condition : "the rule", trace->fact);
 *         return ILP_OK;
 *     }
 *
 *     int main(void)
 *     {
 *         static const char text[] = "<rules><include><return kind='enum'/></include></rules>";
 *         struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *         struct ilp_bytes xml = {(const uint8_t *)text, sizeof text - 1};
 *         struct ilp_image *image;
 *         struct ilp_rules *rules;
 *         struct ilp_selector *selector;
 *         struct ilp_selection selection;
 *
 *         check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *         check(ilp_rules_open(&rules, NULL, &error));
 *         check(ilp_rules_add(rules, xml, "enums.xml", &error));
 *         check(ilp_selector_open(&selector, rules, image, NULL, ILP_TARGET_AUTO, NULL, &error));
 *         for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
 *             ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
 *             check(ilp_select(selector, method, &selection, &error));
 *             if (selection.included == ILP_YES) {
 *                 printf("%08X by rule %u\n", method, selection.rule);
 *                 check(ilp_explain(selector, method, print, NULL, &selection, &error));
 *             }
 *         }
 *         ilp_selector_close(selector);
 *         ilp_rules_close(rules);
 *         ilp_image_close(image);
 *         free((void *)bytes.data);
 *     }
 *
 * Prints:
 *
 *     06000005 by rule 0
 *       line 1, yes: <return kind="enum">enum
 *       line 0, yes: the rule
 */

/* Rules put to the methods of one image. */
struct ilp_selector;

/* Opens a selector. Rules, image and resolver (may be NULL) are borrowed until
 * ilp_selector_close(). `target` is an ILP_TARGET_*, the platform that conditions on bugs are
 * about: ILP_TARGET_AUTO takes it from the image, and an image for one platform keeps that whatever
 * `target` says. *out is owned; NULL after a failure. Rules about the whole assembly are decided
 * here.
 *
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_selector_open(struct ilp_selector **out, const struct ilp_rules *rules,
                                     struct ilp_image *image, const struct ilp_resolver *resolver,
                                     unsigned target, const struct ilp_allocator *allocator,
                                     struct ilp_error *error);

/* Releases the selector and its texts. */
ILP_API void ilp_selector_close(struct ilp_selector *selector);

/* The outcome of a condition. */
enum ilp_tristate { ILP_NO, ILP_YES, ILP_UNKNOWN };

/* The number of no rule. */
#define ILP_NO_RULE UINT32_MAX

/* What the rules say of one method. Owned by the caller; refers to nothing. */
struct ilp_selection {
    uint32_t rule; /* the deciding one, or ILP_NO_RULE */
    /* ILP_UNKNOWN: `rule` could not be decided, and `detail` says why */
    enum ilp_tristate included;
    struct ilp_rule_action action; /* of `rule` */
    char detail[240];
    uint64_t reserved[4]; /* zero */
};

/* What the rules say of a MethodDef. After as many steps as SECURITY.md has (64 for each byte of
 * the image, and 2^22) a rule that would have to be tried is ILP_UNKNOWN.
 *
 *   ILP_E_MISUSE     `method` is no MethodDef of the image
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_select(struct ilp_selector *selector, ilp_token method,
                              struct ilp_selection *selection, struct ilp_error *error);

/* One condition of a rule, with its outcome for a method. Borrowed during the call. */
struct ilp_rule_trace {
    uint32_t rule;
    enum ilp_tristate outcome;
    uint32_t line;  /* of the condition; 0: of the rule as a whole, which comes last */
    uint32_t depth; /* of groups around the condition */
    const char
        *condition;       /* as it is in the file: <return kind="struct">; "" for the rule itself */
    const char *fact;     /* what the method has: "class"; "" for groups */
    uint64_t reserved[2]; /* zero */
};

/* Selects, and passes every condition on the way to `report`: all rules up to the deciding one,
 * those that are not enabled left out. Each rule is tried, so it takes longer than ilp_select(). A
 * status of `report` other than ILP_OK ends it and is returned; else it fails as ilp_select(). */
ILP_API ilp_status ilp_explain(struct ilp_selector *selector, ilp_token method,
                               ilp_status (*report)(void *user, const struct ilp_rule_trace *trace),
                               void *user, struct ilp_selection *selection,
                               struct ilp_error *error);

/* Whether a bug (ILP_BUG_*) of the profiling interface concerns a method, and why (docs/BUGS.md);
 * the text is in the selector until its next call. Fails as ilp_select(). */
ILP_API ilp_status ilp_affected(struct ilp_selector *selector, ilp_token method, unsigned bug,
                                enum ilp_tristate *affected, const char **why,
                                struct ilp_error *error);

/* ---- inspectors, which get the values: ilp_inspector(3) -------------------------------------- *
 *
 * Before each ret of a method that is inspected, three or four instructions hand a copy of the
 * value to an inspector, and the value itself is returned as before:
 *
 *   int32 F()          call int32 F0()       call int32 F0()      the value
 *                      ret                   dup                  and a copy of it
 *                                            box int32            as an object, where that is taken
 *                                            ldstr "T::F"         and the name, where that is taken
 *                                            call void C::MyInspector(object, string)
 *                                            ret
 *
 * An inspector is the public static methods of one public class of an assembly. For a value of type
 * T the library takes the first of these that the class has:
 *
 *   void MyInspector(T ...)             exactly this type; no box
 *   void MyInspector<U>(U ...)          any type; no box. May also be called Inspect
 *   void MyInspector(object ...)        boxed
 *
 *   ... is nothing, or one of: string (the name, "Namespace.Type::Method"), long (the id),
 *       RuntimeMethodHandle; ilp_rule_action.pass says which
 *
 * A method that returns the type that it takes replaces the value. An inspector that takes
 * arguments has `object MyArguments(object[])` or `(object[], string)` as well, which is called at
 * entry, and forms of MyInspector with one more parameter, an object: they get at the return what
 * MyArguments returned at entry. One that takes exceptions has methods MyException, which take them
 * as objects, and then what MyInspector takes.
 *
 * docs/INSPECTORS.md has the whole of it, and data/inspector/ the stock inspector. A native
 * function may take the place of an assembly: see struct ilp_native.
 *
 * Example: an assembly that is an inspector, and one that is not.
 *
 *     const char *const files[] = {"data/inspector/MyProfiler.dll", "samples/Shop.exe"};
 *     for (unsigned i = 0; i < 2; i++) {
 *         struct ilp_bytes bytes = read_file(files[i]);
 *         struct ilp_image *assembly;
 *         struct ilp_inspector *inspector;
 *
 *         check(ilp_image_open(&assembly, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *         ilp_status status = ilp_inspector_open(&inspector, assembly, NULL, &error);
 *         printf("%s: %s\n", files[i], ilp_status_name(status));
 *         ilp_inspector_close(inspector);
 *         ilp_image_close(assembly);
 *         free((void *)bytes.data);
 *     }
 *
 * Prints:
 *
 *     data/inspector/MyProfiler.dll: OK
 *     samples/Shop.exe: BAD_INSPECTOR
 */

/* What is called with each returned value. Only read once it is open: threads and rewriters may
 * share it. */
struct ilp_inspector;

/* Reads an inspector's identity and methods from its assembly, which is borrowed until
 * ilp_inspector_close(). *out is owned; NULL after a failure.
 *
 *   ILP_E_BAD_INSPECTOR  a module without an Assembly row; no public class with such a method, and
 *                        then the message says what is wrong with the nearest one; more than one
 *                        such class; two methods for the same
 *   ILP_E_NO_MEMORY      out of memory
 */
ILP_API ilp_status ilp_inspector_open(struct ilp_inspector **out, struct ilp_image *assembly,
                                      const struct ilp_allocator *allocator,
                                      struct ilp_error *error);

/* An inspector that is a native function. `native` and its names are copied. *out is owned; NULL
 * after a failure. Whether the function is there is known only when the program runs.
 *
 *   ILP_E_BAD_INSPECTOR  a library or symbol that is empty, too long or no UTF-8, so that metadata
 *                        cannot hold it
 *   ILP_E_NO_MEMORY      out of memory
 */
ILP_API ilp_status ilp_inspector_open_native(struct ilp_inspector **out,
                                             const struct ilp_native *native,
                                             const struct ilp_allocator *allocator,
                                             struct ilp_error *error);

/* Releases the inspector. What was opened with it has to be closed before. */
ILP_API void ilp_inspector_close(struct ilp_inspector *inspector);

/* Where a program is checked for what an inspector uses, and who gets what is missing. */
struct ilp_needs {
    bool embed; /* it is copied into the module, whose own core library is used then */
    /* the program brings all its assemblies: what the resolver does not find is not there */
    bool closed;
    void *user;
    /* Gets each assembly, type and member that is used and missing: "assembly mscorlib",
     * "System.Threading.Timer", "instance void System.Threading.Thread::Interrupt()". The text is
     * valid during the call. */
    void (*missing)(void *user, const char *what);
    uint64_t reserved[2]; /* zero */
};

/* Whether a program has what an inspector uses: a trimmed one may have lost it. Follows the code of
 * the methods that can be called, through the inspector's assembly, and looks up what it uses of
 * others. `image` is the module that is patched. Assemblies that the resolver does not find count
 * as complete, unless the program is closed. ILP_OK also when something is missing, which
 * needs->missing gets, and where nothing can be checked: without a resolver, and for a native
 * function. What cannot be read in the inspector is left out. Fails with ILP_E_NO_MEMORY alone. */
ILP_API ilp_status ilp_inspector_check_needs(const struct ilp_inspector *inspector,
                                             struct ilp_image *image,
                                             const struct ilp_resolver *resolver,
                                             const struct ilp_needs *needs,
                                             const struct ilp_allocator *allocator,
                                             struct ilp_error *error);

/* ---- make tokens for new code: ilp_emitter(3) ------------------------------------------------ *
 *
 * New IL refers to an inspector by tokens. Where the rows for these are made depends on where the
 * module is: in a file that is being changed, or in a process. The rewriter does not know; it calls
 * an emitter:
 *
 *   rewriter --- assembly_ref, type_ref, member_ref, user_string ...
 *                   |
 *                   +--> struct ilp_file_emitter --> rows and entries of a struct ilp_edit
 *                   +--> a profiler's emitter    --> IMetaDataEmit::DefineMemberRef() ...
 *
 * examples/profiler-cpp/emitter.h has one for ICorProfiler; docs/profiler-authors.md goes through
 * it.
 *
 * Example: a reference to a type, which is there already, and to one that is not.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_edit *edit;
 *     struct ilp_file_emitter *file;
 *     ilp_token object, version;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_edit_open(&edit, image, NULL, &error));
 *     check(ilp_file_emitter_open(&file, edit, &error));
 *     const struct ilp_emitter *emitter = ilp_file_emitter_interface(file);
 *     ilp_token mscorlib = ILP_TOKEN(ILP_AssemblyRef, 1);
 *     check(emitter->type_ref(emitter->user, mscorlib, "System", "Object", &object, &error));
 *     check(emitter->type_ref(emitter->user, mscorlib, "System", "Version", &version, &error));
 *     uint32_t old = ilp_row_count(image, ILP_TypeRef);
 *     printf("%s, %s\n", ILP_TOKEN_RID(object) <= old ? "old" : "new",
 *            ILP_TOKEN_RID(version) <= old ? "old" : "new");
 *     ilp_file_emitter_close(file);
 *     ilp_edit_close(edit);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     old, new
 */

/* A static method that is in a library (II.15.5.2): PreserveSig, cdecl, alone in a class of the
 * module that is not public. */
struct ilp_pinvoke {
    const char *name_space;
    const char *type_name;
    const char *library;
    const char *symbol;
    struct ilp_bytes signature;
    ilp_token object; /* what the class extends */
    /* the constructor of an attribute without arguments for the method, or 0 */
    ilp_token attribute;
    uint64_t reserved[2]; /* zero */
};

/* Makes tokens. Each function finds an existing row or entry, or makes one, and sets *token.
 * Arguments are borrowed during the call. A token is requested only when it will be used: what is
 * refused leaves no rows.
 *
 * ILP_E_TOO_LARGE and ILP_E_TOO_MANY leave one method as it is, with ILP_REASON_LIMIT. Any other
 * status ends the work and is returned by the rewriter. method_spec may be NULL where no inspector
 * has a generic method, standalone_sig where no action has a guard and no inspector is native,
 * pinvoke where none is a P/Invoke: else that is ILP_E_MISUSE. */
struct ilp_emitter {
    void *user;
    ilp_status (*assembly_ref)(void *user, const struct ilp_assembly_name *name, ilp_token *token,
                               struct ilp_error *error);
    /* scope: an AssemblyRef, or a TypeRef that encloses it */
    ilp_status (*type_ref)(void *user, ilp_token scope, const char *name_space, const char *name,
                           ilp_token *token, struct ilp_error *error);
    ilp_status (*member_ref)(void *user, ilp_token parent, const char *name,
                             struct ilp_bytes signature, ilp_token *token, struct ilp_error *error);
    ilp_status (*type_spec)(void *user, struct ilp_bytes signature, ilp_token *token,
                            struct ilp_error *error);
    ilp_status (*method_spec)(void *user, ilp_token method, struct ilp_bytes instantiation,
                              ilp_token *token, struct ilp_error *error);
    ilp_status (*standalone_sig)(void *user, struct ilp_bytes signature, ilp_token *token,
                                 struct ilp_error *error);
    ilp_status (*user_string)(void *user, struct ilp_bytes utf8, ilp_token *token,
                              struct ilp_error *error);
    ilp_status (*pinvoke)(void *user, const struct ilp_pinvoke *method, ilp_token *token,
                          struct ilp_error *error);
    void (*reserved[4])(void); /* NULL */
};

/* An emitter that adds rows to an edit. The edit is borrowed, and its allocator is used: close the
 * emitter before the edit. The interface is borrowed from the emitter. *out is owned; NULL after a
 * failure, which is ILP_E_NO_MEMORY alone. Rows of the image are found by hash, after they were
 * gone through once per table. */
struct ilp_file_emitter;
ILP_API ilp_status ilp_file_emitter_open(struct ilp_file_emitter **out, struct ilp_edit *edit,
                                         struct ilp_error *error);
ILP_API const struct ilp_emitter *
ilp_file_emitter_interface(const struct ilp_file_emitter *emitter);
ILP_API void ilp_file_emitter_close(struct ilp_file_emitter *emitter);

/* ---- rewrite methods one by one: ilp_rewriter(3) --------------------------------------------- *
 *
 * For those who meet methods one at a time, as a profiler does, or choose them by themselves. A
 * rewriter takes the methods that its caller says; an inspection adds the selection by rules:
 *
 *   a method, its body --> ilp_inspect_method():  rules select it, or not
 *                            ilp_rewrite_method():  what is returned, can it be inspected, where
 *                              struct ilp_emitter:    tokens for the calls
 *                          --> struct ilp_method_result: a reason, counts, the new body
 *
 * That a method is not inspected is an outcome: result->reason says why, and ilp_reason_kind()
 * whether that is as it should be. A status other than ILP_OK says that the work cannot go on:
 * memory, or the emitter. The rewriter stays usable after either.
 *
 * The result and the body are in the rewriter, and are valid until its next call. The body is for
 * ilp_edit_set_body() or the runtime's SetILFunctionBody().
 *
 * Example: one method, before and after.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_bytes from = read_file("data/inspector/MyProfiler.dll");
 *     struct ilp_bytes own = {NULL, 0};
 *     struct ilp_image *image, *assembly;
 *     struct ilp_inspector *inspector;
 *     struct ilp_edit *edit;
 *     struct ilp_file_emitter *emitter;
 *     struct ilp_rewriter *rewriter;
 *     struct ilp_method_result result;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_image_open(&assembly, from, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_inspector_open(&inspector, assembly, NULL, &error));
 *     check(ilp_edit_open(&edit, image, NULL, &error));
 *     check(ilp_file_emitter_open(&emitter, edit, &error));
 *     const struct ilp_inspector *const inspectors[] = {inspector};
 *     struct ilp_request request = {.inspectors = inspectors, .inspector_count = 1};
 *     check(ilp_rewriter_open(&rewriter, image, &request, ilp_file_emitter_interface(emitter),
 *                             &error));
 *
 *     const ilp_token methods[] = {0x06000005, 0x06000008};
 *     for (unsigned i = 0; i < 2; i++) {
 *         check(ilp_rewrite_method(rewriter, methods[i], NULL, own, &result, &error));
 *         printf("%08X: %s", methods[i], ilp_reason_code(result.reason));
 *         if (result.body.size != 0) {
 *             printf(", %u of %u rets, %u bytes became %zu", result.inspected, result.rets,
 *                    result.old_size, result.body.size);
 *             check(ilp_edit_set_body(edit, ILP_TOKEN_RID(methods[i]), result.body, &error));
 *         }
 *         printf("\n");
 *     }
 *     ilp_rewriter_close(rewriter);
 *     ilp_file_emitter_close(emitter);
 *     ilp_edit_close(edit);
 *     ilp_inspector_close(inspector);
 *     ilp_image_close(assembly);
 *     ilp_image_close(image);
 *     free((void *)from.data);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     06000005: inspected, 1 of 1 rets, 50 bytes became 77
 *     06000008: void
 */

/* The outcome for a method, with its code; ilpatch/reasons.def has the sentences. Later versions
 * may add reasons below ILP_REASON_ROOM: make arrays that are indexed by a reason of that size. */
enum ilp_reason {
    ILP_REASON_INSPECTED = 0,          /* inspected */
    ILP_REASON_ASYNC_RESULT = 1,       /* async-result */
    ILP_REASON_SETS_RESULT = 2,        /* sets-result */
    ILP_REASON_ITERATOR = 3,           /* iterator */
    ILP_REASON_YIELDS = 4,             /* yields */
    ILP_REASON_EXCEPTIONS = 5,         /* exceptions-only */
    ILP_REASON_NOT_SELECTED = 6,       /* not-selected */
    ILP_REASON_EXCLUDED = 7,           /* excluded */
    ILP_REASON_UNDECIDED = 8,          /* undecided */
    ILP_REASON_VOID = 9,               /* void */
    ILP_REASON_NO_BODY = 10,           /* no-body */
    ILP_REASON_NATIVE = 11,            /* native */
    ILP_REASON_ALREADY = 12,           /* already-inspected */
    ILP_REASON_INSPECTOR = 13,         /* inspector-method */
    ILP_REASON_ITERATOR_PART = 14,     /* iterator-part */
    ILP_REASON_NO_RETURN = 15,         /* no-return */
    ILP_REASON_UNKNOWN_ITERATOR = 16,  /* unknown-iterator */
    ILP_REASON_BYREF = 17,             /* byref */
    ILP_REASON_POINTER = 18,           /* pointer */
    ILP_REASON_TASK = 19,              /* task */
    ILP_REASON_BYREF_LIKE = 20,        /* byref-like */
    ILP_REASON_ALLOWS_REF = 21,        /* allows-ref-struct */
    ILP_REASON_MANAGED_REFERENCE = 22, /* managed-reference */
    ILP_REASON_NEVER = 23,             /* never-inspected */
    ILP_REASON_NO_OVERLOAD = 24,       /* no-overload */
    ILP_REASON_UNRESOLVED = 25,        /* unresolved */
    ILP_REASON_TAIL_CALL = 26,         /* tail-call */
    ILP_REASON_NO_CORE_LIBRARY = 27,   /* no-core-library */
    ILP_REASON_BAD_SIGNATURE = 28,     /* bad-signature */
    ILP_REASON_BAD_BODY = 29,          /* bad-body */
    ILP_REASON_LIMIT = 30,             /* limit */
    ILP_REASON_NOT_VERIFIED = 31,      /* not-verified */
    ILP_REASON_ROOM = 128
};

/* Whether something is to be done about an outcome. */
enum ilp_reason_kind {
    ILP_REASON_DONE,     /* what was requested was done */
    ILP_REASON_LEFT_OUT, /* no rule selects the method, or one excludes it */
    ILP_REASON_NOTHING,  /* there is nothing to inspect, or it was inspected before */
    ILP_REASON_SKIPPED,  /* left as it is by default: a rule or another inspector changes that */
    ILP_REASON_REFUSED   /* it was requested, but cannot be done for this method */
};

/* The kind, the code and the sentence of an outcome, as ilpatch/reasons.def has them. */
ILP_API enum ilp_reason_kind ilp_reason_kind(enum ilp_reason reason);
ILP_API const char *ilp_reason_code(enum ilp_reason reason); /* "byref-like"; static storage */
ILP_API const char *ilp_reason_text(enum ilp_reason reason); /* a sentence; static storage */

/* What became of an explicit tail call before ret (docs/TAIL.md). */
enum ilp_tail_decision {
    ILP_TAIL_KEPT,      /* as was requested */
    ILP_TAIL_KEPT_LOOP, /* tail calls lead from it back to its method: the stack would grow */
    /* where they lead is not known: another assembly, calli, a virtual method */
    ILP_TAIL_KEPT_UNKNOWN,
    ILP_TAIL_STRIPPED /* the prefix is gone, and the value is inspected */
};

/* "kept", "kept-loop", "kept-unknown", "stripped"; static storage. */
ILP_API const char *ilp_tail_word(enum ilp_tail_decision decision);

/* One such call. */
struct ilp_tail_site {
    uint32_t offset; /* of the call, in the old code */
    enum ilp_tail_decision decision;
    uint64_t reserved[1]; /* zero */
};

/* An argument of a method whose entry a native function is called at. */
struct ilp_passed_argument {
    const char *name; /* "": it has none that can be written */
    /* a word for what is not passed: "out", "pointer", "{...}", "unknown"; NULL: it is */
    const char *withheld;
    struct ilp_bytes type; /* of what is passed, in a signature of the image */
    bool reference;        /* a reference to it is passed: a parameter by reference */
    bool self;             /* it is `this` */
    bool unknown;          /* withheld, since an async method does not hold it any more */
    uint64_t reserved[2];  /* zero */
};

/* What became of one method. The struct is the caller's; what it points to is borrowed from the
 * rewriter until its next call. */
struct ilp_method_result {
    enum ilp_reason reason;
    char detail[240]; /* more about a refusal or an unresolved type; "" if there is none */
    /* that decided about it; ILP_NO_RULE: none, or there were no rules */
    uint32_t rule;
    uint32_t rets;       /* ret instructions in the body */
    uint32_t inspected;  /* of them, how many inspect now */
    uint32_t already;    /* did so before */
    uint32_t tail_calls; /* are after `tail. call` and stay as they are */
    /* were after `tail. call`, whose prefix was taken away, and inspect now */
    uint32_t stripped;
    uint32_t unreachable;                   /* cannot be reached and stay as they are */
    const struct ilp_tail_site *tail_sites; /* tail_calls + stripped of them, by rising offsets */
    size_t tail_site_count;
    uint32_t jumps; /* jmp instructions: exits that cannot be inspected */
    bool boxed;     /* the value is boxed on the way */
    uint8_t passes; /* ILP_PASS_*: what the inspector gets besides the value */
    /* what it gets with ILP_PASS_ID; 0: it does not, or no body was made */
    int64_t id;
    bool nameless;     /* it gets the id, since #US has no room for the name */
    bool arguments;    /* it gets the arguments at entry, */
    bool at_end;       /* or, of an async method, right before its result or exception, */
    uint32_t withheld; /* but so many, which cannot be objects, have no value yet, or no more */
    /* why it does not get those of an async method's result, though that was requested: a word;
     * NULL: it does, or it was not */
    const char *without_arguments;
    bool native; /* a native function gets the value's address and size */
    /* native: it gets the thread after the value, but for one of get_CurrentThread() itself; false
     * also where the module's core library was not found, or has no such method */
    bool thread;
    bool replaces; /* what the inspector returns takes the value's place */
    /* old instructions have other offsets in the new body; else debuggers need no map */
    bool moved;
    bool exceptions; /* the inspector gets exceptions that leave the method */
    /* why it does not get them, though that was requested: a word; NULL: it does, or it was not */
    const char *without_exceptions;
    /* native: the type of what it gets, in a signature of the image; for the rewriter's life */
    struct ilp_bytes value;
    /* native, with arguments: all of them */
    const struct ilp_passed_argument *passed;
    uint32_t passed_count;
    uint32_t old_size; /* of the whole body, header and sections included */
    /* the new body; empty unless the values are inspected here (INSPECTED, SETS_RESULT, YIELDS) and
     * tokens were made */
    struct ilp_bytes body;
    uint64_t reserved[8]; /* zero */
};

/* How an inspector is switched off in a running process when it has thrown an exception: before
 * each call the byte at `flag` is read, and if it is not 0, the inspector is not called. `threw`, a
 * function by the managed convention, gets the exception (NULL: it is no System.Exception) and
 * `number`, and sets that byte. Addresses in the process; flag 0: it cannot be switched off. */
struct ilp_off_switch {
    uint64_t flag;
    uint64_t threw;
    int64_t number;
    bool is_usual; /* where no rule says on-throw or guard; else the exception leaves the method */
    uint64_t reserved[2]; /* zero */
};

/* Rewrites the methods of one image, one after the other. */
struct ilp_rewriter;

/* What should be done. All that is not said is zero. All is borrowed by what is opened with it,
 * until that is closed; the struct itself may go away. */
struct ilp_request {
    /* [0] is the default; then as ilp_rules_inspector() */
    const struct ilp_inspector *const *inspectors;
    size_t inspector_count; /* 1 at least */
    /* NULL, or what is called instead of each inspector that is an assembly: a native function, for
     * which rules' pass and guard do not count */
    const struct ilp_inspector *stand_in;
    const struct ilp_off_switch *off_switches; /* NULL, or one for each of `inspectors` */
    const struct ilp_rules *rules;             /* NULL: every method */
    /* NULL: value types of other assemblies are known only by data/known_types.def */
    const struct ilp_resolver *resolver;
    const struct ilp_allocator *allocator; /* may be NULL */
    unsigned target;                       /* ILP_TARGET_* */
    /* of the image, among all whose ids should differ: the id of a method is module_number << 32 |
     * its token. 0: no ids, and then an action that passes them, or a native inspector, is
     * ILP_E_MISUSE where tokens are made. Where it is given, a name that #US has no room for is
     * replaced by the id if the inspector takes one */
    uint32_t module_number;
    /* copy the inspectors into the module instead of referring to them; ilp_inspect_returns() alone
     * does it */
    bool embed;
    /* NULL, or the symbols that ilp_inspect_returns() calls ilp_symbols_move() for */
    struct ilp_symbols *symbols;
    /* how many threads ilp_inspect_returns() works with, the caller's among them; 0 and 1: that
     * alone. See there */
    unsigned threads;
    uint64_t reserved[8]; /* zero */
};

/* Opens a rewriter. Image, emitter and what the request refers to are borrowed until
 * ilp_rewriter_close(). emitter may be NULL: then methods are decided and checked, but no body is
 * made. Of request->rules only the inspectors that they need are checked: which methods are
 * rewritten is the caller's to say. *out is owned; NULL after a failure.
 *
 *   ILP_E_SELF_INSPECTION  the image is the inspector, or what the inspector uses refers to it, so
 *                          that it would call itself without end
 *   ILP_E_CORE_LIBRARY     a core library cannot refer to an inspector; only with an emitter,
 *                          without request->embed, and not for native functions
 *   ILP_E_BAD_INSPECTOR    an inspector lacks a form that a rule needs, or needs another framework
 *                          than the image
 *   ILP_E_MISUSE           a rule has an inspector that request->inspectors does not have
 *   ILP_E_NO_MEMORY        out of memory
 */
ILP_API ilp_status ilp_rewriter_open(struct ilp_rewriter **out, struct ilp_image *image,
                                     const struct ilp_request *request,
                                     const struct ilp_emitter *emitter, struct ilp_error *error);

/* Releases the rewriter with its last result. */
ILP_API void ilp_rewriter_close(struct ilp_rewriter *rewriter);

/* Decides about one MethodDef and rewrites it as `action` says (NULL: the defaults). `body` is
 * the method's body as it is in memory, header included, or empty: then the image's is taken. Its
 * tokens have to be rows of the image: a body that uses rows added since is ILP_REASON_BAD_BODY. A
 * new body that has a fat header (II.25.4.3) must be put at a multiple of 4.
 *
 *   ILP_E_MISUSE     `method` is no MethodDef of the image; the action needs an inspector or a
 *                    form that is not there; with an emitter, ids without request->module_number
 *   ILP_E_NO_MEMORY  out of memory
 *
 * Other statuses are the emitter's. */
ILP_API ilp_status ilp_rewrite_method(struct ilp_rewriter *rewriter, ilp_token method,
                                      const struct ilp_rule_action *action, struct ilp_bytes body,
                                      struct ilp_method_result *result, struct ilp_error *error);

/* The async method of which `method` is the MoveNext of the state machine, or the iterator whose
 * state machine it belongs to; *kickoff is 0 when there is none. Compilers say so with
 * AsyncStateMachineAttribute, IteratorStateMachineAttribute or AsyncIteratorStateMachineAttribute.
 * With ILP_ASYNC_RESULT or ILP_ITERATORS_CURRENT such a method is rewritten by the action of
 * that kickoff method: in MoveNext the value is inspected where the builder's SetResult is called,
 * or where it returns that there is a value, under the kickoff method's name. Fails with
 * ILP_E_NO_MEMORY alone. */
ILP_API ilp_status ilp_rewriter_kickoff(struct ilp_rewriter *rewriter, ilp_token method,
                                        ilp_token *kickoff, struct ilp_error *error);

/* Where the instructions of the last method went, when its result had a body: one entry per old
 * instruction and one for the end of the code, by rising offsets, as ilp_symbols_move() and
 * ICorProfilerInfo::SetILInstrumentedCodeMap() take it. Borrowed until the next call.
 *
 *   ILP_E_MISUSE     the last method was not rewritten
 *   ILP_E_NO_MEMORY  out of memory
 */
ILP_API ilp_status ilp_rewriter_map(struct ilp_rewriter *rewriter, const struct ilp_il_map **map,
                                    size_t *count, struct ilp_error *error);

/* Rules and rewriter in one: what ilp_inspect_returns() does with each method. */
struct ilp_inspection;

/* As ilp_rewriter_open() and, with request->rules, ilp_selector_open(). */
ILP_API ilp_status ilp_inspection_open(struct ilp_inspection **out, struct ilp_image *image,
                                       const struct ilp_request *request,
                                       const struct ilp_emitter *emitter, struct ilp_error *error);

/* Releases the inspection with its rewriter and selector. */
ILP_API void ilp_inspection_close(struct ilp_inspection *inspection);

/* Its rewriter, for ilp_rewriter_map(). Borrowed. */
ILP_API struct ilp_rewriter *ilp_inspection_rewriter(const struct ilp_inspection *inspection);

/* Selects, and rewrites what is included; `body`, the result and statuses as in
 * ilp_rewrite_method(). A method of a state machine is selected by its kickoff method where the
 * rules want that. What is not included is ILP_REASON_NOT_SELECTED, ILP_REASON_EXCLUDED or
 * ILP_REASON_UNDECIDED. */
ILP_API ilp_status ilp_inspect_method(struct ilp_inspection *inspection, ilp_token method,
                                      struct ilp_bytes body, struct ilp_method_result *result,
                                      struct ilp_error *error);

/* ---- show what all methods of an image return: ilp_inspect(3) -------------------------------- *
 *
 * What `ilpatch --inspect-returns` does with an assembly, in one call between opening an edit and
 * writing it:
 *
 *   ilp_image_open() -> ilp_edit_open() -> ilp_inspect_returns() -> ilp_symbols_write()
 *                                                                -> ilp_edit_write()
 *
 * Each method is decided by itself: that one cannot be inspected does not keep the others from it.
 * src/inspect/apply.c goes through the methods; docs/ARCHITECTURE.md follows one file all the way.
 *
 * Example: a patched program.
 *
 *     static ilp_status count(void *user, ilp_token method, const struct ilp_method_result *result,
 *                             struct ilp_error *why)
 *     {
 *         (void)method, (void)why;
 *         ((unsigned *)user)[result->reason == ILP_REASON_INSPECTED]++;
 *         return ILP_OK;
 *     }
 *
 *     int main(void)
 *     {
 *         struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *         struct ilp_bytes from = read_file("data/inspector/MyProfiler.dll");
 *         struct ilp_image *image, *assembly;
 *         struct ilp_inspector *inspector;
 *         struct ilp_edit *edit;
 *         struct ilp_write_info info;
 *         FILE *file = fopen("Patched.exe", "wb");
 *         struct ilp_sink sink = {file, write_bytes};
 *         unsigned counts[2] = {0, 0};
 *
 *         check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *         check(ilp_image_open(&assembly, from, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *         check(ilp_inspector_open(&inspector, assembly, NULL, &error));
 *         check(ilp_edit_open(&edit, image, NULL, &error));
 *         const struct ilp_inspector *const inspectors[] = {inspector};
 *         struct ilp_request request = {.inspectors = inspectors, .inspector_count = 1};
 *         struct ilp_report report = {counts, count};
 *         check(ilp_inspect_returns(image, edit, &request, &report, &error));
 *         check(ilp_edit_write(edit, NULL, &sink, &info, &error));
 *         printf("%u inspected, %u left as they are\n", counts[1], counts[0]);
 *         printf("%s\n", info.mvid_kept ? "the same MVID" : "another MVID");
 *         fclose(file);
 *         ilp_edit_close(edit);
 *         ilp_inspector_close(inspector);
 *         ilp_image_close(assembly);
 *         ilp_image_close(image);
 *         free((void *)from.data);
 *         free((void *)bytes.data);
 *     }
 *
 * Prints:
 *
 *     7 inspected, 2 left as they are
 *     another MVID
 */

/* Gets the outcome of each method, in the order of the table. `method` may be NULL. The result is
 * borrowed during the call. A status other than ILP_OK ends the work and is returned. */
struct ilp_report {
    void *user;
    ilp_status (*method)(void *user, ilp_token method, const struct ilp_method_result *result,
                         struct ilp_error *error);
};

/* Rewrites every method of the image that the rules include into `edit`, an edit of this image,
 * and renews the MVID when anything was changed (ilp_edit_renew_mvid()). With edit NULL
 * everything is decided and nothing changed. report may be NULL. With request->embed the classes
 * of the inspectors, and what they need of their assemblies, are copied into the module
 * (docs/INSPECTORS.md, Embedding). After a failure the edit is half changed: close it. Fails as
 * ilp_image_can_be_written(), ilp_rewriter_open() and ilp_selector_open(), as the report does,
 * and with:
 *
 *   ILP_E_CANNOT_EMBED  what an inspector needs cannot be copied, or is not in the module's core
 *                       library; found before the first change
 *   ILP_E_MISUSE        the edit is of another image
 *   ILP_E_NO_MEMORY     out of memory
 *
 * Threads. With request->threads above 1, so many work, the caller's among them, and end before the
 * call does; one that cannot be started is no error. The edit, the outcomes and their order, and
 * the symbols are those of one thread.
 *   - The report, and all changes of the edit and the symbols, come from the caller's thread.
 *   - Callbacks of the resolver come from any thread, one at a time, in an order that differs from
 *     run to run, and open_symbols once. Several threads use the images that it returns, so
 *     ilp_image_index() comes before it returns them.
 *   - The allocator's hook is called by several threads at once.
 *   - request->embed and native inspectors are for one thread: then the caller's does all. */
ILP_API ilp_status ilp_inspect_returns(struct ilp_image *image, struct ilp_edit *edit,
                                       const struct ilp_request *request,
                                       const struct ilp_report *report, struct ilp_error *error);

/* ---- explicit tail calls (III.2.4): ilp_tail(3) ---------------------------------------------- *
 *
 * A call with the prefix `tail.` before ret gives up the frame of its caller. After it nothing of
 * the method runs, so what it returns is not seen there. These functions show such calls and change
 * them for their own sake; what an inspection does with them is ilp_rule_action.tail_calls:
 *
 *   call X; ret          ILP_TAIL_ADD    -> tail. call X; ret
 *   tail. call X; ret    ILP_TAIL_STRIP  -> nop; nop; call X; ret
 *
 * Without the prefix a recursion by tail calls grows the stack. The decision for each call says
 * whether the calls lead back to its method: ILP_TAIL_STRIPPED: they do not, as far as this image
 * shows. Where `tail.` may be added is III.2.4 and what runtimes require besides: no pointers into
 * the frame in arguments, no protected block, no localloc, no synchronized method (docs/TAIL.md).
 * What is not known for sure is an obstacle.
 *
 * An editor goes from method to method. What it returns is valid until its next call.
 *
 * Example: calls that may become tail calls.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_tail_editor *editor;
 *     const struct ilp_tail_call *calls;
 *     struct ilp_bytes body;
 *     size_t count;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_tail_editor_open(&editor, image, NULL, NULL, &error));
 *     for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
 *         check(ilp_tail_calls(editor, rid, &calls, &count, &error));
 *         for (size_t i = 0; i < count; i++) {
 *             printf("%u IL_%04x: %s\n", rid, calls[i].offset,
 *                    calls[i].obstacle ? calls[i].obstacle : "can be a tail call");
 *         }
 *         check(ilp_tail_change(editor, ILP_TAIL_ADD, &body, &error));
 *         if (body.size != 0) {
 *             printf("%u has a body of %zu bytes now\n", rid, body.size);
 *         }
 *     }
 *     ilp_tail_editor_close(editor);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     2 IL_0011: can be a tail call
 *     2 has a body of 26 bytes now
 *     3 IL_0009: can be a tail call
 *     3 has a body of 18 bytes now
 *     4 IL_002b: can be a tail call
 *     4 has a body of 63 bytes now
 *     7 IL_0016: can be a tail call
 *     7 has a body of 31 bytes now
 *     8 IL_004f: can be a tail call
 *     8 has a body of 99 bytes now
 */

/* What there is before ret. */
enum ilp_tail_kind {
    ILP_TAIL_PREFIXED, /* a call with the prefix */
    ILP_TAIL_JMP,      /* jmp (III.3.37), which is a tail call by itself, and cannot be changed */
    ILP_TAIL_PLAIN     /* a call right before a ret, without the prefix */
};

/* One call, as ilp_tail_calls() finds it. */
struct ilp_tail_call {
    uint32_t offset;  /* of the call or jmp, in the code */
    ilp_token callee; /* a method, or the StandAloneSig of calli */
    enum ilp_tail_kind kind;
    enum ilp_tail_decision decision; /* of a prefixed one: whether the prefix may go */
    /* of a plain one: why it can have no prefix, static storage; NULL: it can */
    const char *obstacle;
    uint64_t reserved[2]; /* zero */
};

/* What is done with the prefix. */
enum ilp_tail_edit {
    ILP_TAIL_ADD,   /* to all plain calls without an obstacle */
    ILP_TAIL_STRIP, /* from all prefixed ones */
    /* from those whose decision is ILP_TAIL_STRIPPED: the stack stays bounded without it */
    ILP_TAIL_STRIP_AUTO
};

/* Goes through the methods of one image. All arguments are borrowed until ilp_tail_editor_close();
 * the resolver may be NULL: then calls whose parameters depend on other assemblies have an
 * obstacle. *out is owned; NULL after a failure, which is ILP_E_NO_MEMORY alone. */
struct ilp_tail_editor;
ILP_API ilp_status ilp_tail_editor_open(struct ilp_tail_editor **out, struct ilp_image *image,
                                        const struct ilp_resolver *resolver,
                                        const struct ilp_allocator *allocator,
                                        struct ilp_error *error);

/* Releases the editor, and what it returned last. */
ILP_API void ilp_tail_editor_close(struct ilp_tail_editor *editor);

/* The calls of a MethodDef by rising offsets, *count of them, borrowed until the next call; none
 * where it has no IL, or is not there. The editor stays usable after a failure.
 *
 *   ILP_E_BAD_BODY       the body, or its stack, is not valid: as ilp_body_read(),
 *                        ilp_code_decode() and ilp_body_stack(), with the statuses that these have
 *   ILP_E_TOO_LARGE      the method needs more memory than the image and 10 MB, or methods share
 *                        bodies of more than 4 times the image
 *   ILP_E_NO_MEMORY      out of memory
 */
ILP_API ilp_status ilp_tail_calls(struct ilp_tail_editor *editor, ilp_rid method,
                                  const struct ilp_tail_call **calls, size_t *count,
                                  struct ilp_error *error);

/* Changes the method that ilp_tail_calls() was last called for, once: after a change its calls
 * are others, and ilp_tail_calls() still reads those of the image. *body is the new body, for
 * ilp_edit_set_body(), borrowed until the next call; empty if there is nothing to change. Fails
 * with ILP_E_TOO_LARGE and ILP_E_NO_MEMORY, as there. */
ILP_API ilp_status ilp_tail_change(struct ilp_tail_editor *editor, enum ilp_tail_edit edit,
                                   struct ilp_bytes *body, struct ilp_error *error);

/* Where the instructions of that body went: as ilp_symbols_move() takes it, which is an empty map
 * where none moved, as after a strip. Borrowed until the next call. Fails with ILP_E_NO_MEMORY
 * alone. */
ILP_API ilp_status ilp_tail_map(struct ilp_tail_editor *editor, const struct ilp_il_map **map,
                                size_t *count, struct ilp_error *error);

/* ---- verify metadata and code: ilp_verify(3) ------------------------------------------------- *
 *
 * The verifier checks what ECMA-335 requires of metadata (II.22), signatures (II.23.2) and code
 * (III.1.8), and proves types on the evaluation stack. It is for assemblies that were changed: one
 * that compilers make has few findings, and ilp_verify_change() leaves those out.
 *
 *   ilp_verify():         tables -> rows -> signatures -> methods by token, code by offset
 *                                                  |
 *                                                  v
 *                                    finding(): code, class, token, offset, message
 *
 * That something is wrong is a finding, not a status. docs/VERIFY.md has all codes; src/verify/ has
 * the checks.
 *
 * Example: what is wrong with an assembly.
 *
 *     static ilp_status print(void *user, const struct ilp_verify_finding *finding,
 *                             struct ilp_error *why)
 *     {
 *         (void)user, (void)why;
 *         printf("%08X IL_%04x: %s: %s\n", finding->token, finding->offset, finding->code,
 *                finding->message);
 *         return ILP_OK;
 *     }
 *
 *     int main(void)
 *     {
 *         struct ilp_bytes bytes = read_file("tests/files/verify/bad-box-type.dll");
 *         struct ilp_image *image;
 *         struct ilp_findings_sink sink = {.finding = print};
 *
 *         check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *         check(ilp_verify(image, NULL, &sink, NULL, &error));
 *         ilp_image_close(image);
 *         free((void *)bytes.data);
 *     }
 *
 * Prints:
 *
 *     06000001 IL_0001: box-type: box of int32*
 *     06000001 IL_0001: pointer-mix: what is boxed: int32& where int32* is expected
 */

/* How bad a finding is. */
enum ilp_finding_class {
    ILP_FINDING_ERROR,   /* not valid */
    ILP_FINDING_WARNING, /* not as ECMA-335 has it, but runtimes take it */
    /* correct, but not to be proved type-safe: unmanaged pointers, for one */
    ILP_FINDING_UNVERIFIABLE,
    ILP_FINDING_UNKNOWN /* could not be checked: a type it depends on cannot be found */
};

/* One thing that is wrong. Borrowed during the call. */
struct ilp_verify_finding {
    const char *code; /* "type-mismatch", see docs/VERIFY.md; static storage */
    const char *text; /* what the code means, with the clause; static storage */
    enum ilp_finding_class kind;
    ilp_token token;      /* the row it is about: for code the MethodDef */
    uint32_t offset;      /* in the method's code, UINT32_MAX for all else */
    char message[240];    /* what exactly; may hold names, and so any bytes */
    uint64_t reserved[4]; /* zero */
};

/* Gets the findings. */
struct ilp_findings_sink {
    void *user;
    /* Which MethodDefs are looked at. NULL: all of them, and the tables and signatures besides. */
    bool (*wanted)(void *user, ilp_token method);
    /* Takes a finding; what it returns other than ILP_OK ends the work. */
    ilp_status (*finding)(void *user, const struct ilp_verify_finding *finding,
                          struct ilp_error *error);
};

/* Verifies an image. Findings come in the same order for the same files. resolver may be NULL; what
 * depends on types that it does not find is ILP_FINDING_UNKNOWN. A reference to an assembly of the
 * image's own name means the image itself. Takes time and memory in proportion to the image: 24
 * steps for each byte and 2^22 (SECURITY.md). Image and resolver are borrowed during the call.
 *
 *   ILP_E_NO_MEMORY  out of memory
 *
 * Other statuses are the sink's. */
ILP_API ilp_status ilp_verify(struct ilp_image *image, const struct ilp_resolver *resolver,
                              const struct ilp_findings_sink *sink,
                              const struct ilp_allocator *allocator, struct ilp_error *error);

/* The same for an image and what became of it: only findings that `changed` has and `original` has
 * not. Findings are the same if they differ in nothing but numbers, as offsets in code, and how
 * often they come in one method. sink->wanted is not called. Verifies `changed`; if it has
 * findings, `original`, too; and if there are new ones, `changed` once more. */
ILP_API ilp_status ilp_verify_change(struct ilp_image *original, struct ilp_image *changed,
                                     const struct ilp_resolver *resolver,
                                     const struct ilp_findings_sink *sink,
                                     const struct ilp_allocator *allocator,
                                     struct ilp_error *error);

/* ---- names as text: ilp_names(3) ------------------------------------------------------------- *
 *
 * Names as rules, reports and inspectors have them, in ILAsm's form (II.5.3, II.7.2). Every text is
 * in the caller's arena. What is broken gets a text all the same, such as "<bad signature> Name",
 * and a token that is no type its number, so that only memory can run out: these functions fail
 * with ILP_E_NO_MEMORY alone, and then *text is NULL.
 *
 * Names are the bytes of #Strings, not checked for UTF-8; a name above 1,023 bytes is cut and ends
 * in "...". src/types/names.c has the limits.
 *
 * Example: a method in three ways.
 *
 *     struct ilp_bytes bytes = read_file("samples/Shop.exe");
 *     struct ilp_image *image;
 *     struct ilp_arena *arena;
 *     const char *text;
 *
 *     check(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, &error));
 *     check(ilp_arena_open(&arena, NULL, &error));
 *     check(ilp_type_text(image, ILP_TOKEN(ILP_TypeDef, 3), arena, &text, &error));
 *     printf("%s\n", text);
 *     check(ilp_method_name_text(image, ILP_TOKEN(ILP_MethodDef, 3), arena, &text, &error));
 *     printf("%s\n", text);
 *     check(ilp_method_text(image, ILP_TOKEN(ILP_MethodDef, 3), arena, &text, &error));
 *     printf("%s\n", text);
 *     ilp_arena_close(arena);
 *     ilp_image_close(image);
 *     free((void *)bytes.data);
 *
 * Prints:
 *
 *     Shop.Line
 *     Shop.Program::Last
 *     !!0 Shop.Program::Last<1>(class System.Collections.Generic.IList`1<!!0>)
 */

/* "Namespace.Outer/Inner" of a TypeDef or TypeRef, or a TypeSpec's signature as text; generic types
 * keep the mark of their arity (List`1). */
ILP_API ilp_status ilp_type_text(const struct ilp_image *image, ilp_token type,
                                 struct ilp_arena *arena, const char **text,
                                 struct ilp_error *error);

/* "Namespace.Type::Method" of a MethodDef, which inspectors get as the name; without "Type::" for a
 * global method, of <Module>. */
ILP_API ilp_status ilp_method_name_text(const struct ilp_image *image, ilp_token method,
                                        struct ilp_arena *arena, const char **text,
                                        struct ilp_error *error);

/* The whole signature of a MethodDef with that name: "int32 Shop.Program::Main()". */
ILP_API ilp_status ilp_method_text(const struct ilp_image *image, ilp_token method,
                                   struct ilp_arena *arena, const char **text,
                                   struct ilp_error *error);

#ifdef __cplusplus
}
#endif

#endif
