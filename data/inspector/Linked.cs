// Collections whose elements are in linked nodes, or in two arrays: trees, linked lists, concurrent
// hash tables, sorted and frozen tables. The search stops at the number of elements shown, and
// after a few hundred steps.

using System;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    // Base of these collections: lists their elements one by one.
    abstract class Counted : Collection
    {
        // The limit of counting, where no count is kept.
        protected const int MaxCount = 256;

        // The number of elements; more: at least that number.
        protected abstract int Count(object collection, out bool more);

        // Writes elements while Next returns true.
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

    // SortedSet, and the trees of System.Collections.Immutable, in ascending order.
    sealed class Tree : Counted
    {
        const int MaxHeight = 64;

        FieldInfo root, count, left, right, bucket;
        Member key, value;
        bool sentinel;                  // empty children are nodes without children

        // The count is the collection's or else the root's. A bucket has elements with the same
        // hash, of which the first is shown.
        internal static Shape Of(Type type, string root, string keys, string values, string bucket)
        {
            Tree tree = new Tree();
            tree.root = Layout.Find(type, root);
            Type node = tree.root == null ? typeof(object) : tree.root.FieldType;
            tree.count = Layout.Find(type, "_count", typeof(int)) ?? Layout.Find(node, "_count", typeof(int));
            tree.left = Layout.Find(node, "_left Left", node);
            tree.right = Layout.Find(node, "_right Right", node);
            tree.bucket = bucket == null ? null : Layout.Find(node, bucket);
            Type holder = tree.bucket == null ? node : tree.bucket.FieldType;
            FieldInfo key = Layout.Find(holder, keys), value = values == null ? key : Layout.Find(holder, values);
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

    // LinkedList, ConcurrentStack, ListDictionary.
    sealed class LinkedNodes : Counted
    {
        FieldInfo first, count, next;
        Member key, item;

        // The nodes of a ListDictionary have keys.
        internal static Shape Of(Type type, string[] f)
        {
            LinkedNodes list = new LinkedNodes();
            list.first = Layout.Find(type, f[0]);
            Type node = list.first == null ? typeof(object) : list.first.FieldType;
            list.count = f.Length > 1 ? Layout.Find(type, f[1], typeof(int)) : null;
            list.next = Layout.Find(node, "_next", node);
            FieldInfo item = Layout.Find(node, "item _value"), key = Layout.Find(node, "key");
            if (list.next == null || item == null || (f.Length > 1 && list.count == null))
            {
                return null;
            }
            list.item = new Member(item);
            list.key = key == null ? null : new Member(key);
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
                Pair.Append(text, key, item, node, depth);
                if (next.GetValue(node) == end)         // a LinkedList is circular
                {
                    return;
                }
            }
        }
    }

    // ConcurrentDictionary: nodes in buckets, counts by locks.
    sealed class Buckets : Counted
    {
        const int MaxBuckets = 256, MaxLocks = 1024;     // limits of the search

        FieldInfo tables, buckets, counts, slot, next;
        Member key, value;

        internal static Shape Of(Type type, string tables)
        {
            Buckets table = new Buckets();
            table.tables = Layout.Find(type, tables);
            Type inner = table.tables == null ? typeof(object) : table.tables.FieldType;
            table.buckets = Layout.Find(inner, "_buckets", typeof(Array));
            table.counts = Layout.Find(inner, "_countPerLock", typeof(int[]));
            Type node = table.buckets == null ? typeof(object) : table.buckets.FieldType.GetElementType();
            table.slot = Layout.Find(node, "_node");     // since .NET 8
            node = table.slot == null ? node : table.slot.FieldType;
            table.next = Layout.Find(node, "_next", node);
            FieldInfo key = Layout.Find(node, "_key"), value = Layout.Find(node, "_value");
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

    // F# maps and sets: trees whose leaves have a class of their own, the base class of inner
    // nodes.
    sealed class TreeWithLeaves : Counted
    {
        const int MaxHeight = 64;

        FieldInfo root, left, right;
        Member key, value;

        internal static Shape Of(Type type, string root, string node, bool pairs)
        {
            TreeWithLeaves tree = new TreeWithLeaves();
            tree.root = Layout.Find(type, root);
            Type leaf = tree.root == null ? typeof(object) : tree.root.FieldType;
            Type other = leaf.IsGenericType ? leaf.Assembly.GetType(node) : null;
            if (other == null || !leaf.IsGenericType || other.BaseType == null)
            {
                return null;
            }
            other = other.MakeGenericType(leaf.GetGenericArguments());
            tree.left = Layout.Find(other, "left", leaf);
            tree.right = Layout.Find(other, "right", leaf);
            FieldInfo key = Layout.Find(leaf, "k"), value = pairs ? Layout.Find(leaf, "v") : key;
            if (tree.left == null || tree.right == null || key == null || value == null || !leaf.IsAssignableFrom(other))
            {
                return null;
            }
            tree.key = pairs ? new Member(key) : null;
            tree.value = new Member(value);
            return tree;
        }

        static object In(object node, FieldInfo field)
        {
            return field.DeclaringType.IsInstanceOfType(node) ? field.GetValue(node) : null;
        }

        // The next node in ascending order; null: the end.
        object Next(object[] above, ref int height, ref object node)
        {
            for (; node != null && height < MaxHeight; node = In(node, left))
            {
                above[height++] = node;
            }
            object next = height == 0 ? null : above[--height];
            node = next == null ? null : In(next, right);
            return next;
        }

        protected override int Count(object collection, out bool more)
        {
            object[] above = new object[MaxHeight];
            object node = root.GetValue(collection);
            int height = 0, count = 0;
            while (count < MaxCount && Next(above, ref height, ref node) != null)
            {
                count++;
            }
            more = count == MaxCount && (height != 0 || node != null);
            return count;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            object[] above = new object[MaxHeight];
            object node = root.GetValue(collection), next;
            int height = 0;
            while ((next = Next(above, ref height, ref node)) != null && Next(text, ref shown))
            {
                Pair.Append(text, key, value, next, depth);
            }
        }
    }

    // SortedList, FrozenDictionary: keys and values in two arrays. If keys are integers, the keys
    // may be the hashes of a table.
    sealed class TwoArrays : Counted
    {
        FieldInfo table, keys, values, count;

        internal static Shape Of(Type type, FieldInfo table, string keys, string values, string count)
        {
            TwoArrays arrays = new TwoArrays();
            arrays.table = table;
            arrays.keys = Layout.Find(table == null ? type : table.FieldType, keys, typeof(Array));
            arrays.values = Layout.Find(type, values, typeof(Array));
            arrays.count = Layout.Find(type, count, typeof(int));
            return arrays.keys == null || arrays.values == null || (count != null && arrays.count == null) ? null : arrays;
        }

        Array Keys(object collection)
        {
            return (Array)keys.GetValue(table == null ? collection : table.GetValue(collection));
        }

        static int Length(Array array)
        {
            return array == null ? 0 : array.Length;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            int most = Math.Min(Length(Keys(collection)), Length((Array)values.GetValue(collection)));
            return count == null ? most : Math.Min(Layout.Number(count, collection), most);
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            Array allKeys = Keys(collection), allValues = (Array)values.GetValue(collection);
            bool more;
            int length = Count(collection, out more);
            for (int i = 0; i < length && Next(text, ref shown); i++)
            {
                Collections.PairAt(text, allKeys, allValues, i, depth);
            }
        }
    }
}
