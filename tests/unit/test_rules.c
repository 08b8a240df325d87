/* src/rules/: reading rule files. Every message with its place, what is ignored, order, inspectors,
 * files that fail as a whole, memory that runs out, and the schema. */
#include "metadata_test.h"

#include "base/sanitizers.h"
#include "rules/rules.h"

static ilp_status add_bytes(struct ilp_rules *rules, const void *xml, size_t size,
                            struct ilp_error *error)
{
    struct ilp_bytes copy = exact(xml, size);
    ilp_status status = ilp_rules_add(rules, copy, "r.xml", error);
    drop(copy);
    return status;
}

static ilp_status add(struct ilp_rules *rules, const char *xml, struct ilp_error *error)
{
    return add_bytes(rules, xml, strlen(xml), error);
}

static struct ilp_rules *open_rules(void)
{
    struct ilp_rules *rules;
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    return rules;
}

static void must_add(struct ilp_rules *rules, const char *xml)
{
    struct ilp_error error = {0};
    if (add(rules, xml, &error) != ILP_OK) {
        fail_msg("%s\n%u:%u: %s", xml, error.line, error.column, error.message);
    }
}

/* ---- what is wrong ---- */

#define RULE(conditions) "<include>" conditions "</include>"
#define IN(conditions)   "<rules>" RULE(conditions) "</rules>"
#define ALL5(x)          x x x x x
#define GROUPS(x)        ALL5(x) ALL5(x) ALL5(x) ALL5(x) ALL5(x) ALL5(x)
#define ATTRIBUTES_10(x)                                                                           \
    " a" x "0='' a" x "1='' a" x "2='' a" x "3='' a" x "4='' a" x "5='' a" x "6='' a" x "7='' a" x \
    "8='' a" x "9=''"

#define CONDITIONS                                                                            \
    "all, any, not, assembly, namespace, type, implements, derives-from, method, signature, " \
    "return, parameters, "                                                                    \
    "parameter, attribute, body, source or affected-by"

/* A message that ends in "..." is libxml2's from there on. */
static const struct {
    const char *xml;
    uint32_t line;
    uint32_t column;
    const char *message;
} bad[] = {
    /* elements */
    {"<rulez/>", 1, 1, "unknown element 'rulez'; did you mean 'rules'? Expected ..."},
    {"<project/>", 1, 1, "unknown element 'project'; expected <rules>"},
    {"<include/>", 1, 1, "the element is not allowed here 'include'; expected <rules>"},
    {"<rules>\n <inclde/></rules>", 2, 2,
     "unknown element 'inclde'; did you mean 'include'? Expected ..."},
    {"<rules>\n\t<é/></rules>", 2, 2, "unknown element 'é'; expected <include> or <exclude>"},
    {"<rules><!-- é --><Include/></rules>", 1, 18,
     "unknown element 'Include'; did you mean 'include'? Expected ..."},
    {"<rules><metod/></rules>", 1, 8,
     "unknown element 'metod'; did you mean 'method'? Expected ..."},
    {"<rules><method name='M'/></rules>", 1, 8,
     "the element is not allowed here 'method'; expected <include> or <exclude>"},
    {"<rules><rules/></rules>", 1, 8,
     "the element is not allowed here 'rules'; expected <include> or <exclude>"},
    {IN("<include/>"), 1, 17, "the element is not allowed here 'include'; expected " CONDITIONS},
    {IN("<nothing-like-it/>"), 1, 17, "unknown element 'nothing-like-it'; expected " CONDITIONS},
    {IN("<all><rules/></all>"), 1, 22,
     "the element is not allowed here 'rules'; expected " CONDITIONS},
    {IN("<method name='M'><type name='T'/></method>"), 1, 34,
     "the element is not allowed here 'type'; expected </method>"},
    {"<rules><aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg/></rules>", 1,
     8,
     "unknown element 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg'; expected "
     "<include> or <exclude>"},
    /* attributes */
    {"<rules version='1'/>", 1, 8, "<rules> has no attribute 'version'; expected none"},
    {"<rules><include nam='x'/></rules>", 1, 17,
     "<include> has no attribute 'nam'; did you mean 'name'? Expected ..."},
    {"<rules><exclude pass='value'/></rules>", 1, 17,
     "<exclude> has no attribute 'pass'; expected 'name' or 'enabled'"},
    {"<rules><include\n  name='é' colour = 'red'/></rules>", 2, 12,
     "<include> has no attribute 'colour'; expected one of those that 'ilpatch rules schema' "
     "lists"},
    {"<rules><include this='yes'/></rules>", 1, 8,
     "'this' is the first argument: add args=\"yes\""},
    {"<rules><include this='yes' args='no'/></rules>", 1, 8,
     "'this' is the first argument: add args=\"yes\""},
    {"<rules><include library='a' symbol='b' args='yes'/></rules>", 1, 8,
     "a native function gets no arguments: leave out 'args'"},
    {"<rules><include library='a' symbol='b' exceptions='yes'/></rules>", 1, 8,
     "a native function gets no exceptions: leave out 'exceptions'"},
    {"<rules><include when='value == '/></rules>", 1, 32, "expected a value, found the end"},
    {"<rules><include when='&#xE9;&#xE9; = 5'/></rules>", 1, 36,
     "'=' is not an operator. Write == to compare"},
    {"<rules><include redact='card,a*b'/></rules>", 1, 25,
     "takes names such as card, *card* and type:Shop.Card, not 'a*b'"},
    {"<rules><include when=''/></rules>", 1, 23, "expected a value, found the end"},
    {"<rules><exclude when='value'/></rules>", 1, 17,
     "<exclude> has no attribute 'when'; expected 'name' or 'enabled'"},
    {"<rules><include guard='maybe'/></rules>", 1, 24, "'maybe' is not yes or no"},
    {"<rules><exclude guard='yes'/></rules>", 1, 17,
     "<exclude> has no attribute 'guard'; expected 'name' or 'enabled'"},
    {IN("<all like='x'/>"), 1, 22, "<all> has no attribute 'like'; expected none"},
    {IN("<assembly version='1' on='type'/>"), 1, 39,
     "<assembly> has no attribute 'on'; expected 'name', 'like', 'regex', 'version' or "
     "'public-key-token'"},
    {"<rules xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\n"
     "<include xsi:name='x' nam='y'/></rules>",
     2, 23, "<include> has no attribute 'nam'; did you mean 'name'? Expected ..."},
    {"<rules xmlns:n='urn:n'><include n:name='x'/></rules>", 1, 24,
     "attributes must not have a namespace, but 'name' has one"},
    {"<rules xml:lang='en'/>", 1, 1, "attributes must not have a namespace, but 'lang' has one"},
    {IN("<method name='a' like='b'/>"), 1, 34,
     "one pattern is enough: an exact one, 'like' or 'regex'"},
    {IN("<return type='a' kind='void' regex='b'/>"), 1, 46,
     "one pattern is enough: an exact one, 'like' or 'regex'"},
    {IN("<signature text='é' like='b' regex='c'/>"), 1, 37,
     "one pattern is enough: an exact one, 'like' or 'regex'"},
    {IN("<attribute/>"), 1, 17, "<attribute> has to say which one: 'name', 'like' or 'regex'"},
    {IN("<attribute on='type'/>"), 1, 17,
     "<attribute> has to say which one: 'name', 'like' or 'regex'"},
    {IN("<method/>"), 1, 17, "<method> needs at least one attribute"},
    {IN("\n<affected-by/>"), 2, 1, "<affected-by> needs at least one attribute"},
    /* groups */
    {IN("<all></all>"), 1, 22, "<all> holds no condition"},
    {IN("<any><not/></any>"), 1, 22, "<not> holds no condition"},
    {IN("<all>\n <any>\n <!-- nothing -->\n</any></all>"), 4, 1, "<any> holds no condition"},
    {IN(GROUPS("<all>") "<not><method name='M'/></not>" GROUPS("</all>")), 1, 167,
     "groups nest deeper than 30"},
    /* patterns */
    {IN("<method name='Get*'/>"), 1, 34,
     "'name' takes '*' as it is; for a wildcard say like=, for the character itself like= with "
     "\\*"},
    {IN("<type name='é?'/>"), 1, 30,
     "'name' takes '?' as it is; for a wildcard say like=, for the character itself like= with "
     "\\?"},
    {IN("<method regex='a('/>"), 1, 34, "missing closing parenthesis"},
    {IN("<method regex='é&amp;&#xE9;&lt;('/>"), 1, 49, "missing closing parenthesis"},
    {IN("<return regex='\n['/>"), 2, 2, "missing terminating ] for character class"},
    {IN("<method regex='a\\C'/>"), 1, 35, "using \\C is disabled by the application"},
    /* values */
    {"<rules><include name=''/></rules>", 1, 23, "'' is not a name: it is empty"},
    {"<rules><include inspector=''/></rules>", 1, 28, "'' is not a name: it is empty"},
    {"<rules><include enabled='true'/></rules>", 1, 26, "'true' is not yes or no"},
    {"<rules><exclude enabled=''/></rules>", 1, 26, "'' is not yes or no"},
    {IN("<method static='Yes'/>"), 1, 33, "'Yes' is not yes or no"},
    {IN("<method arity='-1'/>"), 1, 32, "'-1' is not a number from 0 to 4294967295"},
    {IN("<method arity='4294967296'/>"), 1, 32,
     "'4294967296' is not a number from 0 to 4294967295"},
    {IN("<method arity='99999999999999999999999'/>"), 1, 32,
     "'99999999999999999999999' is not a number from 0 to 4294967295"},
    {IN("<method arity=''/>"), 1, 32, "'' is not a number from 0 to 4294967295"},
    {IN("<body min-size=' 1'/>"), 1, 33, "' 1' is not a number from 0 to 4294967295"},
    {IN("<body max-size='1k'/>"), 1, 33, "'1k' is not a number from 0 to 4294967295"},
    {IN("<return larger-than='0x10'/>"), 1, 38, "'0x10' is not a number from 0 to 4294967295"},
    /* one line */
    {IN("<method arity='&#10;'/>"), 1, 32, "'?' is not a number from 0 to 4294967295"},
    {IN("<return kind='strukt'/>"), 1, 31,
     "unknown word 'strukt'; did you mean 'struct'? Expected ..."},
    {IN("<return kind='void\tx enum'/>"), 1, 36,
     "unknown word 'x'; expected one of: void, primitive, enum, struct, class, generic, byref, "
     "pointer, task"},
    {IN("<return kind='&#x20;é&#xE9;'/>"), 1, 37,
     "unknown word 'éé'; expected one of: void, primitive, enum, struct, class, generic, byref, "
     "pointer, task"},
    {IN("<return kind='class\r\n  klass'/>"), 2, 3,
     "unknown word 'klass'; did you mean 'class'? Expected ..."},
    {IN("<return kind=''/>"), 1, 31,
     "unknown word ''; expected one of: void, primitive, enum, struct, class, generic, byref, "
     "pointer, task"},
    {IN("<return kind=' '/>"), 1, 31,
     "unknown word ' '; expected one of: void, primitive, enum, struct, class, generic, byref, "
     "pointer, task"},
    {IN("<method visibility='internal'/>"), 1, 37,
     "unknown word 'internal'; expected one of: privatescope, private, famandassem, assembly, "
     "family, "
     "famorassem, public"},
    {"<rules><include pass='value '/></rules>", 1, 23,
     "unknown word 'value '; did you mean 'value'? Expected ..."},
    {"<rules><include byref='skip inspect'/></rules>", 1, 24,
     "unknown word 'skip inspect'; expected one of: skip, inspect"},
    {"<rules><include tail-calls='keep' async='none'/></rules>", 1, 42,
     "unknown word 'none'; expected one of: result, task, skip"},
    {IN("<attribute name='A' on='methods'/>"), 1, 41,
     "unknown word 'methods'; did you mean 'method'? Expected ..."},
    {IN("<affected-by bug='x'/>"), 1, 35, "unknown word 'x'; expected one of: x86-struct-return"},
    /* what nothing is spelled like */
    {IN("<return type='List&lt;string>'/>"), 1, 31,
     "a generic type has the number of its type parameters in its name; did you mean "
     "'System.Collections.Generic.List`1<string>'?"},
    {IN("<return type='Foo&lt;Bar, int>[]'/>"), 1, 31,
     "a generic type has its namespace and the number of its type parameters in its name; did you "
     "mean 'Foo`2<Bar,int32>[]'?"},
    {IN("<return type='int?'/>"), 1, 34,
     "metadata has no '?' after a type; did you mean 'System.Nullable`1<int32>'?"},
    {IN("<return type='Dictionary&lt;string, List&lt;int>>'/>"), 1, 31,
     "a generic type has the number of its type parameters in its name; did you mean "
     "'System.Collections.Generic.Dictionary`2<string,System.Collections.Generic.List`1<int32>>'?"},
    {IN("<return type='Shop.Line?'/>"), 1, 40,
     "metadata has no '?' after a type: a nullable struct is System.Nullable`1<...>, and of a "
     "class it is left out"},
    {IN("<return type='Shop.Order+Line'/>"), 1, 41,
     "a nested type has '/' before its name; did you mean 'Shop.Order/Line'?"},
    {IN("<return type='(int, string)'/>"), 1, 31,
     "a tuple is System.ValueTuple`N<...>, with the number of its types for N"},
    {IN("<parameter type='Task&lt;int>'/>"), 1, 34,
     "a generic type has the number of its type parameters in its name; did you mean "
     "'System.Threading.Tasks.Task`1<int32>'?"},
    {IN("<parameters types='int, List&lt;long>'/>"), 1, 41,
     "a generic type has the number of its type parameters in its name; did you mean "
     "'int32,System.Collections.Generic.List`1<int64>'?"},
    {IN("<implements name='IEnumerable&lt;int>'/>"), 1, 35,
     "a generic type has the number of its type parameters in its name; did you mean "
     "'System.Collections.Generic.IEnumerable`1<int32>'?"},
    {IN("<derives-from name='Shop.Outer+Base'/>"), 1, 47,
     "a nested type has '/' before its name; did you mean 'Shop.Outer/Base'?"},
    {IN("<type name='int'/>"), 1, 29, "a type has its full name; did you mean 'System.Int32'?"},
    {IN("<type name='decimal'/>"), 1, 29,
     "a type has its full name; did you mean 'System.Decimal'?"},
    {IN("<type name='Shop.Order+Line'/>"), 1, 39,
     "a nested type has '/' before its name; did you mean 'Shop.Order/Line'?"},
    {IN("<type name='Shop.Box&lt;int>'/>"), 1, 37,
     "methods are defined for all instances of a generic type; did you mean 'Shop.Box`1'?"},
    {IN("<type name='Shop.Box`1&lt;int>'/>"), 1, 39,
     "methods are defined for all instances of a generic type; did you mean 'Shop.Box`1'?"},
    {IN("<method name='Main()'/>"), 1, 35,
     "a method's name has no parentheses: use <parameters> for the parameters; did you mean "
     "'Main'?"},
    {IN("<method name='Sum(int)'/>"), 1, 34,
     "a method's name has no parentheses: use <parameters> for the parameters; did you mean "
     "'Sum'?"},
    {IN("<method name='Shop.Program::Main'/>"), 1, 31,
     "'name' is the method's name alone: <type> and <signature> take more; did you mean 'Main'?"},
    {IN("<method name='Last&lt;T>'/>"), 1, 35,
     "a method's name has no type parameters: use 'arity' for their number; did you mean 'Last'?"},
    {IN("<assembly name='Shop.dll'/>"), 1, 37,
     "an assembly's name is not that of its file; did you mean 'Shop'?"},
    {IN("<assembly name='Shop, Version=1.0.0.0'/>"), 1, 37,
     "'name' is the assembly's name alone: use 'version' and 'public-key-token' for the rest; did "
     "you mean 'Shop'?"},
    {IN("<attribute name='[Obsolete]'/>"), 1, 34,
     "an attribute has the full name of its type, without brackets"},
    {IN("<signature text='int N.T::M(string)'/>"), 1, 34,
     "a signature is as list prints it; did you mean 'int32 N.T::M(string)'?"},
    {IN("<signature text='void N.T::M(decimal)'/>"), 1, 46,
     "a signature is as list prints it; did you mean 'void N.T::M(valuetype System.Decimal)'?"},
    {IN("<parameter position='0' type='int'/>"), 1, 38, "the first parameter has the position 1"},
    {IN("<parameter position='1'/>"), 1, 17,
     "<parameter> has to say of which type: 'type', 'like' or 'regex'"},
    {IN("<assembly public-key-token='b77a5c56'/>"), 1, 45,
     "'b77a5c56' is not a public key token: 16 hexadecimal digits, or none"},
    {IN("<assembly public-key-token='null'/>"), 1, 45,
     "'null' is not a public key token: 16 hexadecimal digits, or none"},
    {IN("<parameters/>"), 1, 17, "<parameters> needs at least one attribute"},
/* versions */
#define NO_VERSION(text)                                                                        \
    {                                                                                           \
        IN("<assembly version='" text "'/>"), 1, 36,                                            \
            "'" text                                                                            \
            "' is not a version or an interval of versions such as 1.2, [1.2.0.0] or [1.0,2.0)" \
    }
    NO_VERSION(""),
    NO_VERSION("x"),
    NO_VERSION("1."),
    NO_VERSION(".1"),
    NO_VERSION("1.2.3.4.5"),
    NO_VERSION("65536"),
    NO_VERSION("1.65536"),
    NO_VERSION("-1"),
    NO_VERSION("["),
    NO_VERSION("[]"),
    NO_VERSION("[,"),
    NO_VERSION("(1.0)"),
    NO_VERSION("[1.0)"),
    NO_VERSION("(1.0]"),
    NO_VERSION("[1.0"),
    NO_VERSION("[1.0,"),
    NO_VERSION("[1.0,2.0"),
    NO_VERSION("1.0,2.0"),
    NO_VERSION("1.0]"),
    NO_VERSION("[1.0,x]"),
    NO_VERSION("[1.0,2.0]]"),
    NO_VERSION("[1.0 ,2]"),
    NO_VERSION("[1,2,3]"),
#define EMPTY_VERSIONS(text)                                                           \
    {                                                                                  \
        IN("<assembly version='" text "'/>"), 1, 36,                                   \
            "no version is in the interval '" text "': it has to begin before it ends" \
    }
    EMPTY_VERSIONS("[2.0,1.0]"),
    EMPTY_VERSIONS("[1.0,1.0)"),
    EMPTY_VERSIONS("(1.0,1]"),
    EMPTY_VERSIONS("(1.0,1.0)"),
    {IN("<body min-size='6' max-size='5'/>"), 1, 36,
     "no size is from 6 to 5: 'min-size' is above 'max-size'"},
    {IN("<body max-size='0' tail-calls='yes' min-size='1'/>"), 1, 53,
     "no size is from 1 to 0: 'min-size' is above 'max-size'"},
    /* text */
    {"<rules>é</rules>", 1, 8, "text is not expected here, but <include> or <exclude>"},
    {"<rules>\n  text\n</rules>", 2, 3, "text is not expected here, but <include> or <exclude>"},
    {"<rules><include/>\n <!-- é --> <?p i?> x</rules>", 2, 21,
     "text is not expected here, but <include> or <exclude>"},
    {IN("\r\n x"), 2, 2, "text is not expected here, but " CONDITIONS},
    {IN("<method name='M'/>&#65;"), 1, 35, "text is not expected here, but " CONDITIONS},
    {IN("<method name='M'/> &amp;"), 1, 36, "text is not expected here, but " CONDITIONS},
    {IN("<method name='M'>x</method>"), 1, 34, "text is not expected here, but </method>"},
    {IN("<![CDATA[ x ]]>"), 1, 27, "text is not expected here, but " CONDITIONS},
    {"<rules><![CDATA[ ]]> <![CDATA[é]]></rules>", 1, 31,
     "text is not expected here, but <include> or <exclude>"},
    {IN("<all><method name='M'/></all>é"), 1, 46, "text is not expected here, but " CONDITIONS},
    /* namespaces */
    {"<rules xmlns='urn:n'/>", 1, 1, "elements must not have a namespace, but <rules> has one"},
    {"<rules>\n<r:include xmlns:r='urn:r'/></rules>", 2, 1,
     "elements must not have a namespace, but <include> has one"},
    {"<rules xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='/etc/passwd'/></rules>",
     1, 51, "elements must not have a namespace, but <include> has one"},
    {"<rules><x:include/></rules>", 1, 18, "not well-formed XML: Namespace prefix x..."},
    /* document types: nothing in them is looked at */
    {"<!DOCTYPE rules><rules/>", 1, 1, "a document type declaration is not accepted"},
    {"<?xml version='1.0'?>\n <!DOCTYPE rules SYSTEM '/etc/passwd'><rules/>", 2, 2,
     "a document type declaration is not accepted"},
    {"<!DOCTYPE rules SYSTEM 'http://127.0.0.1:1/r.dtd'><rules/>", 1, 1,
     "a document type declaration is not accepted"},
    {"<!DOCTYPE rules [<!ENTITY x SYSTEM '/etc/passwd'>]><rules>&x;</rules>", 1, 1,
     "a document type declaration is not accepted"},
    {"<!DOCTYPE rules [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
     "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>"
     "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;'>"
     "<!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;'><!ENTITY h '&g;&g;&g;&g;&g;&g;&g;&g;'>]>"
     "<rules><include name='&h;'/></rules>",
     1, 1, "a document type declaration is not accepted"},
    {"<!DOCTYPE rules [<!ENTITY % a '<!ENTITY &#37; b \"%a;%a;\">'> %a; %b;]><rules/>", 1, 1,
     "a document type declaration is not accepted"},
    {"<!DOCTYPE rules [<!ATTLIST include enabled CDATA 'no'>]><rules><include/></rules>", 1, 1,
     "a document type declaration is not accepted"},
    {"<rules><include name='&x;'/></rules>", 1, 26,
     "not well-formed XML: Entity 'x' not defined..."},
    /* encodings */
    {"", 1, 1, "the file is empty"},
    {"<rules>\n<include name='caf\xE9'/></rules>", 2, 19,
     "this is not UTF-8: save the file in that encoding"},
    {"<rules>\xC0\x80</rules>", 1, 8, "this is not UTF-8: save the file in that encoding"},
    {"<rules>é\xED\xA0\x80</rules>", 1, 9, "this is not UTF-8: save the file in that encoding"},
    {"<rules>\xE2\x82", 1, 8, "this is not UTF-8: save the file in that encoding"},
    {"<?xml version='1.0' encoding='ISO-8859-1'?><rules/>", 1, 1,
     "the file says that it is in ISO-8859-1: save it as UTF-8"},
    {"<?xml version='1.0' encoding='windows-1252'?><rules/>", 1, 1,
     "the file says that it is in windows-1252: save it as UTF-8"},
    {"<?xml version='1.0' encoding='UTF-16'?><rules/>", 1, 38, "not well-formed XML: ..."},
    {"<?xml version='1.0' encoding='none-such'?><rules/>", 1, 1,
     "the file says that it is in none-such: save it as UTF-8"},
    /* no column for the mark */
    {"\xEF\xBB\xBF<rulez/>", 1, 1, "unknown element 'rulez'; did you mean 'rules'? Expected ..."},
    {"<?xml version='1.0' encoding='US-ASCII'?>\n<rules><includ/></rules>", 2, 8,
     "unknown element 'includ'; did you mean 'include'? Expected ..."},
    /* not XML */
    {"rules", 1, 1, "not well-formed XML: ..."},
    {" ", 1, 2, "not well-formed XML: ..."},
    {"<rules>", 1, 8, "not well-formed XML: ..."},
    {"<rules><include", 1, 16, "not well-formed XML: ..."},
    {"<rules><include name='é", 1, 24, "not well-formed XML: ..."},
    {IN("\n<all>"), 2, 16, "not well-formed XML: Opening and ending tag mismatch..."},
    {"<rules/><rules/>", 1, 9, "not well-formed XML: Extra content at the end of the document..."},
    {"<rules/>text", 1, 9, "not well-formed XML: Extra content at the end of the document..."},
    {"<rules><include name='a' name='b'/></rules>", 1, 34, "not well-formed XML: ..."},
    {"<rules><include name='<'/></rules>", 1, 23, "not well-formed XML: ..."},
    {"<rules><include name=a/></rules>", 1, 22, "not well-formed XML: ..."},
    {"<rules><!-- -- --></rules>", 1, 13, "not well-formed XML: ..."},
    {"<rules>&#0;</rules>", 1, 12, "not well-formed XML: ..."},
    {"<rules><include name='\x01'/></rules>", 1, 23, "not well-formed XML: ..."},
};

static bool is_message(const char *message, const char *expected)
{
    size_t size = strlen(expected);
    return size > 3 && strcmp(expected + size - 3, "...") == 0
               ? strncmp(message, expected, size - 3) == 0
               : strcmp(message, expected) == 0;
}

static unsigned check_bad(const char *xml, size_t size, uint32_t line, uint32_t column,
                          const char *message)
{
    unsigned wrong = 0;
    struct ilp_rules *rules = open_rules();
    struct ilp_error error = {0};
    ilp_status status = add_bytes(rules, xml, size, &error);
    if (status != ILP_E_BAD_RULES || error.line != line || error.column != column ||
        !is_message(error.message, message)) {
        wrong = 1;
        print_error("%.300s\n  %s %u:%u: %s\n  expected %u:%u: %s\n", xml, ilp_status_name(status),
                    error.line, error.column, status == ILP_OK ? "" : error.message, line, column,
                    message);
    }
    assert_int_equal(error.status, status);
    assert_int_equal(ilp_rules_count(rules), 0);
    assert_int_equal(add_bytes(rules, xml, size, NULL), ILP_E_BAD_RULES); /* no error is taken */
    ilp_rules_close(rules);
    return wrong;
}

static void test_bad(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        wrong += check_bad(bad[i].xml, strlen(bad[i].xml), bad[i].line, bad[i].column,
                           bad[i].message);
    }
    assert_int_equal(wrong, 0);
}

static void put_attributes(struct ib_bytes *text, unsigned count)
{
    text->size = 0;
    ib_put(text, "<rules><include", 15);
    for (unsigned i = 0; i < count; i++) {
        char attribute[32];
        ib_put(text, attribute, (size_t)snprintf(attribute, sizeof attribute, " q%u=''", i));
    }
    ib_put(text, "/></rules>", 10);
}

/* No attributes of one element, though there are many signs of them. */
static void test_many_signs(void **state)
{
    static const char *const around[][2] = {
        {"<!-- <a ", " -->"},
        {"<?a <a ", " > ?>"},
        {"<include name=\"'", "'\"/>"},
        {"<include name='>\"", "\"'/>"},
        {"<include xmlns:a='b'/>", "\n"},
    };
    struct ib_bytes text = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(around); i++) {
        bool repeated = i == COUNT(around) - 1;
        const char *sign = repeated ? around[i][0] : "= a";
        text.size = 0;
        ib_put(&text, "<rules>", 7);
        ib_put(&text, around[i][0], strlen(around[i][0]));
        for (unsigned k = 0; k < 300; k++) {
            ib_put(&text, sign, strlen(sign));
        }
        ib_put(&text, around[i][1], strlen(around[i][1]));
        ib_put(&text, "<include/></rules>", 18);
        struct ilp_rules *rules = open_rules();
        struct ilp_error error = {0};
        if (add_bytes(rules, text.data, text.size, &error) != ILP_OK) {
            fail_msg("%zu: %s", i, error.message);
        }
        ilp_rules_close(rules);
    }
    free(text.data);
}

/* Files that hold NULs, or take more than a line to write. */
static void test_bad_bytes(void **state)
{
    static const char nul[] = "a NUL byte, which XML does not allow: save the file as UTF-8 text";
    static const char no_utf8[] = "this is not UTF-8: save the file in that encoding";
    struct ib_bytes text = {0};
    unsigned wrong = 0;
    (void)state;
    wrong += check_bad("<rules>\0</rules>", 16, 1, 8, nul);
    wrong += check_bad("<\0r\0u\0l\0e\0s\0/\0>\0", 16, 1, 2, nul);
    wrong += check_bad("\xFF\xFE<\0r\0u\0l\0e\0s\0/\0>\0", 18, 1, 1, no_utf8);
    wrong += check_bad("\xFE\xFF\0<\0r\0u\0l\0e\0s\0/\0>", 18, 1, 1, no_utf8);
    /* more attributes than the reader takes */
    put_attributes(&text, 256);
    wrong += check_bad((const char *)text.data, text.size, 1, 17,
                       "<include> has no attribute 'q0'; expected ...");
    put_attributes(&text, 257);
    wrong += check_bad((const char *)text.data, text.size, 1, 8,
                       "an element with more than 256 attributes");
    assert_int_equal(wrong, 0);
    text.size = 0;
    /* one byte more than a file may have */
    memset(ib_more(&text, (64u << 20) + 1), ' ', (64u << 20) + 1);
    memcpy(text.data, "<rules>", 7);
    memcpy(text.data + text.size - 9, "</rules>", 8);
    struct ilp_rules *rules = open_rules();
    struct ilp_error error = {0};
    assert_int_equal(add_bytes(rules, text.data, text.size, &error), ILP_E_BAD_RULES);
    assert_string_equal(error.message, "a rule file has at most 64 MB");
    assert_int_equal(add_bytes(rules, text.data, text.size - 1, &error), ILP_OK);
    ilp_rules_close(rules);
    ib_free(&text);
    rules = open_rules();
    assert_int_equal(ilp_rules_add(rules, (struct ilp_bytes){NULL, 0}, "r.xml", &error),
                     ILP_E_BAD_RULES);
    assert_string_equal(error.message, "the file is empty");
    ilp_rules_close(rules);
}

/* ---- memory of many rules ---- */

/* So many times the same between <rules> and </rules>. */
static void put_many(struct ib_bytes *text, const char *rule, unsigned count)
{
    text->size = 0;
    ib_put(text, "<rules>", 7);
    for (unsigned i = 0; i < count; i++) {
        ib_put(text, rule, strlen(rule));
    }
    ib_put(text, "</rules>", 8);
}

/* What each of them may take for itself: so many are accepted, so many refused. */
static const struct {
    const char *rule;
    unsigned accepted;
    unsigned refused;
} many[] = {
    {"<include/>", 30000, 300000},
    {RULE("<type name='Company.Product.Area.Type1'/><method name='Method1'/>"), 20000, 200000},
    {RULE("<method regex='^Get.*1$'/>"), 4000, 60000},
    {RULE("<method regex='((a{99}){99}){4}'/>"), 40, 4000},
    {"<include when='value &gt; 1'/>", 3000, 30000},
    {"<include when='value =~ \"^a+$\"'/>", 1000, 30000},
};

#ifdef HAS_ADDRESS_SANITIZER /* each text and condition has a block of its own */
#define ACCEPTED(i) (many[i].accepted / 8)
#else
#define ACCEPTED(i) (many[i].accepted)
#endif

static void test_many(void **state)
{
    struct ib_bytes text = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(many); i++) {
        struct ilp_rules *rules = open_rules();
        struct ilp_error error = {0};
        put_many(&text, many[i].rule, many[i].refused);
        assert_int_equal(add_bytes(rules, text.data, text.size, &error), ILP_E_TOO_LARGE);
        assert_int_equal(error.status, ILP_E_TOO_LARGE);
        assert_non_null(strstr(error.message, "Name more methods by one rule"));
        assert_int_equal(ilp_rules_count(rules), 0);
        /* nothing is left of it: the same set takes all that a new one takes, twice */
        for (unsigned files = 1; files <= 2; files++) {
            put_many(&text, many[i].rule, ACCEPTED(i) / 2);
            assert_int_equal(add_bytes(rules, text.data, text.size, &error), ILP_OK);
            assert_int_equal(ilp_rules_count(rules), files * (ACCEPTED(i) / 2));
        }
        assert_true(rules->alloc.used <= ILPI_RULES_BYTES + 2 * ILPI_BYTES_OF_RULES(text.size));
        ilp_rules_close(rules);
    }
    ib_free(&text);
}

/* ---- what is right ---- */

static const char *const good[] = {
    "<rules/>",
    "<rules></rules>",
    "\xEF\xBB\xBF<rules/>",
    "<?xml version='1.0'?><rules/>",
    "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8' "
    "standalone='yes'?>\r\n<rules>\r\n</rules>\r\n",
    "<?xml version='1.1'?><rules/>",
    "<?xml version='1.0' encoding='us-ascii'?><rules/>",
    "<!-- before --><?before?><rules><!-- in --><?in?></rules><!-- behind --><?behind?>",
    "<rules xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
    "xsi:noNamespaceSchemaLocation='/none/rules.xsd'/>",
    "<rules xmlns:unused='urn:u'/>",
    "<rules><![CDATA[ ]]>&#32;</rules>",
    "<rules><include/><exclude/></rules>",
    IN("<all><any><not><method name='M'/></not></any></all>"),
    IN(GROUPS("<all>") "<method name='M'/>" GROUPS("</all>")),
    IN("<namespace name=''/><method like=''/><type regex=''/>"),
    IN("<signature text='class A* N.T::M(int32*)'/><return type='int32*'/>"),
    IN("<assembly version='1'/><assembly version='1.2'/><assembly version='1.2.3'/><assembly "
       "version='65535.65535.65535.65535'/><assembly version='[1]'/><assembly "
       "version='[1,1]'/><assembly "
       "version='(,)'/><assembly version='[,2.0)'/><assembly version='(1.0,]'/><assembly "
       "version='(1,1.1)'/>"),
    IN("<method arity='0'/><method arity='4294967295'/><method arity='007'/>"),
    IN("<return kind='  void\n\ttask  void '/>"),
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_rules *rules = open_rules();
        must_add(rules, good[i]);
        ilp_rules_close(rules);
    }
}

static void test_rule(void **state)
{
    struct ilp_rules *rules = open_rules();
    struct ilp_rule rule;
    (void)state;
    must_add(
        rules,
        "<rules><include/>\n<exclude name='n&amp;&lt;&#x41;é' enabled='no'/>\n"
        "<include name='x'\n  inspector='a.dll' pass='value' byref='inspect' pointers='inspect'"
        " tail-calls='strip' async='skip' iterators='current' args='yes' this='yes' "
        "exceptions='yes' "
        "guard='yes' when='value &gt; 5' redact='card,type:N.C'><method "
        "name='M'/></include></rules>");
    assert_int_equal(ilp_rules_count(rules), 3);
    ilp_rules_get(rules, 0, &rule);
    assert_string_equal(rule.file, "r.xml");
    assert_string_equal(rule.name, "");
    assert_int_equal(rule.line, 1);
    assert_false(rule.exclude || !rule.enabled || rule.conditional);
    assert_int_equal(rule.action.inspector + rule.action.pass + rule.action.byref +
                         rule.action.pointers + rule.action.tail_calls + rule.action.async +
                         rule.action.iterators + rule.action.guard + rule.action.arguments +
                         rule.action.self,
                     0);
    ilp_rules_get(rules, 1, &rule);
    assert_string_equal(rule.name, "n&<Aé");
    assert_null(rule.when);
    assert_null(rule.redact);
    assert_int_equal(rule.line, 2);
    assert_true(rule.exclude && !rule.enabled && !rule.conditional);
    ilp_rules_get(rules, 2, &rule);
    assert_string_equal(rule.name, "x");
    assert_int_equal(rule.line, 3);
    assert_true(!rule.exclude && rule.enabled && rule.conditional);
    assert_int_equal(rule.action.inspector, 1);
    assert_int_equal(rule.action.pass, ILP_PASS_VALUE);
    assert_int_equal(rule.action.byref, ILP_BYREF_INSPECT);
    assert_int_equal(rule.action.pointers, ILP_POINTERS_INSPECT);
    assert_int_equal(rule.action.tail_calls, ILP_TAIL_CALLS_STRIP);
    assert_int_equal(rule.action.async, ILP_ASYNC_SKIP);
    assert_int_equal(rule.action.iterators, ILP_ITERATORS_CURRENT);
    assert_string_equal(rule.when, "value > 5");
    assert_string_equal(rule.redact, "card,type:N.C");
    assert_non_null(ilpi_rules_when(rules, 2));
    assert_null(ilpi_rules_when(rules, 0));
    assert_null(ilpi_rules_when(rules, 3));
    assert_true(rule.action.guard && rule.action.arguments && rule.action.self &&
                rule.action.exceptions);
    ilp_rules_get(rules, 3, &rule); /* none */
    assert_string_equal(rule.file, "");
    assert_string_equal(rule.name, "");
    assert_false(rule.enabled);
    ilp_rules_close(rules);
}

/* ---- several files ---- */

static void add_as(struct ilp_rules *rules, const char *file, const char *xml)
{
    struct ilp_error error = {0};
    char name[16];
    snprintf(name, sizeof name, "%s", file);
    ilp_status status = ilp_rules_add(rules, (struct ilp_bytes){(const uint8_t *)xml, strlen(xml)},
                                      name, &error);
    if (status != ILP_OK) {
        fail_msg("%s: %s", file, error.message);
    }
    memset(name, 'x', sizeof name); /* it was copied */
}

static void test_files(void **state)
{
    static const char *const names[] = {"1", "2", "3", "4", "5"};
    struct ilp_rules *rules = open_rules();
    (void)state;
    add_as(rules, "a.xml", "<rules><include name='1'/><include name='2'/></rules>");
    add_as(rules, "b.xml", "<rules/>");
    add_as(rules, "c.xml", "<rules>\n<include name='3'/></rules>");
    add_as(rules, "a.xml", "<rules><include name='4'/><include name='5'/></rules>");
    assert_int_equal(ilp_rules_count(rules), COUNT(names));
    for (uint32_t i = 0; i < COUNT(names); i++) {
        struct ilp_rule rule;
        ilp_rules_get(rules, i, &rule);
        assert_string_equal(rule.name, names[i]);
        assert_string_equal(rule.file, i == 2 ? "c.xml" : "a.xml");
        assert_int_equal(rule.line, i == 2 ? 2 : 1);
    }
    ilp_rules_close(rules);
}

static uint32_t inspector_of(const struct ilp_rules *rules, uint32_t number)
{
    struct ilp_rule rule;
    ilp_rules_get(rules, number, &rule);
    return rule.action.inspector;
}

static void check_inspector(const struct ilp_rules *rules, uint32_t index, const char *path,
                            const char *file)
{
    const char *found_file = NULL;
    const char *found = ilp_rules_inspector(rules, index, &found_file);
    assert_non_null(found);
    assert_string_equal(found, path);
    assert_string_equal(found_file, file);
}

static void test_inspectors(void **state)
{
    struct ilp_rules *rules = open_rules();
    const char *file;
    (void)state;
    assert_null(ilp_rules_inspector(rules, 0, &file));
    add_as(rules, "a/r.xml",
           "<rules><include inspector='i.dll'/><include/><include inspector='j.dll'/>"
           "<include inspector='i.dll'/></rules>");
    assert_int_equal(inspector_of(rules, 0), 1);
    assert_int_equal(inspector_of(rules, 1), 0);
    assert_int_equal(inspector_of(rules, 2), 2);
    assert_int_equal(inspector_of(rules, 3), 1);
    /* the same path from another file may be another assembly */
    add_as(rules, "b/r.xml", "<rules><include inspector='i.dll'/></rules>");
    assert_int_equal(inspector_of(rules, 4), 3);
    add_as(rules, "a/r.xml", "<rules><include inspector='i.dll'/></rules>");
    assert_int_equal(inspector_of(rules, 5), 1);
    check_inspector(rules, 0, "i.dll", "a/r.xml");
    check_inspector(rules, 1, "j.dll", "a/r.xml");
    check_inspector(rules, 2, "i.dll", "b/r.xml");
    assert_null(ilp_rules_inspector(rules, 3, &file));
    assert_null(ilp_rules_inspector(rules, UINT32_MAX, &file));
    /* a rule that is not there needs none, wherever it says so */
    add_as(rules, "c.xml",
           "<rules><include inspector='k.dll' enabled='no'/>"
           "<include enabled='no' inspector='l.dll'/>"
           "<include enabled='yes' inspector='m.dll'/></rules>");
    assert_int_equal(inspector_of(rules, 6), 0);
    assert_int_equal(inspector_of(rules, 7), 0);
    assert_int_equal(inspector_of(rules, 8), 4);
    check_inspector(rules, 3, "m.dll", "c.xml");
    assert_null(ilp_rules_inspector(rules, 4, &file));
    ilp_rules_close(rules);
}

/* ---- files that fail ---- */

#define LITERALS                                                                          \
    "<include><signature text='S'/></include><include><type name='T'/><method "           \
    "name='M'/></include>"                                                                \
    "<include><method name='M'/></include><include><all><type name='T'/></all></include>" \
    "<include><namespace name='N'/></include><include><method like='*'/></include>"       \
    "<include enabled='no'><method name='Disabled'/></include><include><any><method "     \
    "name='A'/></any></include>"

/* What is looked up when methods are selected. */
static uint32_t chain_of(const struct ilp_rules *rules, enum ilpi_key key, const char *first,
                         const char *second)
{
    struct ilp_bytes none = {NULL, 0};
    struct ilp_bytes a = {(const uint8_t *)first, strlen(first)};
    struct ilp_bytes b = second ? (struct ilp_bytes){(const uint8_t *)second, strlen(second)}
                                : none;
    uint32_t link = ilpi_chain_of(&rules->index, ilpi_key_hash(key, a, b));
    return link == ILPI_NO_LINK ? ILP_NO_RULE : rules->index.links.items[link].of;
}

/* The rules of the chain that begins with a link: the first, and how many there are. */
static uint32_t chain_from(const struct ilp_rules *rules, uint32_t link, uint32_t *length)
{
    uint32_t first = link == ILPI_NO_LINK ? ILP_NO_RULE : rules->index.links.items[link].of;
    for (*length = 0; link != ILPI_NO_LINK; link = rules->index.links.items[link].next) {
        ++*length;
    }
    return first;
}

static void check_index(const struct ilp_rules *rules, uint32_t first)
{
    assert_int_equal(chain_of(rules, ILPI_KEY_SIGNATURE, "S", NULL), first);
    assert_int_equal(chain_of(rules, ILPI_KEY_TYPE_AND_METHOD, "T", "M"), first + 1);
    assert_int_equal(chain_of(rules, ILPI_KEY_METHOD, "M", NULL), first + 2);
    assert_int_equal(chain_of(rules, ILPI_KEY_TYPE, "T", NULL), first + 3);
    assert_int_equal(chain_of(rules, ILPI_KEY_NAMESPACE, "N", NULL), first + 4);
    uint32_t length;
    assert_int_equal(chain_from(rules, rules->others.first, &length), first + 5);
    assert_int_equal(length, 1);
    assert_true(rules->any_signature); /* S names no method */
    assert_int_equal(chain_of(rules, ILPI_KEY_METHOD, "Disabled", NULL), ILP_NO_RULE);
    assert_int_equal(chain_of(rules, ILPI_KEY_METHOD, "A", NULL), first + 7);
    assert_int_equal(chain_of(rules, ILPI_KEY_METHOD, "X", NULL), ILP_NO_RULE);
    assert_int_equal(rules->index.chains.count, 6);
}

static void test_index(void **state)
{
    struct ilp_rules *rules = open_rules();
    (void)state;
    assert_int_equal(chain_of(rules, ILPI_KEY_METHOD, "M", NULL), ILP_NO_RULE);
    must_add(rules, "<rules>" LITERALS "</rules>");
    check_index(rules, 0);
    /* a chain goes on in the order of the rules */
    must_add(rules, "<rules><include><method name='M'/></include><exclude><method "
                    "name='M'/></exclude></rules>");
    struct ilp_bytes m = {(const uint8_t *)"M", 1};
    struct ilp_bytes none = {NULL, 0};
    uint32_t link = ilpi_chain_of(&rules->index, ilpi_key_hash(ILPI_KEY_METHOD, m, none));
    for (uint32_t i = 0; i < 3; i++, link = rules->index.links.items[link].next) {
        assert_int_equal(rules->index.links.items[link].of, i == 0 ? 2 : 7 + i);
    }
    assert_int_equal(link, ILPI_NO_LINK);
    check_index(rules, 0);
    ilp_rules_close(rules);
}

/* Of many regular expressions, only those are compiled for the machine that nothing looks up. */
static void test_many_regexes(void **state)
{
    struct ilp_rules *rules = open_rules();
    (void)state;
    for (unsigned i = 0; i < 66; i++) {
        must_add(rules, "<rules><include><method regex='ab.*'/><signature regex='ab.*'/><method "
                        "regex='a.b'/></include></rules>");
    }
    for (size_t i = 0; i < rules->regexes.count; i++) {
        assert_int_equal(rules->regexes.items[i]->seldom, i >= 64 && i % 3 == 0);
    }
    ilp_rules_close(rules);
}

/* Nothing of the file stays, however much of it was read; the next one works. */
static void test_all_or_nothing(void **state)
{
    struct ilp_rules *rules = open_rules();
    struct ilp_error error = {0};
    const char *file;
    (void)state;
    must_add(rules, "<rules><include inspector='a'><method regex='a'/></include></rules>");
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(add(rules, bad[i].xml, &error), ILP_E_BAD_RULES);
    }
    assert_int_equal(add(rules,
                         "<rules><include inspector='b'/><include inspector='c'><method regex='x'/>"
                         "</include>" LITERALS "<include><method regex='('/></include></rules>",
                         &error),
                     ILP_E_BAD_RULES);
    assert_int_equal(add(rules, "<rules><include inspector='b'/>" LITERALS, &error),
                     ILP_E_BAD_RULES);
    assert_int_equal(ilp_rules_count(rules), 1);
    assert_non_null(ilp_rules_inspector(rules, 0, &file));
    assert_null(ilp_rules_inspector(rules, 1, &file));
    assert_int_equal(rules->keys.kinds, 1u << ILPI_KEY_NONE);
    assert_int_equal(rules->index.chains.count, 0);
    uint32_t length;
    assert_int_equal(chain_from(rules, rules->others.first, &length), 0);
    assert_int_equal(length, 1);
    must_add(rules, "<rules>" LITERALS "<include inspector='d'/></rules>");
    assert_int_equal(ilp_rules_count(rules), 10);
    assert_int_equal(inspector_of(rules, 9), 2);
    assert_int_equal(chain_of(rules, ILPI_KEY_TYPE_AND_METHOD, "T", "M"), 2);
    ilp_rules_close(rules);
}

/* ---- memory ---- */

static const char memory_file[] =
    "<rules><include name='n' inspector='i' pass='value'><all><any><not><method "
    "regex='(a|b)+c'/></not>"
    "<type like='T*'/></any></all><return kind='struct enum' larger-than='8'/></include>" LITERALS
        LITERALS LITERALS LITERALS
    "<exclude><assembly version='[1,2)'/><method regex='é'/></exclude></rules>";

/* Two files, so that tables grow that are not empty: more than half of the 64 chains that there are
 * at first. */
static ilp_status fill(struct ilp_rules *rules, struct ilp_error *error)
{
    static const char first[] = "<rules><include><method name='First'/></include></rules>";
    uint32_t count = ilp_rules_count(rules);
    ilp_status status = count == 0 ? add(rules, first, error) : ILP_OK;
    return status == ILP_OK ? add(rules, memory_file, error) : status;
}

static void test_memory_fails(void **state)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_rules *rules;
    (void)state;
    assert_int_equal(ilp_rules_open(&rules, &allocator, NULL), ILP_OK);
    assert_int_equal(fill(rules, NULL), ILP_OK);
    ilp_rules_close(rules);
    memory_is_empty(&memory);
    size_t calls = memory.calls;
    unsigned failed = 0;
    for (size_t n = 1; n <= calls; n++) {
        struct ilp_error error = {0};
        memory = (struct memory){.fail_at = n};
        ilp_status status = ilp_rules_open(&rules, &allocator, &error);
        if (status == ILP_OK) {
            status = fill(rules, &error);
            if (status != ILP_OK) {
                assert_true(ilp_rules_count(rules) <= 1);
                assert_int_equal(fill(rules, NULL), ILP_OK); /* it works again */
            }
            assert_int_equal(ilp_rules_count(rules), 35);
            ilp_rules_close(rules);
        }
        assert_true(status == ILP_OK || (status == ILP_E_NO_MEMORY && error.status == status));
        failed += status != ILP_OK;
        memory_is_empty(&memory);
    }
    assert_true(failed >=
                calls / 2); /* else it was PCRE2's JIT compiler, which one can do without */
}

static void test_memory_limit(void **state)
{
    unsigned enough = 0;
    (void)state;
    for (size_t limit = 1; limit < 1u << 20; limit += limit / 7 + 1) {
        struct memory memory = {0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_rules *rules;
        allocator.limit = limit;
        ilp_status status = ilp_rules_open(&rules, &allocator, NULL);
        if (status == ILP_OK) {
            status = fill(rules, NULL);
            ilp_rules_close(rules);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        assert_true(status == ILP_OK || enough == 0); /* more never hurts */
        assert_true(memory.most <= limit);
        enough += status == ILP_OK;
        memory_is_empty(&memory);
    }
    assert_int_not_equal(enough, 0);
}

/* ---- the schema ---- */

static void collect_text(void *user, const char *text, size_t size)
{
    ib_put(user, text, size);
}

static void test_schema(void **state)
{
    struct ib_bytes text = {0};
    struct ilp_text_sink sink = {&text, collect_text};
    (void)state;
    assert_int_equal(ilp_rules_schema(&sink, NULL), ILP_OK);
    struct ilp_bytes file = load("../../data/rules.xsd");
    if (file.size != text.size || memcmp(file.data, text.data, text.size) != 0) {
        fail_msg("data/rules.xsd is not what ilpatch rules schema writes");
    }
    drop(file);
    ib_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad),          cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_many_signs),   cmocka_unit_test(test_good),
        cmocka_unit_test(test_rule),         cmocka_unit_test(test_files),
        cmocka_unit_test(test_inspectors),   cmocka_unit_test(test_index),
        cmocka_unit_test(test_many_regexes), cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_memory_fails), cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_schema),       cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
