/* Calls: call, callvirt, calli, newobj, jmp, ldftn, ldvirtftn (III.3.19, III.3.20, III.3.37,
 * III.3.41, III.4.2, III.4.18, III.4.21), with the prefixes tail., constrained. and readonly.
 *
 *   kind of call -> arguments, last first -> `this` -> tail. -> result
 *                                             plain: take_this
 *                                             constrained.: take_constrained_this
 *                                             newobj: none, or make_delegate
 *
 * A method with KNOWN_SIGNATURE has parameters, but flags that are not known: checks that need
 * these are left out. */
#include "verify/frame.h"

#include <stdio.h>

#include "metadata/flags.h"

static const char *name_now(const struct ilpi_frame *frame)
{
    return ilpi_opcodes[ilpi_insn_now(frame)->op].name;
}

/* EXPLICITTHIS has `this` among the parameters (II.15.3). */
static bool has_this(const struct ilpi_method *method)
{
    return (method->convention & (ILP_CALL_HASTHIS | ILP_CALL_EXPLICITTHIS)) == ILP_CALL_HASTHIS;
}

/* A calli: only its signature is known. Only the function knows what its managed pointers refer to,
 * and calli is not verifiable in any case. */
static bool is_through_pointer(const struct ilpi_method *method)
{
    return !method->owner && method->name[0] == '\0';
}

/* Formats the message only for a value that does not fit. */
static void expect_argument(struct ilpi_frame *frame, const struct ilpi_method *method,
                            uint32_t number, struct ilpi_stack_value value,
                            const struct ilpi_vtype *type)
{
    char what[80];
    if ((value.flags & ILPI_VALUE_UNINIT) == 0 &&
        ilpi_value_fits(frame->verifier, value, type) == ILPI_FIT) {
        return;
    }
    if (number == 0) {
        snprintf(what, sizeof what, "`this` of %.50s", method->name);
    } else {
        snprintf(what, sizeof what, "argument %u of %.50s", number, method->name);
    }
    if (is_through_pointer(method) && value.kind == ILPI_STACK_BYREF &&
        type->kind == ILP_ELEMENT_BYREF &&
        ilpi_value_fits(frame->verifier, value, type) == ILPI_FIT_NOT) {
        ilpi_report(frame->verifier, ILPI_FIND_REINTERPRET, "%s", what);
        return;
    }
    ilpi_expect(frame, value, type, what);
}

/* *refs: one of them is a managed pointer, which may be to a local: the frame is gone when a tail
 * call runs. */
static void take_arguments(struct ilpi_frame *frame, const struct ilpi_method *method, bool *refs)
{
    for (uint32_t i = method->param_count; i > 0 && !frame->stopped; i--) {
        struct ilpi_stack_value value = ilpi_pop(frame);
        *refs = *refs || value.kind == ILPI_STACK_BYREF;
        expect_argument(frame, method, i, value, method->params[i - 1]);
    }
}

/* ---- `this` ---- */

/* A method of a value type gets the address inside the box as its `this`. */
static void expect_box(struct ilpi_frame *frame, const struct ilpi_method *method,
                       struct ilpi_stack_value object)
{
    enum ilp_tristate same = object.kind == ILPI_STACK_OBJECT
                                 ? ilpi_type_is_same(frame->verifier, object.type, method->owner)
                                 : ILP_NO;
    if (same == ILP_UNKNOWN) {
        ilpi_report(frame->verifier, ILPI_FIND_UNRESOLVED, "`this` of %.80s", method->name);
    } else if (same == ILP_NO) {
        ilpi_refuse(frame, object, "a boxed value of the method's type");
    }
}

/* A boxed value gets virtual methods from a sealed class; a generic parameter does only if no class
 * can be its argument. */
static bool may_be_class_instance(struct ilpi_verifier *verifier, struct ilpi_stack_value object)
{
    bool parameter = object.type->kind == ILP_ELEMENT_VAR || object.type->kind == ILP_ELEMENT_MVAR;
    if (object.kind == ILPI_STACK_OBJECT && parameter) {
        return (ilpi_param_flags(verifier, object.type) & ILPI_GENERIC_PARAM_VALUE_TYPE) == 0;
    }
    return object.kind == ILPI_STACK_NULL ||
           (object.kind == ILPI_STACK_OBJECT &&
            ilpi_type_is_reference(verifier, object.type) == ILP_YES);
}

/* A virtual method may be called non-virtually, or made a delegate of with ldftn, only on the
 * method's own `this`: an override must not be bypassed from outside (III.3.19, III.4.21). The
 * methods of a sealed class count as final; no other knowledge about the object's class is used. */
static void check_direct(struct ilpi_frame *frame, const struct ilpi_method *method,
                         struct ilpi_stack_value object)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_def *owner = ilpi_def_of_type(verifier, method->declarer);
    bool overridable = method->known == ILPI_KNOWN_ALL &&
                       (method->flags & (ILPI_METHOD_VIRTUAL | ILPI_METHOD_FINAL)) ==
                           ILPI_METHOD_VIRTUAL &&
                       owner && (owner->flags & ILPI_TYPE_SEALED) == 0;
    if (overridable && (object.flags & ILPI_VALUE_THIS) == 0 &&
        may_be_class_instance(verifier, object)) {
        ilpi_report(verifier, ILPI_FIND_CALL_VIRTUAL, "%.80s", method->name);
    }
}

/* A base constructor is called on `this`, once; constructors of value types on any reference
 * (II.10.5, III.3.19). */
static void call_constructor(struct ilpi_frame *frame, const struct ilpi_method *method,
                             struct ilpi_stack_value object)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_vtype *base = frame->owner ? ilpi_type_base(verifier, frame->owner) : NULL;
    const struct ilpi_def *own = frame->owner ? frame->owner->def : NULL;
    const struct ilpi_def *called = ilpi_def_of_type(verifier, method->owner);
    bool fits = (own && called == own) ||
                (base && called && ilpi_def_of_type(verifier, base) == called);
    bool known = called && called->what != ILPI_WHAT_UNRESOLVED;
    if (!frame->is_ctor || (object.flags & ILPI_VALUE_THIS) == 0 || (known && base && !fits)) {
        struct ilpi_type_name name = ilpi_type_name_of(method->owner);
        ilpi_report(verifier, ILPI_FIND_CALL_CTOR, "of %s", name.text);
    }
    object.flags &= (uint8_t)~ILPI_VALUE_UNINIT;
    expect_argument(frame, method, 0, object, method->owner);
    /* copies of `this` below the arguments are the same object */
    frame->this_ready = true;
    for (uint32_t i = 0; i < frame->depth; i++) {
        frame->stack[i].flags &= (uint8_t)~ILPI_VALUE_UNINIT;
    }
}

/* constrained. T: `this` is a T&; T has the method, or is boxed for it (III.2.1). */
static void take_constrained_this(struct ilpi_frame *frame, const struct ilpi_method *method,
                                  const struct ilpi_vtype *type)
{
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilpi_stack_value object = ilpi_pop(frame);
    struct ilpi_type_name name = ilpi_type_name_of(type);
    enum ilp_tristate same = object.kind == ILPI_STACK_BYREF
                                 ? ilpi_type_is_same(verifier,
                                                     ilpi_type_reduced(verifier, object.type),
                                                     ilpi_type_reduced(verifier, type))
                                 : ILP_NO;
    if (object.kind == ILPI_STACK_NATIVE) {
        ilpi_report(verifier, ILPI_FIND_POINTER, "constrained. %s", name.text);
    } else if (object.kind == ILPI_STACK_UNKNOWN || same == ILP_UNKNOWN) {
        ilpi_report(verifier, ILPI_FIND_UNRESOLVED, "constrained. %s", name.text);
    } else if (same == ILP_NO) {
        struct ilpi_value_name from = ilpi_value_name_of(object);
        ilpi_report(verifier, ILPI_FIND_CONSTRAINED, "%.80s where %.80s& is expected", from.text,
                    name.text);
    }
    enum ilp_tristate has = method->owner ? ilpi_type_is_assignable(verifier, type, method->owner)
                                          : ILP_NO;
    if (has != ILP_YES) {
        struct ilpi_type_name owner = ilpi_type_name_of(method->owner ? method->owner : type);
        ilpi_report(verifier, has == ILP_NO ? ILPI_FIND_CONSTRAINED : ILPI_FIND_UNRESOLVED,
                    "%.80s is not a %.80s, which has %.40s", name.text, owner.text, method->name);
    }
    /* a method of object, ValueType or Enum that the type does not override gets a boxed `this` */
    const struct ilpi_def *owner = method->owner ? ilpi_def_of_type(verifier, method->owner) : NULL;
    if (owner && owner->what == ILPI_WHAT_CLASS &&
        ilpi_type_is_byref_like(verifier, type) == ILP_YES &&
        ilpi_type_overrides(verifier, type, method) == ILP_NO) {
        ilpi_report(verifier, ILPI_FIND_BYREF_LIKE_BOX, "%s for %.80s", name.text, method->name);
    }
}

/* The object that a method is called on, in four cases:
 *
 *   constructor of a class       `this` that still needs it, see call_constructor()
 *   method of a value type       a managed pointer to the value; may be read-only
 *   type not found               whichever of both the stack has
 *   method of a class            an object of the class, which may be derived
 *
 * *refs: a managed pointer was passed, which a tail call must not do. */
static void take_this(struct ilpi_frame *frame, const struct ilpi_method *method, enum ilpi_op op,
                      bool *refs)
{
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilpi_stack_value object = ilpi_pop(frame);
    if (!method->owner || frame->stopped) {
        return;
    }
    enum ilp_tristate reference = ilpi_type_is_reference(verifier, method->owner);
    *refs = *refs || object.kind == ILPI_STACK_BYREF;
    /* a base class that was not found is a base class all the same: `this` still needs its
     * constructor */
    bool waits = reference != ILP_NO && (object.flags & ILPI_VALUE_UNINIT) != 0;
    if (method->is_ctor && (reference == ILP_YES || waits)) {
        call_constructor(frame, method, object);
        return;
    }
    if (reference == ILP_NO) {
        /* a method does not know that its `this` is read-only, so what it does with it does not
         * count */
        object.flags &= (uint8_t) ~(ILPI_VALUE_READONLY | ILPI_VALUE_INIT_ONLY);
        expect_argument(frame, method, 0, object,
                        ilpi_type_wrapped(verifier, ILP_ELEMENT_BYREF, method->owner, 0));
        return;
    }
    if (reference == ILP_UNKNOWN && object.kind == ILPI_STACK_BYREF) {
        expect_argument(frame, method, 0, object,
                        ilpi_type_wrapped(verifier, ILP_ELEMENT_BYREF, method->owner, 0));
        return;
    }
    expect_argument(frame, method, 0, object, method->owner);
    if (op == ILPI_OP_CALL) {
        check_direct(frame, method, object);
    }
}

/* ---- what goes with a call ---- */

/* Only ret is between the call and the end of the method; nothing else is on the stack
 * (III.2.4). */
static void check_tail(struct ilpi_frame *frame, const struct ilpi_method *method, bool refs)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const char *wrong = NULL;
    bool returns = method->ret->kind != ILP_ELEMENT_VOID;
    bool wanted = frame->ret->kind != ILP_ELEMENT_VOID;
    if (frame->index + 1 >= frame->code.count ||
        frame->code.insns[frame->index + 1].op != ILPI_OP_RET) {
        wrong = "no ret follows";
    } else if (frame->depth != 0) {
        wrong = "more values are on the stack";
    } else if (ilpi_flow_is_protected(frame)) {
        wrong = "in a protected block or handler";
    } else if (returns != wanted) {
        wrong = "one of the two methods returns a value";
    }
    if (wrong) {
        ilpi_report(verifier, ILPI_FIND_TAIL, "%s", wrong);
    }
    if (refs) {
        ilpi_report(verifier, ILPI_FIND_TAIL_REF, "%.80s", method->name);
    }
}

/* III.2.1: callvirt is not for methods of value types. .NET 10 and Mono 6.8 treat it as call; but
 * after constrained., .NET boxes the value for a non-virtual method, which then takes the box for
 * the value. */
static void check_callvirt_of_value(struct ilpi_frame *frame, const struct ilpi_method *method)
{
    bool boxes = (frame->prefixes & ILPI_PREFIX_CONSTRAINED) != 0 &&
                 method->known == ILPI_KNOWN_ALL && (method->flags & ILPI_METHOD_VIRTUAL) == 0;
    ilpi_report(frame->verifier, boxes ? ILPI_FIND_CONSTRAINED : ILPI_FIND_CALLVIRT_VALUE,
                boxes ? "%.80s is not virtual" : "%.80s", method->name);
}

/* The checks that need no stack. */
static void check_kind(struct ilpi_frame *frame, const struct ilpi_method *method, enum ilpi_op op)
{
    bool constrained = (frame->prefixes & ILPI_PREFIX_CONSTRAINED) != 0;
    bool is_static = (method->flags & ILPI_METHOD_STATIC) != 0;
    if (op == ILPI_OP_CALLVIRT && has_this(method) && method->owner &&
        ilpi_type_is_reference(frame->verifier, method->owner) == ILP_NO) {
        check_callvirt_of_value(frame, method);
    }
    if (method->known != ILPI_KNOWN_ALL || method->of_array) {
        return;
    }
    if (op == ILPI_OP_CALLVIRT && is_static) {
        ilpi_report(frame->verifier, ILPI_FIND_CALL_KIND, "callvirt of the static %.80s",
                    method->name);
    }
    if (op == ILPI_OP_CALL && (method->flags & ILPI_METHOD_ABSTRACT) != 0 && !constrained) {
        ilpi_report(frame->verifier, ILPI_FIND_CALL_ABSTRACT, "%.80s", method->name);
    }
    if (op == ILPI_OP_CALL && constrained && !is_static) {
        ilpi_report(frame->verifier, ILPI_FIND_PREFIX,
                    "constrained. before call of the instance method %.80s", method->name);
    }
}

/* readonly. is for the Address method of an array and for ldelema (III.2.3): what it returns may be
 * read only, which the value's flag has to say from here on. */
static void push_result(struct ilpi_frame *frame, const struct ilpi_method *method)
{
    bool readonly = (frame->prefixes & ILPI_PREFIX_READONLY) != 0;
    if (readonly && (!method->of_array || strcmp(method->name, "Address") != 0)) {
        ilpi_report(frame->verifier, ILPI_FIND_PREFIX, "readonly. before call of %.80s",
                    method->name);
    }
    if (method->ret->kind == ILP_ELEMENT_VOID || frame->stopped) {
        return;
    }
    struct ilpi_stack_value value = ilpi_value_of(frame->verifier, method->ret);
    value.flags |= readonly && value.kind == ILPI_STACK_BYREF ? ILPI_VALUE_READONLY : 0;
    ilpi_push(frame, value);
}

/* Values are popped in reverse order, so `this` is last. */
static void step_plain_call(struct ilpi_frame *frame, const struct ilpi_method *method,
                            enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    bool refs = false;
    check_kind(frame, method, op);
    take_arguments(frame, method, &refs);
    if (frame->stopped) {
        return;
    }
    if (has_this(method) && (frame->prefixes & ILPI_PREFIX_CONSTRAINED) != 0) {
        take_constrained_this(frame, method,
                              ilpi_type_of_token(verifier, verifier->image, frame->constrained));
    } else if (has_this(method)) {
        take_this(frame, method, op, &refs);
    }
    if ((frame->prefixes & ILPI_PREFIX_TAIL) != 0) {
        check_tail(frame, method, refs);
    }
    push_result(frame, method);
}

/* Every calli is reported as unverifiable, and its operands are checked all the same. */
static void step_calli(struct ilpi_frame *frame, ilp_token token)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_method *method = ilpi_method_of_sig(verifier, token);
    bool refs = false;
    ilpi_report(verifier, ILPI_FIND_CALLI, "0x%08X", token);
    if (method->known == ILPI_KNOWN_NOT) {
        ilpi_report(verifier, ILPI_FIND_TOKEN, "calli of 0x%08X", token);
        frame->stopped = true;
        return;
    }
    struct ilpi_stack_value pointer = ilpi_pop(frame);
    if (pointer.kind != ILPI_STACK_NATIVE && pointer.kind != ILPI_STACK_METHOD) {
        ilpi_refuse(frame, pointer, "a method pointer");
    }
    take_arguments(frame, method, &refs);
    if (has_this(method)) {
        ilpi_pop(frame); /* its type is unknown */
    }
    if ((frame->prefixes & ILPI_PREFIX_TAIL) != 0) {
        check_tail(frame, method, refs);
    }
    push_result(frame, method);
}

/* ---- newobj ---- */

/* Parameters of a method against those of a delegate: the delegate's are passed in, the method's
 * result is passed out. */
static enum ilp_tristate match_delegate(struct ilpi_verifier *verifier,
                                        const struct ilpi_method *invoke,
                                        const struct ilpi_method *target, uint32_t skip)
{
    enum ilp_tristate all = ILP_YES;
    for (uint32_t i = 0; i <= invoke->param_count && all != ILP_NO; i++) {
        bool result = i == invoke->param_count; /* the round after the parameters */
        const struct ilpi_vtype *from = result ? target->ret : invoke->params[i];
        const struct ilpi_vtype *to = result ? invoke->ret : target->params[i + skip];
        enum ilp_tristate one = ilpi_type_is_same(verifier, ilpi_type_reduced(verifier, from),
                                                  ilpi_type_reduced(verifier, to));
        if (one != ILP_YES && ilpi_type_is_plain_reference(verifier, from) != ILP_NO) {
            one = ilpi_type_is_assignable(verifier, from, to);
        }
        all = one == ILP_YES ? all : one;
    }
    return all;
}

/* III.4.21: newobj follows ldftn, or dup and ldvirtftn, with the object whose method was looked up;
 * no branch goes between them. *direct: it is ldftn. */
static bool is_delegate_pattern(const struct ilpi_frame *frame, bool *direct)
{
    const struct ilpi_insn *insns = frame->code.insns;
    uint32_t index = frame->index;
    *direct = index >= 1 && insns[index - 1].op == ILPI_OP_LDFTN;
    bool looked_up = index >= 2 && insns[index - 1].op == ILPI_OP_LDVIRTFTN &&
                     insns[index - 2].op == ILPI_OP_DUP &&
                     (insns[index - 1].marks & ILPI_INSN_TARGET) == 0;
    return (*direct || looked_up) && (insns[index].marks & ILPI_INSN_TARGET) == 0;
}

/* The object that the delegate keeps; `closed`: it is the first argument of a static method.
 *
 *   the method                     the object
 *   instance, of a value type      a box of that type
 *   instance, of a class           an object of the class
 *   static, closed                 the first argument
 *   static                         null */
static void check_delegate_object(struct ilpi_frame *frame, const struct ilpi_method *target,
                                  struct ilpi_stack_value object, bool closed)
{
    struct ilpi_verifier *verifier = frame->verifier;
    if (has_this(target) && target->owner &&
        ilpi_type_is_reference(verifier, target->owner) == ILP_NO) {
        expect_box(frame, target, object);
    } else if (has_this(target) && target->owner) {
        expect_argument(frame, target, 0, object, target->owner);
    } else if (closed) {
        expect_argument(frame, target, 1, object, target->params[0]);
    } else if (object.kind != ILPI_STACK_NULL) {
        ilpi_refuse(frame, object, "null for a static method");
    }
}

/* A delegate is made by one of two sequences:
 *
 *   ldftn M; newobj D::.ctor(object, native int)          M fits D's Invoke:
 *   dup; ldvirtftn M; newobj ...                             parameters and result by variance
 *
 *   M instance     the object is its `this`
 *   M static       null, or its first parameter if M has one more than Invoke ("closed")
 *
 * The instructions must be adjacent, so that the pointer is known to be that of M, and of the
 * object's method (II.14.6, III.4.21). */
static void make_delegate(struct ilpi_frame *frame, const struct ilpi_method *constructor)
{
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilpi_stack_value pointer = ilpi_pop(frame);
    struct ilpi_stack_value object = ilpi_pop(frame);
    bool direct;
    if (!is_delegate_pattern(frame, &direct) || pointer.kind != ILPI_STACK_METHOD) {
        ilpi_report(verifier, ILPI_FIND_DELEGATE_PATTERN, "of %.80s",
                    ilpi_type_name_of(constructor->owner).text);
    }
    if (pointer.kind != ILPI_STACK_METHOD) {
        return;
    }
    const struct ilpi_method *target = ilpi_method_of_token(verifier, pointer.method);
    const struct ilpi_method *invoke = ilpi_method_named(verifier, constructor->owner, "Invoke");
    if (target->known == ILPI_KNOWN_NOT || invoke->known != ILPI_KNOWN_ALL) {
        return;
    }
    bool instance = has_this(target);
    bool closed = !instance && target->param_count == invoke->param_count + 1;
    uint32_t skip = closed ? 1 : 0;
    enum ilp_tristate fits = target->param_count == invoke->param_count + skip
                                 ? match_delegate(verifier, invoke, target, skip)
                                 : ILP_NO;
    if (instance && target->param_count + 1 == invoke->param_count) {
        return; /* open over `this`: only made by reflection and the like */
    }
    if (fits == ILP_NO) {
        ilpi_report(verifier, ILPI_FIND_DELEGATE, "%.60s of %.80s", target->name,
                    ilpi_type_name_of(constructor->owner).text);
    }
    check_delegate_object(frame, target, object, closed);
    if (direct && instance) {
        check_direct(frame, target, object);
    }
}

/* A delegate's constructor takes an object and a method pointer, and gets its own check, because
 * the pointer's method decides what fits. The result is pushed also after a finding. */
static void step_newobj(struct ilpi_frame *frame, const struct ilpi_method *method)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_def *def = method->owner ? ilpi_def_of_type(verifier, method->owner) : NULL;
    bool refs = false;
    if (!method->is_ctor || !has_this(method) || !method->owner) {
        ilpi_report(verifier, ILPI_FIND_NEWOBJ, "%.80s is not a constructor", method->name);
    } else if (def && def->what != ILPI_WHAT_UNRESOLVED && !method->of_array &&
               ((def->flags & ILPI_TYPE_ABSTRACT) != 0 || def->what == ILPI_WHAT_INTERFACE)) {
        ilpi_report(verifier, ILPI_FIND_NEWOBJ, "%s is abstract",
                    ilpi_type_name_of(method->owner).text);
    }
    if (def && def->what == ILPI_WHAT_DELEGATE && method->param_count == 2) {
        make_delegate(frame, method);
    } else {
        take_arguments(frame, method, &refs);
    }
    if (!frame->stopped) {
        ilpi_push_type(frame, method->owner ? method->owner : ilpi_type_of_element(verifier, 0));
    }
}

/* ---- method pointers ---- */

/* ldftn and ldvirtftn push a pointer of which the verifier remembers the method, for
 * make_delegate(); any other use takes it as a native int (III.3.41, III.4.18). */
static void step_ftn(struct ilpi_frame *frame, const struct ilpi_method *method, ilp_token token,
                     bool is_virtual)
{
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilpi_stack_value value = ilpi_value_plain(verifier, ILPI_STACK_METHOD);
    value.method = token;
    if (method->is_ctor) { /* it could be called on any object, any number of times */
        ilpi_report(verifier, ILPI_FIND_CALL_CTOR, "%s of %s", name_now(frame), method->name);
    }
    if (is_virtual) {
        struct ilpi_stack_value object = ilpi_pop(frame);
        if (has_this(method) && !frame->stopped) {
            check_delegate_object(frame, method, object, false);
        }
        if (method->known == ILPI_KNOWN_ALL && (method->flags & ILPI_METHOD_STATIC) != 0) {
            ilpi_report(verifier, ILPI_FIND_CALL_KIND, "ldvirtftn of the static %.80s",
                        method->name);
        }
    } else if (method->known == ILPI_KNOWN_ALL && (method->flags & ILPI_METHOD_ABSTRACT) != 0 &&
               !method->of_array && (frame->prefixes & ILPI_PREFIX_CONSTRAINED) == 0) {
        ilpi_report(verifier, ILPI_FIND_CALL_ABSTRACT, "ldftn of %.80s", method->name);
    }
    ilpi_push(frame, value);
}

/* jmp leaves the frame: the stack must be empty, and the method must take the same arguments
 * (III.3.37). It is never verifiable. */
static void step_jmp(struct ilpi_frame *frame, const struct ilpi_method *method)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_method *own = frame->sig;
    ilpi_report(verifier, ILPI_FIND_UNSAFE_OP, "jmp");
    ilpi_flow_end(frame);
    bool same = method->param_count == own->param_count && has_this(method) == has_this(own) &&
                ilpi_type_is_same(verifier, method->ret, own->ret) != ILP_NO;
    for (uint32_t i = 0; same && i < own->param_count; i++) {
        same = ilpi_type_is_same(verifier, method->params[i], own->params[i]) != ILP_NO;
    }
    if (!same || frame->depth != 0) {
        ilpi_report(verifier, ILPI_FIND_RETURN,
                    "jmp to %.80s, which has another signature, or with a stack", method->name);
    }
    frame->stopped = true;
}

/* All instructions with a method token. A token that is not a method stops the walk: without a
 * signature it is not known what remains on the stack. */
void ilpi_step_call(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    ilp_token token = ilpi_insn_token(&frame->code, ilpi_insn_now(frame));
    if (op == ILPI_OP_CALLI) {
        step_calli(frame, token);
        return;
    }
    const struct ilpi_method *method = ilpi_method_of_token(verifier, token);
    if (method->known == ILPI_KNOWN_NOT) {
        ilpi_report(verifier, ILPI_FIND_TOKEN, "%s of 0x%08X, which is not a valid method",
                    name_now(frame), token);
        frame->stopped = true;
        return;
    }
    switch (op) {
    case ILPI_OP_NEWOBJ: step_newobj(frame, method); break;
    case ILPI_OP_LDFTN:
    case ILPI_OP_LDVIRTFTN: step_ftn(frame, method, token, op == ILPI_OP_LDVIRTFTN); break;
    case ILPI_OP_JMP: step_jmp(frame, method); break;
    default: step_plain_call(frame, method, op); break;
    }
}
