// What each kind of value is shown as (docs/VALUES.md): one static method for each case, whose line is in cases.txt. A normal
// program: its methods are inspected as those of any other, so each formatter can be tried with it. Groups of cases that some
// formatter shows otherwise are classes of their own.

using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Samples
{
    class Nothing { }

    class Person
    {
        public string Name { get; set; }
        public int Age { get; set; }
        public Person Friend;
    }

    class Base
    {
        protected int first = 1;
        string own = "base";
        public string Own { get { return own; } }
    }

    class Derived : Base
    {
        int second = 2;
        string own = "derived";
        public override string ToString() { throw new InvalidOperationException(own + second); }
        public override int GetHashCode() { throw new InvalidOperationException(); }
        public override bool Equals(object other) { throw new InvalidOperationException(); }
    }

    class Outer
    {
        public class Inner<T>
        {
            public T Value;
        }
    }

    class Remote : MarshalByRefObject { public int Port = 80; }
    class Message : EventArgs { public string Text = "hello"; }

    class Node
    {
        public int Id;
        public Node Next;
        public List<Node> Others;
    }

    class Links : List<Links> { public int Ignored = 5; }
    class Bag : Collection<string> { public int Ignored = 5; }
    class Index2 : Dictionary<string, int> { public int Ignored = 5; }

    // An enumerator, a count and an indexer of the program are not called.
    class OwnList : List<int>, IEnumerable<int>
    {
        public new int Count { get { throw new InvalidOperationException(); } }
        IEnumerator<int> IEnumerable<int>.GetEnumerator() { throw new InvalidOperationException(); }
    }

    class Wrapped : IList<int>
    {
        public int Secret = 7;
        public int this[int index] { get { throw new InvalidOperationException(); } set { } }
        public int Count { get { throw new InvalidOperationException(); } }
        public bool IsReadOnly { get { throw new InvalidOperationException(); } }
        public void Add(int item) { }
        public void Clear() { }
        public bool Contains(int item) { throw new InvalidOperationException(); }
        public void CopyTo(int[] array, int index) { throw new InvalidOperationException(); }
        public IEnumerator<int> GetEnumerator() { throw new InvalidOperationException(); }
        IEnumerator IEnumerable.GetEnumerator() { throw new InvalidOperationException(); }
        public int IndexOf(int item) { throw new InvalidOperationException(); }
        public void Insert(int index, int item) { }
        public bool Remove(int item) { throw new InvalidOperationException(); }
        public void RemoveAt(int index) { }
    }

    class ByLength : IEqualityComparer<string>
    {
        public static bool Ready = false;
        public bool Equals(string a, string b)
        {
            if (Ready) { throw new InvalidOperationException(); }
            return a.Length == b.Length;
        }
        public int GetHashCode(string s)
        {
            if (Ready) { throw new InvalidOperationException(); }
            return s.Length;
        }
    }

    struct Size
    {
        public int Width;
        public int Height;
        public Size(int width, int height) { Width = width; Height = height; }
    }

    struct Precise
    {
        public int X;
        public static int Runs;
        static Precise() { Runs++; Log.Runs++; }
    }

    static class Log { public static int Runs; }

    struct Holder
    {
        public object Item;
        public Person Who;
        public int[] Numbers;
    }

    enum Level { Low = 1, High = 2 }

    class Failure : Exception
    {
        public int Code = 5;
        string detail = "d";
        public Failure(string message, Exception inner) : base(message, inner) { }
        public override string Message { get { throw new InvalidOperationException(detail); } }
    }

    class Wide
    {
        public int A = 1, B = 2, C = 3, D = 4, E = 5, F = 6, G = 7, H = 8, I = 9, J = 10, K = 11, L = 12, M = 13, N = 14, O = 15, P = 16, Q = 17;
    }

    class Account
    {
        public string User = "ada";
        public string Password { get; set; }
        string apiKey = "k";
        byte[] privateKey = { 1 };
        int tokenCount = 3;
        bool hasPassword = true;
        char passwordChar = '*';
        DateTime? tokenExpires = new DateTime(2030, 1, 1);
        object secretNumber = 7;
        object secretGuid = Guid.Empty;
        object credentials = new Person();
        string cookie = null;
        CancellationToken token;
        string tokenizer = "t";
    }

    class Card { public string Number = "4"; }
    class GoldCard : Card { }
    struct Address { public int Zip; public string Street; public Card Paid; }

    class Deep { public object In; public Deep(object inside) { In = inside; } }

    [DebuggerDisplay("Order {Id} of {Customer}: {total,nq}")]
    class Displayed
    {
        public int Id { get; set; }
        public Person Customer;
        public string total = "5 \"EUR\"\n";
    }

    class DisplayedBelow : Displayed { public int More = 1; }

    [DebuggerDisplay("{Id}")]
    class DisplayedBase { public virtual int Id { get; set; } public int Other = 2; }
    class DisplayedAnew : DisplayedBase { public override int Id { get { throw new InvalidOperationException(); } } }

    [DebuggerDisplay("{X,nq}/{Y}")]
    struct DisplayedStruct { public string X; public string Y; }

    [DebuggerDisplay("{Computed}")]
    class DisplayedByCode { public int A = 1; public int Computed { get { throw new InvalidOperationException(); } } }

    [DebuggerDisplay("{A + 1}")]
    class DisplayedByExpression { public int A = 1; }

    [DebuggerDisplay("\\{ {A} \\}")]
    class DisplayedEscaped { public int A = 1; }

    [DebuggerDisplay("open {A")]
    class DisplayedOpen { public int A = 1; }

    [DebuggerDisplay("all the same")]
    class DisplayedAlike { public int A = 1; }

    [DebuggerDisplay("{A,h}")]
    class DisplayedAsHex { public int A = 1; }

    [DebuggerDisplay("{user,nq}: {password,nq}")]
    class DisplayedSecret { public string user = "ada"; public string password = "p"; }

    delegate int Handler(int x);

    class Calls : IDisposable
    {
        public event Handler Done;
        public int Own(int x) { return Done == null ? x : Done(x); }
        void IDisposable.Dispose() { }
        public override string ToString() { throw new InvalidOperationException(); }
        public class Of<T> { public static T Same(T value) { return value; } }
    }

    static class Make
    {
        public static List<int> List(int count)
        {
            List<int> list = new List<int>();
            for (int i = 0; i < count; i++) { list.Add(i); }
            return list;
        }

        public static SortedSet<int> Numbers(int count) { SortedSet<int> set = new SortedSet<int>(); for (int i = 0; i < count; i++) { set.Add(i * 7 % count); } return set; }
        public static ConcurrentDictionary<int, string> Table(int count) { ConcurrentDictionary<int, string> table = new ConcurrentDictionary<int, string>(1, 31); for (int i = 0; i < count; i++) { table[i] = "v" + i; } return table; }

        public static object Wrap(object list, int times)
        {
            for (int i = 0; i < times; i++) { list = new ReadOnlyCollection<int>((IList<int>)list); }
            return list;
        }

        public static Task Finished(Task task)
        {
            try { task.Wait(); } catch (AggregateException) { }
            return task;
        }

        public static async Task<int> Later(int value) { await Task.Yield(); return value; }
        public static async Task OnlyLater() { await Task.Yield(); }
        public static async Task<int> Fails() { await Task.Yield(); throw new Failure("late", null); }
    }
}

namespace Cases
{
    using Samples;

    static class Lists
    {
        static object Empty() { return new List<int>(); }
        static object One() { return new List<string> { "a" }; }
        static object Eight() { return Make.List(8); }
        static object Nine() { return Make.List(9); }
        static object Million() { return Make.List(1000000); }
        static object OfNull() { return new List<string> { null, "b" }; }
        static object OfNullable() { return new List<int?> { 1, null }; }
        static object OfEnums() { return new List<Level> { Level.High, (Level)7 }; }
        static object OfStructs() { return new List<Size> { new Size(1, 2), new Size(3, 4) }; }
        static object OfObjects() { return new List<Person> { new Person { Name = "x", Age = 3 } }; }
        static object OfLists() { return new List<List<int>> { Make.List(2), new List<int>(), null }; }
        static object OfChars() { return new List<char> { 'a', '\n' }; }
        static object Removed() { List<int> list = Make.List(4); list.RemoveAt(0); return list; }
        static object Derived() { return new Links { new Links() }; }
        static object OwnMembers() { return new OwnList { 1, 2 }; }
        static object Sets() { return new HashSet<int> { 3, 1, -2 }; }
        static object SetWithFree() { HashSet<int> set = new HashSet<int> { 1, 2, 3 }; set.Remove(2); return set; }
        static object SetOfStrings() { return new HashSet<string> { "b", null }; }
        static object EmptySet() { return new HashSet<int>(); }
        static object Queues() { Queue<int> q = new Queue<int>(4); for (int i = 0; i < 6; i++) { q.Enqueue(i); if (i > 2) { q.Dequeue(); } } return q; }
        static object EmptyQueue() { return new Queue<string>(); }
        static object Stacks() { return new Stack<int>(new int[] { 1, 2, 3 }); }
        static object Segment() { return new ArraySegment<int>(new int[] { 1, 2, 3, 4 }, 1, 2); }
        static object NoSegment() { return default(ArraySegment<int>); }
        static object Collected() { return new Collection<int>(Make.List(2)); }
        static object ReadOnly() { return Make.List(2).AsReadOnly(); }
        static object ReadOnlyTwice() { return Make.Wrap(Make.List(2), 2); }
        static object ReadOnlyOften() { return Make.Wrap(Make.List(2), 6); }
        static object ReadOnlyOfOwn() { return Make.Wrap(new Wrapped(), 1); }
        static object Observed() { return new ObservableCollection<string> { "a" }; }
        static object DerivedCollection() { return new Bag { "a", "b" }; }
        static object Full() { List<string> list = new List<string>(); for (int i = 0; i < 8; i++) { list.Add(new string((char)('a' + i), 150)); } return list; }

        internal static void All()
        {
            Empty(); One(); Eight(); Nine(); Million(); OfNull(); OfNullable(); OfEnums(); OfStructs(); OfObjects(); OfLists(); OfChars();
            Removed(); Derived(); OwnMembers(); Sets(); SetWithFree(); SetOfStrings(); EmptySet(); Queues(); EmptyQueue(); Stacks();
            Segment(); NoSegment(); Collected(); ReadOnly(); ReadOnlyTwice(); ReadOnlyOften(); ReadOnlyOfOwn(); Observed(); DerivedCollection(); Full();
        }
    }

    static class Arrays
    {
        static int[] Empty() { return new int[0]; }
        static int[] Numbers() { return new int[] { 1, 2, 3 }; }
        static object Nine() { return new byte[9]; }
        static string[] Texts() { return new string[] { "a", null }; }
        static object[] Mixed() { return new object[] { 1, "b", 'c', 2.5, Level.Low, null, new object(), new int[] { 1 } }; }
        static bool[] Truths() { return new bool[] { true, false }; }
        static Size[] Structs() { return new Size[] { new Size(1, 2) }; }
        static Person[] Objects() { return new Person[] { new Person { Name = "x" }, null }; }
        static int[][] Jagged() { return new int[][] { new int[] { 1 }, null, new int[0] }; }
        static int[,] Grid() { return new int[,] { { 1, 2, 3 }, { 4, 5, 6 } }; }
        static int[,] GridOfTen() { return new int[2, 5]; }
        static int[,] EmptyGrid() { return new int[0, 3]; }
        static int[,,] Cube() { return new int[,,] { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }; }
        static Array Shifted() { Array a = Array.CreateInstance(typeof(int), new int[] { 2 }, new int[] { 5 }); a.SetValue(7, 6); return a; }
        static Array ShiftedGrid() { Array a = Array.CreateInstance(typeof(int), new int[] { 2, 2 }, new int[] { -1, 3 }); a.SetValue(7, 0, 3); return a; }
        static int[][][][] Deep() { return new int[][][][] { new int[][][] { new int[][] { new int[] { 1 }, new int[0] } } }; }
        static int[][][,] DeepGrid() { return new int[][][,] { new int[][,] { new int[1, 1] } }; }
        static object[] Cycle() { object[] a = new object[2]; a[0] = a; return a; }
        static Precise[] Precise() { return new Precise[2]; }
        static int RunsOfPrecise() { return Log.Runs; }
        static Precise?[] NullablePrecise() { return new Precise?[1]; }

        internal static void All()
        {
            Empty(); Numbers(); Nine(); Texts(); Mixed(); Truths(); Structs(); Objects(); Jagged(); Grid(); GridOfTen(); EmptyGrid(); Cube();
            Shifted(); ShiftedGrid(); Deep(); DeepGrid(); Cycle(); Precise(); NullablePrecise(); RunsOfPrecise();
        }
    }

    static class Dictionaries
    {
        static object Empty() { return new Dictionary<string, int>(); }
        static object Two() { return new Dictionary<string, int> { { "a", 1 }, { "b", 2 } }; }
        static object Nine() { Dictionary<int, int> d = new Dictionary<int, int>(); for (int i = 0; i < 9; i++) { d[i] = -i; } return d; }
        static object Removed() { Dictionary<int, int> d = new Dictionary<int, int> { { 1, 1 }, { 2, 2 }, { 3, 3 } }; d.Remove(2); return d; }
        static object Cleared() { Dictionary<int, int> d = new Dictionary<int, int> { { 1, 1 }, { 2, 2 } }; d.Clear(); return d; }
        static object MostlyRemoved() { Dictionary<int, int> d = new Dictionary<int, int>(); for (int i = 0; i < 1000; i++) { d[i] = i; } for (int i = 0; i < 999; i++) { d.Remove(i); } return d; }
        static object OfObjects() { return new Dictionary<Level, Person> { { Level.Low, new Person { Name = "x" } }, { Level.High, null } }; }
        static object OfStructs() { return new Dictionary<Size, List<int>> { { new Size(1, 2), Make.List(3) } }; }
        static object OwnComparer() { Dictionary<string, int> d = new Dictionary<string, int>(new ByLength()) { { "a", 1 }, { "bb", 2 } }; ByLength.Ready = true; return d; }
        static object Derived() { return new Index2 { { "a", 1 } }; }
        static object Pair() { return new KeyValuePair<string, int>("a", 1); }
        static object Entry() { return new DictionaryEntry("a", null); }
        static object Pairs() { return new List<KeyValuePair<string, Size>> { new KeyValuePair<string, Size>("a", new Size(1, 2)) }; }

        internal static void All()
        {
            Empty(); Two(); Nine(); Removed(); Cleared(); MostlyRemoved(); OfObjects(); OfStructs(); OwnComparer(); Derived(); Pair(); Entry(); Pairs();
        }
    }

    // Elements in nodes that lead to each other, or in two arrays.
    static class Linked
    {
        static object Sorted() { return Make.Numbers(3); }
        static object SortedNine() { return Make.Numbers(9); }
        static object SortedMany() { return Make.Numbers(100000); }
        static object SortedEmpty() { return new SortedSet<string>(); }
        static object SortedRemoved() { SortedSet<int> set = Make.Numbers(5); set.Remove(0); set.Remove(3); return set; }
        static object SortedObjects() { return new SortedDictionary<string, Person> { { "b", null }, { "a", new Person { Name = "x" } } }; }
        static object SortedTable() { return new SortedDictionary<int, string> { { 2, "b" }, { 1, "a" } }; }
        static object SortedTableEmpty() { return new SortedDictionary<int, int>(); }
        static object TwoArrays() { return new SortedList<string, int> { { "b", 2 }, { "a", 1 } }; }
        static object TwoArraysEmpty() { return new SortedList<string, int>(); }
        static object TwoArraysNine() { SortedList<int, int> list = new SortedList<int, int>(); for (int i = 0; i < 9; i++) { list[i] = -i; } return list; }
        static object List() { return new LinkedList<string>(new string[] { "a", null, "c" }); }
        static object ListNine() { return new LinkedList<int>(Make.List(9)); }
        static object ListEmpty() { return new LinkedList<int>(); }
        static object Stack() { return new ConcurrentStack<int>(new int[] { 1, 2, 3 }); }
        static object StackEmpty() { return new ConcurrentStack<int>(); }
        static object StackMost() { return new ConcurrentStack<int>(Make.List(256)); }
        static object StackLong() { return new ConcurrentStack<int>(Make.List(1000)); }
        static object Concurrent() { return Make.Table(3); }
        static object ConcurrentNine() { return Make.Table(9); }
        static object ConcurrentEmpty() { return Make.Table(0); }
        static object ConcurrentObjects() { ConcurrentDictionary<string, Size> table = new ConcurrentDictionary<string, Size>(); table["a"] = new Size(1, 2); return table; }
        static object ReadOnly() { return new ReadOnlyDictionary<string, int>(new Dictionary<string, int> { { "a", 1 } }); }
        static object Old() { return new ArrayList { 1, "b", null }; }
        static object Within() { return new object[] { Make.Numbers(2), new LinkedList<int>(), new SortedList<int, int>(), Make.Table(1) }; }
        static object Deep() { return new Samples.Deep(new Samples.Deep(new Samples.Deep(Make.Numbers(2)))); }
        static object Cycle() { LinkedList<object> list = new LinkedList<object>(); list.AddLast(list); return list; }

        internal static void All()
        {
            Sorted(); SortedNine(); SortedMany(); SortedEmpty(); SortedRemoved(); SortedObjects(); SortedTable(); SortedTableEmpty(); TwoArrays(); TwoArraysEmpty(); TwoArraysNine();
            List(); ListNine(); ListEmpty(); Stack(); StackEmpty(); StackMost(); StackLong(); Concurrent(); ConcurrentNine(); ConcurrentEmpty(); ConcurrentObjects(); ReadOnly(); Old();
            Within(); Deep(); Cycle();
        }
    }

    static class Tuples
    {
        static object Old() { return Tuple.Create(1, "b"); }
        static object OldOne() { return Tuple.Create(1); }
        static (int, string) Two() { return (1, "b"); }
        static ValueTuple<int> One() { return new ValueTuple<int>(1); }
        static ValueTuple None() { return new ValueTuple(); }
        static (int, int, int, int, int, int, int) Seven() { return (1, 2, 3, 4, 5, 6, 7); }
        static object OldEight() { return Tuple.Create(1, 2, 3, 4, 5, 6, 7, 8); }
        static object OddRest() { return default(ValueTuple<int, int, int, int, int, int, int, Size>); }
        static object Within() { return (new Person { Name = "x" }, (1, 2), Tuple.Create('c'), new Size(3, 4)); }
        static object Deep() { return (1, (2, (3, (4, 5)))); }

        internal static void All()
        {
            Old(); OldOne(); Two(); One(); None(); Seven(); OldEight(); OddRest(); Within(); Deep();
        }
    }

    static class Objects
    {
        static object Plain() { return new object(); }
        static object None() { return null; }
        static object WithoutFields() { return new Nothing(); }
        static Person Class() { return new Person { Name = "x", Age = 3 }; }
        static Person Within() { return new Person { Name = "x", Friend = new Person { Name = "y" } }; }
        static object Bases() { return new Derived(); }
        static object Anonymous() { return new { Name = "x", Size = new Size(1, 2) }; }
        static object AnonymousWithin() { return new object[] { new { A = 1 }, new { B = "b" } }; }
        static object Generic() { return new Outer.Inner<int> { Value = 5 }; }
        static object GenericWithin() { return new List<object> { new Outer.Inner<string> { Value = "v" }, new Nothing(), new object() }; }
        static object OfCoreLibrary() { return new ManualResetEvent(false); }
        static object OfCoreLibraryWithin() { return new Holder { Item = new ManualResetEvent(false) }; }
        static object FromCoreLibrary() { return new Remote(); }
        static object FromEventArgs() { return new Message(); }
        static object Boxed() { return new Deep((object)5); }
        static object Fields16() { return new Wide(); }
        static object Depth() { return new Deep(new Deep(new Deep(new Deep(new Deep(null))))); }
        static object DepthOfLists() { return new Deep(new Deep(new Deep(new List<int> { 1, 2 }))); }
        static object DepthOfEmpty() { return new Deep(new Deep(new Deep(new List<int>()))); }
        static object DepthOfNothing() { return new Deep(new Deep(new Deep(new Nothing()))); }
        static object DepthOfTexts() { return new Deep(new Deep(new Deep("text"))); }
        static object DepthOfTuples() { return new Deep(new Deep(new Deep((1, 2)))); }
        static object DepthOfPairs() { return new Deep(new Deep(new Deep(new KeyValuePair<int, int>(1, 2)))); }
        static object Cycle() { Node n = new Node { Id = 1 }; n.Next = n; return n; }
        static object CycleOfTwo() { Node n = new Node { Id = 1, Next = new Node { Id = 2 } }; n.Next.Next = n; return n; }
        static object CycleOfThree() { Node n = new Node { Id = 1, Next = new Node { Id = 2, Next = new Node { Id = 3 } } }; n.Next.Next.Next = n; return n; }
        static object CycleOfLists() { Links l = new Links(); l.Add(l); return l; }
        static object CycleThroughList() { Node n = new Node { Others = new List<Node>() }; n.Others.Add(n); return n; }
        static object Twice() { Person p = new Person { Name = "x" }; return new Person[] { p, p }; }
        static object Mixed() { return new Holder { Item = Level.High, Who = new Person(), Numbers = new int[] { 1 } }; }

        internal static void All()
        {
            Plain(); None(); WithoutFields(); Class(); Within(); Bases(); Anonymous(); AnonymousWithin(); Generic(); GenericWithin();
            OfCoreLibrary(); OfCoreLibraryWithin(); FromCoreLibrary(); FromEventArgs(); Boxed(); Fields16(); Depth(); DepthOfLists(); DepthOfEmpty();
            DepthOfNothing(); DepthOfTexts(); DepthOfTuples(); DepthOfPairs();
            Cycle(); CycleOfTwo(); CycleOfThree(); CycleOfLists(); CycleThroughList(); Twice(); Mixed();
        }
    }

    // With a DebuggerDisplay attribute.
    static class Displays
    {
        static object Class() { return new Displayed { Id = 5, Customer = new Person { Name = "x" } }; }
        static object Derived() { return new DisplayedBelow(); }
        static object Overridden() { return new DisplayedAnew(); }
        static object Base() { return new DisplayedBase { Id = 3 }; }
        static object Struct() { return new DisplayedStruct { X = "a", Y = "b" }; }
        static object Null() { return new DisplayedStruct(); }
        static object Long() { return new DisplayedStruct { X = new string('x', 201) }; }
        static object Code() { return new DisplayedByCode(); }
        static object Expression() { return new DisplayedByExpression(); }
        static object Escaped() { return new DisplayedEscaped(); }
        static object Open() { return new DisplayedOpen(); }
        static object Alike() { return new DisplayedAlike(); }
        static object Hex() { return new DisplayedAsHex(); }
        static object Hidden() { return new DisplayedSecret(); }
        static object Within() { return new object[] { new DisplayedBase(), new DisplayedStruct(), new DisplayedAlike() }; }
        static object Depth() { return new Deep(new Deep(new Deep(new DisplayedBase()))); }
        static object DepthAlike() { return new Deep(new Deep(new Deep(new DisplayedAlike()))); }

        internal static void All()
        {
            Class(); Derived(); Overridden(); Base(); Struct(); Null(); Long(); Code(); Expression(); Escaped(); Open(); Alike(); Hex(); Hidden(); Within(); Depth(); DepthAlike();
        }
    }

    static class Exceptions
    {
        static object WithMessage() { return new InvalidOperationException("bad"); }
        static object WithoutMessage() { return new Exception(null); }
        static object WithInner() { return new InvalidOperationException("bad", new IOException("x")); }
        static object Own() { return new Failure("own", new IOException("x")); }
        static object OwnEmpty() { return new Failure(null, null); }
        static object Thrown() { try { throw new FormatException("thrown"); } catch (FormatException e) { return e; } }
        static object Within() { return new object[] { new IOException("x"), new Failure("y", null) }; }
        static object Aggregate() { return new AggregateException("several", new IOException("x")); }
        static object Chain() { Exception e = null; for (int i = 0; i < 5; i++) { e = new Exception("e" + i, e); } return e; }

        internal static void All()
        {
            WithMessage(); WithoutMessage(); WithInner(); Own(); OwnEmpty(); Thrown(); Within(); Aggregate(); Chain();
        }
    }

    static class Tasks
    {
        static Task<int> Done() { return Task.FromResult(5); }
        static Task<string> DoneText() { return Task.FromResult("text"); }
        static Task<Person> DonePerson() { return Task.FromResult(new Person { Name = "x" }); }
        static Task Plain() { return Task.CompletedTask; }
        static Task Created() { return new Task<int>(delegate { return 1; }); }
        static Task Waiting() { return new TaskCompletionSource<int>().Task; }
        static Task Faulted() { return Task.FromException<int>(new IOException("x")); }
        static Task FaultedOwn() { return Make.Finished(Make.Fails()); }
        static Task Canceled() { return Task.FromCanceled<int>(new CancellationToken(true)); }
        static Task Machine() { return Make.Finished(Make.Later(7)); }
        static Task MachineWithout() { return Make.Finished(Make.OnlyLater()); }
        static object Within() { return new Task[] { Task.FromResult(1), Task.FromResult((object)null), Make.Finished(Make.OnlyLater()) }; }
        static object Nested() { return Task.FromResult(Task.FromResult(Task.FromResult(Task.FromResult(1)))); }
        static object OfPrecise() { return Task.FromResult(new Precise?()); }

        internal static void All()
        {
            Done(); DoneText(); DonePerson(); Plain(); Created(); Waiting(); Faulted(); FaultedOwn(); Canceled(); Machine(); MachineWithout(); Within(); Nested(); OfPrecise();
        }
    }

    static class Literals
    {
        static Type Types() { return typeof(int); }
        static Type GenericType() { return typeof(List<int>); }
        static object TypeWithin() { return new Type[] { typeof(string), typeof(Outer.Inner<>) }; }
        static Uri Address() { return new Uri("http://example.com/a b?q=\u00e4"); }
        static Uri Relative() { return new Uri("x/y", UriKind.Relative); }
        static Version Version() { return new Version(1, 2, 3); }
        static object VersionWithin() { return new Deep(new Version(1, 2)); }
        static StringBuilder Builder() { return new StringBuilder("two\nlines"); }
        static StringBuilder LongBuilder() { return new StringBuilder().Append('x', 5000); }
        static object BuilderWithin() { return new Deep(new StringBuilder("a")); }
        static BigInteger Big() { return BigInteger.Pow(10, 30); }
        static BigInteger Negative() { return new BigInteger(-5); }
        static BigInteger TooBig() { return BigInteger.Pow(10, 1000); }
        static Encoding Encoding() { return System.Text.Encoding.UTF8; }

        internal static void All()
        {
            Types(); GenericType(); TypeWithin(); Address(); Relative(); Version(); VersionWithin(); Builder(); LongBuilder(); BuilderWithin();
            Big(); Negative(); TooBig(); Encoding();
        }
    }

    // With `--redact zip,type:Samples.Card`.
    static class Secrets
    {
        static Account Fields() { return new Account { Password = "p" }; }
        static object Within() { return new Deep(new object[] { new Account { User = null } }); }
        static Address Added() { return new Address { Zip = 12345, Street = "s", Paid = new Card() }; }
        static Dictionary<string, object> Keys()
        {
            return new Dictionary<string, object> {
                { "user", "ada" }, { "X-API-Key", "k" }, { "tokens", 3 }, { "Set-Cookie", new List<string> { "c" } }, { "pwd", null },
                { "ZIP", 12345 }, { "tokenizer", "t" }, { "", "e" } };
        }
        static object SortedKeys() { return new SortedList<string, string> { { "password", "p" }, { "user", "u" } }; }
        static object TreeKeys() { return new SortedDictionary<string, string> { { "password", "p" }, { "user", "u" } }; }
        static object ConcurrentKeys() { ConcurrentDictionary<string, string> table = new ConcurrentDictionary<string, string>(); table["password"] = "p"; return table; }
        static Dictionary<object, string> ObjectKeys() { return new Dictionary<object, string> { { "password", "p" }, { 5, "f" } }; }
        static KeyValuePair<string, string> Pair() { return new KeyValuePair<string, string>("secret", "s"); }
        static DictionaryEntry Entry() { return new DictionaryEntry("accessToken", "s"); }
        static string GetPassword() { return "p"; }
        static string Token { get { return "t"; } }
        static string NoToken() { return null; }
        static int CountTokens() { return 3; }
        static Level TokenLevel() { return Level.High; }
        static char[] Secret() { return new char[] { 's' }; }
        static Uri ConnectionString() { return new Uri("http://x/"); }
        static StringBuilder Pwd() { return new StringBuilder("p"); }
        static Task<string> GetTokenAsync() { return Task.FromResult("t"); }
        static BigInteger PrivateKey() { return 5; }
        static decimal TokenPrice() { return 1.5m; }
        static DateTimeOffset TokenExpires() { return new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero); }
        static Guid? SessionId() { return Guid.Empty; }
        static int? TokenNumber() { return 5; }
        static string Tokenize() { return "a b"; }
        static int ZipCode() { return 12345; }
        static Card Card() { return new Card(); }
        static object Cards() { return new Card[] { new Card(), new GoldCard(), null }; }

        internal static void All()
        {
            Fields(); Within(); Added(); Keys(); ObjectKeys(); Pair(); Entry(); GetPassword(); var t = Token; NoToken(); CountTokens(); TokenLevel();
            SortedKeys(); TreeKeys(); ConcurrentKeys(); Secret(); ConnectionString(); Pwd(); GetTokenAsync(); PrivateKey(); TokenPrice(); TokenExpires(); SessionId(); TokenNumber();
            Tokenize(); ZipCode(); Card(); Cards();
        }
    }

    static class Delegates
    {
        static int Twice(int x) { return 2 * x; }
        static Handler Static() { return Twice; }
        static Func<int, int> Func() { return Twice; }
        static Handler Instance() { return new Calls().Own; }
        static Func<string> Virtual() { return new Calls().ToString; }
        static object Generic() { return new Func<string, string>(Calls.Of<string>.Same); }
        static object OfCore() { return new Func<int, int>(Math.Abs); }
        static object OfInterface() { IDisposable calls = new Calls(); return new Action(calls.Dispose); }
        static object Several() { Handler several = Twice; several += new Calls().Own; return several; }
        static object Many() { Handler many = null; for (int i = 0; i < 300; i++) { many += Twice; } return many; }
        static object Removed() { Handler two = Twice; two += new Calls().Own; return two - Twice; }
        static object Event() { Calls calls = new Calls(); calls.Done += calls.Own; calls.Done += Twice; return calls; }
        static Handler GetPassword() { return Twice; }
        static object Within() { return new object[] { new Handler(Twice), new Func<int, int>(Twice), Several() }; }
        static object Deep() { return new object[] { new object[] { new object[] { new Handler(Twice) } } }; }

        internal static void All()
        {
            Static(); Func(); Instance(); Virtual(); Generic(); OfCore(); OfInterface(); Several(); Many(); Removed(); Event(); GetPassword(); Within(); Deep();
        }
    }

    static unsafe class Pointers
    {
        struct Pointer { public int* Address; public void** More; }

        static object Field() { return new Pointer { Address = (int*)8 }; }
        static int*[] Elements() { return new int*[2]; }
        static object Within() { return new object[] { new int*[1], IntPtr.Zero }; }

        internal static void All() { Field(); Elements(); Within(); }
    }

    static class Program
    {
        static void Main()
        {
            Lists.All();
            Arrays.All();
            Dictionaries.All();
            Linked.All();
            Tuples.All();
            Objects.All();
            Displays.All();
            Exceptions.All();
            Tasks.All();
            Literals.All();
            Secrets.All();
            Delegates.All();
            Pointers.All();
            Groups.All();
            Waiting.All();
            Facts.All();
#if NET
            LongTuples.All();
            Records.All();
            Newer.All();
            ValueTasks.All();
            Memories.All();
            Immutables.All();
            Latest.All();
            Elements.All();
            Documents.All();
            Nodes.All();
            Sequences.All();
#endif
        }
    }
}
