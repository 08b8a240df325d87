// The same for what only .NET has, or only its compiler.

using System;
using System.Buffers;
#if NET8_0_OR_GREATER
using System.Collections.Frozen;
#endif
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.IO;
using System.Text;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

#if !NET8_0_OR_GREATER
namespace System.Runtime.CompilerServices
{
    class IsExternalInit { } // the compiler wants it for records
}

#endif
namespace Samples
{
    record Animal(string Name, int Legs);
    record Dog(string Name, string Breed) : Animal(Name, 4);
    class SameHash : IEqualityComparer<string>
    {
        public bool Equals(string a, string b) { return a == b; }
        public int GetHashCode(string s) { return 1; }
    }

    static class Pairs
    {
        public static Dictionary<long, int> Of(int count, long step) { Dictionary<long, int> pairs = new(); for (int i = 0; i < count; i++) { pairs[i * step] = i; } return pairs; }
        public static Dictionary<string, int> Texts(int count) { Dictionary<string, int> pairs = new(); for (int i = 0; i < count; i++) { pairs["key" + i * 7919] = i; } return pairs; }
    }

    record struct Money(decimal Amount, string Currency);

    class Primary(int start)
    {
#if NET9_0_OR_GREATER
        readonly System.Threading.Lock gate = new();
#else
        readonly object gate = new();
#endif
        public int Next() { return start + gate.GetHashCode(); }
    }

    class Source : IValueTaskSource<int>
    {
        public int GetResult(short token) { throw new InvalidOperationException(); }
        public ValueTaskSourceStatus GetStatus(short token) { throw new InvalidOperationException(); }
        public void OnCompleted(Action<object> continuation, object state, short token, ValueTaskSourceOnCompletedFlags flags) { throw new InvalidOperationException(); }
    }

    class Owner : MemoryManager<int>
    {
        protected override void Dispose(bool disposing) { }
        public override Span<int> GetSpan() { throw new InvalidOperationException(); }
        public override MemoryHandle Pin(int elementIndex = 0) { throw new InvalidOperationException(); }
        public override void Unpin() { throw new InvalidOperationException(); }
        public override Memory<int> Memory { get { return CreateMemory(3); } }
    }
}

namespace Cases
{
    using Samples;

    static class LongTuples
    {
        static (int, int, int, int, int, int, int, int) Eight() { return (1, 2, 3, 4, 5, 6, 7, 8); }
        static object Nine() { return (1, 2, 3, 4, 5, 6, 7, 8, 9); }
        static object Seventeen() { return (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17); }

        internal static void All() { Eight(); Nine(); Seventeen(); }
    }

    static class Records
    {
        static Animal Class() { return new Animal("cat", 4); }
        static Animal Derived() { return new Dog("Rex", "pug"); }
        static Money Struct() { return new Money(1.50m, "EUR"); }
        static object Within() { return new List<Animal> { new Animal("cat", 4), new Dog("Rex", "pug") }; }
        static object Primary() { return new Primary(4); }

        internal static void All() { Class(); Derived(); Struct(); Within(); Primary(); }
    }

    static class Newer
    {
        static Index Index() { return 3; }
        static Index FromEnd() { return ^1; }
        static Range Range() { return 1..^2; }
        static Range AllOfIt() { return ..; }
#if NET8_0_OR_GREATER
        static Half Half() { return (Half)1.5; }
        static Int128 Wide() { return Int128.MaxValue; }
        static DateOnly Date() { return new DateOnly(2024, 2, 29); }
        static TimeOnly Time() { return new TimeOnly(23, 59, 58); }
#endif
        static Rune Rune() { return new Rune('a'); }
#if NET8_0_OR_GREATER
        static ImmutableArray<int> Immutable() { return [1, 2, 3]; }
#endif
        static ImmutableArray<int> NoImmutable() { return default; }
#if NET8_0_OR_GREATER
        static ImmutableArray<string> EmptyImmutable() { return []; }
#endif
        static IEnumerable<int> Expression() { return [1, 2, 3]; }
#if NET9_0_OR_GREATER
        static object ReadOnlySet() { return new System.Collections.ObjectModel.ReadOnlySet<int>(new HashSet<int> { 1 }); }
#endif

        internal static void All()
        {
            Index(); FromEnd(); Range(); AllOfIt();
#if NET8_0_OR_GREATER
            Half(); Wide(); Date(); Time();
#endif
            Rune();
#if NET8_0_OR_GREATER
            Immutable();
#endif
            NoImmutable();
#if NET8_0_OR_GREATER
            EmptyImmutable();
#endif
            Expression();
#if NET9_0_OR_GREATER
            ReadOnlySet();
#endif
        }
    }

    static class ValueTasks
    {
        static ValueTask Plain() { return default; }
        static ValueTask<int> Done() { return new ValueTask<int>(5); }
        static ValueTask<int> OverTask() { return new ValueTask<int>(Task.FromResult(6)); }
        static ValueTask OverPlainTask() { return new ValueTask(Task.CompletedTask); }
#if NET8_0_OR_GREATER
        static ValueTask<int> OverFaulted() { return ValueTask.FromException<int>(new IOException("x")); }
#endif
        static ValueTask<int> OverSource() { return new ValueTask<int>(new Source(), 0); }
        static object Within() { return new object[] { new ValueTask<int>(5), new ValueTask<int>(Task.FromResult(6)) }; }

        internal static void All()
        {
            Plain(); Done(); OverTask(); OverPlainTask();
#if NET8_0_OR_GREATER
            OverFaulted();
#endif
            OverSource(); Within();
        }
    }

    static class Memories
    {
        static Memory<int> OverArray() { return new Memory<int>(new int[] { 1, 2, 3, 4 }, 1, 2); }
        static ReadOnlyMemory<int> ReadOnly() { return new int[] { 1, 2 }; }
        static ReadOnlyMemory<char> OfString() { return "hello world".AsMemory(6); }
        static Memory<char> OfChars() { return new char[] { 'a', '\n' }; }
        static ReadOnlyMemory<char> OfLongString() { return new string('x', 5000).AsMemory(1); }
        static Memory<int> None() { return default; }
        static Memory<char> NoChars() { return default; }
        static Memory<int> OverOwner() { return new Owner().Memory; }
        static object Within() { return new object[] { new Memory<byte>(new byte[3]), "abc".AsMemory() }; }

        internal static void All() { OverArray(); ReadOnly(); OfString(); OfChars(); OfLongString(); None(); NoChars(); OverOwner(); Within(); }
    }

    static class Immutables
    {
        static object List() { return ImmutableList.Create(1, 2, 3); }
        static object ListNine() { return ImmutableList.CreateRange(Make.List(9)); }
        static object ListEmpty() { return ImmutableList<int>.Empty; }
        static object Dictionary() { return ImmutableDictionary<int, string>.Empty.Add(2, "b").Add(1, "a"); }
        static object DictionaryEmpty() { return ImmutableDictionary<int, string>.Empty; }
        static object DictionaryNine() { return ImmutableDictionary.CreateRange(Pairs.Of(9, 1)); }
        static object DictionarySame() { return ImmutableDictionary.Create<string, int>(new SameHash()).Add("a", 1).Add("b", 2); }
        static object Set() { return ImmutableHashSet.Create(3, 1, 2); }
        static object SortedTable() { return ImmutableSortedDictionary<string, Level>.Empty.Add("b", Level.High).Add("a", Level.Low); }
        static object SortedTableEmpty() { return ImmutableSortedDictionary<string, Level>.Empty; }
        static object Sorted() { return ImmutableSortedSet.Create("b", "a"); }
        static object SortedMany() { return ImmutableSortedSet.CreateRange(Make.List(1000)); }
        static object Stack() { return ImmutableStack.Create(1, 2, 3); }
        static object StackEmpty() { return ImmutableStack<int>.Empty; }
#if NET8_0_OR_GREATER
        static object Frozen() { return new Dictionary<string, int> { { "a", 1 }, { "bb", 2 } }.ToFrozenDictionary(); }
        static object FrozenNumbers() { return new Dictionary<int, string> { { 1, "a" }, { 2, "b" } }.ToFrozenDictionary(); }
        static object FrozenWide() { return Pairs.Of(50, 1000000007).ToFrozenDictionary(); }
        static object FrozenTexts() { return Pairs.Texts(50).ToFrozenDictionary(); }
        static object FrozenSet() { return new int[] { 1, 2, 3 }.ToFrozenSet(); }
        static object FrozenTextSet() { return Pairs.Texts(50).Keys.ToFrozenSet(); }
        static object Priorities() { PriorityQueue<string, int> queue = new(); queue.Enqueue("b", 2); queue.Enqueue("a", 1); return queue; }
#endif
        static object Queue() { System.Collections.Concurrent.ConcurrentQueue<int> queue = new(); for (int i = 0; i < 40; i++) { queue.Enqueue(i); if (i > 2) { queue.TryDequeue(out _); } } return queue; }
        static object QueueEmpty() { return new System.Collections.Concurrent.ConcurrentQueue<string>(); }
        static object QueueLong() { return new System.Collections.Concurrent.ConcurrentQueue<int>(Make.List(1000)); }
        static object QueueGrown() { System.Collections.Concurrent.ConcurrentQueue<string> queue = new(); for (int i = 0; i < 100; i++) { queue.Enqueue("e" + i); } for (int i = 0; i < 30; i++) { queue.TryDequeue(out _); } return queue; }

        internal static void All()
        {
            List(); ListNine(); ListEmpty(); Dictionary(); DictionaryEmpty(); DictionaryNine(); DictionarySame(); Set(); SortedTable(); SortedTableEmpty(); Sorted(); SortedMany();
            Stack(); StackEmpty();
#if NET8_0_OR_GREATER
            Frozen(); FrozenNumbers(); FrozenWide(); FrozenTexts(); FrozenSet(); FrozenTextSet(); Priorities();
#endif
            Queue(); QueueEmpty(); QueueLong(); QueueGrown();
        }
    }
}
