/* src/rules/match.c, method_facts.c, returns.c, task_type.c: each attribute of each condition, put
 * to methods that have it, to methods that have not, and to those where it is unknown. */
#include "tests/unit/rules_test.h"

#define YES     ILP_YES
#define NO      ILP_NO
#define UNKNOWN ILP_UNKNOWN

/* ---- names ---- */

static const struct rt_case assembly_cases[] = {
    {"Int", "<assembly name='App'/>", YES},
    {"Int", "<assembly name='app'/>", NO},
    {"Int", "<assembly like='A*'/>", YES},
    {"Int", "<assembly like='B*'/>", NO},
    {"Int", "<assembly regex='^.p'/>", YES},
    {"Int", "<assembly regex='^p'/>", NO},
    /* it is version 1.2.3.4 */
    {"Int", "<assembly version='1'/>", YES},
    {"Int", "<assembly version='1.2.3.4'/>", YES},
    {"Int", "<assembly version='1.2.3.5'/>", NO},
    {"Int", "<assembly version='2'/>", NO},
    {"Int", "<assembly version='[1.2.3.4]'/>", YES},
    {"Int", "<assembly version='[1.2.3]'/>", NO},
    {"Int", "<assembly version='[1.2.3.4,2)'/>", YES},
    {"Int", "<assembly version='(1.2.3.4,2)'/>", NO},
    {"Int", "<assembly version='(1.2.3.3,2)'/>", YES},
    {"Int", "<assembly version='[1,1.2.3.4]'/>", YES},
    {"Int", "<assembly version='[1,1.2.3.4)'/>", NO},
    {"Int", "<assembly version='(,1.2.3.4]'/>", YES},
    {"Int", "<assembly version='(,1.2.3.4)'/>", NO},
    {"Int", "<assembly version='[1.2.3.4,)'/>", YES},
    {"Int", "<assembly version='(1.2.3.4,)'/>", NO},
    {"Int", "<assembly version='(,)'/>", YES},
    {"Int", "<assembly name='App' version='1.2'/>", YES},
    {"Int", "<assembly name='App' version='1.3'/>", NO},
    {"Int", "<assembly name='Other' version='1.2'/>", NO},
};

static const struct rt_case name_cases[] = {
    {"Int", "<namespace name='R.Returns'/>", YES},
    {"Int", "<namespace name='R'/>", NO},
    {"Int", "<namespace like='R.*'/>", YES},
    {"Int", "<namespace like='R'/>", NO},
    {"Int", "<namespace regex='ret'/>", NO},
    {"Int", "<namespace regex='Ret'/>", YES},
    {"deep", "<namespace name='T.One'/>", YES}, /* of the outermost type */
    {"deep", "<namespace name=''/>", NO},
    {"bare", "<namespace name=''/>", YES},
    {"bare", "<namespace like='*'/>", YES},
    {"bare", "<namespace like='?*'/>", NO},
    {"naïve", "<namespace name='Bücher'/>", YES},
    {"naïve", "<namespace like='B?cher'/>", YES},

    {"Int", "<type name='R.Returns.Host`1'/>", YES},
    {"Int", "<type name='Host`1'/>", NO},
    {"Int", "<type name='R.Returns.Host'/>", NO},
    {"inner", "<type name='T.One.Outer`1/Inner`2'/>", YES},
    {"deep", "<type name='T.One.Outer`1/Inner`2/Deep'/>", YES},
    {"deep", "<type name='T.One.Outer`1'/>", NO},
    {"deep", "<type like='T.One.Outer`1/*'/>", YES},
    {"outer", "<type like='T.One.Outer`1/*'/>", NO},
    {"deep", "<type regex='/[^/]+/Deep$'/>", YES},
    {"inner", "<type regex='/[^/]+/Deep$'/>", NO},
    {"bare", "<type name='NoNamespace'/>", YES},
    {"naïve", "<type name='Bücher.Größe'/>", YES},
    {"naïve", "<type like='*.Gr??e'/>", YES},
    {"naïve", "<type regex='^\\w+\\.'/>", NO},
    {"naïve", "<type regex='(*UCP)^\\w+\\.'/>", YES},
    {"no\xFF"
     "utf8",
     "<type like='T.Odd.caf?'/>", YES},
    {"no\xFF"
     "utf8",
     "<type like='T.Odd.caf?"
     "?'/>",
     NO},
    {"no\xFF"
     "utf8",
     "<type regex='caf'/>", YES},
    {"no\xFF"
     "utf8",
     "<type regex='caf.$'/>", NO},
    {"outer", "<type arity='1'/>", YES},
    {"outer", "<type arity='0'/>", NO},
    {"inner", "<type arity='3'/>", YES}, /* with those of Outer */
    {"inner", "<type arity='2'/>", NO},
    {"bare", "<type arity='0'/>", YES},
    {"deep", "<type arity='0'/>", YES},
    {"bare", "<type nested='yes'/>", NO},
    {"bare", "<type nested='no'/>", YES},
    {"inner", "<type nested='yes'/>", YES},
    {"inner", "<type nested='no'/>", NO},

    {"Int", "<method name='Int'/>", YES},
    {"Int", "<method name='int'/>", NO},
    {"Int", "<method like='I?t'/>", YES},
    {"Int", "<method like='I?'/>", NO},
    {"Int", "<method regex='n'/>", YES},
    {"Int", "<method regex='^n'/>", NO},
    {".cctor", "<method name='.cctor'/>", YES},
    {"naïve", "<method name='naïve'/>", YES},
    {"naïve", "<method like='na?ve'/>", YES},
    {"no\xFF"
     "utf8",
     "<method like='no?utf8'/>", YES},
    {"no\xFF"
     "utf8",
     "<method regex='^no'/>", YES},
    {"no\xFF"
     "utf8",
     "<method regex='no.utf8'/>", NO},
    {"MVar", "<method arity='1'/>", YES},
    {"MVar", "<method arity='0'/>", NO},
    {"Var", "<method arity='0'/>", YES}, /* that of its type does not count */
    {"generic2", "<method arity='2'/>", YES},
    {"generic2", "<method arity='1'/>", NO},

    {"Int", "<signature text='int32 R.Returns.Host`1::Int()'/>", YES},
    {"Int", "<signature text='int32 R.Returns.Host`1::Int'/>", NO},
    {"Three", "<signature text='valuetype S.Three R.Returns.Host`1::Three()'/>", YES},
    /* the whole one, as it is */
    {"Three", "<signature text='S.Three R.Returns.Host`1::Three()'/>", NO},
    {"Params", "<signature like='*(string, *)'/>", YES},
    {"Params", "<signature like='*(string)'/>", NO},
    {"Params", "<signature regex='S\\.Three&amp;\\)$'/>", YES},
    {"Var", "<signature regex='^instance '/>", YES},
    {"Int", "<signature regex='^instance '/>", NO},
    {"BadSig", "<signature like='&lt;bad signature> *'/>", YES},
    {"BadSig", "<signature like='int32 *'/>", NO},
};

static const struct rt_case visibility_cases[] = {
    {"m0", "<method visibility='privatescope'/>", YES},
    {"m1", "<method visibility='private'/>", YES},
    {"m2", "<method visibility='famandassem'/>", YES},
    {"m3", "<method visibility='assembly'/>", YES},
    {"m4", "<method visibility='family'/>", YES},
    {"m5", "<method visibility='famorassem'/>", YES},
    {"m6", "<method visibility='public'/>", YES},
    {"m0", "<method visibility='private famandassem assembly family famorassem public'/>", NO},
    {"m1", "<method visibility='privatescope famandassem assembly family famorassem public'/>", NO},
    {"m2", "<method visibility='privatescope private assembly family famorassem public'/>", NO},
    {"m3", "<method visibility='privatescope private famandassem family famorassem public'/>", NO},
    {"m4", "<method visibility='privatescope private famandassem assembly famorassem public'/>",
     NO},
    {"m5", "<method visibility='privatescope private famandassem assembly family public'/>", NO},
    {"m6", "<method visibility='privatescope private famandassem assembly family famorassem'/>",
     NO},
    {"m4", "<method visibility='family famorassem'/>", YES},
    {"v0", "<type visibility='assembly'/>", YES}, /* not public, top level */
    {"v1", "<type visibility='public'/>", YES},
    {"v2", "<type visibility='public'/>", YES}, /* nested from here on */
    {"v3", "<type visibility='private'/>", YES},
    {"v4", "<type visibility='family'/>", YES},
    {"v5", "<type visibility='assembly'/>", YES},
    {"v6", "<type visibility='famandassem'/>", YES},
    {"v7", "<type visibility='famorassem'/>", YES},
    {"v0", "<type visibility='privatescope private famandassem family famorassem public'/>", NO},
    {"v1", "<type visibility='privatescope private famandassem assembly family famorassem'/>", NO},
    {"v3", "<type visibility='privatescope famandassem assembly family famorassem public'/>", NO},
    {"v4", "<type visibility='privatescope private famandassem assembly famorassem public'/>", NO},
    {"v6", "<type visibility='privatescope private assembly family famorassem public'/>", NO},
    {"v7", "<type visibility='privatescope private famandassem assembly family public'/>", NO},
    /* a type's visibility is no method's */
    {"v3", "<method visibility='private'/>", NO},
    {"m1", "<type visibility='private'/>", NO},
};

static const struct rt_case flag_cases[] = {
    {"static", "<method static='yes'/>", YES},
    {"static", "<method static='no'/>", NO},
    {"virtual", "<method static='yes'/>", NO},
    {"virtual", "<method static='no'/>", YES},
    {"virtual", "<method virtual='yes'/>", YES},
    {"virtual", "<method virtual='no'/>", NO},
    {"static", "<method virtual='yes'/>", NO},
    {"static", "<method virtual='no'/>", YES},
    {"both", "<method static='yes' virtual='yes'/>", YES},
    {"static", "<method static='yes' virtual='yes'/>", NO},
    {"virtual", "<method static='yes' virtual='yes'/>", NO},

    {"get_P", "<method role='getter'/>", YES},
    {"get_P", "<method role='accessor'/>", YES},
    {"get_P", "<method role='setter event operator constructor ordinary'/>", NO},
    {"set_P", "<method role='setter'/>", YES},
    {"set_P", "<method role='accessor'/>", YES},
    {"set_P", "<method role='getter event operator constructor ordinary'/>", NO},
    {"other_P", "<method role='accessor'/>", YES},
    {"other_P", "<method role='getter setter event operator constructor ordinary'/>", NO},
    {"add_E", "<method role='event'/>", YES},
    {"remove_E", "<method role='event'/>", YES},
    {"raise_E", "<method role='event'/>", YES},
    {"raise_E", "<method role='accessor'/>", YES},
    {"add_E", "<method role='getter setter operator constructor ordinary'/>", NO},
    {"get_Fake", "<method role='getter accessor'/>", NO}, /* only its name says so */
    {"get_Fake", "<method role='ordinary'/>", YES},
    {"op_Addition", "<method role='operator'/>", YES},
    {"op_Addition", "<method role='getter setter event accessor constructor ordinary'/>", NO},
    {"op_Fake", "<method role='operator'/>", NO},
    {"op_Fake", "<method role='ordinary'/>", YES},
    {"op_", "<method role='operator'/>", NO},
    {".ctor", "<method role='constructor'/>", YES},
    {".cctor", "<method role='constructor'/>", YES},
    {".cctor", "<method role='getter setter event accessor operator ordinary'/>", NO},
    {"ctor", "<method role='constructor'/>", NO},
    {"ctor", "<method role='ordinary'/>", YES},

    {"generated", "<method compiler-generated='yes'/>", YES},
    {"generated", "<method compiler-generated='no'/>", NO},
    {"<M>b__0", "<method compiler-generated='yes'/>", YES}, /* by its type */
    {"within", "<method compiler-generated='yes'/>", YES},  /* by a type around its type */
    {"within", "<method compiler-generated='no'/>", NO},
    {"marked", "<method compiler-generated='yes'/>", NO},
    {"marked", "<method compiler-generated='no'/>", YES},
};

static const struct rt_case attribute_cases[] = {
    {"obsolete", "<attribute name='System.ObsoleteAttribute'/>", YES},
    {"obsolete", "<attribute name='ObsoleteAttribute'/>", NO},
    {"obsolete", "<attribute name='System.Obsolete'/>", NO},
    {"obsolete", "<attribute like='*.Obsolete*'/>", YES},
    {"obsolete", "<attribute regex='Obsolete'/>", YES},
    {"obsolete", "<attribute regex='^Obsolete'/>", NO},
    {"marked", "<attribute name='S.MarkAttribute'/>", YES}, /* a MethodDef constructor */
    {"marked", "<attribute name='System.ObsoleteAttribute'/>", NO},
    {"genericMark", "<attribute name='G.Mark`1&lt;int32>'/>", YES}, /* a TypeSpec */
    {"genericMark", "<attribute like='G.Mark`1&lt;*'/>", YES},
    {"genericMark", "<attribute name='G.Mark`1'/>", NO},
    {"twice", "<attribute name='S.MarkAttribute'/>", YES},
    {"twice", "<attribute name='System.ObsoleteAttribute'/>", YES},
    {"twice", "<attribute name='System.Obsolete'/>", NO},
    {"unmarked", "<attribute like='*'/>", NO},
    {"unmarked", "<attribute regex=''/>", NO},
    {"marked", "<attribute like='*'/>", YES},
    {"unmarked", "<attribute name='S.MarkAttribute' on='method'/>", NO},
    {"unmarked", "<attribute name='S.MarkAttribute' on='type'/>", YES},
    {"unmarked", "<attribute on='type' name='S.MarkAttribute'/>", YES},
    {"unmarked", "<attribute name='S.MarkAttribute' on='assembly'/>", NO},
    {"unmarked", "<attribute name='S.MarkAttribute' on='method assembly'/>", NO},
    {"unmarked", "<attribute name='S.MarkAttribute' on='method type'/>", YES},
    {"obsolete", "<attribute name='System.ObsoleteAttribute' on='type'/>", NO},
    {"within", "<attribute name='S.MarkAttribute' on='type'/>", NO}, /* of a type around it */
    {"Int", "<attribute like='*AsyncMethodBuilder*' on='assembly'/>", YES},
    {"Int", "<attribute like='*AsyncMethodBuilder*' on='method type'/>", NO},
    {"Int", "<attribute like='*AsyncMethodBuilder*'/>", NO},
    {"Int", "<attribute like='*AsyncMethodBuilder*' on='method type assembly'/>", YES},
};

static void test_names(void **state)
{
    RT_CHECK(*state, assembly_cases);
    RT_CHECK(*state, name_cases);
    RT_CHECK(*state, visibility_cases);
    RT_CHECK(*state, flag_cases);
    RT_CHECK(*state, attribute_cases);
}

/* ---- what is returned ---- */

static const struct rt_case return_cases[] = {
    {"Int", "<return type='int32'/>", YES},
    {"Int", "<return type='int'/>", YES},
    {"Int", "<return type='System.Int32'/>", YES},
    {"Int", "<return type='class int'/>", NO}, /* a name, whatever it looks like */
    {"Int", "<return type='uint'/>", NO},
    {"Native", "<return type='nint'/>", YES},
    {"Native", "<return type='native int'/>", YES},
    {"String", "<return type='System.String'/>", YES},
    {"Nullable", "<return type='System.Nullable`1&lt;int>'/>", YES},
    {"Pointer", "<return type='int*'/>", YES},
    {"Modified", "<return type='int32'/>", YES}, /* without modifiers */
    {"Three", "<return type='S.Three'/>", YES},
    {"Three", "<return type='valuetype S.Three'/>", YES},
    {"Three", "<return type='class S.Three'/>", YES}, /* it says nothing, right or wrong */
    {"Three", "<return like='S.*'/>", YES},
    {"Three", "<return like='valuetype S.*'/>", NO},
    {"Three", "<return regex='^S'/>", YES},
    {"Three", "<return regex='valuetype'/>", NO},
    {"Class", "<return type='class S.MarkAttribute'/>", YES},
    {"Class", "<return type='S.MarkAttribute'/>", YES},
    {"Array", "<return type='S.Three[]'/>", YES},
    {"Array", "<return type='valuetype S.Three[]'/>", YES},
    {"Array", "<return regex='S\\.Three\\[\\]$'/>", YES},
    {"Nullable", "<return type='System.Nullable`1&lt;int32>'/>", YES},
    {"Nullable", "<return type='valuetype System.Nullable`1&lt;int32>'/>", YES},
    {"Dictionary", "<return type='class G.What&lt;int, S.Three>'/>", YES},
    {"Dictionary", "<return type='class G.What&lt;int32,valuetype S.Three>'/>", YES},
    {"Void", "<return type='void'/>", YES},
    {"Pointer", "<return type='int32*'/>", YES},
    {"Pointer", "<return like='int32\\*'/>", YES},
    {"Int", "<return like='int32*'/>", YES},
    {"Ref", "<return regex='&amp;$'/>", YES},
    {"BadSig", "<return type='int32'/>", UNKNOWN},
    {"BadSig", "<return like='*'/>", UNKNOWN},
};

#define ALL_KINDS "void primitive enum struct class generic byref pointer task"

static const struct rt_case kind_cases[] = {
    {"Void", "<return kind='void'/>", YES},
    {"Void", "<return kind='primitive enum struct class generic byref pointer task'/>", NO},
    {"Bool", "<return kind='primitive'/>", YES},
    {"Native", "<return kind='primitive'/>", YES},
    {"Int", "<return kind='primitive'/>", YES},
    {"Int", "<return kind='void enum struct class generic byref pointer task'/>", NO},
    {"Modified", "<return kind='primitive'/>", YES},
    {"Enum", "<return kind='enum'/>", YES},
    {"Enum", "<return kind='void primitive struct class generic byref pointer task'/>", NO},
    {"Color", "<return kind='enum'/>", YES},
    {"Three", "<return kind='struct'/>", YES},
    {"Three", "<return kind='void primitive enum class generic byref pointer task'/>", NO},
    {"Typed", "<return kind='struct'/>", YES},
    {"Point", "<return kind='struct'/>", YES},
    {"Point", "<return kind='enum'/>", NO},
    {"Date", "<return kind='struct'/>", YES}, /* not found, but known */
    {"Nullable", "<return kind='struct'/>", YES},
    {"BoxT", "<return kind='struct'/>", YES},
    {"Object", "<return kind='class'/>", YES},
    {"String", "<return kind='class'/>", YES},
    {"Array", "<return kind='class'/>", YES},
    {"Array", "<return kind='struct'/>", NO},
    {"Class", "<return kind='class'/>", YES},
    {"GoneClass", "<return kind='class'/>", YES},
    {"Dictionary", "<return kind='class'/>", YES},
    {"Class", "<return kind='void primitive enum struct generic byref pointer task'/>", NO},
    {"Var", "<return kind='generic'/>", YES},
    {"MVar", "<return kind='generic'/>", YES},
    {"MVar", "<return kind='void primitive enum struct class byref pointer task'/>", NO},
    {"Ref", "<return kind='byref'/>", YES},
    {"Ref", "<return kind='void primitive enum struct class generic pointer task'/>", NO},
    {"Pointer", "<return kind='pointer'/>", YES},
    {"Function", "<return kind='pointer'/>", YES},
    {"Pointer", "<return kind='void primitive enum struct class generic byref task'/>", NO},
    {"Int", "<return kind='struct primitive'/>", YES},
    {"Int", "<return kind='" ALL_KINDS "'/>", YES},
    /* tasks */
    {"Task", "<return kind='task'/>", YES},
    {"Task", "<return kind='class'/>", YES},
    {"Task", "<return kind='struct'/>", NO},
    {"TaskOf", "<return kind='task'/>", YES},
    {"TaskOf", "<return kind='class'/>", YES},
    {"ValueTask", "<return kind='task'/>", YES},
    {"ValueTask", "<return kind='struct'/>", YES},
    {"ValueTask", "<return kind='class'/>", NO},
    {"ValueTaskOf", "<return kind='task'/>", YES},
    {"Async", "<return kind='task'/>", YES}, /* runtime-async: its signature counts */
    {"Async", "<return kind='primitive'/>", NO},
    {"Like", "<return kind='task'/>", YES},
    {"Like", "<return kind='class'/>", YES},
    {"LibLike", "<return kind='task'/>", YES},
    {"LibLike", "<return kind='struct'/>", YES},
    /* of another namespace, and nowhere to be found */
    {"OtherTask", "<return kind='task'/>", UNKNOWN},
    {"TaskArray", "<return kind='task'/>", NO},
    {"Object", "<return kind='task'/>", NO},
    {"Class", "<return kind='task'/>", NO},
    /* an enum or a struct: which one is not known */
    {"Gone", "<return kind='struct'/>", UNKNOWN},
    {"Gone", "<return kind='enum'/>", UNKNOWN},
    {"Gone", "<return kind='struct enum'/>", YES},
    {"Gone", "<return kind='class struct'/>", UNKNOWN},
    {"Gone", "<return kind='void primitive class generic byref pointer'/>", NO},
    {"Gone", "<return kind='task'/>", UNKNOWN},
    {"Gone", "<return kind='task struct enum'/>", YES},
    {"GoneOf", "<return kind='struct'/>", UNKNOWN},
    {"GoneOf", "<return kind='enum struct'/>", YES},
    {"BadSig", "<return kind='void'/>", UNKNOWN},
    {"BadSig", "<return kind='struct task'/>", UNKNOWN},
};

static const struct rt_case size_cases[] = {
    {"Three", "<return larger-than='11'/>", YES}, /* 12 bytes */
    {"Three", "<return larger-than='12'/>", NO},
    {"Three", "<return larger-than='0'/>", YES},
    {"Three", "<return larger-than='4294967295'/>", NO},
    {"Point", "<return larger-than='7'/>", YES},
    {"Point", "<return larger-than='8'/>", NO},
    {"Mixed", "<return larger-than='15'/>", YES},
    {"Mixed", "<return larger-than='16'/>", NO},
    {"BoxInt", "<return larger-than='3'/>", YES},
    {"BoxInt", "<return larger-than='4'/>", NO},
    {"BoxT", "<return larger-than='0'/>", UNKNOWN}, /* hangs on T */
    {"BoxGone", "<return larger-than='0'/>", UNKNOWN},
    {"Gone", "<return larger-than='0'/>", UNKNOWN},
    {"Date", "<return larger-than='0'/>", UNKNOWN}, /* a struct, of which nothing more is known */
    {"BadSig", "<return larger-than='0'/>", UNKNOWN},
    /* everything else has no size */
    {"Void", "<return larger-than='0'/>", NO},
    {"Int", "<return larger-than='0'/>", NO},
    {"Enum", "<return larger-than='0'/>", NO},
    {"Class", "<return larger-than='0'/>", NO},
    {"Var", "<return larger-than='0'/>", NO},
    {"Ref", "<return larger-than='0'/>", NO}, /* to a struct */
    {"Pointer", "<return larger-than='0'/>", NO},
    {"Array", "<return larger-than='0'/>", NO},
    {"Three", "<return kind='struct' larger-than='8'/>", YES},
    {"Three", "<return kind='struct' larger-than='80'/>", NO},
    {"Gone", "<return kind='class' larger-than='8'/>", NO}, /* no matter how large */
    {"Gone", "<return larger-than='8' kind='class'/>", NO},
    {"Gone", "<return larger-than='8' type='G.What'/>", UNKNOWN},
};

static const struct rt_case affected_cases[] = {
    {"Three", "<affected-by bug='x86-struct-return'/>", YES},
    {"Point", "<affected-by bug='x86-struct-return'/>", YES},
    {"Date", "<affected-by bug='x86-struct-return'/>", YES},
    {"Typed", "<affected-by bug='x86-struct-return'/>", YES},
    {"Nullable", "<affected-by bug='x86-struct-return'/>", YES},
    {"ValueTask", "<affected-by bug='x86-struct-return'/>", YES},
    {"Enum", "<affected-by bug='x86-struct-return'/>", NO},
    {"Color", "<affected-by bug='x86-struct-return'/>", NO},
    {"Int", "<affected-by bug='x86-struct-return'/>", NO},
    {"Void", "<affected-by bug='x86-struct-return'/>", NO},
    {"Class", "<affected-by bug='x86-struct-return'/>", NO},
    {"Var", "<affected-by bug='x86-struct-return'/>", NO},
    {"Ref", "<affected-by bug='x86-struct-return'/>", NO},
    {"Gone", "<affected-by bug='x86-struct-return'/>", UNKNOWN},
    {"BadSig", "<affected-by bug='x86-struct-return'/>", UNKNOWN},
    {"Three", "<affected-by bug='x86-struct-return x86-struct-return'/>", YES},
};

static void test_returns(void **state)
{
    RT_CHECK(*state, return_cases);
    RT_CHECK(*state, kind_cases);
    RT_CHECK(*state, size_cases);
    RT_CHECK(*state, affected_cases);
}

/* Without a resolver for assemblies, what Lib has is not known either. */
static void test_unresolved(void **state)
{
    static const struct rt_case cases[] = {
        {"Point", "<return kind='struct'/>", UNKNOWN},
        {"Color", "<return kind='enum'/>", UNKNOWN},
        {"Point", "<return larger-than='4'/>", UNKNOWN},
        {"Point", "<affected-by bug='x86-struct-return'/>", UNKNOWN},
        {"LibLike", "<return kind='task'/>", UNKNOWN},
        {"ValueTask", "<return kind='task'/>", YES},
        {"Like", "<return kind='task'/>", YES},
        {"Three", "<return larger-than='4'/>", YES},
        {"Three", "<return kind='struct'/>", YES},
    };
    struct rt_app app = *(struct rt_app *)*state;
    app.resolver = (struct ilp_resolver){0};
    RT_CHECK(&app, cases);
}

/* Sizes are kept by the signature's blob, in as many places as there are here between two blobs. */
static void test_kept_sizes(void **state)
{
    static const char *const names[] = {"four", "eight"};
    struct ib_image b;
    struct rt_app app = {0};
    uint32_t blobs[2];
    (void)state;
    ii_begin(&b, "App");
    for (unsigned i = 0; i < COUNT(names); i++) {
        ilp_token type = ii_type(&b, "S", names[i], II_VALUE_TYPE);
        ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
        rt_field(&b, i == 0 ? "06 08" : "06 0A");
    }
    blobs[0] = ii_blob(&b, "00 00 11 08");
    ib_zeros(&b.blobs, blobs[0] + ILPI_REMEMBERED_SIZES - b.blobs.size);
    blobs[1] = ii_blob(&b, "00 00 11 0C");
    assert_int_equal(blobs[1], blobs[0] + ILPI_REMEMBERED_SIZES);
    ii_type(&b, "N", "C", II_OBJECT);
    for (unsigned i = 0; i < 6; i++) {
        IB_ROW(&b, MethodDef, 0, 0, 0x16, ib_string(&b, "M"), blobs[i / 2 % 2], 1);
    }
    app.image = built_root(&b);
    struct ilp_rules *rules =
        rt_rules("<rules><include><return larger-than='4'/></include></rules>");
    struct ilp_selector *selector = rt_selector(&app, rules, ILP_TARGET_AUTO);
    for (unsigned i = 0; i < 6; i++) {
        struct ilp_selection selection;
        assert_int_equal(ilp_select(selector, ILP_TOKEN(ILP_MethodDef, i + 1), &selection, NULL),
                         ILP_OK);
        assert_int_equal(selection.included, i / 2 % 2 == 0 ? NO : YES);
    }
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    close_built(app.image);
}

/* ---- bodies ---- */

static const struct rt_case body_cases[] = {
    {"tiny", "<body min-size='1'/>", YES},
    {"tiny", "<body min-size='2'/>", NO},
    {"tiny", "<body min-size='0'/>", YES},
    {"tiny", "<body max-size='1'/>", YES},
    {"tiny", "<body max-size='0'/>", NO},
    {"five", "<body min-size='5' max-size='5'/>", YES},
    {"five", "<body min-size='4' max-size='4'/>", NO},
    {"tail", "<body tail-calls='yes'/>", YES},
    {"tail", "<body tail-calls='no'/>", NO},
    {"five", "<body tail-calls='yes'/>", NO},
    {"five", "<body tail-calls='no'/>", YES},
    {"tail", "<body min-size='8' tail-calls='yes' exception-handling='no'/>", YES},
    {"finally", "<body exception-handling='yes'/>", YES},
    {"finally", "<body exception-handling='no'/>", NO},
    {"finally", "<body max-size='4' exception-handling='yes' tail-calls='no'/>", YES},
    {"five", "<body exception-handling='yes'/>", NO},
    {"five", "<body exception-handling='no'/>", YES},
    /* without a body, nothing is true */
    {"abstract", "<body min-size='0'/>", NO},
    {"abstract", "<body max-size='4294967295'/>", NO},
    {"abstract", "<body tail-calls='no'/>", NO},
    {"abstract", "<body exception-handling='no'/>", NO},
    {"Int", "<body min-size='0'/>", NO},
    {"runtime", "<body min-size='0'/>", NO}, /* what is at its RVA is no IL */
    {"abstract", "<not><body min-size='0'/></not>", YES},
    /* a body that cannot be read, and code that cannot */
    {"badBody", "<body min-size='0'/>", UNKNOWN},
    {"badBody", "<body max-size='0'/>", UNKNOWN},
    {"badBody", "<body tail-calls='no'/>", UNKNOWN},
    {"badBody", "<body exception-handling='no'/>", UNKNOWN},
    {"badCode", "<body min-size='1'/>", YES},
    {"badCode", "<body exception-handling='no'/>", YES},
    {"badCode", "<body tail-calls='no'/>", UNKNOWN},
    {"badCode", "<body tail-calls='yes'/>", UNKNOWN},
    {"badCode", "<body max-size='0' tail-calls='yes'/>", NO},
    {"badCode", "<body tail-calls='yes' max-size='0'/>", NO},
    {"badCode", "<body tail-calls='yes'/><body min-size='1'/>", UNKNOWN},
};

static void test_bodies(void **state)
{
    RT_CHECK(*state, body_cases);
}

/* ---- what is not known, and why ---- */

static void test_details(void **state)
{
    static const struct {
        const char *method;
        const char *conditions;
        const char *detail;
    } cases[] = {
        {"Gone", "<return kind='enum'/>",
         "it may return an enum or a struct: G.What could not be found"},
        {"Gone", "<affected-by bug='x86-struct-return'/>",
         "it may return an enum or a struct: G.What could not be found"},
        {"Gone", "<return larger-than='1'/>",
         "it may return an enum or a struct: G.What could not be found"},
        {"Date", "<return larger-than='1'/>",
         "the size of the returned struct is not known: System.DateTime could not be found"},
        {"BoxGone", "<return larger-than='1'/>",
         "the size of the returned struct is not known: G.What could not be found"},
        {"BoxT", "<return larger-than='1'/>", "the size of the returned struct is not known"},
        {"BadSig", "<return type='x'/>", "its signature is not valid: "},
        {"badBody", "<body min-size='1'/>",
         "its body is not valid: RVA 0x7FFFFFF0 leads outside of the file"},
        {"badCode", "<body tail-calls='no'/>", "its body is not valid: "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_selection selection;
        size_t size = strlen(cases[i].detail);
        bool begins = cases[i].detail[size - 1] == ' ';
        rt_select(*state, cases[i].method, cases[i].conditions, ILP_TARGET_AUTO, &selection);
        assert_int_equal(selection.included, ILP_UNKNOWN);
        if (begins ? strncmp(selection.detail, cases[i].detail, size) != 0
                   : strcmp(selection.detail, cases[i].detail) != 0) {
            fail_msg("%s: %s", cases[i].conditions, selection.detail);
        }
    }
}

/* A regular expression that takes too many steps on the longest name. */
static void test_regex_limit(void **state)
{
    const struct rt_app *app = *state;
    char name[1002];
    char want[40];
    struct ilp_selection selection;
    memset(name, 'a', 1000);
    memcpy(name + 1000, "!", 2);
    rt_select(app, name, "<method regex='(a+)+$'/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_UNKNOWN);
    snprintf(want, sizeof want, "the pattern '(a+)+$' takes too many");
    assert_int_equal(strncmp(selection.detail, want, strlen(want)), 0);
    rt_select(app, name, "<any><method regex='(a+)+$'/><method like='a*'/></any>", ILP_TARGET_AUTO,
              &selection);
    assert_int_equal(selection.included, ILP_YES);
    rt_select(app, "Int", "<method regex='(a+)+$'/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_NO);
    /* of many, the last one that is not known has the reason, whichever is found first */
    rt_select(app, name,
              "<any><method regex='aaaa(a+)+$'/><method name='1'/><method name='2'/>"
              "<method name='3'/><method name='4'/><method name='5'/><method name='6'/>"
              "<method name='7'/><method regex='(a+)+$'/></any>",
              ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_UNKNOWN);
    assert_int_equal(strncmp(selection.detail, want, strlen(want)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_returns),
        cmocka_unit_test(test_unresolved),  cmocka_unit_test(test_kept_sizes),
        cmocka_unit_test(test_bodies),      cmocka_unit_test(test_details),
        cmocka_unit_test(test_regex_limit),
    };
    return cmocka_run_group_tests(tests, rt_setup, rt_teardown);
}
