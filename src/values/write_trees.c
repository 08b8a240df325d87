/* Trees as text, from the smallest element to the largest, the same as data/inspector/Linked.cs;
 * with the rules of write_linked.c.
 *
 *   In order:   4         descend to the left:     `above` is 4 2 1
 *             /   \       take 1; below 1: none    4 2
 *            2     6      take 2; below 2: 3       4 3
 *           / \   /       take 3; below 3: none    4
 *          1   3 5        take 4; below 4: 6 5     6 5
 *
 * Trees are walked in order, with a stack of the nodes whose left part is being written. All are
 * balanced: a red-black tree (SortedSet) of 2^31 nodes has at most 62 levels, an AVL tree
 * (immutable collections, F#) fewer, so MAX_HEIGHT is enough; a higher one was changed during the
 * walk, or is no tree. */
#include "values/nodes.h"

enum { MAX_HEIGHT = 64 };

/* ---- SortedSet, and the trees of System.Collections.Immutable ---- */

struct tree {
    const struct shape *shape; /* of a node */
    const struct shape_field *left, *right;
    const struct shape_field *key, *value; /* inside `bucket`, if there is one */
    const struct shape_field *bucket;
    bool sentinel; /* nodes without children are empty */
};

/* The names of fields differ between the collections: _left or Left, _key or Item. A hash table's
 * tree (ImmutableDictionary) has a bucket in each node, of which only the first value is shown. */
static bool find_tree(const struct value_writer *writer, const uint8_t *root, enum known_kind kind,
                      struct tree *tree)
{
    *tree = (struct tree){.shape = node_shape(writer, root)};
    if (!tree->shape) {
        return false;
    }
    const struct shape *holder = tree->shape;
    tree->left = find_reference(holder, "_left", "Left");
    tree->right = find_reference(holder, "_right", "Right");
    /* Those of System.Collections.Immutable, whose fields have an underscore, end in an empty node;
     * a SortedSet ends in null. */
    tree->sentinel = tree->left && tree->left->name[0] == '_';
    if (kind == KNOWN_TREE_OF_BUCKETS) {
        tree->bucket = shape_find_field(holder, "_value");
        if (!tree->bucket || tree->bucket->shape->kind != SHAPE_STRUCT) {
            return false;
        }
        tree->value = shape_find_field(tree->bucket->shape, "_firstValue");
    } else if (kind == KNOWN_TREE_OF_PAIRS) {
        tree->key = shape_find_field(holder, "_key");
        tree->value = tree->key ? shape_find_field(holder, "_value") : NULL;
    } else {
        tree->value = shape_find_field(holder, tree->sentinel ? "_key" : "Item");
    }
    return tree->left && tree->right && tree->value;
}

/* NULL: an empty one. */
static const uint8_t *filled(const struct tree *tree, const uint8_t *node)
{
    return node && (!tree->sentinel || read_pointer(node + tree->left->offset)) ? node : NULL;
}

static const uint8_t *below(const struct elements *elements, const struct tree *tree,
                            const struct shape_field *field, const uint8_t *node)
{
    return filled(tree, follow(elements->writer, tree->shape, field, node));
}

/* From the smallest to the largest. */
static void put_tree(struct elements *elements, const struct tree *tree, const uint8_t *node)
{
    const uint8_t *above[MAX_HEIGHT];
    unsigned height = 0;
    node = filled(tree, node);
    for (;;) {
        for (; node; node = below(elements, tree, tree->left, node)) {
            /* No tree, or a circle: what was found before it stays. */
            if (height == MAX_HEIGHT) {
                return;
            }
            above[height++] = node;
        }
        if (height == 0 || !elements_next(elements)) {
            return;
        }
        node = above[--height];
        put_pair(elements, tree->key, tree->value,
                 tree->bucket ? node + tree->bucket->offset : node);
        node = below(elements, tree, tree->right, node);
    }
}

/* The count in the collection, or in its root. False: neither has one. */
static bool tree_count(const struct shape *shape, const uint8_t *base, const struct shape *node,
                       const uint8_t *root, int32_t *count)
{
    const struct shape_field *field = shape->field_count > 1 ? &shape->fields[1]
                                                             : shape_find_field(node, "_count");
    const uint8_t *holder = shape->field_count > 1 ? base : root;
    bool found = field && known_is_right(field->shape, 'i');
    *count = found ? known_clamp(read_length(holder + field->offset), INT32_MAX) : 0;
    return found;
}

void known_put_tree(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *root = known_reference(shape, 0, base);
    struct tree tree;
    int32_t count;
    if (!root) {
        elements_begin(&elements, 0, false, NULL, 0);
    } else if (!find_tree(writer, root, shape->known, &tree) ||
               !tree_count(shape, base, tree.shape, root, &count)) {
        put_hidden(writer);
    } else if (elements_begin(&elements, count, false, NULL, 0)) {
        put_tree(&elements, &tree, root);
        elements_end(&elements);
    }
}

/* ---- F# maps and sets: trees whose leaves have their own class ---- */

/* The fields of nodes, and the state of the in-order walk. */
struct leafy {
    const struct value_writer *writer;
    const struct shape *shape;              /* of the newest node */
    const struct shape_field *left, *right; /* NULL: it is a leaf */
    const struct shape_field *key, *value;
    const uint8_t *above[MAX_HEIGHT];
    unsigned height;
    bool odd; /* a node has an unknown form */
};

/* Both links or none: a class with one of them is unknown, so its tree is not walked. */
static bool find_leafy(struct leafy *tree, const uint8_t *node)
{
    const struct shape *shape = node_shape(tree->writer, node);
    if (shape && shape != tree->shape) {
        tree->shape = shape;
        tree->left = find_reference(shape, "left", "");
        tree->right = find_reference(shape, "right", "");
        tree->key = shape_find_field(shape, "k");
        tree->value = shape_find_field(shape, "v");
    }
    return shape && tree->key && !tree->left == !tree->right;
}

/* Descends to the smallest node below this one. */
static void descend(struct leafy *tree, const uint8_t *node)
{
    while (node && !tree->odd) {
        tree->odd = tree->height == MAX_HEIGHT || !find_leafy(tree, node);
        if (!tree->odd) {
            tree->above[tree->height++] = node;
            node = tree->left ? read_pointer(node + tree->left->offset) : NULL;
        }
    }
}

/* The next node, whose fields are in *tree; NULL: there are no more. */
static const uint8_t *next_leafy(struct leafy *tree)
{
    return !tree->odd && tree->height != 0 && find_leafy(tree, tree->above[tree->height - 1])
               ? tree->above[tree->height - 1]
               : NULL;
}

/* Continues after that node. */
static void leave_leafy(struct leafy *tree, const uint8_t *node)
{
    tree->height--;
    if (find_leafy(tree, node) && tree->right) {
        descend(tree, read_pointer(node + tree->right->offset));
    }
}

static struct leafy begin_leafy(const struct value_writer *writer, const uint8_t *root)
{
    struct leafy tree;
    tree.writer = writer;
    tree.shape = NULL;
    tree.left = tree.right = tree.key = tree.value = NULL;
    tree.height = 0;
    tree.odd = false;
    descend(&tree, root);
    return tree;
}

/* Counted by a walk, since F# sets keep no count; a second walk writes. A tree that changed between
 * the two gives other elements, not invalid ones: F# trees are immutable, and only the root is read
 * twice. */
void known_put_tree_with_leaves(struct value_writer *writer, const struct shape *shape,
                                const uint8_t *base, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *root = known_reference(shape, 0, base), *node;
    struct leafy tree = begin_leafy(writer, root);
    int32_t count = 0;
    for (; count < MAX_COUNT && (node = next_leafy(&tree)) != NULL; count++) {
        leave_leafy(&tree, node);
    }
    bool pairs = shape->known == KNOWN_TREE_OF_PAIRS_WITH_LEAVES;
    if (tree.odd || (root && pairs && !tree.value)) {
        put_hidden(writer);
        return;
    }
    if (!elements_begin(&elements, count, tree.height != 0, NULL, 0)) {
        return;
    }
    tree = begin_leafy(writer, root);
    while ((node = next_leafy(&tree)) != NULL && elements_next(&elements)) {
        put_pair(&elements, pairs ? tree.key : NULL, pairs ? tree.value : tree.key, node);
        leave_leafy(&tree, node);
    }
    elements_end(&elements);
}
