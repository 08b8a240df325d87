// Collections whose elements are in nodes that lead to each other, or in two arrays: trees, linked lists, concurrent hash tables,
// sorted and frozen tables. So many elements are looked for as are shown, and no longer than a few hundred steps.

using System;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    // What the collections here have in common: their elements one by one.
    abstract class Counted : Collection
    {
        // So many are counted where no number is kept.
        protected const int MaxCount = 256;

        // How many elements there are; more: at least so many.
        protected abstract int Count(object collection, out bool more);

        // Writes elements as long as Next says so.
        protected abstract void Elements(Text text, object collection, int depth, ref int shown);

        internal override void Append(Text text, object collection, int depth)
        {
            bool more;
            int count = Math.Max(Count(collection, out more), 0);
            string length = count.ToString(CultureInfo.InvariantCulture) + (more ? "+" : "");
            if (!Collections.Open(text, length, count == 0, depth))
            {
                return;
            }
            int shown = 0;
            Elements(text, collection, depth, ref shown);
            if (shown < Math.Min(count, Settings.Current.Elements))
            {
                text.Append(shown > 0 ? ", ..." : "...");       // not found, or changed meanwhile
            }
            text.Append("]");
        }

        protected static bool Next(Text text, ref int shown)
        {
            return Format.Next(text, ref shown, Settings.Current.Elements);
        }
    }

    // SortedSet, and what System.Collections.Immutable has, from the least element to the greatest.
    sealed class Tree : Counted
    {
        const int MaxHeight = 64;

        FieldInfo root, count, left, right, bucket;
        Member key, value;
        bool sentinel;                  // nodes without others below are empty

        // The count is the collection's or else the root's. In a bucket is what has the same hash, of which the first is shown.
        internal static Shape Of(Type type, string root, string names, string bucket)
        {
            Tree tree = new Tree();
            tree.root = Layout.Find(type, root);
            Type node = tree.root == null ? typeof(object) : tree.root.FieldType;
            string[] name = names.Split('|');
            tree.count = Layout.Find(type, "count _count", typeof(int)) ?? Layout.Find(node, "_count", typeof(int));
            tree.left = Layout.Find(node, name[0], node);
            tree.right = Layout.Find(node, name[1], node);
            tree.bucket = bucket == null ? null : Layout.Find(node, bucket);
            Type holder = tree.bucket == null ? node : tree.bucket.FieldType;
            FieldInfo key = Layout.Find(holder, name[2]), value = name.Length > 3 ? Layout.Find(holder, name[3]) : key;
            if (tree.count == null || tree.left == null || tree.right == null || key == null || value == null || (bucket != null && tree.bucket == null))
            {
                return null;
            }
            tree.key = value == key ? null : new Member(key);
            tree.value = new Member(value);
            tree.sentinel = tree.left.Name == "_left";
            return tree;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            object first = root.GetValue(collection);
            return first == null ? 0 : Layout.Number(count, count.DeclaringType == first.GetType() ? first : collection);
        }

        bool IsElement(object node)
        {
            return node != null && (!sentinel || left.GetValue(node) != null);
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            object[] above = new object[MaxHeight];
            int height = 0;
            object node = root.GetValue(collection);
            while (true)
            {
                for (; IsElement(node); node = left.GetValue(node))
                {
                    if (height == MaxHeight)
                    {
                        return;
                    }
                    above[height++] = node;
                }
                if (height == 0 || !Next(text, ref shown))
                {
                    return;
                }
                node = above[--height];
                Pair.Append(text, key, value, bucket == null ? node : bucket.GetValue(node), depth);
                node = right.GetValue(node);
            }
        }
    }

    // LinkedList, ConcurrentStack.
    sealed class LinkedNodes : Counted
    {
        FieldInfo first, count, next;
        Member item;

        internal static Shape Of(Type type, string first, string count, string item, string next)
        {
            LinkedNodes list = new LinkedNodes();
            list.first = Layout.Find(type, first);
            Type node = list.first == null ? typeof(object) : list.first.FieldType;
            list.count = Layout.Find(type, count, typeof(int));
            list.next = Layout.Find(node, next, node);
            FieldInfo field = Layout.Find(node, item);
            if (list.next == null || field == null || (count != null && list.count == null))
            {
                return null;
            }
            list.item = new Member(field);
            return list;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            if (count != null)
            {
                return Layout.Number(count, collection);
            }
            int found = 0;
            object node = first.GetValue(collection);
            for (; node != null && found < MaxCount; node = next.GetValue(node))
            {
                found++;
            }
            more = node != null;
            return found;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            object node = first.GetValue(collection), end = count == null ? null : node;
            int left = count == null ? MaxCount : Layout.Number(count, collection);
            for (; left-- > 0 && node != null && Next(text, ref shown); node = next.GetValue(node))
            {
                Format.Guarded(text, node, item, depth + 1);
                if (next.GetValue(node) == end)         // a LinkedList is a ring
                {
                    return;
                }
            }
        }
    }

    // ConcurrentDictionary: nodes by their hashes, numbers by locks.
    sealed class Buckets : Counted
    {
        const int MaxBuckets = 256, MaxLocks = 1024;     // that are looked at

        FieldInfo tables, buckets, counts, slot, next;
        Member key, value;

        internal static Shape Of(Type type)
        {
            Buckets table = new Buckets();
            table.tables = Layout.Find(type, "_tables m_tables");
            Type inner = table.tables == null ? typeof(object) : table.tables.FieldType;
            table.buckets = Layout.Find(inner, "_buckets m_buckets", typeof(Array));
            table.counts = Layout.Find(inner, "_countPerLock m_countPerLock", typeof(int[]));
            Type node = table.buckets == null ? typeof(object) : table.buckets.FieldType.GetElementType();
            table.slot = Layout.Find(node, "_node");     // since .NET 8
            node = table.slot == null ? node : table.slot.FieldType;
            table.next = Layout.Find(node, "_next m_next", node);
            FieldInfo key = Layout.Find(node, "_key m_key"), value = Layout.Find(node, "_value m_value");
            if (table.counts == null || table.next == null || key == null || value == null)
            {
                return null;
            }
            table.key = new Member(key);
            table.value = new Member(value);
            return table;
        }

        protected override int Count(object collection, out bool more)
        {
            int[] each = (int[])counts.GetValue(tables.GetValue(collection));
            int count = 0;
            more = each.Length > MaxLocks;
            for (int i = 0; i < each.Length && i < MaxLocks; i++)
            {
                count += each[i];
            }
            return count;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            Array all = (Array)buckets.GetValue(tables.GetValue(collection));
            for (int i = 0; i < all.Length && i < MaxBuckets; i++)
            {
                object node = all.GetValue(i);
                node = slot == null || node == null ? node : slot.GetValue(node);
                for (; node != null; node = next.GetValue(node))
                {
                    if (!Next(text, ref shown))
                    {
                        return;
                    }
                    Pair.Append(text, key, value, node, depth);
                }
            }
        }
    }

    // ConcurrentQueue: rings in a row, from the oldest element on.
    sealed class Segments : Counted
    {
        const int MaxSegments = 64;

        FieldInfo first, next, slots, places, head, tail;
        Member item;

        internal static Shape Of(Type type)
        {
            Segments queue = new Segments();
            queue.first = Layout.Find(type, "_head");
            Type segment = queue.first == null ? typeof(object) : queue.first.FieldType;
            queue.next = Layout.Find(segment, "_nextSegment", segment);
            queue.slots = Layout.Find(segment, "_slots", typeof(Array));
            queue.places = Layout.Find(segment, "_headAndTail");
            if (queue.next == null || queue.slots == null || queue.places == null)
            {
                return null;
            }
            queue.head = Layout.Find(queue.places.FieldType, "Head", typeof(int));
            queue.tail = Layout.Find(queue.places.FieldType, "Tail", typeof(int));
            FieldInfo field = Layout.Find(queue.slots.FieldType.GetElementType(), "Item");
            if (queue.head == null || queue.tail == null || field == null)
            {
                return null;
            }
            queue.item = new Member(field);
            return queue;
        }

        // The slots that are used; a tail that is twice their number ahead says that none is added any more.
        int Used(object segment, out int start, out Array all)
        {
            object at = places.GetValue(segment);
            int end = Layout.Number(tail, at);
            all = (Array)slots.GetValue(segment);
            start = Layout.Number(head, at);
            int used = unchecked(end - start);
            used = used > all.Length ? used - 2 * all.Length : used;
            return Math.Max(0, Math.Min(used, all.Length));
        }

        protected override int Count(object collection, out bool more)
        {
            int count = 0, seen = 0, start;
            Array all;
            object segment = first.GetValue(collection);
            for (; segment != null && seen < MaxSegments; segment = next.GetValue(segment))
            {
                count += Used(segment, out start, out all);
                seen++;
            }
            more = segment != null;
            return count;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            object segment = first.GetValue(collection);
            for (int seen = 0; segment != null && seen < MaxSegments; seen++)
            {
                int start;
                Array all;
                int used = Used(segment, out start, out all);
                for (int i = 0; i < used; i++)
                {
                    if (!Next(text, ref shown))
                    {
                        return;
                    }
                    Format.Guarded(text, all.GetValue((int)((uint)(start + i) % (uint)all.Length)), item, depth + 1);
                }
                segment = next.GetValue(segment);
            }
        }
    }

    // SortedList, FrozenDictionary: keys and values in two arrays.
    sealed class TwoArrays : Counted
    {
        FieldInfo keys, values, count;

        internal static Shape Of(Type type, string keys, string values, string count)
        {
            TwoArrays arrays = new TwoArrays();
            arrays.keys = Layout.Find(type, keys, typeof(Array));
            arrays.values = Layout.Find(type, values, typeof(Array));
            arrays.count = Layout.Find(type, count, typeof(int));
            return arrays.keys == null || arrays.values == null || (count != null && arrays.count == null) ? null : arrays;
        }

        static int Length(FieldInfo field, object collection)
        {
            Array array = (Array)field.GetValue(collection);
            return array == null ? 0 : array.Length;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            int most = Math.Min(Length(keys, collection), Length(values, collection));
            return count == null ? most : Math.Min(Layout.Number(count, collection), most);
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            Array allKeys = (Array)keys.GetValue(collection), allValues = (Array)values.GetValue(collection);
            bool more;
            int length = Count(collection, out more);
            for (int i = 0; i < length && Next(text, ref shown); i++)
            {
                Collections.PairAt(text, allKeys, allValues, i, depth);
            }
        }
    }
}
