// The shape for the values of a type: one class for each kind of Known.cs; and the names that the
// fields have on each runtime.

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
        // Does not keep alive a type that the program can unload.
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

        // Created before the look-up in the table: Mono calls the factory with its lock held, and
        // reflection has locks, too.
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
                Shape shape = OfKnown(type, at);
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

        // Members are called only on types of the core library: they do not call the program.
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

        // Null if the type is not in the table, or lacks the expected fields. `own` is the value's
        // type, which may be derived from `type`.
        static Shape OfKnown(Type own, Type type)
        {
            string row = Layout.Row(type);
            if (row == null)
            {
                return IsTuple(type.FullName) ? new TupleShape(type) : null;
            }
            Shape shape = null;
            string[] forms = row.Split('|');
            for (int i = 0; i < forms.Length && shape == null; i++)
            {
                shape = OfKind(own, type, forms[i].Split(' ')[0], Layout.Names(forms[i]));
            }
            return shape;
        }

        static bool IsTuple(string name)
        {
            return name == "System.ValueTuple" || name.StartsWith("System.Tuple`", StringComparison.Ordinal) ||
                   name.StartsWith("System.ValueTuple`", StringComparison.Ordinal);
        }

        // `f`: the names of the fields, in the order of src/values/known.def.
        static Shape OfKind(Type own, Type type, string kind, string[] f)
        {
            switch (kind)
            {
                case "LIST":
                    return Slice.Of(type, f[0], null, f[1]);
                case "QUEUE":
                case "SEGMENT":
                    return Slice.Of(type, f[0], f[2], f[1]);
                case "WHOLE":
                    return Slice.Of(type, f[0], null, null);
                case "WRAPPER":
                    return Wrapper.Of(type, f[0]);
                case "EITHER":
                    return Either.Of(type, f[0], f[1]);
                case "TREE":
                    return Tree.Of(type, f[0], "_key Item", null, null);
                case "TREE_OF_PAIRS":
                    return Tree.Of(type, f[0], "_key", "_value", null);
                case "TREE_OF_BUCKETS":
                    return Tree.Of(type, f[0], "_firstValue", null, "_value");
                case "TREE_WITH_LEAVES":
                    return TreeWithLeaves.Of(type, f[0], "Microsoft.FSharp.Collections.SetTreeNode`1", false);
                case "TREE_OF_PAIRS_WITH_LEAVES":
                    return TreeWithLeaves.Of(type, f[0], "Microsoft.FSharp.Collections.MapTreeNode`2", true);
                case "CHAIN":
                    return Chain.Of(type, f[0], f[1]);
                case "TWO_CHAINS":
                    return TwoChains.Of(type, f);
                case "LINKED":
                    return LinkedNodes.Of(type, f);
                case "BUCKETS":
                    return Buckets.Of(type, f[0]);
                case "SEGMENTS":
                    return Segments.Of(type, f[0]) ?? Bag.Of(type, f[0]);
                case "TABLE":
                    return Table.Of(type, f);
                case "KEYS":
                    return HalfTable.Of(type, f[0], Table.Keys);
                case "VALUES":
                    return HalfTable.Of(type, f[0], Table.Values);
                case "OLD_TABLE":
                    return OldTable.Of(type, f);
                case "ENTRIES":
                    return Entries.Of(type, f[0]);
                case "PAIR":
                    return Pair.Of(type, f[0], f[1]);
                case "LOOKUP":
                    return Lookup.Of(type, f);
                case "GROUP":
                    return Group.Of(type, f);
                case "TWO_ARRAYS":
                    return TwoArrays.Of(type, null, f[0], f[1], f.Length > 2 ? f[2] : null);
                case "HASHED":
                    return f.Length > 1 ? TwoArrays.Of(type, Layout.Find(type, f[0]), "HashCodes", f[1], null)
                        : Slice.Of(type, Layout.Find(type, f[0]), "HashCodes", null, null);
                case "NO_ELEMENTS":
                    return new Nothing();
                case "BITS":
                    return Bits.Of(type, f);
                case "JSON_DOCUMENT":
                    return JsonDocumentShape.Of(type, f);
                case "JSON_ELEMENT":
                    return JsonElementShape.Of(type, f);
                case "JSON_PROPERTY":
                    return JsonPropertyShape.Of(type, f[0]);
                case "MEMORY":
                    return MemoryShape.Of(type, f);
                case "SEQUENCE":
                    return SequenceShape.Of(type, f);
                case "SEQUENCE_SEGMENT":
                    return SegmentShape.Of(type, f);
                case "FIELDS":
                    return Fields.Chosen(own, type, f);
                case "TASK":
                    return TaskShape.Of(type, f);
                case "VALUE_TASK":
                    return ValueTaskShape.Of(type, f);
                case "LAZY":
                    return LazyShape.Of(type, f);
                case "CANCELLATION":
                    return Format.IsCoreLibrary(type) ? new CancellationShape(own) : null;
                case "WEAK":
                    return WeakShape.Of(own, type, f[0]);
                case "URI":
                    return UriShape.Of(type, f);
                case "INDEX":
                    return IndexShape.Of(type, f[0]);
                case "RANGE":
                    return RangeShape.Of(type, f);
                case "BIG_INTEGER":
                    return BigNumber.Of(type, f[1]);
                case "ADDRESS":
                    return AddressShape.Of(type, f);
                case "END_POINT":
                    return EndPointShape.Of(type, f);
                case "LINK":            // parts of other shapes
                case "SLOTS":
                case "THREAD_SLOTS":
                default:
                    return null;
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

        // Those of base classes before its own, except classes of the core library.
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

        // The fields of a form, and of the first form of a type.
        internal static string[] Names(string form)
        {
            int kind = form.IndexOf(' ');
            return kind < 0 ? new string[0] : form.Substring(kind + 1).Split(' ');
        }

        internal static string[] Names(Type type)
        {
            return Names((Row(type) ?? "").Split('|')[0]);
        }

        // Null: not in Known.cs.
        internal static string Row(Type type)
        {
            string all = Known.Table(), name = (type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName;
            string space = type.Namespace ?? "";
            int block = all.IndexOf("\n\n" + space + "\n", StringComparison.Ordinal);
            if (block < 0)
            {
                return null;
            }
            block += space.Length + 2;
            name = "\n" + name.Substring(space.Length == 0 ? 0 : space.Length + 1) + " ";
            int row = all.IndexOf(name, block, all.IndexOf("\n\n", block, StringComparison.Ordinal) - block, StringComparison.Ordinal);
            return row < 0 ? null : all.Substring(row + name.Length, all.IndexOf('\n', row + 1) - row - name.Length);
        }

        // The first field with one of the names, of the type or its base classes.
        internal static FieldInfo Find(Type type, string names)
        {
            string[] each = names.Split(' ');
            for (; type != null; type = type.BaseType)
            {
                for (int i = 0; i < each.Length; i++)
                {
                    FieldInfo field = Spelled(type, each[i]);
                    if (field != null)
                    {
                        return field;
                    }
                }
            }
            return null;
        }

        // _name on CoreCLR is m_name or name on Mono and .NET Framework, or the field of an
        // automatic property.
        static FieldInfo Spelled(Type type, string name)
        {
            FieldInfo field = type.GetField(name, Declared) ?? type.GetField("<" + name + ">k__BackingField", Declared) ?? Beginning(type, name);
            return field != null || name[0] != '_' ? field
                : type.GetField("m" + name, Declared) ?? type.GetField(name.Substring(1), Declared);
        }

        // Of F# classes: tree@ finds tree@690, which has the line in its name.
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

        // The same, but only one of this type or a derived one.
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
