// Which shape the values of a type have: the table of the types that are shown otherwise than field by field, and under which
// names the runtimes have the fields that are read for it.

using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;

namespace MyProfiler
{
    static class Shapes
    {
        // Keeps no type alive that the program can unload.
        static ConditionalWeakTable<Type, Shape> known;

        internal static Shape Of(Type type)
        {
            if (known == null)
            {
                Interlocked.CompareExchange(ref known, new ConditionalWeakTable<Type, Shape>(), null);
            }
            Shape shape;
            if (!known.TryGetValue(type, out shape))
            {
                Made made = new Made(Make(type));
                shape = known.GetValue(type, new ConditionalWeakTable<Type, Shape>.CreateValueCallback(made.Get));
            }
            return shape;
        }

        // Made before the table is asked: Mono calls it with its lock held, and reflection has locks, too.
        sealed class Made
        {
            readonly Shape shape;

            internal Made(Shape shape)
            {
                this.shape = shape;
            }

            internal Shape Get(Type type)
            {
                return shape;
            }
        }

        static Shape Make(Type type)
        {
            if (Format.HasStaticConstructor(type))
            {
                return new Opaque(null);
            }
            for (Type at = type; at != null && at != typeof(object); at = at.BaseType)
            {
                Shape shape = Row(type, at, at.IsGenericType ? at.GetGenericTypeDefinition().FullName : at.FullName);
                if (shape != null)
                {
                    return shape;
                }
            }
            return Union.Of(type) ?? Other(type);
        }

        static Shape Other(Type type)
        {
            if (typeof(Exception).IsAssignableFrom(type))
            {
                return new ExceptionShape(type);
            }
            if (typeof(Delegate).IsAssignableFrom(type))
            {
                return new DelegateShape(Named.NameOf(type));
            }
            if (Format.IsCoreLibrary(type) && !type.IsValueType)
            {
                return OfCoreLibrary(type);
            }
            return new Fields(type);
        }

        // Members are called only of types of the core library: they call nothing of the program.
        static Shape OfCoreLibrary(Type type)
        {
            if (typeof(Type).IsAssignableFrom(type))
            {
                return new TypeShape();
            }
            if (type == typeof(Version) || type == typeof(object))
            {
                return new TextShape();
            }
            if (type == typeof(StringBuilder))
            {
                return new BuilderShape();
            }
            return new Opaque(Named.NameOf(type));
        }

        // Null if the type is not in the table, or has not the fields that it should have. `own` is the value's type, which may be
        // derived from that.
        static Shape Row(Type own, Type type, string name)
        {
            switch (name)
            {
                case "System.Collections.Generic.List`1":
                case "System.Collections.Generic.Stack`1":
                    return Slice.Of(type, "_items _array", null, "_size");
                case "System.Collections.ArrayList":
                case "System.Collections.Stack":
                    return Slice.Of(type, "_items _array", null, "_size");
                case "System.Collections.Immutable.ImmutableArray`1+Builder":
                    return Slice.Of(type, "_elements", null, "_count");
                case "<>z__ReadOnlyArray`1":
                    return Slice.Of(type, "_items", null, null);
                case "System.Collections.Generic.PriorityQueue`2":
                    return Slice.Of(type, "_nodes", null, "_size");
                case "System.Collections.Generic.Queue`1":
                case "System.Collections.Generic.Deque`1":
                case "System.Collections.Queue":
                    return Slice.Of(type, "_array", "_head", "_size");
                case "System.ArraySegment`1":
                    return Slice.Of(type, "_array", "_offset", "_count");
                case "System.Collections.Immutable.ImmutableArray`1":
                    return Slice.Of(type, "array", null, null);
                case "System.Collections.Immutable.ImmutableList`1":
                case "System.Collections.Immutable.ImmutableSortedSet`1":
                case "System.Collections.Immutable.ImmutableList`1+Builder":
                case "System.Collections.Immutable.ImmutableSortedSet`1+Builder":
                    return Tree.Of(type, "_root", "_left|_right|_key", null);
                case "System.Collections.Immutable.ImmutableSortedDictionary`2":
                case "System.Collections.Immutable.ImmutableSortedDictionary`2+Builder":
                    return Tree.Of(type, "_root", "_left|_right|_key|_value", null);
                case "System.Collections.Immutable.ImmutableDictionary`2":
                case "System.Collections.Immutable.ImmutableHashSet`1":
                case "System.Collections.Immutable.ImmutableDictionary`2+Builder":
                case "System.Collections.Immutable.ImmutableHashSet`1+Builder":
                    return Tree.Of(type, "_root", "_left|_right|_firstValue", "_value");
                case "System.Collections.Immutable.ImmutableStack`1":
                    return Chain.Of(type, "_head", "_tail");
                case "System.Collections.Immutable.ImmutableQueue`1":
                    return TwoChains.Of(type);
                case "System.Collections.Concurrent.BlockingCollection`1":
                    return Wrapper.Of(type, "_collection m_collection");
                case "System.Threading.Channels.UnboundedChannel`1":
                case "System.Threading.Channels.BoundedChannel`1":
                    return Wrapper.Of(type, "_items");
                case "<>z__ReadOnlyList`1":
                    return Wrapper.Of(type, "_items");
                case "Microsoft.Extensions.Primitives.StringValues":
                    return Wrapper.Of(type, "_values");
                case "System.Threading.Tasks.TaskCompletionSource":
                case "System.Threading.Tasks.TaskCompletionSource`1":
                    return Wrapper.Of(type, "_task m_task");
                case "System.IO.StringWriter":
                    return Wrapper.Of(type, "_sb");
                case "System.Collections.Specialized.StringCollection":
                    return Wrapper.Of(type, "data");
                case "System.Collections.Specialized.StringDictionary":
                    return Wrapper.Of(type, "contents");
                case "System.Collections.ObjectModel.Collection`1":
                    return Wrapper.Of(type, "items");
                case "System.Collections.ObjectModel.ReadOnlyCollection`1":
                    return Wrapper.Of(type, "list");
                case "System.Collections.ObjectModel.ReadOnlyDictionary`2":
                    return Wrapper.Of(type, "m_dictionary");
                case "System.Collections.ObjectModel.ReadOnlySet`1":
                case "System.Collections.Generic.SortedDictionary`2":
                    return Wrapper.Of(type, "_set");
                case "System.Collections.Generic.SortedList`2":
                case "System.Collections.SortedList":
                    return TwoArrays.Of(type, "keys", "values", "_size");
                case "System.Collections.Frozen.Int32FrozenDictionary`1":
                    return TwoArrays.Of(type, Layout.Find(type, "_hashTable"), "<HashCodes>k__BackingField", "_values", null);
                case "System.Collections.Frozen.Int32FrozenSet":
                    return Slice.Of(type, Layout.Find(type, "_hashTable"), "<HashCodes>k__BackingField", null, null);
                case "System.Collections.Frozen.EmptyFrozenDictionary`2":
                case "System.Collections.Frozen.EmptyFrozenSet`1":
                case "System.Linq.EmptyLookup`2":
                    return new Nothing();
                case "System.Collections.Frozen.KeysAndValuesFrozenDictionary`2":
                case "System.Collections.Frozen.SmallFrozenDictionary`2":
                case "System.Collections.Frozen.SmallValueTypeComparableFrozenDictionary`2":
                case "System.Collections.Frozen.SmallValueTypeDefaultComparerFrozenDictionary`2":
                case "System.Collections.Frozen.LengthBucketsFrozenDictionary`1":
                case "System.Collections.Frozen.OrdinalStringFrozenDictionary`1":
                case "System.Collections.Frozen.DenseIntegralFrozenDictionary+WithFullValues`3":
                case "System.Collections.Frozen.DenseIntegralFrozenDictionary+WithOptionalValues`3":
                    return TwoArrays.Of(type, "_keys", "_values", null);
                case "System.Collections.Frozen.ItemsFrozenSet`2":
                case "System.Collections.Frozen.SmallFrozenSet`1":
                case "System.Collections.Frozen.SmallValueTypeComparableFrozenSet`1":
                case "System.Collections.Frozen.SmallValueTypeDefaultComparerFrozenSet`1":
                case "System.Collections.Frozen.LengthBucketsFrozenSet":
                case "System.Collections.Frozen.OrdinalStringFrozenSet":
                    return Slice.Of(type, "_items", null, null);
                case "System.Collections.Generic.SortedSet`1":
                    return Tree.Of(type, "root", "<Left>k__BackingField Left|<Right>k__BackingField Right|<Item>k__BackingField Item", null);
                case "System.Collections.Generic.LinkedList`1":
                    return LinkedNodes.Of(type, "head", "count", "item", "next");
                case "System.Collections.Concurrent.ConcurrentStack`1":
                    return LinkedNodes.Of(type, "_head m_head", null, "_value m_value", "_next m_next");
                case "System.Collections.Concurrent.ConcurrentQueue`1":
                    return Segments.Of(type);
                case "System.Collections.Concurrent.ConcurrentDictionary`2":
                    return Buckets.Of(type);
                case "System.Collections.Concurrent.ConcurrentBag`1":
                    return Bag.Of(type);
                case "System.Collections.BitArray":
                    return Bits.Of(type);
                case "Microsoft.FSharp.Collections.FSharpMap`2":
                    return TreeWithLeaves.Of(type, "Microsoft.FSharp.Collections.MapTreeNode`2", true);
                case "Microsoft.FSharp.Collections.FSharpSet`1":
                    return TreeWithLeaves.Of(type, "Microsoft.FSharp.Collections.SetTreeNode`1", false);
                case "Microsoft.FSharp.Collections.FSharpList`1":
                    return Chain.Of(type, "head", "tail");
                case "System.Collections.Generic.HashSet`1":
                    return Table.Of(type, "_entries _slots m_slots", "_lastIndex m_lastIndex", "_count m_count");
                case "System.Collections.Generic.Dictionary`2":
                    return Table.Of(type, "_entries entries", null, "_count count");
                case "System.Collections.Generic.OrderedDictionary`2":
                    return Table.Of(type, "_entries", null, "_count");
                case "System.Collections.Generic.Dictionary`2+KeyCollection":
                    return HalfTable.Of(type, Table.Keys);
                case "System.Collections.Generic.Dictionary`2+ValueCollection":
                    return HalfTable.Of(type, Table.Values);
                case "System.Collections.Hashtable":
                    return OldTable.Of(type);
                case "System.Collections.Specialized.NameObjectCollectionBase":
                    return Entries.Of(type, "_entriesArray");
                case "System.Collections.Specialized.NameObjectCollectionBase+NameObjectEntry":
                    return Pair.Of(type, "Key", "Value");
                case "System.Collections.Specialized.OrderedDictionary":
                    return Entries.Of(type, "_objectsArray");
                case "System.Collections.Specialized.ListDictionary":
                    return LinkedNodes.Of(type, "head", "count", "value", "next", "key");
                case "System.Collections.Specialized.HybridDictionary":
                    return Either.Of(type, "hashtable", "list");
                case "Newtonsoft.Json.Linq.JObject":
                    return Entries.Of(type, "_properties");
                case "Newtonsoft.Json.Linq.JProperty":
                    return Pair.Of(type, "_name", "_content");
                case "Newtonsoft.Json.Linq.JProperty+JPropertyList":
                    return Wrapper.Of(type, "_token");
                case "Newtonsoft.Json.Linq.JArray":
                    return Wrapper.Of(type, "_values");
                case "Newtonsoft.Json.Linq.JValue":
                    return Wrapper.Of(type, "_value");
                case "System.Text.Json.Nodes.JsonObject":
                    return Either.Of(type, "_dictionary", "_jsonElement");
                case "System.Text.Json.JsonPropertyDictionary`1":       // before .NET 9
                    return Wrapper.Of(type, "_propertyList");
                case "System.Text.Json.Nodes.JsonArray":
                    return Either.Of(type, "_list", "_jsonElement");
                case "System.Text.Json.Nodes.JsonValue`1":
                    return Wrapper.Of(type, "Value");
                case "System.Text.Json.JsonDocument":
                    return JsonDocumentShape.Of(type);
                case "System.Text.Json.JsonElement":
                    return JsonElementShape.Of(type);
                case "System.Text.Json.JsonProperty":
                    return JsonPropertyShape.Of(type);
                case "System.WeakReference":
                case "System.WeakReference`1":
                    return WeakShape.Of(own, type);
                case "System.Linq.Lookup`2":
                    return Lookup.Of(type);
                case "System.Linq.Grouping`2":
                    return Group.Of(type);
                case "System.Collections.Generic.KeyValuePair`2":
                    return Pair.Of(type, "key", "value");
                case "System.Collections.DictionaryEntry":
                    return Pair.Of(type, "_key", "_value");
                case "System.Memory`1":
                case "System.ReadOnlyMemory`1":
                    return MemoryShape.Of(type);
                case "System.Buffers.ReadOnlySequence`1":
                    return SequenceShape.Of(type);
                case "System.Buffers.ReadOnlySequenceSegment`1":
                    return SegmentShape.Of(type);
                case "System.Threading.Tasks.Task":
                case "System.Threading.Tasks.Task`1":
                    return TaskShape.Of(type);
                case "System.Threading.Tasks.ValueTask":
                case "System.Threading.Tasks.ValueTask`1":
                    return ValueTaskShape.Of(type);
                case "System.Threading.SemaphoreSlim":
                    return Fields.Chosen(own, type, "m_currentCount=CurrentCount");
                case "System.Runtime.CompilerServices.StrongBox`1":
                    return Fields.Chosen(own, type, "Value");
                case "System.Globalization.CultureInfo":
                    return Fields.Chosen(own, type, "_name|m_name=Name");
                case "System.TimeZoneInfo":
                    return Fields.Chosen(own, type, "_id=Id");
                case "System.Text.Encoding":
                    return Fields.Chosen(own, type, "_codePage|m_codePage=CodePage");
                case "System.Text.RegularExpressions.Regex":
                    return Fields.Chosen(own, type, "pattern=Pattern roptions=Options");
                case "System.IO.FileSystemInfo":
                    return Fields.Chosen(own, type, "FullPath=FullName");
                case "System.Net.Http.HttpMethod":
                    return Fields.Chosen(own, type, "_method|method=Method");
                case "System.Net.Mail.MailAddress":
                    return Fields.Chosen(own, type, "_displayName=DisplayName _userName=User _host=Host");
                case "System.Numerics.Complex":
                    return Fields.Chosen(own, type, "m_real=Real m_imaginary=Imaginary");
                case "System.Lazy`1":
                    return LazyShape.Of(type);
                case "System.Threading.CancellationToken":
                case "System.Threading.CancellationTokenSource":
                    return Format.IsCoreLibrary(type) ? new CancellationShape(own) : null;
                case "System.Net.IPAddress":
                    return AddressShape.Of(type);
                case "System.Net.IPEndPoint":
                    return EndPointShape.Of(type);
                case "System.Uri":
                    return UriShape.Of(type);
                case "System.Index":
                    return IndexShape.Of(type);
                case "System.Range":
                    return RangeShape.Of(type);
                case "System.Numerics.BigInteger":
                    return BigNumber.Of(type);
                case "System.ValueTuple":
                    return new TupleShape(type);
                default:
                    return name.StartsWith("System.Tuple`", StringComparison.Ordinal) ||
                           name.StartsWith("System.ValueTuple`", StringComparison.Ordinal)
                        ? new TupleShape(type)
                        : null;
            }
        }
    }

    static class Layout
    {
        internal const BindingFlags Declared = Format.InstanceFields | BindingFlags.DeclaredOnly;

        internal static Member[] Fields(Type type)
        {
            return Member.All(type.GetFields(Declared));
        }

        // Those of base classes before its own; but none of classes that the core library has.
        internal static Member[] Members(Type type)
        {
            Member[] own = Format.IsCoreLibrary(type) && !type.IsValueType ? new Member[0] : Fields(type);
            if (type.IsValueType || type.BaseType == null)
            {
                return own;
            }
            Member[] inherited = Members(type.BaseType);
            if (inherited.Length == 0)
            {
                return own;
            }
            Member[] all = new Member[inherited.Length + own.Length];
            inherited.CopyTo(all, 0);
            own.CopyTo(all, inherited.Length);
            return all;
        }

        // The field that the type itself, or else a base class, has under one of the names.
        internal static FieldInfo Find(Type type, string names)
        {
            string[] each = names.Split(' ');
            for (; type != null; type = type.BaseType)
            {
                for (int i = 0; i < each.Length; i++)
                {
                    FieldInfo field = type.GetField(each[i], Declared) ?? Beginning(type, each[i]);
                    if (field != null)
                    {
                        return field;
                    }
                }
            }
            return null;
        }

        // Of F# classes: tree@ is what tree@690 is in the source.
        static FieldInfo Beginning(Type type, string name)
        {
            FieldInfo[] fields = name[name.Length - 1] == '@' ? type.GetFields(Declared) : new FieldInfo[0];
            for (int i = 0; i < fields.Length; i++)
            {
                if (fields[i].Name.StartsWith(name, StringComparison.Ordinal))
                {
                    return fields[i];
                }
            }
            return null;
        }

        // The same, but only one of this type or a type derived from it.
        internal static FieldInfo Find(Type type, string names, Type of)
        {
            FieldInfo field = names == null ? null : Find(type, names);
            return field != null && of.IsAssignableFrom(field.FieldType) ? field : null;
        }

        internal static int Number(FieldInfo field, object holder)
        {
            return field == null ? 0 : (int)field.GetValue(holder);
        }
    }
}
