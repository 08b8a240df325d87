// The same for types that the framework brings and that are read by a few of their fields: collections of pairs and groups, what
// waits between threads, addresses, and others of which one thing matters.

using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
#if NET
using System.Buffers;
#if NET8_0_OR_GREATER
using System.Collections.Frozen;
#endif
using System.Collections.Immutable;
using System.Net.Http;
using System.Net.Mail;
using System.Numerics;
using System.Text.Json;
#if NET8_0_OR_GREATER
using System.Text.Json.Nodes;
#endif
using System.Threading.Channels;
using Newtonsoft.Json.Linq;
#endif

namespace Samples
{
    class OwnAddress : IPAddress
    {
        public OwnAddress() : base(new byte[] { 1, 2, 3, 4 }) { }
        public override string ToString() { throw new InvalidOperationException(); }
    }

    class OwnWeak : WeakReference
    {
        public OwnWeak(object target) : base(target) { }
        public override object Target { get { throw new InvalidOperationException(); } set { } }
        public override bool IsAlive { get { throw new InvalidOperationException(); } }
    }

    class Settings : NameValueCollection { public int Own = 1; }

    // Not lambdas in the cases, which would have lines of their own.
    static class Pick
    {
        public static int Length(string s) { return s.Length; }
        public static int LastDigit(int n) { return n % 10; }
        public static string Same(string s) { return s; }
        public static string Value() { return "v"; }
        public static int Key(KeyValuePair<long, int> pair) { return (int)pair.Key; }
        public static int Value(KeyValuePair<long, int> pair) { return pair.Value; }
        public static int Far(int n) { return n * 1000003; }
    }
}

#if NET
// As Newtonsoft.Json 13 has them.
namespace Newtonsoft.Json.Linq
{
    using System.Collections.ObjectModel;

    class JToken { }
    class JValue(object value) : JToken { readonly object _value = value; }
    class JProperty(string name, JToken content) : JToken
    {
        class JPropertyList { internal JToken _token; }
        readonly JPropertyList _content = new() { _token = content };
        readonly string _name = name;
    }
    class JPropertyKeyedCollection : Collection<JToken> { }
    class JObject : JToken
    {
        readonly JPropertyKeyedCollection _properties = new();
        internal JObject With(string name, object value) { _properties.Add(new JProperty(name, value as JToken ?? new JValue(value))); return this; }
    }
    class JArray(List<JToken> values) : JToken { readonly List<JToken> _values = values; }
}

namespace Samples
{
    class Part<T> : ReadOnlySequenceSegment<T>
    {
        public new object Next;     // not the one that counts

        internal Part(ReadOnlyMemory<T> memory) { Memory = memory; }
        internal Part<T> Before(Part<T> next) { return Before(next, RunningIndex + Memory.Length); }
        internal Part<T> Before(Part<T> next, long index) { base.Next = next; next.RunningIndex = index; return next; }

        internal static ReadOnlySequence<T> Join(int start, int end, params T[][] parts)
        {
            Part<T> first = new Part<T>(parts[0]), last = first;
            foreach (T[] part in parts.Skip(1)) { last = last.Before(new Part<T>(part)); }
            return new ReadOnlySequence<T>(first, start, last, last.Memory.Length - end);
        }
    }

    class BytesOwner : MemoryManager<byte>
    {
        readonly byte[] bytes = Encoding.UTF8.GetBytes("[1]");
        protected override void Dispose(bool disposing) { }
        public override Span<byte> GetSpan() { return bytes; }
        public override MemoryHandle Pin(int elementIndex = 0) { throw new InvalidOperationException(); }
        public override void Unpin() { throw new InvalidOperationException(); }
    }

    static class Texts
    {
        public static byte[] Bytes(string s) { return Encoding.UTF8.GetBytes(s); }
        public static JsonElement Root(string json) { return JsonDocument.Parse(json).RootElement; }
        public static string Members(int count) { return "{" + string.Join(",", Enumerable.Range(0, count).Select(Member)) + "}"; }
        static string Member(int n) { return "\"m" + n + "\":" + n; }
    }

    class WithElement { public JsonElement Data, Token; public JsonElement? Perhaps; }
}

namespace Microsoft.Extensions.Primitives
{
    readonly struct StringValues(object values) { readonly object _values = values; }
}
#endif

namespace Cases
{
    using Samples;

    static class Groups
    {
        static readonly string[] words = { "a", "bb", "cc", "ddd" };

        static object Lookup() { return words.ToLookup(Pick.Length); }
        static object LookupEmpty() { return new string[0].ToLookup(Pick.Length); }
        static object LookupMany() { return Enumerable.Range(0, 20).ToLookup(Pick.LastDigit); }
        static object LookupByName() { return new[] { "password", "user" }.ToLookup(Pick.Same, Pick.Length); }
        static object LookupWithin() { return new object[] { new object[] { words.ToLookup(Pick.Length) } }; }
        static object One() { return words.GroupBy(Pick.Length).ElementAt(1); }
        static object OneByName() { return new[] { "password" }.GroupBy(Pick.Same).First(); }
        static object Listed() { return words.GroupBy(Pick.Length).ToList(); }
        static object ListedWithin() { return new object[] { words.GroupBy(Pick.Length).ToList() }; }
        static object Names() { return new NameValueCollection { { "a", "1" }, { "a", "2" }, { "b", null }, { "password", "p" } }; }
        static object NamesEmpty() { return new NameValueCollection(); }
        static object NamesDerived() { return new Settings { { "a", "1" } }; }
        static object Table() { return new Hashtable { { 1, "a" }, { 2, null } }; }
        static object TableEmpty() { return new Hashtable(); }
        static object TableRemoved() { Hashtable table = new Hashtable { { 1, "a" }, { 2, "b" }, { 3, "c" } }; table.Remove(2); return table; }
        static object TableByName() { return new Hashtable { { "password", "p" } }; }
        static object TableMany() { Hashtable table = new Hashtable(); for (int i = 0; i < 1000; i++) { table[i] = i; } return table; }
        static object Strings() { return new StringCollection { "a", "b" }; }
        static object StringTable() { return new StringDictionary { { "a", "1" } }; }
        static object OldOrdered() { return new System.Collections.Specialized.OrderedDictionary { { "b", 1 }, { "a", null }, { "password", "p" } }; }
        static object OldOrderedEmpty() { return new System.Collections.Specialized.OrderedDictionary(); }
        static object ListedPairs() { return new ListDictionary { { "a", 1 }, { "password", "p" }, { 3, null } }; }
        static object ListedEmpty() { return new ListDictionary(); }
        static object Hybrid() { return new HybridDictionary { { "a", 1 }, { "password", "p" } }; }
        static object HybridEmpty() { return new HybridDictionary(); }
        static object HybridMany() { HybridDictionary many = new HybridDictionary(); for (int i = 0; i < 20; i++) { many[i] = i; } return many; }
        static object HybridCycle() { HybridDictionary own = new HybridDictionary(); own["own"] = own; return own; }
        static object HybridDeep() { return new object[] { new object[] { new HybridDictionary { { "a", new HybridDictionary { { "b", 1 } } } } } }; }
        static object OldSorted() { return new SortedList { { "b", 1 }, { "a", 2 } }; }
        static object Keys() { return new Dictionary<string, int> { { "a", 1 }, { "b", 2 } }.Keys; }
        static object Values() { return new Dictionary<string, int> { { "a", 1 }, { "b", 2 } }.Values; }
        static object ValuesByName() { return new Dictionary<string, object> { { "password", "p" }, { "user", "u" } }.Values; }
        static object KeysEmpty() { return new Dictionary<int, int>().Keys; }

        internal static void All()
        {
            Lookup(); LookupEmpty(); LookupMany(); LookupByName(); LookupWithin(); One(); OneByName(); Listed(); ListedWithin(); Names(); NamesEmpty(); NamesDerived();
            Table(); TableEmpty(); TableRemoved(); TableByName(); TableMany(); Strings(); StringTable(); OldOrdered(); OldOrderedEmpty(); OldSorted();
            ListedPairs(); ListedEmpty(); Hybrid(); HybridEmpty(); HybridMany(); HybridCycle(); HybridDeep();
            Keys(); Values(); ValuesByName(); KeysEmpty();
        }
    }

    static class Waiting
    {
        static object Bag() { return new ConcurrentBag<int> { 1, 2, 3 }; }
        static object BagEmpty() { return new ConcurrentBag<string>(); }
        static object BagTaken() { int taken; ConcurrentBag<int> bag = new ConcurrentBag<int> { 1, 2, 3 }; bag.TryTake(out taken); return bag; }
        static object BagLong() { ConcurrentBag<int> bag = new ConcurrentBag<int>(); for (int i = 0; i < 100; i++) { bag.Add(i); } return bag; }
        static object BagOfThreads()
        {
            ConcurrentBag<string> bag = new ConcurrentBag<string>();
            for (int i = 0; i < 3; i++)
            {
                string name = "t" + i;
                Thread thread = new Thread(() => { bag.Add(name); bag.Add(name + "b"); });
                thread.Start();
                thread.Join();
            }
            return bag;
        }
        static object Blocking() { return new BlockingCollection<int> { 1, 2 }; }
        static object OldQueue() { Queue queue = new Queue(); queue.Enqueue(1); queue.Enqueue("x"); queue.Dequeue(); return queue; }
        static object OldStack() { Stack stack = new Stack(); stack.Push(1); stack.Push("x"); return stack; }
        static object Bits() { return new BitArray(new bool[] { true, false, true }); }
        static object BitsLong() { return new BitArray(40) { [33] = true }; }
        static object BitsEmpty() { return new BitArray(0); }
        static object Promise() { TaskCompletionSource<int> source = new TaskCompletionSource<int>(); source.SetResult(4); return source; }
        static object PromiseOpen() { return new TaskCompletionSource<int>(); }
        static object Lazy() { return new Lazy<int>(() => { throw new InvalidOperationException(); }); }
        static object LazyMade() { Lazy<string> lazy = new Lazy<string>(Pick.Value); return lazy.Value == null ? null : lazy; }
        static CancellationToken Token() { return default(CancellationToken); }
        static CancellationToken TokenOff() { CancellationTokenSource source = new CancellationTokenSource(); source.Cancel(); return source.Token; }
        static object TokenSource() { return new CancellationTokenSource(); }
        static readonly string kept = "kept";
        static object Weak() { return new WeakReference(kept); }
        static object WeakOf() { return new WeakReference<string>(kept); }
        static object WeakNull() { return new WeakReference(null); }
        static object WeakTracking() { return new WeakReference(kept, true); }
        static object WeakDerived() { return new OwnWeak(kept); }
        static object WeakCycle() { object[] own = new object[1]; own[0] = new WeakReference(own); return own; }
        static object WeakWithin() { return new object[] { new WeakReference<string>(kept), new object[] { new object[] { new WeakReference(kept) } } }; }
        static object Semaphore() { return new SemaphoreSlim(3); }
        static object Within() { return new object[] { new Lazy<int>(() => 1), new SemaphoreSlim(1), new CancellationTokenSource(), new Stack(), new CancellationToken(true) }; }

        internal static void All()
        {
            Bag(); BagEmpty(); BagTaken(); BagLong(); BagOfThreads(); Blocking(); OldQueue(); OldStack(); Bits(); BitsLong(); BitsEmpty(); Promise(); PromiseOpen();
            Lazy(); LazyMade(); Token(); TokenOff(); TokenSource(); Semaphore(); Within();
            Weak(); WeakOf(); WeakNull(); WeakTracking(); WeakDerived(); WeakCycle(); WeakWithin();
        }
    }

    static class Facts
    {
        static IPAddress Address() { return IPAddress.Parse("192.168.0.1"); }
        static object Addresses()
        {
            return new[] { "::1", "::", "fe80::1%3", "2001:db8::ff00:42:8329", "1:0:0:2:0:0:0:3", "1:0:2:3:4:5:6:7", "::ffff:1.2.3.4", "::1.2.3.4" }.Select(IPAddress.Parse).ToList();
        }
        static object MoreAddresses()
        {
            return new[] { "::ffff:0:1.2.3.4", "fe80::5efe:1.2.3.4", "1:2:3:4:5:6:7:8", "0:0:1::", "::2:0:0:0:1", "1::" }.Select(IPAddress.Parse).ToList();
        }
        static IPAddress Derived() { return new OwnAddress(); }
        static EndPoint EndPoint() { return new IPEndPoint(IPAddress.Loopback, 80); }
        static EndPoint EndPointOfSix() { return new IPEndPoint(IPAddress.IPv6Loopback, 443); }
        static Regex Pattern() { return new Regex("^a+$", RegexOptions.IgnoreCase | RegexOptions.Singleline); }
        static CultureInfo Culture() { return CultureInfo.InvariantCulture; }
        static TimeZoneInfo Zone() { return TimeZoneInfo.Utc; }
        static Encoding Encoding() { return System.Text.Encoding.UTF8; }
        static FileSystemInfo File() { return new FileInfo("/tmp/x y"); }
        static TextWriter Writer() { StringWriter writer = new StringWriter(); writer.Write("abc\n"); return writer; }
        static StrongBox<int> Box() { return new StrongBox<int>(5); }
        static object Within() { return new object[] { IPAddress.Loopback, new Regex("a"), CultureInfo.InvariantCulture, new FileInfo("/x"), new StrongBox<string>("b") }; }

        internal static void All()
        {
            Address(); Addresses(); MoreAddresses(); Derived(); EndPoint(); EndPointOfSix(); Pattern(); Culture(); Zone(); Encoding(); File(); Writer(); Box(); Within();
        }
    }

#if NET
    static class Latest
    {
        static object Queue() { return ImmutableQueue.Create(1, 2, 3); }
        static object QueueOfTwo() { return ImmutableQueue.Create(1, 2, 3).Enqueue(4).Dequeue().Enqueue(5).Enqueue(6); }
        static object QueueEmpty() { return ImmutableQueue<int>.Empty; }
        static object QueueLong() { return ImmutableQueue.CreateRange(Enumerable.Range(0, 300)); }
        static object QueueOfNew() { ImmutableQueue<int> queue = ImmutableQueue.Create(0); for (int i = 1; i < 300; i++) { queue = queue.Enqueue(i); } return queue; }
        static object ArrayBuilder() { ImmutableArray<int>.Builder builder = ImmutableArray.CreateBuilder<int>(); builder.Add(1); return builder; }
        static object ListBuilder() { ImmutableList<int>.Builder builder = ImmutableList.CreateBuilder<int>(); builder.Add(1); return builder; }
        static object TableBuilder() { ImmutableDictionary<int, string>.Builder builder = ImmutableDictionary.CreateBuilder<int, string>(); builder[1] = "a"; return builder; }
        static object SetBuilder() { ImmutableHashSet<int>.Builder builder = ImmutableHashSet.CreateBuilder<int>(); builder.Add(2); return builder; }
        static object SortedBuilder() { ImmutableSortedDictionary<int, string>.Builder builder = ImmutableSortedDictionary.CreateBuilder<int, string>(); builder[1] = "a"; return builder; }
        static object SortedSetBuilder() { ImmutableSortedSet<int>.Builder builder = ImmutableSortedSet.CreateBuilder<int>(); builder.Add(2); return builder; }
#if NET9_0_OR_GREATER
        static object Ordered() { return new OrderedDictionary<string, int> { { "b", 1 }, { "a", 2 } }; }
        static object OrderedRemoved() { OrderedDictionary<string, int> table = new() { { "b", 1 }, { "a", 2 }, { "c", 3 } }; table.Remove("a"); return table; }
#endif
        static object Channel() { Channel<int> channel = System.Threading.Channels.Channel.CreateUnbounded<int>(); channel.Writer.TryWrite(1); return channel; }
        static object ChannelBounded() { Channel<string> channel = System.Threading.Channels.Channel.CreateBounded<string>(4); channel.Writer.TryWrite("a"); channel.Writer.TryWrite("b"); channel.Reader.TryRead(out _); return channel; }
#if NET8_0_OR_GREATER
        static object Far() { return Pairs.Of(20, 1000003).ToDictionary(Pick.Key, Pick.Value).ToFrozenDictionary(); }
        static object FarSet() { return Enumerable.Range(0, 20).Select(Pick.Far).ToFrozenSet(); }
        static object FrozenEmpty() { return FrozenDictionary<string, int>.Empty; }
        static object FrozenSetEmpty() { return FrozenSet<string>.Empty; }
#endif
        static IEnumerable<int> OfList() { return [.. Enumerable.Range(0, 2).Select(Pick.Far)]; }
        static object OneText() { return new Microsoft.Extensions.Primitives.StringValues("a"); }
        static object Texts() { return new Microsoft.Extensions.Primitives.StringValues(new[] { "a", "b" }); }
        static object NoText() { return default(Microsoft.Extensions.Primitives.StringValues); }
        static object OtherObject() { return new JObject().With("a", 1).With("password", "p").With("o", new JObject().With("x", new JArray([new JValue("b"), new JObject()]))); }
        static object OtherEmpty() { return new JObject(); }
        static object OtherArray() { return new JArray([new JValue(1.5), new JValue(null), new JObject().With("a", true)]); }
#if NET8_0_OR_GREATER
        static object NodeOfObject() { return new JsonObject { ["a"] = 1, ["password"] = "p", ["list"] = new JsonArray(1, "b", null), ["none"] = null }; }
        static object NodeEmpty() { return new JsonObject(); }
        static object NodeOfArray() { return new JsonArray(1.5, "two", true, new JsonObject { ["x"] = 1 }); }
        static object NodeOfValue() { return JsonValue.Create(5); }
        static object NodeOfDate() { return JsonValue.Create(new DateTime(2024, 2, 29, 0, 0, 0, DateTimeKind.Utc)); }
        static object NodeWithin() { return new object[] { JsonValue.Create("x"), new object[] { new JsonObject { ["deep"] = new JsonObject { ["deeper"] = 1 } } } }; }
#endif
        static Complex Complex() { return new Complex(1.5, -2); }
        static Vector2 Vector2() { return new Vector2(1, 2.5f); }
        static Vector3 Vector3() { return new Vector3(1, 2, 3); }
        static Vector4 Vector4() { return new Vector4(1, 2, 3, 4); }
        static Plane Plane() { return new Plane(1, 2, 3, 4); }
        static HttpMethod Method() { return HttpMethod.Get; }
        static MailAddress Mail() { return new MailAddress("ada@example.com", "Ada"); }

        internal static void All()
        {
            Queue(); QueueOfTwo(); QueueEmpty(); QueueLong(); QueueOfNew(); ArrayBuilder(); ListBuilder(); TableBuilder(); SetBuilder(); SortedBuilder(); SortedSetBuilder();
#if NET9_0_OR_GREATER
            Ordered(); OrderedRemoved();
#endif
            Channel(); ChannelBounded();
#if NET8_0_OR_GREATER
            Far(); FarSet(); FrozenEmpty(); FrozenSetEmpty();
#endif
            OfList(); OneText(); Texts(); NoText(); OtherObject(); OtherEmpty(); OtherArray();
#if NET8_0_OR_GREATER
            NodeOfObject(); NodeEmpty(); NodeOfArray(); NodeOfValue(); NodeOfDate(); NodeWithin();
#endif
            Complex(); Vector2(); Vector3(); Vector4(); Plane(); Method(); Mail();
        }
    }

    // What System.Text.Json has parsed.
    static class Elements
    {
        static object Object() { return Texts.Root("{\"a\":1,\"b\":\"x\",\"c\":[1,2],\"d\":{\"e\":null},\"t\":true,\"f\":false}"); }
        static object Array() { return Texts.Root("[1, \"b\", null, [true], {\"x\": 1}]"); }
        static object Text() { return Texts.Root("\"two\\nlines\""); }
        static object Number() { return Texts.Root("5"); }
        static object Numbers() { return Texts.Root("[0,-0,1.10,1E5,1e-7,12345678901234567890123,-1.5E+300]"); }
        static object True() { return Texts.Root("true"); }
        static object Null() { return Texts.Root("null"); }
        static object Empty() { return Texts.Root("{}"); }
        static object EmptyArray() { return Texts.Root("[ ]"); }
        static object EmptyText() { return Texts.Root("\"\""); }
        static object Escapes() { return Texts.Root("{\"\\u0041\\n\\\"\":\"\\u00e9\\uD83D\\ude00\\\\\\/\\b\\f\\r\\t\\u0000\"}"); }
        static object Unescaped() { return Texts.Root("{\"\u00e9\":\"\ud83d\ude00 \u20ac \u202e\"}"); }
        static object Halves() { return Texts.Root("[\"\\ud800\",\"\\udc00x\"]"); }
        static object NoUtf8() { return JsonDocument.Parse(new byte[] { (byte)'"', 0xc3, (byte)'a', 0xff, 0xe2, 0x82, (byte)'"' }).RootElement; }
        static object Deep() { return Texts.Root("{\"a\":[{\"b\":{\"c\":1}},[[]],[[1]]]}"); }
        static object DeepWithin() { return new object[] { new object[] { Texts.Root("[{\"a\":1},2]"), Texts.Root("3") } }; }
        static object Twice() { return Texts.Root("{\"a\":1,\"a\":2}"); }
        static object Hidden() { return Texts.Root("{\"password\":\"p\",\"token\":5,\"apiKey\":null,\"creds\":[1],\"zip\":5,\"cookie\":false,\"pass\\u0077ord\":{}}"); }
        static object Middle() { return Texts.Root("{\"a\":[1,2],\"b\":{\"c\":\"x\"},\"d\":3}").GetProperty("b"); }
        static object AfterOthers() { return Texts.Root("[[1,[2]],{\"a\":{}},3]")[2]; }
        static object InArray() { return Texts.Root("[[1,[2]],{\"a\":{}},3]")[0]; }
        static object Clone() { return Texts.Root("{\"a\":[1,2],\"b\":{\"c\":\"x\"}}").GetProperty("b").Clone(); }
        static object Many() { return Texts.Root("[" + string.Join(",", Enumerable.Range(0, 100)) + "]"); }
        static object ManyMembers() { return Texts.Root(Texts.Members(300)); }
        static object ManyObjects() { return Texts.Root("[" + string.Join(",", Enumerable.Repeat("{\"a\":[]}", 12)) + "]"); }
        static object LongText() { return Texts.Root("\"" + new string('x', 300) + "\""); }
        static object LongEscapes() { return Texts.Root("\"" + string.Concat(Enumerable.Repeat("\\ud83d\\ude00", 150)) + "\""); }
        static object VeryLong() { return Texts.Root("[\"" + new string('x', 10000) + "\",\"" + new string('\u00e9', 10001) + "\"]"); }
        static object LongName() { return Texts.Root("{\"" + new string('x', 300) + "\":1}"); }
        static object LongNumber() { return Texts.Root("[" + new string('9', 500) + "]"); }
        static object VeryLongNumber() { return Texts.Root("[1" + new string('0', 1000) + ",2]"); }
        static object Default() { return default(JsonElement); }
        static object Disposed() { JsonDocument document = JsonDocument.Parse("[1]"); JsonElement root = document.RootElement; document.Dispose(); return root; }
        static object Fields() { return new WithElement { Data = Texts.Root("[1]"), Token = Texts.Root("\"t\""), Perhaps = Texts.Root("{\"a\":2}") }; }
        static object ByName() { return new Dictionary<string, JsonElement> { { "password", Texts.Root("1") }, { "b", Texts.Root("[2]") } }; }
        static object Listed() { return JsonSerializer.Deserialize<List<object>>("[1,\"a\",{\"b\":null}]"); }
        static object Property() { return Texts.Root("{\"a\":1,\"b\":[2]}").EnumerateObject().Last(); }
        static object HiddenProperty() { return Texts.Root("{\"password\":\"p\"}").EnumerateObject().First(); }
        static object DeepProperty() { return new object[] { new object[] { new object[] { Texts.Root("{\"a\":1}").EnumerateObject().First() } } }; }
        static object NoProperty() { return default(JsonProperty); }

        internal static void All()
        {
            Object(); Array(); Text(); Number(); Numbers(); True(); Null(); Empty(); EmptyArray(); EmptyText(); Escapes(); Unescaped(); Halves();
            NoUtf8(); Deep(); DeepWithin(); Twice(); Hidden(); Middle(); AfterOthers(); InArray(); Clone(); Many(); ManyMembers(); ManyObjects();
            LongText(); LongEscapes(); VeryLong(); LongName(); LongNumber(); VeryLongNumber(); Default(); Disposed(); Fields(); ByName(); Listed();
            Property(); HiddenProperty(); DeepProperty(); NoProperty();
        }
    }

    static class Documents
    {
        static object OfText() { return JsonDocument.Parse("{\"a\":1}"); }
        static object OfBytes() { return JsonDocument.Parse(Texts.Bytes("[\"\u00e9\"]")); }
        static object OfPart() { return JsonDocument.Parse(Texts.Bytes("...[1,\"b\"]...").AsMemory(3, 7)); }
        static object OfSequence() { return JsonDocument.Parse(Part<byte>.Join(1, 1, Texts.Bytes(" {\"a\":"), new byte[0], Texts.Bytes("[1,2]} "))); }
        static object OfStream() { return JsonDocument.Parse(new MemoryStream(Texts.Bytes("{\"a\":[]}"))); }
        static object OfNumber() { return JsonDocument.Parse("1.50"); }
        static object OfNull() { return JsonDocument.Parse("null"); }
        static object OfOwner() { return JsonDocument.Parse(new BytesOwner().Memory); }
        static object Disposed() { JsonDocument document = JsonDocument.Parse("[1]"); document.Dispose(); return document; }
        static object Within() { return new object[] { JsonDocument.Parse("[1]"), new object[] { new object[] { JsonDocument.Parse("[1]"), JsonDocument.Parse("2") } } }; }
        static object ByName() { return new Dictionary<string, object> { { "token", JsonDocument.Parse("1") } }; }

        internal static void All()
        {
            OfText(); OfBytes(); OfPart(); OfSequence(); OfStream(); OfNumber(); OfNull(); OfOwner(); Disposed(); Within(); ByName();
        }
    }

    static class Nodes
    {
#if NET8_0_OR_GREATER
        static object Object() { return JsonNode.Parse("{\"a\":1,\"password\":\"p\",\"list\":[1,\"b\",null],\"none\":null}"); }
        static object HiddenNumbers() { return new object[] { JsonNode.Parse("{\"token\":5,\"pwd\":true,\"jwt\":null}"), new JsonObject { ["token"] = 5, ["pwd"] = true, ["jwt"] = null } }; }
        static object Looked() { JsonNode node = JsonNode.Parse("{\"a\":1,\"b\":{\"c\":\"x\"},\"d\":[2.50]}"); return node["b"] == null ? null : node; }
        static object Array() { return JsonNode.Parse("[1.50,\"two\",{\"x\":1}]"); }
        static object Value() { return JsonNode.Parse("1.50"); }
        static object Text() { return JsonNode.Parse("\"\\u0041\""); }
        static object Within() { return new object[] { new object[] { JsonNode.Parse("[[1]]"), JsonNode.Parse("2") } }; }
#endif

        internal static void All()
        {
#if NET8_0_OR_GREATER
            Object(); HiddenNumbers(); Looked(); Array(); Value(); Text(); Within();
#endif
        }
    }

    static class Sequences
    {
        static ReadOnlySequence<int> OfArray() { return new ReadOnlySequence<int>(new int[] { 1, 2, 3 }); }
        static ReadOnlySequence<int> OfPart() { return new ReadOnlySequence<int>(new int[] { 1, 2, 3, 4 }, 1, 2); }
        static ReadOnlySequence<int> Empty() { return ReadOnlySequence<int>.Empty; }
        static ReadOnlySequence<byte> Default() { return default; }
        static ReadOnlySequence<char> DefaultText() { return default; }
        static ReadOnlySequence<char> OfString() { return new ReadOnlySequence<char>("hello world".AsMemory(6)); }
        static ReadOnlySequence<char> OfChars() { return new ReadOnlySequence<char>("hello".ToCharArray(), 1, 3); }
        static ReadOnlySequence<char> SliceOfString() { return new ReadOnlySequence<char>("hello world".AsMemory(1)).Slice(2, 3); }
        static ReadOnlySequence<byte> Joined() { return Part<byte>.Join(1, 1, [0, 1, 2], [], [3, 4], [5, 6, 7]); }
        static ReadOnlySequence<byte> InOnePart() { return Part<byte>.Join(1, 1, [0, 1, 2], [], [3, 4], [5, 6, 7]).Slice(2, 1); }
        static ReadOnlySequence<byte> AtBorder() { return Part<byte>.Join(1, 1, [0, 1, 2], [], [3, 4], [5, 6, 7]).Slice(2, 2); }
        static ReadOnlySequence<byte> Many() { return Part<byte>.Join(0, 0, new byte[5], new byte[1000]); }
        static ReadOnlySequence<KeyValuePair<string, int>> OfPairs() { return Part<KeyValuePair<string, int>>.Join(0, 0, [new("a", 1), new("password", 2)], [new("b", 3)]); }
        static ReadOnlySequence<object> OfObjects() { return Part<object>.Join(0, 0, ["a", null], [new object[] { 1 }]); }
        static ReadOnlySequence<char> JoinedText() { return Part<char>.Join(1, 2, "xab\ud83d".ToCharArray(), [], "\ude00\ncyz".ToCharArray()); }
        static ReadOnlySequence<char> LongText() { return Part<char>.Join(0, 0, new string('a', 150).ToCharArray(), new string('b', 150).ToCharArray()); }
        static ReadOnlySequence<int> OfOwner() { return new ReadOnlySequence<int>(new Owner().Memory); }
        static ReadOnlySequence<int> BeforeOwner() { Part<int> first = new(new int[] { 1 }), last = first.Before(new Part<int>(new Owner().Memory)); return new ReadOnlySequence<int>(first, 0, last, 3); }
        static ReadOnlySequence<int> TooMany() { Part<int> first = new(new int[] { 1, 2 }), last = first.Before(new Part<int>(new int[] { 3 }), 5000000000); return new ReadOnlySequence<int>(first, 0, last, 1); }
        static ReadOnlySequence<int> TooFew() { Part<int> first = new(new int[] { 1, 2 }), last = first.Before(new Part<int>(new int[] { 3 }), 1); return new ReadOnlySequence<int>(first, 0, last, 1); }
        static ReadOnlySequence<char> TooManyChars() { Part<char> first = new(new char[300]), last = first.Before(new Part<char>(new char[1]), 5000000000); return new ReadOnlySequence<char>(first, 0, last, 1); }
        static ReadOnlySequence<char> MissingChars() { Part<char> first = new(new char[2]), last = first.Before(new Part<char>(new char[1]), 100); return new ReadOnlySequence<char>(first, 0, last, 1); }
        static ReadOnlySequence<int> Ring() { Part<int> first = new(new int[0]), last = new(new int[] { 1 }); first.Before(first, 0); last.Before(last, 1); return new ReadOnlySequence<int>(first, 0, last, 1); }
        static object Segment() { return new Part<int>(new int[] { 1, 2 }); }
        static object Within() { return new object[] { ReadOnlySequence<int>.Empty, new object[] { new object[] { new ReadOnlySequence<int>(new int[2]), new ReadOnlySequence<int>(), new ReadOnlySequence<char>("ab".AsMemory()), new Part<int>(new int[1]) } } }; }

        internal static void All()
        {
            OfArray(); OfPart(); Empty(); Default(); DefaultText(); OfString(); OfChars(); SliceOfString(); Joined(); InOnePart(); AtBorder(); Many(); OfPairs(); OfObjects(); JoinedText();
            LongText(); OfOwner(); BeforeOwner(); TooMany(); TooFew(); TooManyChars(); MissingChars(); Ring(); Segment(); Within();
        }
    }
#endif
}
