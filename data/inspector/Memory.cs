// Memory and ReadOnlyMemory: parts of an array or a string.

using System;
using System.Reflection;

namespace MyProfiler
{
    // A part of an array or a string; without either it is empty.
    struct Piece
    {
        internal Array Array;
        internal string Chars;
        internal int First, Count;

        // False: what has it is neither, and not null either.
        internal bool Open(object owner)
        {
            Array = owner as Array;
            Chars = owner as string;
            return owner == null || Array != null || Chars != null;
        }

        internal int Length
        {
            get { return Chars != null ? Chars.Length : Array != null ? Array.Length : 0; }
        }

        // As much of it as there is.
        internal void Take(int first, int end)
        {
            end = Math.Max(0, Math.Min(end, Length));
            First = Math.Max(0, Math.Min(first, end));
            Count = end - First;
        }

        // Of chars: so many, or all.
        internal string Start(int most)
        {
            int taken = Math.Min(Count, most);
            return Chars != null ? Chars.Substring(First, taken)
                : Array != null ? new string((char[])Array, First, taken)
                : "";
        }
    }

    sealed class MemoryShape : Collection
    {
        FieldInfo over, start, length;
        bool ofChars;

        internal static Shape Of(Type type)
        {
            MemoryShape memory = new MemoryShape();
            memory.over = Layout.Find(type, "_object", typeof(object));
            memory.start = Layout.Find(type, "_index", typeof(int));
            memory.length = Layout.Find(type, "_length", typeof(int));
            memory.ofChars = type.GetGenericArguments()[0] == typeof(char);
            return memory.over != null && memory.start != null && memory.length != null ? memory : null;
        }

        // False: a MemoryManager has it, which only the program can read.
        internal bool Read(object memory, out Piece piece)
        {
            piece = new Piece();
            if (!piece.Open(over.GetValue(memory)))
            {
                return false;
            }
            int first = Math.Min(Layout.Number(start, memory) & int.MaxValue, piece.Length);      // the highest bit says that it is pinned
            piece.Take(first, first + Math.Min(Layout.Number(length, memory) & int.MaxValue, piece.Length - first));
            return true;
        }

        internal override void Append(Text text, object value, int depth)
        {
            Piece piece;
            if (!Read(value, out piece))
            {
                text.Append("{...}");
            }
            else if (ofChars)
            {
                text.AppendString(piece.Start(Text.PrefixLength), piece.Count);
            }
            else if (piece.Array == null)
            {
                text.Append("[0]");
            }
            else
            {
                Collections.Part(text, piece.Array, piece.First, piece.Count, depth);
            }
        }
    }
}
