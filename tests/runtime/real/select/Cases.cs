// The conditions and rule files that are tried on an assembly: each word of include/ilpatch/rules.def, alone and with
// others, and names that are taken from the assembly itself.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;

static class Cases
{
    // One a line.
    const string words = """
        <affected-by bug="x86-struct-return"/>
        <return kind="void"/>
        <return kind="primitive"/>
        <return kind="enum"/>
        <return kind="struct"/>
        <return kind="class"/>
        <return kind="generic"/>
        <return kind="byref"/>
        <return kind="pointer"/>
        <return kind="task"/>
        <return kind="enum struct task"/>
        <return larger-than="0"/>
        <return larger-than="4"/>
        <return larger-than="8"/>
        <return larger-than="16"/>
        <return larger-than="64"/>
        <return type="bool"/>
        <return type="class System.Type"/>
        <return type="System.Type"/>
        <return type="System.Guid"/>
        <return type="string[]" />
        <return like="System.Nullable`1&lt;*&gt;"/>
        <return like="*[]"/>
        <return regex="^System\.Collections\.Generic\.I\w+`1&lt;"/>
        <return like="*&amp;"/>
        <namespace name=""/>
        <namespace like="*"/>
        <namespace like="System*"/>
        <namespace like="*.Internal*"/>
        <namespace regex="\.C\w+$"/>
        <type like="*`?"/>
        <type like="*/*"/>
        <type like="*/&lt;*&gt;d__*"/>
        <type regex="(Reader|Writer)$"/>
        <type regex="^[^/]*`[2-9]"/>
        <type arity="0"/>
        <type arity="1"/>
        <type arity="2"/>
        <type nested="yes"/>
        <type nested="no" visibility="public"/>
        <type visibility="private"/>
        <type visibility="assembly"/>
        <type visibility="public"/>
        <type visibility="family"/>
        <type visibility="famandassem"/>
        <type visibility="famorassem"/>
        <type visibility="family famandassem private"/>
        <method name="Equals"/>
        <method name="ToString"/>
        <method name=".ctor"/>
        <method like="get_*"/>
        <method like="*.*"/>
        <method like="??"/>
        <method like="&lt;*"/>
        <method regex="^(Try|Is|Has)[A-Z]"/>
        <method regex="\d$"/>
        <method arity="0"/>
        <method arity="1"/>
        <method arity="2"/>
        <method visibility="privatescope"/>
        <method visibility="private"/>
        <method visibility="famandassem"/>
        <method visibility="assembly"/>
        <method visibility="family"/>
        <method visibility="famorassem"/>
        <method visibility="public"/>
        <method visibility="family public"/>
        <method static="yes"/>
        <method static="no"/>
        <method virtual="yes"/>
        <method virtual="no"/>
        <method role="getter"/>
        <method role="setter"/>
        <method role="event"/>
        <method role="accessor"/>
        <method role="operator"/>
        <method role="constructor"/>
        <method role="ordinary"/>
        <method role="operator setter"/>
        <method compiler-generated="yes"/>
        <method compiler-generated="no" static="yes" role="ordinary"/>
        <signature like="instance *()"/>
        <signature regex="\(class [^,]*, int32\)$"/>
        <parameters count="0"/>
        <parameters count="2"/>
        <parameters types=""/>
        <parameters types="string"/>
        <parameters types="System.String, int"/>
        <parameters like="string, *"/>
        <parameters regex="&amp;, "/>
        <parameter type="int"/>
        <parameter type="string" position="2"/>
        <parameter like="*[]" position="1"/>
        <parameter regex="`1&lt;"/>
        <implements name="System.IDisposable"/>
        <implements name="System.Collections.IEnumerable"/>
        <implements name="System.Collections.Generic.IEnumerable`1"/>
        <implements name="System.Collections.Generic.IEnumerable`1&lt;string&gt;"/>
        <implements like="System.Collections.Generic.IEnumerable`1&lt;*&gt;"/>
        <implements regex="^System\.IEquatable`1&lt;valuetype "/>
        <implements like="No.Such"/>
        <not><implements like="*"/></not>
        <derives-from name="System.Object"/>
        <derives-from name="System.ValueType"/>
        <derives-from name="System.Attribute"/>
        <derives-from regex="Exception$"/>
        <derives-from like="*`1&lt;*&gt;"/>
        <derives-from name="No.Such"/>
        <source like="*"/>
        <source regex="/[A-F][^/]*$"/>
        <source file="Cases.cs"/>
        <source file="ases.cs"/>
        <not><source like="*/prim-types*"/></not>
        <assembly public-key-token="none"/>
        <assembly public-key-token="30AD4FE6B2A6AEED"/>
        <assembly public-key-token="b77a5c561934e089"/>
        <attribute name="System.ObsoleteAttribute"/>
        <attribute name="System.Runtime.CompilerServices.ExtensionAttribute"/>
        <attribute like="*Nullable*Attribute"/>
        <attribute regex="^System\.Diagnostics\.|StateMachine" on="method type"/>
        <attribute like="*.Debugger*" on="type"/>
        <attribute name="System.Runtime.CompilerServices.CompilerGeneratedAttribute" on="type"/>
        <attribute name="System.Reflection.AssemblyTitleAttribute" on="assembly"/>
        <attribute name="System.ObsoleteAttribute" on="assembly"/>
        <attribute like="*Embedded*" on="method type assembly"/>
        <body min-size="1"/>
        <body min-size="64"/>
        <body max-size="6"/>
        <body min-size="63" max-size="65"/>
        <body tail-calls="yes"/>
        <body tail-calls="no"/>
        <body exception-handling="yes"/>
        <body exception-handling="no" min-size="300"/>
        <assembly like="*s*"/>
        <assembly regex="^M"/>
        <assembly version="1.0"/>
        <assembly version="[0.0,4.0)"/>
        <assembly version="(4.0,]"/>
        <all><return kind="struct"/><method visibility="public"/><body max-size="20"/></all>
        <any><return kind="byref task"/><return larger-than="8"/></any>
        <not><return larger-than="8"/></not>
        <not><method role="accessor constructor"/></not>
        <not><body exception-handling="yes"/></not>
        <not><method static="yes"/><return kind="primitive"/></not>
        <any><type nested="yes"/><all><method virtual="yes"/><not><return kind="void"/></not></all></any>
        <return kind="class"/><method static="no"/><type visibility="public"/>
        """;

    const string files = """
        <rules>
          <exclude><method role="accessor constructor"/></exclude>
          <exclude><method compiler-generated="yes"/></exclude>
          <include><return kind="struct"/></include>
          <exclude><type visibility="private assembly"/></exclude>
          <include><return kind="primitive enum"/><body min-size="10"/></include>
        </rules>
        <rules>
          <include><return larger-than="16"/></include>
          <exclude><body exception-handling="yes"/></exclude>
          <include enabled="no"/>
          <include><any><method name="Equals"/><method name="GetHashCode"/><method like="get_*"/></any></include>
          <exclude><not><return kind="void"/></not></exclude>
        </rules>
        <rules>
          <include><method name="GetEnumerator"/></include>
          <exclude><return kind="void"/></exclude>
          <include><method visibility="public"/><type visibility="public"/></include>
          <exclude/>
          <include><method name="MoveNext"/></include>
        </rules>
        """;

    public static IEnumerable<XElement> Conditions(Subject[] subjects)
    {
        IEnumerable<string> lines = words.Split('\n').Where(line => line.Trim() != "");
        return lines.Select(line => XElement.Parse("<all>" + line + "</all>")).Concat(FromNames(subjects));
    }

    public static IEnumerable<XElement> Files(Subject[] subjects)
    {
        foreach (XElement rules in XElement.Parse("<all>" + files + "</all>").Elements()) {
            yield return rules;
        }
        // Rules that are found by their names, in another order than the methods, between others that are not.
        var many = new XElement("rules");
        foreach (Subject subject in subjects.Reverse().Where((_, i) => i % 29 == 0)) {
            int count = many.Elements().Count();
            many.Add((count % 5) switch {
                0 => Rule("include", Named("type", subject.TypeName), Named("method", subject.Name)),
                1 => Rule("exclude", Named("method", subject.Name), With("return", "kind", "struct class")),
                2 => Rule("include", Named("type", subject.TypeName), With("body", "max-size", "30")),
                3 => Rule("exclude", With("signature", "text", subject.Signature)),
                _ => Rule("include", Named("namespace", subject.Namespace),
                          With("body", "min-size", $"{20 * count % 400}")),
            });
            if (count % 50 == 49) {
                many.Add(Rule("exclude", With("body", "min-size", $"{5000 - count}")));
            }
            if (count > 500) {
                break;
            }
        }
        yield return many;
    }

    static XElement Rule(string word, params XElement[] conditions) => new(word, conditions);
    static XElement With(string element, string attribute, string value)
        => new(element, new XAttribute(attribute, value));
    static XElement Named(string element, string name) => With(element, "name", name);
    static XElement Alone(string element, string attribute, string value)
        => new("all", With(element, attribute, value));

    // Names spread over the assembly, each as a text, with a wildcard and as a regular expression.
    static IEnumerable<XElement> FromNames(Subject[] subjects)
    {
        for (int i = 1; i < 6; i++) {
            Subject subject = subjects[(int)((long)subjects.Length * i / 6)];
            yield return Alone("namespace", "name", subject.Namespace);
            yield return Alone("type", "name", subject.TypeName);
            yield return Alone("method", "name", subject.Name);
            yield return Alone("signature", "text", subject.Signature);
            yield return Alone("return", "type", subject.Returns);
            yield return Alone("parameters", "types", string.Join(", ", subject.Parameters));
            foreach (string type in subject.Parameters.Take(1)) {
                yield return Alone("parameter", "type", type);
            }
            foreach (string type in subject.Supertypes.Interfaces.TakeLast(1)) {
                yield return Alone("implements", "name", type);
            }
            foreach (string type in subject.Supertypes.Bases.Take(1)) {
                yield return Alone("derives-from", "name", type);
            }
            yield return Alone("type", "like", Escaped(subject.TypeName) + "*");
            yield return new XElement("all", Named("type", subject.TypeName), Named("method", subject.Name));
            yield return Alone("method", "regex", System.Text.RegularExpressions.Regex.Escape(subject.Name));
        }
        var assembly = subjects[0].Library.Reader.GetAssemblyDefinition();
        yield return Alone("assembly", "name", subjects[0].Library.Reader.GetString(assembly.Name));
        yield return Alone("assembly", "version", "[" + assembly.Version + "]");
        yield return Alone("assembly", "version", "(" + assembly.Version + ",)");
    }

    static string Escaped(string text) => text.Replace("\\", "\\\\").Replace("*", "\\*").Replace("?", "\\?");
}
