/* Builds the graph of explicit tail calls and its strongly connected components (Tarjan's
 * algorithm, with a stack of its own instead of recursion). See graph.h for why.
 *
 *   A -> B -> C          A -> B may be stripped: no path leads back, none to an unknown method
 *   A -> B -> A          one component: kept
 *   A -> B -> ?          leads_away: kept
 *
 * Components are closed in reverse topological order, so when one is closed, leads_away of all that
 * its members reach outside of it is final; inside it all members get the same. Each method and
 * each edge is visited once. */
#include "inspect/tail/graph.h"

#include "base/bytes.h"
#include "il/body.h"
#include "metadata/flags.h"

#define UNKNOWN 0u /* a rid that is none */

struct edge {
    ilp_rid from;
    ilp_rid to; /* UNKNOWN: cannot be known */
};

struct builder {
    struct ilpi_tail_graph *graph;
    struct ilpi_alloc *alloc;
    struct ilpi_code code;
    struct ilp_arena scratch;
    struct ilpi_budget *budget;
    ILPI_LIST(struct edge) edges; /* by rising `from` */
};

/* ---- targets ---- */

static bool has_il(const struct ilp_image *image, ilp_rid method)
{
    return ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA) != 0 &&
           (ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_ImplFlags) &
            ILPI_METHOD_IMPL_CODE_TYPE_MASK) == 0;
}

/* A method of `type` with the name and signature of a MemberRef. */
static ilp_rid find_method(const struct ilp_image *image, ilp_rid type, ilp_rid member)
{
    const char *name = ilp_string(image,
                                  ilp_cell(image, ILP_MemberRef, member, ILP_MemberRef_Name));
    struct ilp_bytes wanted =
        ilp_blob(image, ilp_cell(image, ILP_MemberRef, member, ILP_MemberRef_Signature));
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        struct ilp_bytes own =
            ilp_blob(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature));
        if (own.size != 0 && ilpi_bytes_equal(own, wanted) &&
            ilpi_string_is(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name),
                           name)) {
            return method;
        }
    }
    return UNKNOWN;
}

/* The TypeDef that a TypeSpec is an instance of: GENERICINST, CLASS or VALUETYPE, a TypeDefOrRef
 * (II.23.2.14). */
static ilp_rid own_generic_type(const struct ilp_image *image, ilp_rid spec)
{
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_TypeSpec, spec, ILP_TypeSpec_Signature));
    struct ilpi_cursor cursor = ilpi_cursor_over(blob, 0, "TypeSpec", NULL);
    bool instance = ilpi_read_u8(&cursor) == ILP_ELEMENT_GENERICINST;
    ilpi_read_u8(&cursor);
    uint32_t coded = ilpi_read_packed(&cursor);
    return instance && cursor.status == ILP_OK && (coded & 3) == 0 ? coded >> 2 : 0;
}

/* Only a method of this module: another assembly may be replaced, and its tail calls are not
 * known. */
static ilp_rid method_of(const struct ilp_image *image, ilp_token token)
{
    if (ILP_TOKEN_TABLE(token) == ILP_MethodSpec) {
        token = ilp_cell(image, ILP_MethodSpec, ILP_TOKEN_RID(token), ILP_MethodSpec_Method);
    }
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (ILP_TOKEN_TABLE(token) == ILP_MethodDef) {
        return rid <= image->tables[ILP_MethodDef].count ? rid : UNKNOWN;
    }
    if (ILP_TOKEN_TABLE(token) != ILP_MemberRef) {
        return UNKNOWN;
    }
    ilp_token parent = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
    ilp_rid type = 0;
    if (ILP_TOKEN_TABLE(parent) == ILP_TypeDef) {
        type = ILP_TOKEN_RID(parent);
    } else if (ILP_TOKEN_TABLE(parent) == ILP_TypeSpec) {
        type = own_generic_type(image, ILP_TOKEN_RID(parent));
    }
    return type != 0 ? find_method(image, type, rid) : UNKNOWN;
}

/* The IL that a call is sure to run. A method without IL here is unknown: a delegate's Invoke may
 * continue anywhere. So is a static virtual method: its prefix `constrained.` gives the type
 * (III.2.1). */
static ilp_rid target_of(const struct ilp_image *image, const struct ilpi_code *code,
                         const struct ilpi_insn *insn)
{
    if (insn->op != ILPI_OP_CALL && insn->op != ILPI_OP_CALLVIRT) {
        return UNKNOWN;
    }
    ilp_rid method = method_of(image, ilpi_insn_token(code, insn));
    if (method == UNKNOWN || !has_il(image, method)) {
        return UNKNOWN;
    }
    uint32_t flags = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Flags);
    uint32_t type = ilp_cell(image, ILP_TypeDef, ilp_owner_of_method(image, method),
                             ILP_TypeDef_Flags);
    bool dispatches = insn->op == ILPI_OP_CALLVIRT || (flags & ILPI_METHOD_STATIC) != 0;
    bool may_differ = dispatches && (flags & ILPI_METHOD_VIRTUAL) != 0 &&
                      (flags & ILPI_METHOD_FINAL) == 0 && (type & ILPI_TYPE_SEALED) == 0;
    return may_differ ? UNKNOWN : method;
}

static ilp_status add_edge(struct builder *builder, ilp_rid from, ilp_rid to,
                           struct ilp_error *error)
{
    struct edge edge = {from, to};
    return ILPI_LIST_ADD(builder->alloc, &builder->edges, edge, error);
}

/* The calls after `tail.`, with or without other prefixes between; jmp is a tail call as well
 * (III.3.37). */
static ilp_status add_edges(struct builder *builder, ilp_rid method, struct ilp_error *error)
{
    const struct ilp_image *image = builder->graph->image;
    const struct ilpi_code *code = &builder->code;
    bool tail = false;
    for (size_t i = 0; i < code->count; i++) {
        const struct ilpi_insn *insn = &code->insns[i];
        tail = insn->op == ILPI_OP_TAIL || (tail && (insn->marks & ILPI_INSN_AFTER_PREFIX) != 0);
        if (insn->op == ILPI_OP_JMP) {
            ILPI_TRY(
                add_edge(builder, method, method_of(image, ilpi_insn_token(code, insn)), error));
        } else if (tail && ilpi_opcodes[insn->op].flow != ILPI_FLOW_META) {
            ILPI_TRY(add_edge(builder, method, target_of(image, code, insn), error));
        }
    }
    return ILP_OK;
}

/* Whether two bytes that may be `tail.` or a byte that may be `jmp` are in the code: most bodies
 * have neither. */
static bool may_hold_tail(struct ilp_bytes code)
{
    /* the opcode of `tail.` (III.2.4) */
    static const uint8_t tail[] = {0xFE, 0x14};
    return memmem(code.data, code.size, tail, sizeof tail) != NULL ||
           memchr(code.data, (int)ilpi_opcodes[ILPI_OP_JMP].value, code.size) != NULL;
}

/* A body that cannot be read is an edge to UNKNOWN, so that each call that may reach it is kept. */
static ilp_status read_method(struct builder *builder, ilp_rid method, struct ilp_error *error)
{
    const struct ilp_image *image = builder->graph->image;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    uint64_t offset;
    struct ilp_body body;
    struct ilp_error problem;
    if (!has_il(image, method)) {
        return ILP_OK;
    }
    struct ilp_bytes bytes = ilp_image_rva(image, rva, &offset);
    ilpi_arena_reset(&builder->scratch);
    ilp_status status = ilp_body_read(&body, bytes, offset, &builder->scratch, &problem);
    if (status == ILP_OK && !may_hold_tail(body.code)) {
        return ILP_OK;
    }
    if (status == ILP_OK) {
        status = ilpi_spend(builder->budget, body.size, &problem);
    }
    if (status == ILP_OK) {
        status = ilpi_code_decode(&builder->code, &body, &problem);
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail(error, status, problem.offset, problem.token, "%s", problem.message);
    }
    return status == ILP_OK ? add_edges(builder, method, error)
                            : add_edge(builder, method, UNKNOWN, error);
}

/* A method on the path from the root, and its next edge: the frame of a recursive search. */

struct visit {
    ilp_rid method;
    size_t next; /* edge */
};

/* A method is in one of three states:
 *
 *   new       order 0
 *   open      order set, component 0: on the stack `open`
 *   closed    component set: off the stack, and its leads_away is final
 *
 * Each method is entered once, so both stacks have room with one slot per row. */
struct cycle_search {
    struct builder *builder;
    size_t *first_edge; /* per method; edges.count if it has none */
    uint32_t *order;    /* per method, order of discovery; 0: not visited */
    /* per method: the lowest order of an open method that it is known to reach; its own if none */
    uint32_t *low;
    struct visit *visits; /* the path from the root */
    size_t depth;         /* of the path */
    ilp_rid *open;        /* visited, and in no component yet */
    size_t open_count;
    uint32_t seen;
    uint32_t components;
};

static void enter(struct cycle_search *search, ilp_rid method)
{
    search->order[method] = search->low[method] = ++search->seen;
    search->visits[search->depth++] = (struct visit){method, search->first_edge[method]};
    search->open[search->open_count++] = method;
}

/* A method from which no path goes further up closes a component. */
static void leave(struct cycle_search *search, ilp_rid method)
{
    struct ilpi_tail_graph *graph = search->builder->graph;
    if (search->low[method] == search->order[method]) {
        size_t start = search->open_count;
        bool away = false;
        do {
            away = graph->leads_away[search->open[--start]] || away;
        } while (search->open[start] != method);
        search->components++;
        while (search->open_count != start) {
            ilp_rid member = search->open[--search->open_count];
            graph->component[member] = search->components;
            graph->leads_away[member] = away;
        }
    }
    /* the `low` of a closed component is higher than the caller's, and changes nothing */
    if (--search->depth != 0) {
        ilp_rid caller = search->visits[search->depth - 1].method;
        search->low[caller] = search->low[method] < search->low[caller] ? search->low[method]
                                                                        : search->low[caller];
        graph->leads_away[caller] = graph->leads_away[caller] || graph->leads_away[method];
    }
}

/* Depth first. `component[to] == 0` for a visited method means that it is still open, so on a cycle
 * with this one. */
static void walk(struct cycle_search *search, ilp_rid root)
{
    const struct builder *builder = search->builder;
    struct ilpi_tail_graph *graph = builder->graph;
    enter(search, root);
    while (search->depth != 0) {
        struct visit *visit = &search->visits[search->depth - 1];
        ilp_rid method = visit->method;
        if (visit->next >= builder->edges.count ||
            builder->edges.items[visit->next].from != method) {
            leave(search, method);
            continue;
        }
        ilp_rid to = builder->edges.items[visit->next++].to;
        if (to == UNKNOWN) {
            graph->leads_away[method] = true;
        } else if (search->order[to] == 0) {
            enter(search, to);
        } else if (graph->component[to] == 0) {
            search->low[method] = search->order[to] < search->low[method] ? search->order[to]
                                                                          : search->low[method];
        } else {
            graph->leads_away[method] = graph->leads_away[method] || graph->leads_away[to];
        }
    }
}

/* Edges are sorted by `from`, as methods were read in their order, so the edges of a method are a
 * run that begins at first_edge. */
static ilp_status find_components(struct builder *builder, struct ilp_arena *arena,
                                  uint32_t methods, struct ilp_error *error)
{
    size_t rows = (size_t)methods + 1;
    struct cycle_search search = {.builder = builder,
                                  .first_edge = ilpi_arena_array(arena, rows, sizeof(size_t)),
                                  .order = ilpi_arena_array(arena, rows, sizeof(uint32_t)),
                                  .low = ilpi_arena_array(arena, rows, sizeof(uint32_t)),
                                  .visits = ilpi_arena_array(arena, rows, sizeof(struct visit)),
                                  .open = ilpi_arena_array(arena, rows, sizeof(ilp_rid))};
    if (!search.first_edge || !search.order || !search.low || !search.visits || !search.open) {
        return ilpi_fail_memory(error, rows * sizeof(struct visit));
    }
    size_t edge = 0;
    for (ilp_rid method = 1; method <= methods; method++) {
        bool has = edge < builder->edges.count && builder->edges.items[edge].from == method;
        search.first_edge[method] = has ? edge : builder->edges.count;
        while (edge < builder->edges.count && builder->edges.items[edge].from == method) {
            edge++;
        }
    }
    for (ilp_rid method = 1; method <= methods; method++) {
        if (search.first_edge[method] != builder->edges.count && search.order[method] == 0) {
            walk(&search, method);
        }
    }
    return ILP_OK;
}

/* ---- building and queries ---- */

/* Working memory is freed at the end; the two arrays of the result are in `arena`. */
ilp_status ilpi_tail_graph_build(struct ilpi_tail_graph *graph, const struct ilp_image *image,
                                 struct ilpi_alloc *alloc, struct ilp_arena *arena,
                                 struct ilpi_budget *budget, struct ilp_error *error)
{
    uint32_t methods = image->tables[ILP_MethodDef].count;
    struct ilp_arena working = {.alloc = alloc};
    struct ilpi_tail_graph built = {image,
                                    ilpi_arena_array(arena, (size_t)methods + 1, sizeof(uint32_t)),
                                    ilpi_arena_alloc(arena, (size_t)methods + 1)};
    struct builder builder = {.graph = &built,
                              .alloc = alloc,
                              .code = {.alloc = alloc},
                              .scratch = {.alloc = alloc},
                              .budget = budget};
    ilp_status status = built.component && built.leads_away
                            ? ILP_OK
                            : ilpi_fail_memory(error, (size_t)methods * sizeof(uint32_t));
    for (ilp_rid method = 1; method <= methods && status == ILP_OK; method++) {
        status = read_method(&builder, method, error);
    }
    if (status == ILP_OK) {
        status = find_components(&builder, &working, methods, error);
    }
    if (status == ILP_OK) {
        *graph = built;
    }
    ILPI_LIST_FREE(alloc, &builder.edges);
    ilpi_code_free(&builder.code);
    ilpi_arena_free(&builder.scratch);
    ilpi_arena_free(&working);
    return status;
}

/* The prefix is kept in a loop of tail calls, which would need stack for each round without it (one
 * component: methods that tail-call each other in circles), and where what is called may lead to
 * code that is not known. */
enum ilp_tail_decision ilpi_tail_decide(const struct ilpi_tail_graph *graph, ilp_rid caller,
                                        const struct ilpi_code *code, const struct ilpi_insn *insn)
{
    ilp_rid target = target_of(graph->image, code, insn);
    if (target == caller || (target != UNKNOWN && graph->component[target] != 0 &&
                             graph->component[target] == graph->component[caller])) {
        return ILP_TAIL_KEPT_LOOP;
    }
    return target == UNKNOWN || graph->leads_away[target] ? ILP_TAIL_KEPT_UNKNOWN
                                                          : ILP_TAIL_STRIPPED;
}
