// Reads fields of structs and classes with explicit or packed layout, which may be misaligned.
// CoreCLR on Arm reads a primitive field by reflection with a volatile load, which ends the process
// if the field is misaligned (FieldInfo.GetValue, 10.0.12). Structs within structs are copied.

using System;
using System.Reflection;
using System.Runtime.InteropServices;

namespace MyProfiler
{
    static class Alignment
    {
        const int DefaultPack = 8;      // Pack=0

        const int No = 1, Yes = 2;
        static int matters;             // 0: not determined yet

        // Whether the field must not be read; also if its offset is unknown.
        internal static bool IsMissing(FieldInfo field)
        {
            if (matters == 0)
            {
                matters = IsCoreClr() && IsArm() ? Yes : No;
            }
            if (matters == No)
            {
                return false;
            }
            int size = SizeOf(field.FieldType);
            StructLayoutAttribute layout = field.DeclaringType.StructLayoutAttribute;
            return size > 1 && layout != null && layout.Value != LayoutKind.Auto &&
                   (!HasPlainBase(field.DeclaringType) || !IsAligned(field, size, layout));
        }

        static bool IsAligned(FieldInfo field, int size, StructLayoutAttribute layout)
        {
            int pack = layout.Pack == 0 ? DefaultPack : layout.Pack;
            int offset = layout.Value == LayoutKind.Explicit ? Written(field) : pack >= size ? 0 : Counted(field, pack);
            return offset >= 0 && offset % size == 0;
        }

        static int Written(FieldInfo field)
        {
            object[] offsets = field.GetCustomAttributes(typeof(FieldOffsetAttribute), false);
            return offsets.Length == 0 ? -1 : ((FieldOffsetAttribute)offsets[0]).Value;
        }

        // The offset after sequential fields; -1 after one of unknown size.
        static int Counted(FieldInfo field, int pack)
        {
            int at = 0;
            foreach (Member member in Member.All(field.DeclaringType.GetFields(Layout.Declared)))
            {
                int size = SizeOf(member.Field.FieldType);
                int step = Math.Max(1, Math.Min(size, pack));
                at = (at + step - 1) / step * step;
                if (member.Field.MetadataToken == field.MetadataToken || size == 0)
                {
                    return size == 0 ? -1 : at;
                }
                at += size;
            }
            return -1;
        }

        static bool HasPlainBase(Type type)
        {
            return type.IsValueType || type.BaseType == typeof(object);
        }

        // 0: a struct or a reference.
        static int SizeOf(Type type)
        {
            if (type == typeof(IntPtr) || type == typeof(UIntPtr) || type.IsPointer)
            {
                return IntPtr.Size;
            }
            switch (Type.GetTypeCode(type))
            {
                case TypeCode.Boolean:
                case TypeCode.SByte:
                case TypeCode.Byte:
                    return 1;
                case TypeCode.Char:
                case TypeCode.Int16:
                case TypeCode.UInt16:
                    return 2;
                case TypeCode.Int32:
                case TypeCode.UInt32:
                case TypeCode.Single:
                    return 4;
                case TypeCode.Int64:
                case TypeCode.UInt64:
                case TypeCode.Double:
                    return 8;
                default:
                    return 0;
            }
        }

        static bool IsCoreClr()
        {
            return typeof(object).Assembly.FullName.StartsWith("System.Private.CoreLib,", StringComparison.Ordinal);
        }

        // mscorlib 4.0 has no name for it; before .NET 5 it was in an assembly of its own.
        static bool IsArm()
        {
            const string name = "System.Runtime.InteropServices.RuntimeInformation";
            Type information = Type.GetType(name) ?? Type.GetType(name + ", " + name);
            PropertyInfo architecture = information == null ? null : information.GetProperty("ProcessArchitecture");
            return architecture != null &&
                   architecture.GetValue(null, null).ToString().StartsWith("Arm", StringComparison.Ordinal);
        }
    }
}
