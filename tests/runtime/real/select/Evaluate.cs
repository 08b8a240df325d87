// Says of a method whether conditions hold, and which rule decides about it: the meaning of include/ilpatch/rules.def,
// written down a second time. null is unknown, with Kleene's logic.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Xml.Linq;

class Evaluate
{
    readonly Sizes sizes;
    readonly Dictionary<string, Regex> expressions = new();

    // Set when an answer depends on a size that may not be known.
    public bool InDoubt;

    public Evaluate(Sizes sizes) => this.sizes = sizes;

    // ---- logic ----

    public bool? All(IEnumerable<XElement> conditions, Subject subject)
    {
        bool? result = true;
        foreach (XElement condition in conditions) {
            bool? truth = Holds(condition, subject);
            if (truth == false) {
                return false;
            }
            result = truth == null ? null : result;
        }
        return result;
    }

    bool? Holds(XElement condition, Subject subject) => condition.Name.LocalName switch {
        "all" => All(condition.Elements(), subject),
        "not" => !All(condition.Elements(), subject),
        "any" => Any(condition.Elements(), subject),
        "return" => Each(condition, attribute => OfReturn(attribute, subject)),
        "attribute" => OfAttribute(condition, subject),
        "parameter" => OfParameter(condition, subject),
        "source" => OfSource(condition.Attributes().Single(), subject),
        "implements" => OfTypes(condition.Attributes().Single(), subject.Supertypes.Interfaces,
                                subject.Supertypes.InterfacesOpen),
        "derives-from" => OfTypes(condition.Attributes().Single(), subject.Supertypes.Bases,
                                  subject.Supertypes.BasesOpen),
        "affected-by" => IsAffected(subject),
        _ => Each(condition, attribute => OfOther(condition.Name.LocalName, attribute, subject)),
    };

    bool? Any(IEnumerable<XElement> conditions, Subject subject)
    {
        bool? result = false;
        foreach (XElement condition in conditions) {
            bool? truth = Holds(condition, subject);
            if (truth == true) {
                return true;
            }
            result = truth == null ? null : result;
        }
        return result;
    }

    static bool? Each(XElement condition, Func<XAttribute, bool?> holds)
    {
        bool?[] truths = condition.Attributes().Select(holds).ToArray();
        return truths.Contains(false) ? false : truths.Contains(null) ? null : true;
    }

    // What the rules of a file say: "include", "exclude", "none" or "undecided".
    public string Decide(XElement rules, Subject subject)
    {
        foreach (XElement rule in rules.Elements().Where(rule => (string)rule.Attribute("enabled") != "no")) {
            bool? truth = All(rule.Elements(), subject);
            if (truth != false) {
                return truth == null ? "undecided" : rule.Name.LocalName;
            }
        }
        return "none";
    }

    // ---- conditions ----

    bool? OfReturn(XAttribute attribute, Subject subject)
    {
        string value = attribute.Value;
        switch (attribute.Name.LocalName) {
        case "kind":
            bool?[] kinds = value.Split(' ').Select(subject.ReturnIs).ToArray();
            return kinds.Contains(true) ? true : kinds.Contains(null) ? null : false;
        case "larger-than":
            if (subject.ReturnIs("struct") != true) {
                return subject.ReturnIs("struct");
            }
            Size size = sizes.OfReturn(subject);
            InDoubt |= size.InDoubt;
            return size.Bytes is int bytes ? bytes > uint.Parse(value) : null;
        case "type":
            return IsType(value, subject.Returns);
        default:
            return Matches(attribute, Texts.Bare(subject.Returns));
        }
    }

    bool? OfAttribute(XElement condition, Subject subject)
    {
        XAttribute pattern = condition.Attributes().Single(attribute => attribute.Name.LocalName != "on");
        return ((string)condition.Attribute("on") ?? "method").Split(' ')
            .SelectMany(subject.AttributesOn).Any(name => Matches(pattern, name));
    }

    static bool IsType(string written, string type)
        => Texts.Spelled(Regex.Replace(written, @"(?<![\w.])int(?!\w)", "int32")
                              .Replace("System.String", "string")) == Texts.Spelled(type);

    // Exact types in any spelling, others as they are.
    bool IsMet(XAttribute pattern, string type)
        => pattern.Name.LocalName is "name" or "type" or "types" ? IsType(pattern.Value, type) : Matches(pattern, type);

    bool? OfParameter(XElement condition, Subject subject)
    {
        XAttribute pattern = condition.Attributes().Single(attribute => attribute.Name.LocalName != "position");
        int position = (int?)condition.Attribute("position") ?? 0;
        return subject.Parameters.Where((_, i) => position == 0 || i + 1 == position)
            .Any(type => IsMet(pattern, type));
    }

    bool? OfSource(XAttribute pattern, Subject subject)
        => subject.Library.Symbols == null
               ? null
               : subject.Library.SourcesOf(subject.Handle).Any(
                     file => pattern.Name.LocalName == "file"
                                 ? file == pattern.Value || file.EndsWith("/" + pattern.Value)
                                 : Matches(pattern, file));

    bool? OfTypes(XAttribute pattern, List<string> types, bool open)
        => types.Any(type => IsMet(pattern, type)) ? true : open ? null : false;

    // Any struct: x86 hands those back in a way of its own.
    static bool? IsAffected(Subject subject) => subject.Library.MayRunOnX86 ? subject.ReturnIs("struct") : false;

    bool? OfOther(string element, XAttribute attribute, Subject subject)
    {
        string value = attribute.Value;
        bool yes = value == "yes";
        switch (element + " " + attribute.Name.LocalName) {
        case "type arity": return subject.TypeArity == uint.Parse(value);
        case "type nested": return subject.Nested == yes;
        case "type visibility": return value.Split(' ').Contains(subject.TypeVisibility);
        case "method arity": return subject.Arity == uint.Parse(value);
        case "method visibility": return value.Split(' ').Contains(subject.Visibility);
        case "method static": return subject.Row.Attributes.HasFlag(MethodAttributes.Static) == yes;
        case "method virtual": return subject.Row.Attributes.HasFlag(MethodAttributes.Virtual) == yes;
        case "method role": return value.Split(' ').Any(subject.Is);
        case "method compiler-generated": return subject.IsGenerated == yes;
        case "body min-size": return subject.CodeSize >= uint.Parse(value);
        case "body max-size": return subject.CodeSize <= uint.Parse(value);
        case "body tail-calls": return subject.HasTail is bool tail && tail == yes;
        case "body exception-handling": return subject.HasTry is bool handled && handled == yes;
        case "assembly public-key-token": return subject.KeyToken == value.ToLowerInvariant();
        case "parameters count": return subject.Parameters.Length == uint.Parse(value);
        case "parameters types": return IsType(value, string.Join(", ", subject.Parameters));
        case "assembly version": return Contains(value, subject.Library.Reader.GetAssemblyDefinition().Version);
        default:
            return Matches(attribute, element switch {
                "assembly" => subject.Library.Reader.GetString(subject.Library.Reader.GetAssemblyDefinition().Name),
                "namespace" => subject.Namespace,
                "type" => subject.TypeName,
                "method" => subject.Name,
                "signature" => subject.Signature,
                "parameters" => string.Join(", ", subject.Parameters),
                _ => throw new ArgumentException(element + " " + attribute),
            });
        }
    }

    // ---- values ----

    bool Matches(XAttribute pattern, string text) => pattern.Name.LocalName switch {
        "name" or "text" => text == pattern.Value,
        "like" => Expression(FromWildcards(pattern.Value)).IsMatch(text),
        "regex" => Expression(pattern.Value).IsMatch(text),
        _ => throw new ArgumentException(pattern.ToString()),
    };

    Regex Expression(string text)
    {
        if (!expressions.TryGetValue(text, out Regex expression)) {
            expressions[text] = expression = new Regex(text, RegexOptions.CultureInvariant | RegexOptions.Compiled);
        }
        return expression;
    }

    static string FromWildcards(string text)
    {
        var result = new StringBuilder("\\A");
        for (int i = 0; i < text.Length; i++) {
            result.Append(text[i] switch {
                '*' => "(?s:.*)",
                '?' => "(?s:.)",
                '\\' => Regex.Escape(text[++i].ToString()),
                char other => Regex.Escape(other.ToString()),
            });
        }
        return result.Append("\\z").ToString();
    }

    // 1.2 is that or later, [1.2] that one, [1.0,2.0) an interval; either end may be missing.
    static bool Contains(string interval, Version version)
    {
        if (interval[0] != '[' && interval[0] != '(') {
            return version >= Parse(interval);
        }
        string[] ends = interval[1..^1].Split(',');
        string low = ends[0].Trim(), high = ends[^1].Trim();
        int toLow = low == "" ? 1 : version.CompareTo(Parse(low));
        int toHigh = high == "" ? -1 : version.CompareTo(Parse(high));
        return (interval[0] == '[' ? toLow >= 0 : toLow > 0) && (interval[^1] == ']' ? toHigh <= 0 : toHigh < 0);
    }

    static Version Parse(string text)
    {
        int[] parts = text.Split('.').Select(int.Parse).Concat([0, 0, 0, 0]).Take(4).ToArray();
        return new Version(parts[0], parts[1], parts[2], parts[3]);
    }
}
