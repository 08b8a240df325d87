// Numbers in fields that are not aligned (Pack, explicit layouts). CoreCLR reads a number by reflection as a volatile one, and a 64-bit Arm
// processor ends the process where that is not aligned (FieldInfo.GetValue, 10.0.12). What processor this is cannot be had, so such a field is
// read here, a byte at a time, where the runtime's own description of the field says that it is. Structs within structs are copied by the
// runtime, and need not be.
//
// The description (FieldDesc in src/coreclr/vm/field.h of .NET, unchanged since .NET Core 3.1), in pointers (p):
//
//     p      the class's method table
//     4      the token, and flags
//     4      27 bits: the offset in an object without its method table; 5 bits: the type (ECMA-335 II.23.1.16), an enum's is its numbers'

using System;
using System.Reflection;
using System.Runtime.InteropServices;

namespace MyProfiler
{
    static unsafe class Unaligned
    {
        const int OffsetBits = 27;
        const byte Char = 0x03, I1 = 0x04, U1 = 0x05, I2 = 0x06, U2 = 0x07, I4 = 0x08, U4 = 0x09, I8 = 0x0a, U8 = 0x0b, R4 = 0x0c, R8 = 0x0d,
                   I = 0x18, U = 0x19;

        const int No = 1, Yes = 2;
        static int known;               // 0: whether descriptions are what they are expected to be is not known so far

#pragma warning disable 649             // never read: how its fields are described tells what is above
        [StructLayout(LayoutKind.Sequential, Pack = 1)]
        struct Sample
        {
            public byte First;
            public double Second;
            public int Third;
        }

        // An object of any class, as one whose first byte has an address.
        sealed class Data
        {
            public byte First;
        }

        [StructLayout(LayoutKind.Explicit)]
        struct Same
        {
            [FieldOffset(0)] public object Object;
            [FieldOffset(0)] public Data Data;
        }
#pragma warning restore 649

        // Whether reflection must not read it.
        internal static bool Is(FieldInfo field)
        {
            return field.FieldType.IsValueType && HasLayout(field.DeclaringType) &&
                   (!AreKnown() || Offset(field) % SizeOf(ElementType(field)) != 0);
        }

        // Null: it cannot be read here either.
        internal static object Read(FieldInfo field, object holder)
        {
            if (!AreKnown())
            {
                return null;
            }
            ulong bits = 0;
            int size = SizeOf(ElementType(field));
            Same same = new Same();
            same.Object = holder;
            fixed (byte* first = &same.Data.First)
            {
                for (int i = size - 1; i >= 0; i--)
                {
                    bits = bits << 8 | first[Offset(field) + i];
                }
            }
            return Typed(Number(ElementType(field), bits), field.FieldType);
        }

        static object Number(byte type, ulong bits)
        {
            int half = (int)bits;
            switch (type)
            {
                case Char: return (char)bits;
                case I2: return (short)bits;
                case U2: return (ushort)bits;
                case I4: return half;
                case U4: return (uint)bits;
                case I8: return (long)bits;
                case U8: return bits;
                case R4: return *(float*)&half;
                case R8: return *(double*)&bits;
                case I: return *(IntPtr*)&bits;
                case U: return *(UIntPtr*)&bits;
                default: return null;
            }
        }

        // 1: what is aligned everywhere, or is no number.
        static int SizeOf(byte type)
        {
            switch (type)
            {
                case Char: case I2: case U2: return 2;
                case I4: case U4: case R4: return 4;
                case I8: case U8: case R8: return 8;
                case I: case U: return sizeof(IntPtr);
                default: return 1;
            }
        }

        static uint Word(FieldInfo field)
        {
            IntPtr description = Description(field);
            return *(uint*)(*(byte**)&description + sizeof(IntPtr) + 4);
        }

        static int Offset(FieldInfo field)
        {
            return (int)(Word(field) & (1u << OffsetBits) - 1);
        }

        static byte ElementType(FieldInfo field)
        {
            return (byte)(Word(field) >> OffsetBits);
        }

        static bool AreKnown()
        {
            if (known == 0)
            {
                Member[] fields = Member.All(typeof(Sample).GetFields(Format.InstanceFields));
                known = Has(fields[0], 0, U1) && Has(fields[1], 1, R8) && Has(fields[2], 9, I4) ? Yes : No;
            }
            return known == Yes;
        }

        static bool Has(Member member, int offset, byte type)
        {
            return Offset(member.Field) == offset && ElementType(member.Field) == type;
        }

        // FieldInfo.FieldHandle may be gone, but what it returns is there.
        static IntPtr Description(FieldInfo field)
        {
            FieldInfo[] parts = field.GetType().GetFields(Format.InstanceFields);
            int i = 0;
            while (parts[i].Name != "m_fieldHandle")
            {
                i++;
            }
            return (IntPtr)parts[i].GetValue(field);
        }

        static object Typed(object number, Type type)
        {
            return type.IsEnum ? null : number;     // Enum.ToObject() may be gone
        }

        // What has none is placed by the runtime, aligned (II.23.1.15).
        static bool HasLayout(Type type)
        {
            return (type.Attributes & TypeAttributes.LayoutMask) != 0;
        }
    }
}
