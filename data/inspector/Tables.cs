// Hash tables and other collections of pairs: dictionaries, their keys and values alone, Hashtable,
// collections by names, Lookup and its groups.

using System;
using System.Collections;
using System.Reflection;

namespace MyProfiler
{
    // Hash tables: entries in an array, including removed ones.
    sealed class Table : Collection
    {
        internal const int MaxEntries = 256;    // the limit of the search
        internal const int Pairs = 0, Keys = 1, Values = 2;

        FieldInfo entries, used, count, free, next, hash;
        Member key, value;

        // HashSet before .NET 5 has the number of used entries, and its count.
        internal static Shape Of(Type type, string[] f)
        {
            Table table = new Table();
            table.entries = Layout.Find(type, f[0] + " _slots", typeof(Array));
            table.count = Layout.Find(type, f[1], typeof(int));
            table.used = Layout.Find(type, "_lastIndex", typeof(int));
            table.free = f.Length > 2 ? Layout.Find(type, f[2], typeof(int)) : null;
            return table.entries != null && table.count != null && table.FindInEntry() ? table : null;
        }

        bool FindInEntry()
        {
            Type entry = entries.FieldType.GetElementType();
            FieldInfo keyField = Layout.Find(entry, "key Key");
            FieldInfo valueField = Layout.Find(entry, "value Value");
            next = Layout.Find(entry, "next Next", typeof(int));
            hash = Layout.Find(entry, "hashCode", typeof(int));
            if (valueField == null || next == null)
            {
                return false;
            }
            key = keyField == null ? null : new Member(keyField);
            value = new Member(valueField);
            return true;
        }

        internal override void Append(Text text, object table, int depth)
        {
            Append(text, table, Pairs, depth);
        }

        internal void Append(Text text, object table, int parts, int depth)
        {
            Array array = (Array)entries.GetValue(table);
            int length = array == null ? 0 : array.Length;
            int last = Math.Min(Layout.Number(used ?? count, table), length);
            int shownAsCount = Layout.Number(count, table) - Layout.Number(free, table);
            shownAsCount = Math.Max(0, Math.Min(shownAsCount, length));
            if (!Collections.Open(text, shownAsCount, depth))
            {
                return;
            }
            int shown = 0;
            for (int i = 0; i < last && shown < shownAsCount; i++)
            {
                object entry = i < MaxEntries ? array.GetValue(i) : null;
                if (entry != null && IsFree(entry))
                {
                    continue;
                }
                if (entry == null)
                {
                    text.Append(shown > 0 ? ", ..." : "...");
                    break;
                }
                if (!Format.Next(text, ref shown, Settings.Current.Elements))
                {
                    break;
                }
                if (parts == Keys)
                {
                    Format.Guarded(text, entry, key, depth + 1);
                }
                else if (parts == Values)
                {
                    Format.Guarded(text, entry, value, depth + 1, Pair.SecrecyOf(key, entry));
                }
                else
                {
                    Pair.Append(text, key, value, entry, depth);
                }
            }
            text.Append("]");
        }

        // By the chain of free entries; before .NET Core 3.0, on .NET Framework and Mono by the
        // hash, which is never negative for a used one.
        bool IsFree(object entry)
        {
            return Layout.Number(next, entry) < -1 || (hash != null && Layout.Number(hash, entry) < 0);
        }
    }

    // Dictionary.Keys and Dictionary.Values.
    sealed class HalfTable : Collection
    {
        FieldInfo table;
        int parts;

        internal static Shape Of(Type type, string table, int parts)
        {
            HalfTable half = new HalfTable();
            half.table = Layout.Find(type, table);
            half.parts = parts;
            return half.table == null ? null : half;
        }

        internal override void Append(Text text, object value, int depth)
        {
            object whole = table.GetValue(value);
            Table shape = whole == null ? null : Shapes.Of(whole.GetType()) as Table;
            if (shape == null)
            {
                Hide(text, "...", depth);
            }
            else
            {
                shape.Append(text, whole, parts, depth);
            }
        }
    }

    // Hashtable: a bucket without a key is free, a removed one has the buckets' array as key.
    sealed class OldTable : Counted
    {
        FieldInfo buckets, count, keyField;
        Member key, value;

        internal static Shape Of(Type type, string[] f)
        {
            OldTable table = new OldTable();
            table.buckets = Layout.Find(type, f[0], typeof(Array));
            table.count = Layout.Find(type, f[1], typeof(int));
            Type bucket = table.buckets == null ? typeof(object) : table.buckets.FieldType.GetElementType();
            table.keyField = Layout.Find(bucket, "key");
            FieldInfo val = Layout.Find(bucket, "val");
            if (table.count == null || table.keyField == null || val == null)
            {
                return null;
            }
            table.key = new Member(table.keyField);
            table.value = new Member(val);
            return table;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            return Math.Min(Layout.Number(count, collection), ((Array)buckets.GetValue(collection)).Length);
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            Array all = (Array)buckets.GetValue(collection);
            bool more;
            int most = Count(collection, out more);
            for (int i = 0; i < all.Length && i < Table.MaxEntries && shown < most; i++)
            {
                object bucket = all.GetValue(i), name = keyField.GetValue(bucket);
                if (name != null && name != all)
                {
                    if (!Next(text, ref shown))
                    {
                        return;
                    }
                    Pair.Append(text, key, value, bucket, depth);
                }
            }
        }
    }

    // NameValueCollection, the OrderedDictionary of objects: pairs in an ArrayList.
    sealed class Entries : Counted
    {
        FieldInfo list;

        internal static Shape Of(Type type, string list)
        {
            Entries entries = new Entries();
            entries.list = Layout.Find(type, list, typeof(IList));
            return entries.list == null ? null : entries;
        }

        Array Items(object collection, out int count)
        {
            object items = list.GetValue(collection);
            FieldInfo within = items == null ? null : Layout.Find(items.GetType(), "items");      // of a Collection
            items = within == null ? items : within.GetValue(items);
            FieldInfo array = items == null ? null : Layout.Find(items.GetType(), "_items", typeof(object[]));
            Array all = array == null ? new object[0] : (Array)array.GetValue(items);
            count = array == null ? 0 : Math.Min(Layout.Number(Layout.Find(items.GetType(), "_size"), items), all.Length);
            return all;
        }

        protected override int Count(object collection, out bool more)
        {
            int count;
            more = false;
            Items(collection, out count);
            return count;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            int count;
            Array all = Items(collection, out count);
            for (int i = 0; i < count && Next(text, ref shown); i++)
            {
                object entry = all.GetValue(i);
                Pair pair = entry == null ? null : Shapes.Of(entry.GetType()) as Pair;
                if (pair == null)
                {
                    text.Append("{...}");
                }
                else
                {
                    pair.Parts(text, entry, depth);
                }
            }
        }
    }

    // IGrouping: a key and elements.
    sealed class Group : Shape
    {
        FieldInfo elements, count, next;
        Member key;

        internal static Shape Of(Type type, string[] f)
        {
            Group group = new Group();
            FieldInfo keyField = Layout.Find(type, f[0]);
            group.elements = Layout.Find(type, f[1], typeof(Array));
            group.count = Layout.Find(type, f[2], typeof(int));
            group.next = Layout.Find(type, f[3], type);
            group.key = keyField == null ? null : new Member(keyField);
            return group.elements == null || group.count == null || group.next == null || group.key == null ? null : group;
        }

        internal object Next(object group)
        {
            return next.GetValue(group);
        }

        internal override void Append(Text text, object group, int depth)
        {
            if (depth > Settings.Current.Depth)
            {
                Hide(text, "...", depth);
            }
            else
            {
                Parts(text, group, depth);
            }
        }

        internal void Parts(Text text, object group, int depth)
        {
            Array array = (Array)elements.GetValue(group);
            Format.Guarded(text, group, key, depth + 1);
            text.Append("=");
            if (Pair.SecrecyOf(key, group) != Redaction.None)
            {
                text.Append(Redaction.Mark);
            }
            else
            {
                Collections.Part(text, array, 0, Math.Min(Layout.Number(count, group), array.Length), depth + 1);
            }
        }
    }

    // Groups form a ring; the field is the last one.
    sealed class Lookup : Counted
    {
        FieldInfo last, count;

        internal static Shape Of(Type type, string[] f)
        {
            Lookup lookup = new Lookup();
            lookup.last = Layout.Find(type, f[0]);
            lookup.count = Layout.Find(type, f[1], typeof(int));
            return lookup.last == null || lookup.count == null || !(Shapes.Of(lookup.last.FieldType) is Group) ? null : lookup;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            return last.GetValue(collection) == null ? 0 : Layout.Number(count, collection);
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            bool more;
            object group = last.GetValue(collection);
            Group shape = (Group)Shapes.Of(last.FieldType);
            for (int i = Count(collection, out more); i > 0 && Next(text, ref shown); i--)
            {
                group = shape.Next(group);
                shape.Parts(text, group, depth);
            }
        }
    }

    sealed class Pair : Shape
    {
        Member key, value;

        internal static Shape Of(Type type, string key, string value)
        {
            Pair pair = new Pair();
            FieldInfo keyField = Layout.Find(type, key), valueField = Layout.Find(type, value);
            if (keyField == null || valueField == null)
            {
                return null;
            }
            pair.key = new Member(keyField);
            pair.value = new Member(valueField);
            return pair;
        }

        // For a set, key is null.
        internal static void Append(Text text, Member key, Member value, object holder, int depth)
        {
            if (key != null)
            {
                Format.Guarded(text, holder, key, depth + 1);
                text.Append("=");
            }
            Format.Guarded(text, holder, value, depth + 1, SecrecyOf(key, holder));
        }

        // The secrecy that a key gives its value, if it is a string.
        internal static int SecrecyOf(Member key, object holder)
        {
            string name = key == null ? null : key.TextOf(holder);
            return name == null ? Redaction.None : Settings.Current.Redaction.OfName(name);
        }

        // Ignores the depth: for parts of a collection that is shown.
        internal void Parts(Text text, object holder, int depth)
        {
            Append(text, key, value, holder, depth);
        }

        internal override void Append(Text text, object holder, int depth)
        {
            if (depth > Settings.Current.Depth)
            {
                Hide(text, "...", depth);
            }
            else
            {
                Append(text, key, value, holder, depth);
            }
        }
    }
}
