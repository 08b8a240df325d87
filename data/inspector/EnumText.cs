// An enum's value by name. Enum.ToString() is not used: it does not define which of two names for
// one value it returns, and returns a bare number as soon as one bit of a flags value has no name.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    static class EnumText
    {
        internal static void Append(Text text, object value, Type type)
        {
            object raw = type.GetField("value__", Format.InstanceFields).GetValue(value);
            ulong bits = Bits(raw);
            List<string> names = new List<string>();
            List<ulong> values = new List<ulong>();
            foreach (FieldInfo field in type.GetFields(BindingFlags.Static | BindingFlags.Public))
            {
                if (!field.IsLiteral)
                {
                    continue;
                }
                ulong constant = Bits(field.GetRawConstantValue());
                if (constant == bits)
                {
                    text.AppendName(field.Name);
                    return;
                }
                names.Add(field.Name);
                values.Add(constant);
            }
            string rest = null;
            if (type.IsDefined(typeof(FlagsAttribute), false))
            {
                rest = Flags(bits, names, values);
            }
            if (rest == null)
            {
                Format.Value(text, raw, 1);
            }
            else
            {
                text.AppendName(rest);
            }
        }

        // Finds the greatest first, as names for several bits are more specific than those for one;
        // lists them from the lowest, then bits without a name. Null if no name fits.
        static string Flags(ulong bits, List<string> names, List<ulong> values)
        {
            string list = null;
            while (bits != 0)
            {
                int best = -1;
                for (int i = 0; i < values.Count; i++)
                {
                    if (values[i] != 0 && (bits & values[i]) == values[i] &&
                        (best < 0 || values[i] > values[best]))
                    {
                        best = i;
                    }
                }
                if (best < 0)
                {
                    break;
                }
                bits &= ~values[best];
                list = list == null ? names[best] : names[best] + ", " + list;
            }
            return list == null || bits == 0
                ? list
                : list + ", 0x" + bits.ToString("x", CultureInfo.InvariantCulture);
        }

        // IL allows bool, char and the native integers as underlying types, too.
        static ulong Bits(object raw)
        {
            if (raw is ulong)
            {
                return (ulong)raw;
            }
            if (raw is UIntPtr)
            {
                return ((UIntPtr)raw).ToUInt64();
            }
            if (raw is IntPtr)
            {
                return (ulong)((IntPtr)raw).ToInt64();
            }
            return (ulong)Convert.ToInt64(raw, CultureInfo.InvariantCulture);
        }
    }
}
