// The full inspector, where it differs from the small one (small/Edition.cs): with members that a
// trimmed program may not have, and for Mono and .NET Framework.

using System;
using System.Globalization;
using System.IO;
using System.Reflection;

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

        internal static void Array(Text text, Array array, int depth)
        {
            Collections.Append(text, array, depth);
        }

        internal static void Composed(Text text, object value, Type type, int depth)
        {
            Objects.Append(text, value, type, depth);
        }

        internal static bool HasTypeInitializer(Type type)
        {
            return type.TypeInitializer != null;
        }

        internal static bool IsMisaligned(FieldInfo field)
        {
            return Alignment.IsMissing(field);
        }

        // That takes unverifiable code, which must not get into a file that embeds the inspector.
        internal static object ReadMisaligned(FieldInfo field, object holder)
        {
            return null;
        }

        internal static Type BaseType(Type type)
        {
            return type.BaseType;
        }

        internal static Type WithoutNullable(Type type)
        {
            return Nullable.GetUnderlyingType(type) ?? type;
        }

        // The full path, because threads open it later, when the program may have changed its
        // directory.
        internal static string FileName(string file)
        {
            if (file.Contains("%p"))
            {
                file = file.Replace("%p", ProcessId());
            }
            // Domains of .NET Framework and Mono share a process, but not our static fields.
            AppDomain domain = AppDomain.CurrentDomain;
            if (!domain.IsDefaultAppDomain())
            {
                file += "." + domain.Id.ToString(CultureInfo.InvariantCulture);
            }
            try
            {
                return Path.GetFullPath(file);
            }
            catch (Exception)
            {
                return file;        // opening it will report the error
            }
        }

        // mscorlib 4.0 has no name for it: Environment.ProcessId came with .NET 5, Process is
        // elsewhere. Without both (a trimmed application) the name is at least unique.
        static string ProcessId()
        {
            object id = null;
            try
            {
                PropertyInfo property = typeof(Environment).GetProperty("ProcessId");
                id = property == null ? IdOfProcess() : property.GetValue(null, null);
            }
            catch (Exception)
            {
            }
            return id is int
                ? ((int)id).ToString(CultureInfo.InvariantCulture)
                : Guid.NewGuid().ToString("N");
        }

        static object IdOfProcess()
        {
            Type process =
                Type.GetType("System.Diagnostics.Process, System.Diagnostics.Process") ??
                Type.GetType("System.Diagnostics.Process, System, Version=4.0.0.0, " +
                             "Culture=neutral, PublicKeyToken=b77a5c561934e089", true);
            object self = process.GetMethod("GetCurrentProcess", Type.EmptyTypes).Invoke(null, null);
            return process.GetProperty("Id").GetValue(self, null);
        }
    }
}
