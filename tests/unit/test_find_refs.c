/* Following references (resolve.c): to types of other assemblies, nested ones, and through forwards
 * that may lead round and round. */
#include "metadata_test.h"

#include "metadata/resolve.h"

struct two {
    struct ilp_image *images[2]; /* "A" and "B" */
    unsigned opened;
};

static struct ilp_image *open_two(void *user, const struct ilp_assembly_name *name)
{
    struct two *two = user;
    two->opened++;
    switch (name->name[0]) {
    case 'A': return two->images[0];
    case 'B': return two->images[1];
    default: return NULL;
    }
}

/* A has N.T and T's nested I, and forwards N.F to B, N.X to itself and N.Y to no assembly. */
static void build_library(struct ib_image *b, const char *forward_to)
{
    ib_begin(b);
    uint32_t n = ib_string(b, "N");
    IB_ROW(b, TypeDef, 0, ib_string(b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(b, TypeDef, 0, ib_string(b, "T"), n, 0, 1, 1);
    IB_ROW(b, TypeDef, 0, ib_string(b, "I"), 0, 0, 1, 1);
    IB_ROW(b, NestedClass, 3, 2);
    IB_ROW(b, AssemblyRef, 0, 0, 0, 0, 0, 0, ib_string(b, forward_to), 0, 0);
    IB_ROW(b, AssemblyRef, 0, 0, 0, 0, 0, 0, ib_string(b, "nobody"), 0, 0);
    IB_ROW(b, ExportedType, 0, 0, ib_string(b, "F"), n, ILP_TOKEN(ILP_AssemblyRef, 1));
    IB_ROW(b, ExportedType, 0, 0, ib_string(b, "Y"), n, ILP_TOKEN(ILP_AssemblyRef, 2));
    IB_ROW(b, ExportedType, 0, 0, ib_string(b, "M"), n, ILP_TOKEN(ILP_File, 1));
}

static void references_are_followed(void **state)
{
    (void)state;
    struct ib_image b;
    struct two two = {0};
    build_library(&b, "B");
    two.images[0] = built_root(&b);
    build_library(&b, "A"); /* forwards F back */
    two.images[1] = built_root(&b);

    ib_begin(&b);
    uint32_t n = ib_string(&b, "N");
    uint32_t t = ib_string(&b, "T");
    uint32_t i = ib_string(&b, "I");
    IB_ROW(&b, AssemblyRef, 1, 2, 3, 4, 0, 0, ib_string(&b, "A"), 0, 0);
    IB_ROW(&b, TypeDef, 0, t, n, 0, 1, 1);
    const ilp_token a = ILP_TOKEN(ILP_AssemblyRef, 1);
    static const struct {
        ilp_rid rid; /* 0: not found */
        unsigned image;
    } expected[] = {{2, 0}, {3, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 2}, {0, 0}, {0, 0}, {1, 2}};
    IB_ROW(&b, TypeRef, a, t, n);                           /* 1: A's N.T */
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_TypeRef, 1), i, 0);   /* 2: its I */
    IB_ROW(&b, TypeRef, a, ib_string(&b, "F"), n);          /* 3: round and round */
    IB_ROW(&b, TypeRef, a, ib_string(&b, "Y"), n);          /* 4: forwarded to no assembly */
    IB_ROW(&b, TypeRef, a, ib_string(&b, "M"), n);          /* 5: in another file */
    IB_ROW(&b, TypeRef, a, i, 0);                           /* 6: not top-level */
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_Module, 1), t, n);    /* 7: here */
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_TypeRef, 8), t, n);   /* 8: in itself */
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_ModuleRef, 1), t, n); /* 9: not followed */
    IB_ROW(&b, TypeRef, 0, t, n);                           /* 10: no scope is this assembly */
    struct ilp_image *image = built_root(&b);
    struct ilp_resolver resolver = {.user = &two, .open = open_two};
    for (ilp_rid rid = 1; rid <= COUNT(expected); rid++) {
        struct ilp_image *where = expected[rid - 1].image == 2 ? image : two.images[0];
        struct ilpi_type_def found = ilpi_resolve_type(image, ILP_TOKEN(ILP_TypeRef, rid),
                                                       &resolver);
        assert_int_equal(found.rid, expected[rid - 1].rid);
        assert_ptr_equal(found.image, found.rid != 0 ? where : NULL);
        /* without a resolver only what is here is found */
        found = ilpi_resolve_type(image, ILP_TOKEN(ILP_TypeRef, rid), NULL);
        assert_int_equal(found.rid, rid == 7 || rid == 10 ? 1 : 0);
    }
    assert_in_range(two.opened, 1, 100); /* the chain of forwards has an end */
    struct ilpi_type_def found = ilpi_resolve_type(image, ILP_TOKEN(ILP_TypeDef, 1), NULL);
    assert_ptr_equal(found.image, image);
    static const ilp_token none[] = {0, ILP_TOKEN(ILP_TypeDef, 0), ILP_TOKEN(ILP_TypeDef, 2),
                                     ILP_TOKEN(ILP_TypeSpec, 1), ILP_TOKEN(ILP_TypeRef, 99)};
    for (size_t k = 0; k < COUNT(none); k++) {
        found = ilpi_resolve_type(image, none[k], &resolver);
        assert_null(found.image);
    }
    close_built(image);
    close_built(two.images[0]);
    close_built(two.images[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
