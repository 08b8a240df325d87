// Prints the size that the runtime gives to every value type that some files name; sizes.c prints what ilpatch
// says, without the names.
//
//   Facts folder           where the runtime's own assemblies are
//   Facts sizes FILE...    "File.dll 04000123 16 System.Guid", for closed value types only
//
// The types below are compared, too: C# has words for most that can be strange about a layout.
using System;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Loader;

static class Sizes
{
    public static void PrintFolder() => Console.WriteLine(Path.GetDirectoryName(typeof(object).Assembly.Location));

    public static void Print(string[] files)
    {
        var paths = files.ToLookup(file => Path.GetFileNameWithoutExtension(file));
        AssemblyLoadContext.Default.Resolving += (context, name) =>
            paths.Contains(name.Name) ? context.LoadFromAssemblyPath(Path.GetFullPath(paths[name.Name].First())) : null;
        using var output = new StreamWriter(Console.OpenStandardOutput());
        foreach (string file in files) {
            using var pe = new PEReader(File.OpenRead(file));
            if (!pe.HasMetadata) {
                continue;
            }
            string path = Path.GetFullPath(file);
            Assembly core = typeof(object).Assembly; // cannot be loaded once more
            Module module = (path == core.Location ? core : AssemblyLoadContext.Default.LoadFromAssemblyPath(path))
                .ManifestModule;
            MetadataReader reader = pe.GetMetadataReader();
            PrintTable(output, file, reader, TableIndex.TypeDef, token => module.ResolveType(token));
            PrintTable(output, file, reader, TableIndex.TypeSpec, token => module.ResolveType(token));
            PrintTable(output, file, reader, TableIndex.Field, token => module.ResolveField(token).FieldType);
            PrintTable(output, file, reader, TableIndex.MethodDef,
                       token => (module.ResolveMethod(token) as MethodInfo)?.ReturnType);
        }
    }

    static void PrintTable(StreamWriter output, string file, MetadataReader reader, TableIndex table,
                           Func<int, Type> typeOf)
    {
        for (int row = 1; row <= reader.GetTableRowCount(table); row++) {
            int token = (int)table << 24 | row;
            try {
                Type type = typeOf(token);
                if (type is { IsValueType: true, ContainsGenericParameters: false } && type != typeof(void)) {
                    int size = RuntimeHelpers.SizeOf(type.TypeHandle);
                    output.WriteLine($"{Path.GetFileName(file)} {token:X8} {size} {type}");
                }
            } catch (Exception e) when (e is TypeLoadException or MissingMemberException or BadImageFormatException
                                             or ArgumentException or FileNotFoundException
                                             or InvalidProgramException or NotSupportedException) {
                // an open TypeSpec, or a type that this runtime does not load
            }
        }
    }
}

#pragma warning disable CS0169, CS0649, CS9184
namespace Layouts
{
    enum OfByte : byte {}
    enum OfLong : long {}
    struct Empty {}
    struct Three { byte a, b, c; }
    struct LongByte { long a; byte b; }
    struct Reference { object a; byte b; }
    struct Inner { Three a; LongByte b; OfByte c; OfLong d; Empty e; }
    struct Date { byte a; DateTime b; byte c; }

    [StructLayout(LayoutKind.Sequential, Pack = 1)] struct Pack1 { byte a; long b; short c; }
    [StructLayout(LayoutKind.Sequential, Pack = 2)] struct Pack2 { byte a; long b; byte c; }
    [StructLayout(LayoutKind.Sequential, Pack = 4)] struct Pack4 { byte a; Int128 b; byte c; }
    [StructLayout(LayoutKind.Sequential, Pack = 128)] struct Pack128 { byte a; Vector512<int> b; }
    [StructLayout(LayoutKind.Sequential, Pack = 1)] struct Pack1Reference { byte a; object b; short c; }
    [StructLayout(LayoutKind.Sequential, Size = 5)] struct Size5 { int a; }
    [StructLayout(LayoutKind.Sequential, Size = 1)] struct Size1 { long a; int b; byte c; }
    [StructLayout(LayoutKind.Sequential, Size = 3)] struct SizeEmpty {}
    [StructLayout(LayoutKind.Sequential, Size = 50)] struct SizeReference { object a; }
    [StructLayout(LayoutKind.Sequential, Size = (1 << 20) + 1)] struct Large { byte a; }
    struct HoldsSizes { Size5 a; Size1 b; byte c; Size5 d; Pack2 e; Pack1 f; }

    [StructLayout(LayoutKind.Explicit)] struct Union { [FieldOffset(0)] int a; [FieldOffset(0)] double b; }
    [StructLayout(LayoutKind.Explicit)] struct Shifted { [FieldOffset(1)] int a; }
    [StructLayout(LayoutKind.Explicit, Pack = 1)] struct ShiftedPack1 { [FieldOffset(1)] int a; }
    [StructLayout(LayoutKind.Explicit)] struct ExplicitEmpty {}
    [StructLayout(LayoutKind.Explicit, Size = 3)] struct ExplicitSize {}
    [StructLayout(LayoutKind.Explicit, Size = 2)] struct ExplicitSmall { [FieldOffset(0)] long a; [FieldOffset(8)] byte b; }
    [StructLayout(LayoutKind.Explicit, Size = 9)] struct ExplicitReference { [FieldOffset(0)] object a; }
    [StructLayout(LayoutKind.Explicit, Pack = 1)]
    struct ExplicitReference1 { [FieldOffset(0)] object a; [FieldOffset(8)] byte b; }
    struct HoldsExplicit { byte a; ShiftedPack1 b; ExplicitReference1 c; ExplicitSmall d; byte e; }

    [StructLayout(LayoutKind.Auto)] struct Auto { byte a; long b; byte c; short d; int e; object f; }
    [StructLayout(LayoutKind.Auto, Size = 50)] struct AutoSize { long a; byte b; }
    [StructLayout(LayoutKind.Auto)] struct AutoSmall { byte a, b, c; }
    [StructLayout(LayoutKind.Auto)] struct AutoShorts { byte a; short b, c; }
    [StructLayout(LayoutKind.Auto)] struct AutoEmpty {}
    [StructLayout(LayoutKind.Auto)] struct AutoStructs { Three a; byte b; Reference c; LongByte d; Three e; }
    [StructLayout(LayoutKind.Auto)] struct AutoNoScalar { Three a; Three b; Three c; Three d; }
    [StructLayout(LayoutKind.Auto)] struct AutoUnaligned { Pack1 a; Int128 b; byte c; }
    [StructLayout(LayoutKind.Auto)] struct AutoHandles { RuntimeFieldHandle a; byte b; Three c; byte d; }
    [StructLayout(LayoutKind.Auto)] struct AutoNested { AutoSmall a; AutoShorts b; AutoSmall c; AutoNoScalar d; }
    struct HoldsAuto { byte a; AutoSmall b; byte c; AutoShorts d; AutoEmpty e; AutoUnaligned f; }
    struct SequentialReference { byte a; Three b; object c; AutoSmall d; Int128 e; Reference f; short g; }

    [InlineArray(3)] struct Bytes3 { byte a; }
    [InlineArray(3)] struct Objects3 { object a; }
    [InlineArray(3)] struct References3 { Reference a; }
    [InlineArray(5)] struct Of<T> { T a; }
    [InlineArray(3), StructLayout(LayoutKind.Auto)] struct AutoBytes3 { byte a; }
    [InlineArray(8), StructLayout(LayoutKind.Auto)] struct AutoBytes8 { byte a; }
    [InlineArray(2), StructLayout(LayoutKind.Auto)] struct AutoObjects2 { object a; }
    struct HoldsArrays { byte a; Bytes3 b; short c; References3 d; AutoObjects2 e; }
    struct HoldsAutoArray { byte a; AutoBytes8 b; }
    [StructLayout(LayoutKind.Auto)] struct AutoHoldsArray { byte a; AutoBytes8 b; }

    struct Wide { byte a; Int128 b; }
    struct Wide64 { byte a; Vector64<byte> b; }
    struct Wide128 { byte a; Vector128<byte> b; }
    struct Wide256 { byte a; Vector256<byte> b; }
    struct Wide512 { byte a; Vector512<byte> b; }
    struct WideReference { object a; UInt128 b; }
    struct Machine { byte a; Vector<int> b; }

    unsafe struct Pointers { byte a; void* b; delegate*<int, void> c; nint d; nuint e; }
    ref struct Refs { byte a; ref int b; Span<byte> c; byte d; }
    [StructLayout(LayoutKind.Auto)] ref struct AutoRefs { byte a; ref int b; Span<byte> c; byte d; Refs e; }

    struct Pair<T, U> { T a; U b; byte c; }
    struct Twice<T> { T a; Pair<T, byte> b; Nullable<int> c; }
    struct Cycle { System.Collections.Immutable.ImmutableArray<Cycle> a; Nullable<byte> b; }
    struct Tree { System.Collections.Immutable.ImmutableArray<Tree> a, b; Pair<Empty, Tree[]> c; }
    class Outer<T> { public struct Inside { public T a; public Part b; public byte c; } public enum Part : short {} }
    class Fields
    {
        Pair<byte, byte> a;
        Pair<byte, object> b;
        Pair<Three, Nullable<long>> c;
        Twice<Twice<short>> d;
        Twice<Pair<object, OfByte>> e;
        Of<int> f;
        Of<string> g;
        Of<Of<Bytes3>> h;
        Outer<byte>.Inside i;
        Outer<Reference>.Inside j;
        Outer<int>.Part k;
        (bool, int?) l;
        (byte, byte?, object) m;
        (int, Int128, Three, DateTimeOffset, Guid, decimal, Vector3, Half, Range) n;
        Nullable<Int128> o;
        System.Collections.Generic.Dictionary<Three, DateTime>.Enumerator p;
    }
}
