// Collections in several arrays or chains, or in bits: ConcurrentQueue, ConcurrentBag, ImmutableQueue, BitArray.

using System;
using System.Reflection;

namespace MyProfiler
{
    // ConcurrentQueue: rings in a row, from the oldest element on.
    sealed class Segments : Counted
    {
        const int MaxSegments = 64;

        FieldInfo first, next, slots, places, head, tail;
        Member item;

        internal static Shape Of(Type type, string head)
        {
            Segments queue = new Segments();
            queue.first = Layout.Find(type, head);
            Type segment = queue.first == null ? typeof(object) : queue.first.FieldType;
            string[] f = Layout.Names(segment);
            if (f.Length != 3)
            {
                return null;
            }
            queue.next = Layout.Find(segment, f[0], segment);
            queue.slots = Layout.Find(segment, f[1], typeof(Array));
            queue.places = Layout.Find(segment, f[2]);
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

        // The number of used slots; a tail that is twice their number ahead marks a frozen segment.
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

    // ConcurrentBag: a ring for each thread.
    sealed class Bag : Counted
    {
        const int MaxThreads = 64;

        FieldInfo first, next, array, head, tail;

        internal static Shape Of(Type type, string queues)
        {
            Bag bag = new Bag();
            bag.first = Layout.Find(type, queues);
            Type queue = bag.first == null ? typeof(object) : bag.first.FieldType;
            string[] f = Layout.Names(queue);
            if (f.Length != 4)
            {
                return null;
            }
            bag.next = Layout.Find(queue, f[0], queue);
            bag.array = Layout.Find(queue, f[1], typeof(Array));
            bag.head = Layout.Find(queue, f[2], typeof(int));
            bag.tail = Layout.Find(queue, f[3], typeof(int));
            return bag.next == null || bag.array == null || bag.head == null || bag.tail == null ? null : bag;
        }

        int Used(object queue, out int start, out Array all)
        {
            all = (Array)array.GetValue(queue);
            start = Layout.Number(head, queue);
            return Math.Max(0, Math.Min(unchecked(Layout.Number(tail, queue) - start), all.Length));
        }

        protected override int Count(object collection, out bool more)
        {
            int count = 0, seen = 0, start;
            Array all;
            object queue = first.GetValue(collection);
            for (; queue != null && seen < MaxThreads; queue = next.GetValue(queue))
            {
                count += Used(queue, out start, out all);
                seen++;
            }
            more = queue != null;
            return count;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            object queue = first.GetValue(collection);
            for (int seen = 0; queue != null && seen < MaxThreads; seen++)
            {
                int start;
                Array all;
                int used = Used(queue, out start, out all);
                for (int i = 0; i < used; i++)
                {
                    if (!Next(text, ref shown))
                    {
                        return;
                    }
                    Collections.ElementAt(text, all, (int)((uint)(start + i) % (uint)all.Length), depth);
                }
                queue = next.GetValue(queue);
            }
        }
    }

    // ImmutableQueue: one chain from the oldest element on, and one from the newest on.
    sealed class TwoChains : Counted
    {
        FieldInfo oldest, newest, tail;
        Member head;

        internal static Shape Of(Type type, string[] f)
        {
            TwoChains queue = new TwoChains();
            queue.oldest = Layout.Find(type, f[0]);
            queue.newest = Layout.Find(type, f[1]);
            Type chain = queue.oldest == null ? typeof(object) : queue.oldest.FieldType;
            FieldInfo item = Layout.Find(chain, "_head");
            queue.tail = Layout.Find(chain, "_tail", chain);
            if (queue.newest == null || item == null || queue.tail == null || queue.newest.FieldType != chain)
            {
                return null;
            }
            queue.head = new Member(item);
            return queue;
        }

        // The nodes with an element; the last node of a chain has none.
        object[] Nodes(object chain, out int count, ref bool more)
        {
            object[] nodes = new object[MaxCount];
            count = 0;
            object next = tail.GetValue(chain);
            for (; next != null && count < MaxCount; next = tail.GetValue(chain))
            {
                nodes[count++] = chain;
                chain = next;
            }
            more |= next != null;
            return nodes;
        }

        protected override int Count(object collection, out bool more)
        {
            int first, second;
            more = false;
            Nodes(oldest.GetValue(collection), out first, ref more);
            Nodes(newest.GetValue(collection), out second, ref more);
            return first + second;
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            int first, second;
            bool more = false;
            object[] nodes = Nodes(oldest.GetValue(collection), out first, ref more);
            object[] others = Nodes(newest.GetValue(collection), out second, ref more);
            for (int i = 0; i < first + (more ? 0 : second) && Next(text, ref shown); i++)
            {
                Format.Guarded(text, i < first ? nodes[i] : others[first + second - 1 - i], head, depth + 1);
            }
            if (more && shown == first && shown == Settings.Current.Elements)
            {
                Next(text, ref shown);      // notes that there are more than are shown
            }
        }
    }

    sealed class Bits : Counted
    {
        FieldInfo array, length;

        internal static Shape Of(Type type, string[] f)
        {
            Bits bits = new Bits();
            bits.array = Layout.Find(type, f[0], typeof(Array));
            bits.length = Layout.Find(type, f[1], typeof(int));
            return bits.length != null && bits.array != null &&
                   (bits.array.FieldType == typeof(byte[]) || bits.array.FieldType == typeof(int[])) ? bits : null;
        }

        protected override int Count(object collection, out bool more)
        {
            more = false;
            return Layout.Number(length, collection);
        }

        protected override void Elements(Text text, object collection, int depth, ref int shown)
        {
            object all = array.GetValue(collection);
            byte[] bytes = all as byte[];
            int[] words = all as int[];
            int count = Math.Min(Layout.Number(length, collection), bytes != null ? 8 * bytes.Length : 32 * words.Length);
            for (int i = 0; i < count && Next(text, ref shown); i++)
            {
                int bit = bytes != null ? bytes[i / 8] >> (i % 8) : words[i / 32] >> (i % 32);
                text.Append((bit & 1) != 0 ? "true" : "false");
            }
        }
    }

    // Frozen collections without elements.
    sealed class Nothing : Collection
    {
        internal override void Append(Text text, object value, int depth)
        {
            text.Append("[0]");
        }
    }
}
