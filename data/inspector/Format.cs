// A value as text: `Namespace.Type::Method -> value (type)`, with arguments
// `Namespace.Type::Method(a: value) -> value (type)`; `Namespace.Type::Method threw value (type)`
// for an exception. The same text on every runtime and under every culture, and without running the
// program's code (unless ILPATCH_TOSTRING is set). Both editions of the inspector have this file.
// Their differences are in their Edition.cs.

using System;
using System.Globalization;
using System.Reflection;
using System.Threading;

namespace MyProfiler
{
    static class Format
    {
        // In UTF-8 a line stays under 4,096 bytes, which a pipe writes atomically.
        const int MethodLength = 320, ArgumentsLength = 320, TypeLength = 200;

        internal const int MaxFields = 16;

        internal const BindingFlags InstanceFields =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        internal static string Id(long id)
        {
            return "#" + id.ToString(null, CultureInfo.InvariantCulture);
        }

        internal static string Line(object value, string method, string arguments, bool thrown)
        {
            Text text = new Text();
            if (method != null)
            {
                text.Part(MethodLength);
                text.AppendName(method);
                if (arguments != null)
                {
                    text.Part(arguments.Length);
                    text.Append(arguments);
                }
                text.Part(7);
                text.Append(thrown ? " threw " : " -> ");
            }
            text.Part(Settings.Current.Width);
            Guarded(text, value, null, 1, Settings.Current.Redaction.OfMethod(method));
            if (value != null)
            {
                text.Part(TypeLength);
                text.Append(" (");
                TypeName(text, value.GetType());
                text.Part(1);
                text.Append(")");
            }
            return text.ToString();
        }

        // `method` ends in the names, as in "(a, b=out)": the word after a `=` is shown for a
        // parameter that is not in the array. Objects are shown as within a value: without a type
        // after them.
        internal static string Arguments(object[] arguments, string method)
        {
            Text text = new Text();
            text.Part(ArgumentsLength - 1);
            int shown = 0;
            int at = method.Length - 1;
            while (method[at] != '(')
            {
                at--;
            }
            text.Append("(");
            for (int i = 0; i < arguments.Length && Next(text, ref shown, MaxFields); i++)
            {
                bool withheld = false;
                int start = ++at;
                for (; method[at] != ',' && method[at] != ')'; at++)
                {
                    if (method[at] == '=')
                    {
                        withheld = true;
                        text.AppendName(method, start, at);
                        text.Append(": ");
                        start = at + 1;
                    }
                }
                text.AppendName(method, start, at);
                if (!withheld)
                {
                    text.Append(": ");
                    Guarded(text, arguments[i], null, 2, Settings.Current.Redaction.OfName(method.Substring(start, at - start)));
                }
                at++;       // the blank after the comma
            }
            text.Part(1);
            text.Append(")");
            return text.ToString();
        }

        // Hidden if its name is secret.
        internal static void Named(Text text, object value, int secrecy, int depth)
        {
            bool hidden = secrecy != Redaction.None && value != null &&
                          (secrecy == Redaction.All || !Redaction.IsHarmless(value));
            if (hidden)
            {
                text.Append(Redaction.Mark);
            }
            else
            {
                Value(text, value, depth);
            }
        }

        internal static void Value(Text text, object value, int depth)
        {
            if (value == null)
            {
                text.Append("null");
            }
            else if (Settings.Current.Redaction.HidesType(value.GetType()))
            {
                text.Append(Redaction.Mark);
            }
            else if (value is string)
            {
                text.AppendString((string)value);
            }
            else if (value is bool)
            {
                text.Append((bool)value ? "true" : "false");
            }
            else if (value is char)
            {
                text.AppendChar((char)value);
            }
            else if (value is double || value is float)
            {
                text.Append(Edition.Float(value));
            }
            else if (value is IntPtr || value is UIntPtr)
            {
                text.Append("0x" + Edition.Hex(value));
            }
            else
            {
                Other(text, value, value.GetType(), depth);
            }
        }

        static void Other(Text text, object value, Type type, int depth)
        {
            if (type.IsEnum)
            {
                Edition.Enum(text, value, type);
            }
            else if (value is Array)
            {
                Edition.Array(text, (Array)value, depth);
            }
            else if (type.IsValueType && value is IFormattable && IsCoreLibrary(type) && !IsVector(type))
            {
                text.AppendName(((IFormattable)value).ToString(CoreFormat(type),
                                                               CultureInfo.InvariantCulture));
            }
            else if (Settings.Current.CallToString && HasToString(type))
            {
                OwnText(text, value);
            }
            else
            {
                Edition.Composed(text, value, type, depth);
            }
        }

        internal static bool IsCoreLibrary(Type type)
        {
            return type.Assembly == typeof(object).Assembly;
        }

        // Vector2 to Vector4 have named fields, as Quaternion and Plane do.
        static bool IsVector(Type type)
        {
            return !type.IsGenericType && type.FullName.StartsWith("System.Numerics.Vector", StringComparison.Ordinal);
        }

        // Numbers, decimal, TimeSpan, Guid, Half, Int128, Rune ...: their default formats are well
        // known and reversible, except for dates.
        static string CoreFormat(Type type)
        {
            switch (type.FullName)
            {
                case "System.DateTime":
                case "System.DateTimeOffset":
                case "System.DateOnly":
                case "System.TimeOnly":
                    return "o";
                default:
                    return null;
            }
        }

        // A value with fields: `...` at the depth limit.
        internal static void Fields(Text text, object value, Member[] members, int depth)
        {
            if (depth > Settings.Current.Depth && members.Length > 0)
            {
                text.Append("{...}");
                return;
            }
            int shown = 0;
            text.Append("{");
            Members(text, value, members, depth, ref shown);
            text.Append("}");
        }

        // After other members, of which `shown` are written.
        internal static void Members(Text text, object value, Member[] members, int depth, ref int shown)
        {
            for (int i = 0; i < members.Length && Next(text, ref shown, MaxFields); i++)
            {
                text.AppendName(members[i].Name);
                text.Append("=");
                Guarded(text, value, members[i], depth + 1);
            }
        }

        // Whether to show one more part of a value: false at the limit, or if the line is full.
        internal static bool Next(Text text, ref int shown, int most)
        {
            if (shown > 0)
            {
                text.Append(", ");
            }
            if (shown == most)
            {
                text.Append("...");
            }
            return !text.IsFull && shown++ < most;
        }

        // On CoreCLR reading a field by reflection runs the static constructors of the type and of the
        // field's value type, if the program has not yet. Those marked BeforeFieldInit (nothing but
        // field initialisers) may run at any time (ECMA-335 II.10.5.3.1).
        internal static bool HasStaticConstructor(Type type)
        {
            return type.IsValueType && !Settings.Current.CallToString && !IsCoreLibrary(type) &&
                   (type.Attributes & TypeAttributes.BeforeFieldInit) == 0 &&
                   Edition.HasTypeInitializer(type);
        }

        // A value, or one of its fields. An exception in it hides this part alone: the rest of the
        // line is still shown.
        internal static void Guarded(Text text, object value, Member member, int depth)
        {
            Guarded(text, value, member, depth, Redaction.None);
        }

        internal static void Guarded(Text text, object value, Member member, int depth, int secrecy)
        {
            try
            {
                if (member == null)
                {
                    Named(text, value, secrecy, depth);
                }
                else
                {
                    member.Append(text, value, depth, secrecy);
                }
            }
            catch (ThreadInterruptedException)
            {
                throw;
            }
            catch (Exception e)
            {
                text.Append("threw ");
                TypeName(text, e.GetType());
            }
        }

        static bool HasToString(Type type)
        {
            MethodInfo method = type.GetMethod("ToString", new Type[0]);
            return method != null && method.DeclaringType != typeof(object) &&
                   method.DeclaringType != typeof(ValueType);
        }

        static void OwnText(Text text, object value)
        {
            string s = value.ToString();
            if (s == null)
            {
                text.Append("null");
            }
            else
            {
                text.AppendString(s);
            }
        }

        internal static void TypeName(Text text, Type type)
        {
            text.AppendName(type.ToString());
        }
    }
}
