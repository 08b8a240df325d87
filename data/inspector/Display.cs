// DebuggerDisplay attributes that name only fields and automatic properties: `{Order 5}` of
// [DebuggerDisplay("Order {Id}")]. Other expressions would have to run code, so they are ignored.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;

namespace MyProfiler
{
    sealed class Display
    {
        const int MaxText = 200;
        const BindingFlags Static = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

        readonly List<string> texts = new List<string>();       // before each part, and after the last
        readonly List<Member> parts = new List<Member>();
        readonly List<bool> plain = new List<bool>();           // without quotes

        // Null if there is no attribute, or an unsupported one. `members` are those shown
        // otherwise.
        internal static Display Of(Type type, Member[] members)
        {
            string text = null;
            for (Type at = type; at != null && text == null && !Format.IsCoreLibrary(at); at = at.BaseType)
            {
                text = TextOf(at);
            }
            Display display = new Display();
            return text != null && text.Length > 0 && text.Length <= MaxText && display.Read(text, type, members) ? display : null;
        }

        static string TextOf(Type type)
        {
            try
            {
                foreach (CustomAttributeData attribute in CustomAttributeData.GetCustomAttributes(type))
                {
                    if (attribute.Constructor.DeclaringType == typeof(DebuggerDisplayAttribute))
                    {
                        return attribute.ConstructorArguments[0].Value as string ?? "";
                    }
                }
            }
            catch (Exception)
            {
                // the assembly of a type is missing
            }
            return null;
        }

        bool Read(string text, Type type, Member[] members)
        {
            int at = 0;
            while (true)
            {
                int open = text.IndexOf('{', at), next = open < 0 ? text.Length : open;
                string before = text.Substring(at, next - at);
                if (before.IndexOfAny(new char[] { '}', '\\', '\0' }) >= 0)
                {
                    return false;
                }
                texts.Add(before);
                if (open < 0)
                {
                    return true;
                }
                int close = text.IndexOf('}', open);
                if (close < 0 || parts.Count == Format.MaxFields || !Add(text.Substring(open + 1, close - open - 1), type, members))
                {
                    return false;
                }
                at = close + 1;
            }
        }

        // Name, or Name,nq.
        bool Add(string name, Type type, Member[] members)
        {
            bool isPlain = name.EndsWith(",nq", StringComparison.Ordinal);
            FieldInfo field = Find(type, isPlain ? name.Substring(0, name.Length - 3) : name);
            for (int i = 0; field != null && i < members.Length && i < Format.MaxFields; i++)
            {
                FieldInfo other = members[i].Field;
                if (other.MetadataToken == field.MetadataToken && other.Module == field.Module)
                {
                    parts.Add(members[i]);
                    plain.Add(isPlain);
                    return true;
                }
            }
            return false;
        }

        // The field with this name, or that of an automatic property; null if it is a property with
        // code, or does not exist.
        static FieldInfo Find(Type type, string name)
        {
            for (; name.Length > 0 && type != null && !Format.IsCoreLibrary(type); type = type.BaseType)
            {
                FieldInfo field = type.GetField(name, Layout.Declared) ?? type.GetField("<" + name + ">k__BackingField", Layout.Declared);
                if (field != null)
                {
                    return field;
                }
                if (type.GetField(name, Static) != null || type.GetMember("get_" + name, Layout.Declared).Length > 0 ||
                    type.GetMember("get_" + name, Static).Length > 0)
                {
                    return null;
                }
            }
            return null;
        }

        // A string without quotes, unless it is secret.
        static void Plain(Text text, Member part, object holder, int depth)
        {
            string s = part.Secrecy == Redaction.None && part.Field.FieldType == typeof(string) &&
                       !Settings.Current.Redaction.HidesType(typeof(string))
                ? (string)part.Field.GetValue(holder)
                : null;
            if (s == null)
            {
                Format.Guarded(text, holder, part, depth);
                return;
            }
            int end = Math.Min(s.Length, Settings.Current.Text);
            text.AppendName(s, 0, end);
            text.Append(end < s.Length ? "..." : "");
        }

        internal void Append(Text text, object value, int depth)
        {
            text.Append("{");
            for (int i = 0; i < parts.Count && !text.IsFull; i++)
            {
                text.AppendName(texts[i]);
                if (plain[i])
                {
                    Plain(text, parts[i], value, depth + 1);
                }
                else
                {
                    Format.Guarded(text, value, parts[i], depth + 1);
                }
            }
            text.AppendName(texts[parts.Count]);
            text.Append("}");
        }
    }
}
