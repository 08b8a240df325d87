// What the full inspector does otherwise than the small one (small/Edition.cs): with members that a trimmed program may not
// have, and on Mono and .NET Framework as on .NET.

using System;
using System.Globalization;

namespace MyProfiler
{
    static class Edition
    {
        internal static string Float(object value)
        {
            return value is double ? MyProfiler.Float.Text((double)value) : MyProfiler.Float.Text((float)value);
        }

        internal static string Hex(object value)
        {
            ulong bits = value is IntPtr ? (ulong)((IntPtr)value).ToInt64() : ((UIntPtr)value).ToUInt64();
            if (IntPtr.Size == 4)
            {
                bits &= uint.MaxValue;
            }
            return bits.ToString("x", CultureInfo.InvariantCulture);
        }

        internal static void Enum(Text text, object value, Type type)
        {
            EnumText.Append(text, value, type);
        }

        internal static string Lengths(Array array)
        {
            string lengths = null;
            for (int i = 0; i < array.Rank; i++)
            {
                string length = array.GetLongLength(i).ToString(CultureInfo.InvariantCulture);
                lengths = i == 0 ? length : lengths + "," + length;
            }
            return lengths;
        }

        internal static bool HasTypeInitializer(Type type)
        {
            return type.TypeInitializer != null;
        }

        internal static Type WithoutNullable(Type type)
        {
            return Nullable.GetUnderlyingType(type) ?? type;
        }
    }
}
