// A field of a shown value: its name in the source, and whether it may be read.

using System;
using System.Reflection;

namespace MyProfiler
{
    sealed class Member
    {
        const int Readable = 1, Pointer = 2, Hidden = 3, Misaligned = 4;

        int kind;                       // 0: not determined yet

        internal readonly FieldInfo Field;
        internal readonly string Name;
        internal int Secrecy;           // from its name

        internal Member(FieldInfo field) : this(field, SourceName(field.Name))
        {
        }

        internal Member(FieldInfo field, string name)
        {
            Field = field;
            Name = name;
        }

        // In the order of the source: reflection guarantees none, but metadata rows have it.
        internal static Member[] All(FieldInfo[] fields)
        {
            Member[] members = new Member[fields.Length];
            for (int i = 0; i < fields.Length; i++)
            {
                int place = i;
                for (; place > 0 && members[place - 1].Field.MetadataToken > fields[i].MetadataToken; place--)
                {
                    members[place] = members[place - 1];
                }
                members[place] = new Member(fields[i]);
                members[place].Secrecy = Settings.Current.Redaction.OfName(members[place].Name);
            }
            return members;
        }

        // A field's type can be in an assembly that is missing, so it is not loaded before this.
        // `secrecy` is that of the enclosing values.
        internal void Append(Text text, object holder, int depth, int secrecy)
        {
            secrecy = secrecy > Secrecy ? secrecy : Secrecy;
            if (kind == 0)
            {
                kind = KindOf(Field);
            }
            object number = kind == Misaligned ? Edition.ReadMisaligned(Field, holder) : null;
            if (kind == Readable || number != null)
            {
                Format.Named(text, number ?? Field.GetValue(holder), secrecy, depth);
            }
            else if (secrecy == Redaction.All)
            {
                text.Append(Redaction.Mark);
            }
            else
            {
                text.Append(kind == Pointer ? "pointer" : kind == Misaligned ? "{misaligned}" : "{...}");
            }
        }

        // Its string, after Append(); null if it is not a string.
        internal string TextOf(object holder)
        {
            return kind == Readable ? Field.GetValue(holder) as string : null;
        }

        // Mono 6.8 dereferences a pointer that it should only box, and crashes.
        static int KindOf(FieldInfo field)
        {
            Type type = field.FieldType;
            return type.IsPointer ? Pointer
                : Format.HasStaticConstructor(Edition.WithoutNullable(type)) ? Hidden
                : Edition.IsMisaligned(field) ? Misaligned
                : Readable;
        }

        // X, if the compiler named it <X>k__BackingField, <X>P or the like, or F#'s X@.
        static string SourceName(string name)
        {
            int end = name.IndexOf('>'), last = name.Length - 1;
            return end > 1 && name[0] == '<' ? name.Substring(1, end - 1)
                : last > 0 && name[last] == '@' ? name.Substring(0, last)
                : name;
        }
    }
}
