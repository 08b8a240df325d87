// What the small inspector does otherwise than the full one (../Edition.cs), since a trimmed core library has less.

using System;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    static class Edition
    {
        // .NET has the shortest digits itself.
        internal static string Float(object value)
        {
            return ((IFormattable)value).ToString("R", CultureInfo.InvariantCulture);
        }

        internal static string Hex(object value)
        {
            return ((IFormattable)value).ToString("x", CultureInfo.InvariantCulture);
        }

        // The names of an enum's values can be had by this alone. Where none fits it gives the number as the culture writes it.
        internal static void Enum(Text text, object value, Type type)
        {
            object number = type.GetFields(Format.InstanceFields)[0].GetValue(value);
            string name = value.ToString();
            if (name == number.ToString())
            {
                Format.Value(text, number, 1);
            }
            else
            {
                text.AppendName(name);
            }
        }

        // Of several dimensions only the number of all elements can be had: Array.GetLength() may be gone.
        internal static void Array(Text text, Array array, int depth)
        {
            string length = array.Length.ToString(CultureInfo.InvariantCulture);
            Format.TypeName(text, array.GetType().GetElementType());
            text.Append("[" + (array.Rank == 1
                ? length
                : length + " in " + array.Rank.ToString(CultureInfo.InvariantCulture) + " dimensions") + "]");
        }

        // Of objects the type alone: the trimmer takes fields and members that the program does not use itself.
        internal static void Composed(Text text, object value, Type type, int depth)
        {
            if (!type.IsValueType)
            {
                text.Append("object");
                if (depth > 1)
                {
                    text.Append(" (");
                    Format.TypeName(text, type);
                    text.Append(")");
                }
            }
            else if (Format.HasStaticConstructor(type))
            {
                text.Append("{...}");
            }
            else
            {
                Format.Fields(text, value, Member.All(type.GetFields(Format.InstanceFields)), depth);
            }
        }

        internal static bool HasTypeInitializer(Type type)
        {
            return type.GetConstructor(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic,
                                       null, new Type[0], null) != null;
        }

        internal static bool IsMisaligned(FieldInfo field)
        {
            return Unaligned.Is(field);
        }

        internal static object ReadMisaligned(FieldInfo field, object holder)
        {
            return Unaligned.Read(field, holder);
        }

        internal static Type BaseType(Type type)
        {
            return null;        // Type.BaseType may be gone
        }

        internal static Type WithoutNullable(Type type)
        {
            return type.IsGenericType && type.FullName.StartsWith("System.Nullable`1[", StringComparison.Ordinal)
                ? type.GetGenericArguments()[0]
                : type;
        }

        internal static string FileName(string file)
        {
            string process = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
            string done = "";
            for (int i = 0; i < file.Length; i++)
            {
                bool marked = file[i] == '%' && i + 1 < file.Length && file[i + 1] == 'p';
                done += marked ? process : file[i].ToString();
                i += marked ? 1 : 0;
            }
            return done;
        }
    }
}
