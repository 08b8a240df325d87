// Collections: the number of elements, and the first ones. All are read from their arrays; counts
// that exceed these, since another thread is changing them, are reduced.

using System;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;

namespace MyProfiler
{
    static class Collections
    {
        internal static void Append(Text text, Array array, int depth)
        {
            if (text.IsWithin(array, depth))
            {
                text.Append("[cycle]");
                return;
            }
            text.Enter(array, depth);
            if (array.Rank == 1)
            {
                Part(text, array, array.GetLowerBound(0), array.Length, depth);
            }
            else
            {
                Grid(text, array, depth);
            }
        }

        // Writes the head, and returns whether elements follow; then the caller writes them and
        // `]`.
        internal static bool Open(Text text, string lengths, bool empty, int depth)
        {
            text.Append("[" + lengths);
            if (empty || depth > Settings.Current.Depth)
            {
                text.Append(empty ? "]" : ": ...]");
                return false;
            }
            text.Append(": ");
            return true;
        }

        internal static bool Open(Text text, int count, int depth)
        {
            return Open(text, count.ToString(CultureInfo.InvariantCulture), count == 0, depth);
        }

        // After elements, if fewer than expected may have been found. `goesOn`: Format.Next has not
        // reported yet that there are more elements than are shown.
        internal static void Close(Text text, int count, int shown, bool goesOn)
        {
            if (goesOn && shown < count)
            {
                text.Append(shown > 0 ? ", ..." : "...");
            }
            text.Append("]");
        }

        // Of an array with one index; wraps around at its end.
        internal static void Part(Text text, Array array, int start, int count, int depth)
        {
            if (!Open(text, count, depth))
            {
                return;
            }
            string instead = Instead(array);
            int shown = 0;
            for (int i = 0; i < count && Format.Next(text, ref shown, Settings.Current.Elements); i++)
            {
                int index = start + i - array.GetLowerBound(0);
                index = array.GetLowerBound(0) + (index < array.Length ? index : index - array.Length);
                Element(text, instead, instead == null ? array.GetValue(index) : null, depth);
            }
            text.Append("]");
        }

        // Of an array with several indexes; the last one varies fastest, as in memory.
        static void Grid(Text text, Array array, int depth)
        {
            int[] at = new int[array.Rank];
            string lengths = "";
            for (int i = 0; i < at.Length; i++)
            {
                at[i] = array.GetLowerBound(i);
                lengths += (i == 0 ? "" : ",") + array.GetLength(i).ToString(CultureInfo.InvariantCulture);
            }
            if (!Open(text, lengths, array.Length == 0, depth))
            {
                return;
            }
            string instead = Instead(array);
            int shown = 0;
            for (int i = 0; i < array.Length && Format.Next(text, ref shown, Settings.Current.Elements); i++)
            {
                Element(text, instead, instead == null ? array.GetValue(at) : null, depth);
                for (int last = at.Length - 1; last >= 0 && at[last]++ == array.GetUpperBound(last); last--)
                {
                    at[last] = array.GetLowerBound(last);
                }
            }
            text.Append("]");
        }

        // The text for elements that cannot be read, or null.
        static string Instead(Array array)
        {
            Type type = array.GetType().GetElementType();
            return type.IsPointer ? "pointer"
                : Format.HasStaticConstructor(Edition.WithoutNullable(type)) ? "{...}"
                : null;
        }

        // Of two arrays with lower bound 0.
        internal static void PairAt(Text text, Array keys, Array values, int index, int depth)
        {
            string insteadOfKey = Instead(keys), instead = Instead(values);
            object key = insteadOfKey == null ? keys.GetValue(index) : null;
            Element(text, insteadOfKey, key, depth);
            text.Append("=");
            if (instead == null)
            {
                Format.Guarded(text, values.GetValue(index), null, depth + 1, Settings.Current.Redaction.OfName(key as string ?? ""));
            }
            else
            {
                text.Append(instead);
            }
        }

        // Of an array with lower bound 0.
        internal static void ElementAt(Text text, Array array, int index, int depth)
        {
            string instead = Instead(array);
            Element(text, instead, instead == null ? array.GetValue(index) : null, depth);
        }

        static void Element(Text text, string instead, object value, int depth)
        {
            if (instead != null)
            {
                text.Append(instead);
            }
            else
            {
                Format.Guarded(text, value, null, depth + 1);
            }
        }
    }

    abstract class Collection : Shape
    {
        internal override void Hide(Text text, string why, int depth)
        {
            text.Append("[" + why + "]");
        }
    }

    // A part of an array: List, Stack, Queue, ArraySegment, ImmutableArray.
    sealed class Slice : Collection
    {
        FieldInfo table, array, start, count;

        internal static Shape Of(Type type, string array, string start, string count)
        {
            return Of(type, null, array, start, count);
        }

        // `table`: a field whose object has the array; or null.
        internal static Shape Of(Type type, FieldInfo table, string array, string start, string count)
        {
            Slice slice = new Slice();
            slice.table = table;
            slice.array = Layout.Find(table == null ? type : table.FieldType, array, typeof(Array));
            slice.start = Layout.Find(type, start, typeof(int));
            slice.count = Layout.Find(type, count, typeof(int));
            bool found = slice.array != null && (start == null || slice.start != null) && (count == null || slice.count != null);
            return found ? slice : null;
        }

        internal override void Append(Text text, object value, int depth)
        {
            Array items = (Array)array.GetValue(table == null ? value : table.GetValue(value));
            if (items == null)
            {
                text.Append(count == null ? "null" : "[0]");
                return;
            }
            int first = Layout.Number(start, value);
            int length = count == null ? items.Length : Math.Min(Layout.Number(count, value), items.Length);
            bool fits = first >= 0 && first < items.Length && length > 0;
            Collections.Part(text, items, fits ? first : 0, Math.Max(length, 0), depth);
        }
    }

    // Collection, ReadOnlyCollection: shown as the wrapped collection. Wrappers can be nested, even
    // in a cycle.
    sealed class Wrapper : Collection
    {
        const int MaxWrappers = 4;

        FieldInfo inner;

        internal static Shape Of(Type type, string inner)
        {
            Wrapper wrapper = new Wrapper();
            wrapper.inner = Layout.Find(type, inner, typeof(object));
            return wrapper.inner == null ? null : wrapper;
        }

        internal override void Append(Text text, object value, int depth)
        {
            Wrapper wrapper = this;
            for (int i = 0; wrapper != null && i < MaxWrappers; i++)
            {
                value = wrapper.inner.GetValue(value);
                wrapper = value == null || value is Array ? null : Shapes.Of(value.GetType()) as Wrapper;
            }
            if (wrapper != null)
            {
                text.Append("{...}");
            }
            else
            {
                Format.Value(text, value, depth);
            }
        }
    }

    // Shows the first of two fields that is not null; empty if both are.
    sealed class Either : Collection
    {
        FieldInfo first, second;

        internal static Shape Of(Type type, string first, string second)
        {
            Either either = new Either();
            either.first = Layout.Find(type, first);
            either.second = Layout.Find(type, second);
            return either.first == null || either.second == null ? null : either;
        }

        internal override void Append(Text text, object value, int depth)
        {
            object inner = first.GetValue(value) ?? second.GetValue(value);
            if (inner == null)
            {
                text.Append("[0]");
            }
            else
            {
                Format.Value(text, inner, depth);
            }
        }
    }

    // The target of a weak reference, through its handle: Target may be overridden by the program.
    sealed class WeakShape : Named
    {
        const long Marks = 3, OfCom = 2;

        FieldInfo handle;

        WeakShape(string name) : base(name)
        {
        }

        internal static Shape Of(Type own, Type type, string field)
        {
            WeakShape weak = new WeakShape(NameOf(own));
            weak.handle = Layout.Find(type, field, typeof(IntPtr)) ?? Layout.Find(type, "gcHandle handle", typeof(GCHandle));
            return weak.handle == null ? null : weak;
        }

        protected override void Contents(Text text, object value, int depth)
        {
            object found = handle.GetValue(value);
            long marked = found is IntPtr ? ((IntPtr)found).ToInt64() : 0;
            if (depth > Settings.Current.Depth || (marked & OfCom) != 0)
            {
                text.Append("{...}");
                return;
            }
            GCHandle place = found is GCHandle ? (GCHandle)found
                : (marked & ~Marks) == 0 ? default(GCHandle)
                : GCHandle.FromIntPtr(new IntPtr(marked & ~Marks));
            text.Append("{Target=");
            Format.Guarded(text, place.IsAllocated ? place.Target : null, null, depth + 1);
            text.Append("}");
        }
    }

    sealed class TupleShape : Shape
    {
        readonly Member[] items;        // except Rest's
        readonly FieldInfo rest;

        internal TupleShape(Type type)
        {
            items = Layout.Fields(type);
            rest = items.Length == 8 ? Layout.Find(type, "Rest m_Rest") : null;
        }

        internal override void Append(Text text, object value, int depth)
        {
            if (depth > Settings.Current.Depth && items.Length > 0)
            {
                Hide(text, "...", depth);
                return;
            }
            int shown = 0;
            text.Append("(");
            Items(text, value, depth, ref shown);
            text.Append(")");
        }

        void Items(Text text, object value, int depth, ref int shown)
        {
            for (int i = 0; i < items.Length; i++)
            {
                if (i == 7 && rest != null)
                {
                    object more = rest.GetValue(value);
                    TupleShape tuple = more == null ? null : Shapes.Of(more.GetType()) as TupleShape;
                    if (tuple != null)
                    {
                        tuple.Items(text, more, depth, ref shown);
                        return;
                    }
                }
                if (!Format.Next(text, ref shown, Format.MaxFields))
                {
                    return;
                }
                Format.Guarded(text, value, items[i], depth + 1);
            }
        }
    }
}
