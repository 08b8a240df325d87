// A value as text: `Namespace.Type::Method -> value (type)`. The same text on every runtime and
// under every culture, and without running the program's code (unless ILPATCH_TOSTRING asks).
//
// Both editions of the inspector have this file. What they cannot do in the same way is in their Edition.cs.

using System;
using System.Globalization;
using System.Reflection;
using System.Threading;

namespace MyProfiler
{
    static class Format
    {
        // In UTF-8 a line stays under 4,096 bytes, which a pipe takes whole.
        const int MethodLength = 320, ValueLength = 480, TypeLength = 200;

        const int MaxDepth = 3, MaxFields = 16;

        internal const BindingFlags InstanceFields =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        internal static string Id(long id)
        {
            return "#" + id.ToString(null, CultureInfo.InvariantCulture);
        }

        internal static string Line(object value, string method)
        {
            Text text = new Text();
            if (method != null)
            {
                text.Part(MethodLength);
                text.AppendName(method);
                text.Part(4);
                text.Append(" -> ");
            }
            text.Part(ValueLength);
            Guarded(text, value, null, 1);
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

        internal static void Value(Text text, object value, int depth)
        {
            if (value == null)
            {
                text.Append("null");
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
                ArrayShape(text, (Array)value, type);
            }
            else if (type.IsValueType && value is IFormattable && IsCoreLibrary(type))
            {
                text.AppendName(((IFormattable)value).ToString(CoreFormat(type),
                                                               CultureInfo.InvariantCulture));
            }
            else if (Settings.Current.CallToString && HasToString(type))
            {
                OwnText(text, value);
            }
            else if (type.IsValueType)
            {
                Fields(text, value, type, depth);
            }
            else
            {
                text.Append("object");
                if (depth > 1)
                {
                    text.Append(" (");
                    TypeName(text, type);
                    text.Append(")");
                }
            }
        }

        static bool IsCoreLibrary(Type type)
        {
            return type.Assembly == typeof(object).Assembly;
        }

        // Numbers, decimal, TimeSpan, Guid, Half, Int128, Rune ...: what null means is well known and
        // reversible, except for dates.
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

        static void Fields(Text text, object value, Type type, int depth)
        {
            if (depth > MaxDepth || HasStaticConstructor(type))
            {
                text.Append("{...}");
                return;
            }
            FieldInfo[] fields = type.GetFields(InstanceFields);
            PutInOrder(fields);
            text.Append("{");
            for (int i = 0; i < fields.Length; i++)
            {
                if (i > 0)
                {
                    text.Append(", ");
                }
                if (i == MaxFields)
                {
                    text.Append("...");
                    break;
                }
                text.AppendName(SourceName(fields[i].Name));
                text.Append("=");
                Guarded(text, value, fields[i], depth + 1);
            }
            text.Append("}");
        }

        // Reflection promises no order; the rows of the metadata are in that of the source.
        static void PutInOrder(FieldInfo[] fields)
        {
            for (int i = 1; i < fields.Length; i++)
            {
                FieldInfo field = fields[i];
                int place = i;
                for (; place > 0 && fields[place - 1].MetadataToken > field.MetadataToken; place--)
                {
                    fields[place] = fields[place - 1];
                }
                fields[place] = field;
            }
        }

        // On CoreCLR reading a field by reflection runs the static constructors of the type and of the
        // field's value type, if the program has not yet. Those marked BeforeFieldInit (nothing but
        // field initialisers) may run at any time (ECMA-335 II.10.5.3.1).
        static bool HasStaticConstructor(Type type)
        {
            return type.IsValueType && !Settings.Current.CallToString && !IsCoreLibrary(type) &&
                   (type.Attributes & TypeAttributes.BeforeFieldInit) == 0 &&
                   Edition.HasTypeInitializer(type);
        }

        // The value, or that of a field of it. What fails in there fails alone: the rest of the line
        // is still told.
        static void Guarded(Text text, object value, FieldInfo field, int depth)
        {
            try
            {
                if (field == null)
                {
                    Value(text, value, depth);
                }
                else
                {
                    Field(text, value, field, depth);
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

        static void Field(Text text, object value, FieldInfo field, int depth)
        {
            Type type = field.FieldType;
            if (type.IsPointer)
            {
                // Mono 6.8 follows a pointer that it should only box, and crashes.
                text.Append("pointer");
            }
            else if (HasStaticConstructor(Edition.WithoutNullable(type)))
            {
                text.Append("{...}");
            }
            else
            {
                Value(text, field.GetValue(value), depth);
            }
        }

        // What the compiler named <X>k__BackingField, <X>P or the like is X in the source.
        static string SourceName(string name)
        {
            int end = name.IndexOf('>');
            return end > 1 && name[0] == '<' ? name.Substring(1, end - 1) : name;
        }

        static void ArrayShape(Text text, Array array, Type type)
        {
            TypeName(text, type.GetElementType());
            text.Append("[" + Edition.Lengths(array) + "]");
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

        static void TypeName(Text text, Type type)
        {
            text.AppendName(type.ToString());
        }
    }
}
