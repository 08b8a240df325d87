// Memory, ReadOnlyMemory and ReadOnlySequence: parts of an array or a string, or of several in
// segments.

using System;
using System.Globalization;
using System.Reflection;
using System.Text;

namespace MyProfiler
{
    // A part of an array or a string; without either, empty.
    struct Piece
    {
        internal Array Array;
        internal string Chars;
        internal int First, Count;

        // False: `owner` is not an array, a string or null.
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

        // The part of the range that exists.
        internal void Take(int first, int end)
        {
            end = Math.Max(0, Math.Min(end, Length));
            First = Math.Max(0, Math.Min(first, end));
            Count = end - First;
        }

        // Of chars: at most `most` of them.
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

        internal static Shape Of(Type type, string[] f)
        {
            MemoryShape memory = new MemoryShape();
            memory.over = Layout.Find(type, f[0], typeof(object));
            memory.start = Layout.Find(type, f[2], typeof(int));
            memory.length = Layout.Find(type, f[1], typeof(int));
            memory.ofChars = type.GetGenericArguments()[0] == typeof(char);
            return memory.over != null && memory.start != null && memory.length != null ? memory : null;
        }

        // False: its owner is a MemoryManager, which only the program can read.
        internal bool Read(object memory, out Piece piece)
        {
            piece = new Piece();
            if (!piece.Open(over.GetValue(memory)))
            {
                return false;
            }
            // the highest bit marks pinned memory
            int first = Math.Min(Layout.Number(start, memory) & int.MaxValue, piece.Length);
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
                text.AppendString(piece.Start(Text.PrefixLength), piece.Count, false);
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

    // A part of a sequence: shown as its memory.
    sealed class SegmentShape : Collection
    {
        FieldInfo memory, next, index;

        internal static Shape Of(Type type, string[] f)
        {
            SegmentShape segment = new SegmentShape();
            segment.memory = Layout.Find(type, f[0]);
            segment.next = Layout.Find(type, f[1], type);
            segment.index = Layout.Find(type, f[2], typeof(long));
            return segment.memory == null || segment.next == null || segment.index == null ||
                   !(Shapes.Of(segment.memory.FieldType) is MemoryShape) ? null : segment;
        }

        internal object Next(object segment)
        {
            return next.GetValue(segment);
        }

        internal long Index(object segment)
        {
            return (long)index.GetValue(segment);
        }

        internal bool Read(object segment, out Piece piece)
        {
            return ((MemoryShape)Shapes.Of(memory.FieldType)).Read(memory.GetValue(segment), out piece);
        }

        internal override void Append(Text text, object value, int depth)
        {
            Format.Value(text, memory.GetValue(value), depth);
        }
    }

    sealed class SequenceShape : Collection
    {
        const int MaxSegments = 4096;       // they can be empty, and linked in a ring

        FieldInfo startObject, endObject, startInteger, endInteger;
        bool ofChars;

        internal static Shape Of(Type type, string[] f)
        {
            SequenceShape sequence = new SequenceShape();
            sequence.startObject = Layout.Find(type, f[0], typeof(object));
            sequence.endObject = Layout.Find(type, f[1], typeof(object));
            sequence.startInteger = Layout.Find(type, f[2], typeof(int));
            sequence.endInteger = Layout.Find(type, f[3], typeof(int));
            sequence.ofChars = type.GetGenericArguments()[0] == typeof(char);
            return sequence.startObject == null || sequence.endObject == null || sequence.startInteger == null ||
                   sequence.endInteger == null ? null : sequence;
        }

        // The pieces of a sequence, one by one.
        struct Walk
        {
            internal object At, Last;       // the next position; null: the end
            internal int First, End;        // in that object
            internal bool Segmented;
            internal long Count;            // of all elements
            internal Piece Piece;           // that was read last
            int seen;

            // False: the end, or the next piece cannot be read.
            internal bool Next()
            {
                if (At == null)
                {
                    return false;
                }
                if (!Segmented)
                {
                    bool open = Piece.Open(At);
                    Piece.Take(First, End);
                    At = null;
                    return open;
                }
                SegmentShape segment = Shapes.Of(At.GetType()) as SegmentShape;
                if (segment == null || seen++ == MaxSegments || !segment.Read(At, out Piece))
                {
                    return false;
                }
                bool last = At == Last;
                int end = last ? Math.Min(End, Piece.Count) : Piece.Count, first = Math.Min(First, end);
                Piece.Take(Piece.First + first, Piece.First + end);
                First = 0;
                At = last ? null : segment.Next(At);
                return true;
            }

            // False: these are not segments.
            internal bool CountSegments()
            {
                SegmentShape first = Shapes.Of(At.GetType()) as SegmentShape;
                SegmentShape last = Last == null ? null : Shapes.Of(Last.GetType()) as SegmentShape;
                if (first != null && last != null)
                {
                    Count = unchecked(last.Index(Last) + End - first.Index(At) - First);
                }
                return first != null && last != null;
            }
        }

        // The highest bits of the two indexes tell the kind: none for segments, the end's for an
        // array, the start's for a MemoryManager, which only the program can read, both for a
        // string.
        bool Open(object value, out Walk walk)
        {
            int start = Layout.Number(startInteger, value), end = Layout.Number(endInteger, value);
            walk = new Walk();
            walk.At = startObject.GetValue(value);
            walk.Last = endObject.GetValue(value);
            walk.First = start & int.MaxValue;
            walk.End = end & int.MaxValue;
            walk.Segmented = start >= 0 && end >= 0;
            walk.Count = walk.At == null ? 0 : (long)walk.End - walk.First;
            if (walk.At == null)
            {
                return true;
            }
            if (walk.Segmented && !walk.CountSegments())
            {
                return false;
            }
            Walk other = walk;
            return walk.Count >= 0 && other.Next();
        }

        internal override void Append(Text text, object value, int depth)
        {
            Walk walk;
            if (!Open(value, out walk))
            {
                text.Append("{...}");
                return;
            }
            bool more = walk.Count > int.MaxValue;
            int count = more ? int.MaxValue : (int)walk.Count;
            if (ofChars)
            {
                Chars(text, ref walk, count, more);
            }
            else if (Collections.Open(text, count.ToString(CultureInfo.InvariantCulture) + (more ? "+" : ""), count == 0, depth))
            {
                Elements(text, ref walk, count, depth);
            }
        }

        static void Chars(Text text, ref Walk walk, int count, bool more)
        {
            int wanted = Math.Min(count, Text.PrefixLength);
            StringBuilder chars = new StringBuilder(wanted);
            while (chars.Length < wanted && walk.Next())
            {
                chars.Append(walk.Piece.Start(wanted - chars.Length));
            }
            if (chars.Length < wanted)
            {
                text.Append("{...}");
            }
            else
            {
                text.AppendString(chars.ToString(), count, more);
            }
        }

        static void Elements(Text text, ref Walk walk, int count, int depth)
        {
            int shown = 0;
            bool goesOn = true;
            while (goesOn && shown < count && walk.Next())
            {
                for (int i = 0; goesOn && i < walk.Piece.Count && shown < count; i++)
                {
                    goesOn = Format.Next(text, ref shown, Settings.Current.Elements);
                    if (goesOn)
                    {
                        Collections.ElementAt(text, walk.Piece.Array, walk.Piece.First + i, depth);
                    }
                }
            }
            Collections.Close(text, count, shown, goesOn);
        }
    }
}
