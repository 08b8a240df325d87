// F# unions: `Circle(2.5)`, `Empty`. The case of a value and its fields are found by the attributes
// of the F# compiler and by fields; also F# lists.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    sealed class Union : Shape
    {
        // SourceConstructFlags of FSharp.Core.
        const int SumType = 1, UnionCase = 8, KindMask = 31;
        const int MaxCases = 256;

        readonly string[] names;        // of the cases, by their tags; a single one if the type has
                                        // one case
        readonly int[] counts;          // how many fields each has
        readonly Member[] fields;       // of all cases, in their order
        readonly FieldInfo tag;         // null: one case

        Union(string[] names, int[] counts, Member[] fields, FieldInfo tag)
        {
            this.names = names;
            this.counts = counts;
            this.fields = fields;
            this.tag = tag;
        }

        // Null if the type is not a union, or not compiled as by current compilers.
        internal static Shape Of(Type type)
        {
            int number;
            Type at = type.BaseType;
            FieldInfo[] own = type.GetFields(Layout.Declared);
            if (own.Length > Format.MaxFields || type.IsEnum)
            {
                return null;
            }
            if (Construct(type, out number) == SumType)
            {
                return OfUnion(type, own);
            }
            // a case of several is a class nested in the union's
            return !type.IsValueType && type.IsNested && at != null &&
                   Construct(at, out number) == SumType
                ? OfCase(type.Name.TrimStart('_'), own)
                : null;
        }

        static Shape OfCase(string name, FieldInfo[] own)
        {
            return new Union(new string[] { name }, new int[] { own.Length }, Member.All(own), null);
        }

        // Several cases in one class have a tag, unless null is the other case.
        static Shape OfUnion(Type type, FieldInfo[] own)
        {
            string[] names = new string[MaxCases];
            int[] counts = new int[MaxCases];
            int count = Cases(type, names, counts);
            FieldInfo tag = Layout.Find(type, "_tag", typeof(int));
            if (tag == null)
            {
                int only = -1;
                for (int i = 0; i < count; i++)
                {
                    only = counts[i] != own.Length ? only : only < 0 ? i : count;
                }
                return only < 0 || only == count ? null : OfCase(names[only], own);
            }
            int sum = 1;
            for (int i = 0; i < count; i++)
            {
                // in a class, cases with fields have nested classes
                counts[i] = type.IsValueType ? counts[i] : 0;
                sum += counts[i];
            }
            if (count == 0 || sum != own.Length)
            {
                return null;
            }
            Array.Resize(ref names, count);
            FieldInfo[] others = new FieldInfo[own.Length - 1];
            for (int i = 0, at = 0; i < own.Length && at < others.Length; i++)
            {
                others[at] = own[i];
                at += own[i].Name != "_tag" ? 1 : 0;
            }
            return new Union(names, counts, Member.All(others), tag);
        }

        // The number of cases, from the static methods that create them: NewCircle(radius),
        // get_Empty(). 0 unless all are found.
        static int Cases(Type type, string[] names, int[] counts)
        {
            int count = 0, last = 0;
            foreach (MethodInfo method in type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                int number;
                if (Construct(method, out number) != UnionCase ||
                    number < 0 || number >= MaxCases || names[number] != null)
                {
                    continue;
                }
                int arity = method.GetParameters().Length;
                string before = arity == 0 ? "get_" : "New";
                names[number] = method.Name.StartsWith(before, StringComparison.Ordinal) ? method.Name.Substring(before.Length) : method.Name;
                counts[number] = arity;
                last = Math.Max(last, number);
                count++;
            }
            return count == last + 1 ? count : 0;
        }

        // The kind that the compiler's attribute gives a type or a method, and its number; 0: no
        // attribute.
        static int Construct(MemberInfo member, out int number)
        {
            number = 0;
            IList<CustomAttributeData> attributes;
            try
            {
                attributes = CustomAttributeData.GetCustomAttributes(member);
            }
            catch (Exception)
            {
                return 0;       // the attribute's assembly is missing
            }
            foreach (CustomAttributeData attribute in attributes)
            {
                IList<CustomAttributeTypedArgument> arguments = attribute.ConstructorArguments;
                if (attribute.Constructor.DeclaringType.FullName == "Microsoft.FSharp.Core.CompilationMappingAttribute" &&
                    arguments.Count > 0 && arguments[0].Value is int)
                {
                    number = arguments.Count > 1 && arguments[1].Value is int ? (int)arguments[1].Value : 0;
                    return (int)arguments[0].Value & KindMask;
                }
            }
            return 0;
        }

        internal override void Append(Text text, object value, int depth)
        {
            int number = Layout.Number(tag, value), first = 0;
            for (int i = 0; i < number && i < names.Length; i++)
            {
                first += counts[i];
            }
            if (number < 0 || number >= names.Length || (counts[number] > 0 && depth > Settings.Current.Depth))
            {
                text.Append("{...}");
                return;
            }
            text.AppendName(names[number]);
            if (counts[number] == 0)
            {
                return;
            }
            int shown = 0, secrecy = Settings.Current.Redaction.OfName(names[number]);
            text.Append("(");
            for (int i = 0; i < counts[number] && Format.Next(text, ref shown, Format.MaxFields); i++)
            {
                Format.Guarded(text, value, fields[first + i], depth + 1, secrecy);
            }
            text.Append(")");
        }
    }

    // F# lists: linked elements, with an empty one at the end.
    sealed class Chain : Collection
    {
        const int MaxLinks = 256;       // the limit of counting

        Member head;
        FieldInfo tail;

        internal static Shape Of(Type type, string head, string tail)
        {
            Chain chain = new Chain();
            FieldInfo headField = Layout.Find(type, head);
            chain.tail = Layout.Find(type, tail, type);
            chain.head = headField == null ? null : new Member(headField);
            return chain.head == null || chain.tail == null ? null : chain;
        }

        internal override void Append(Text text, object list, int depth)
        {
            int count = 0;
            object next = tail.GetValue(list);
            for (; next != null && count < MaxLinks; next = tail.GetValue(next))
            {
                count++;
            }
            string length = count.ToString(CultureInfo.InvariantCulture) + (next != null ? "+" : "");
            if (!Collections.Open(text, length, count == 0, depth))
            {
                return;
            }
            int shown = 0;
            for (int i = 0; i < count && Format.Next(text, ref shown, Settings.Current.Elements); i++)
            {
                Format.Guarded(text, list, head, depth + 1);
                list = tail.GetValue(list);
            }
            text.Append("]");
        }
    }
}
