// The functions and structs of include/ilpatch.h that the wrapper uses. Sizes and offsets are compared with the header by tests/packages/structs.c:
// a struct here has the header's members in their order, and a C bool is a byte. Members that the wrapper leaves zero have the header's names, too.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Ilpatch;

internal static unsafe class Native
{
    private const string Library = "libilpatch";
    private const CallingConvention C = CallingConvention.Cdecl;

    [StructLayout(LayoutKind.Sequential)]
    internal struct Bytes
    {
        internal byte* Data;
        internal nuint Size;

        internal readonly byte[] Copy()
        {
            byte[] copy = new byte[checked((int)Size)];
            if (copy.Length != 0)
            {
                Marshal.Copy((IntPtr)Data, copy, 0, copy.Length);
            }
            return copy;
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Error
    {
        internal Status Status;
        internal ulong Offset;
        internal uint Token, Line, Column;
        internal fixed byte Message[240];
        internal fixed ulong Reserved[2];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct AssemblyIdentity
    {
        internal byte* Name, Culture;
        internal fixed ushort Version[4];
        internal uint Flags;
        internal Bytes Key;
        internal fixed ulong Reserved[2];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Resolver
    {
        internal IntPtr User, Open, OpenModule, OpenSymbols;
        private readonly IntPtr reserved0, reserved1, reserved2, reserved3;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Request
    {
        internal IntPtr* Inspectors;
        internal nuint InspectorCount;
        internal IntPtr StandIn, OffSwitches, Rules;
        internal Resolver* Resolver;
        internal IntPtr Allocator;
        internal uint Target, ModuleNumber;
        internal byte Embed;
        internal IntPtr Symbols;
        internal uint Threads;
        internal fixed ulong Reserved[8];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Report
    {
        internal IntPtr User, Method;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Sink
    {
        internal IntPtr User, Write;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct MethodResult
    {
        internal Reason Reason;
        internal fixed byte Detail[240];
        internal uint Rule, Rets, Inspected, Already, TailCalls, Stripped, Unreachable;
        internal IntPtr TailSites;
        internal nuint TailSiteCount;
        internal uint Jumps;
        internal byte Boxed, Passes;
        internal long Id;
        internal byte Nameless, Arguments, AtEnd;
        internal uint Withheld;
        internal IntPtr WithoutArguments;
        internal byte ByNative, Thread, Replaces, Moved, Exceptions;
        internal IntPtr WithoutExceptions;
        internal Bytes Value;
        internal IntPtr Passed;
        internal uint PassedCount, OldSize;
        internal Bytes Body;
        internal fixed ulong Reserved[8];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct SymbolsInfo
    {
        internal SymbolsKind Kind;
        internal fixed byte Id[20];
        internal Bytes Path;
        internal fixed ulong Reserved[4];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct SymbolsLink
    {
        internal fixed byte Id[20];
        internal Bytes Path, Embedded, Checksum;
        internal fixed ulong Reserved[4];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct WriteOptions
    {
        internal StrongName StrongName;
        internal Bytes Key;
        internal WriteLayout Layout;
        internal SymbolsEntries Symbols;
        internal SymbolsLink* Link;
        internal fixed ulong Reserved[8];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct WriteInfo
    {
        internal ulong Size;
        internal byte HeadersGrown, SectionExtended, SymbolsDropped, SymbolsUpdated, SymbolsStale, CertificateDropped, NativeCodeDropped;
        internal byte* BoundTo;
        internal byte MvidKept, Compacted;
        internal StrongNameState StrongName;
        internal Error NotCompacted;
        internal fixed ulong Reserved[8];
    }

    // Of struct ilp_native no member is used: it is passed on from ilp_rules_native() to ilp_inspector_open_native().
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeFunction
    {
        private fixed ulong members[20];
    }

    [UnmanagedFunctionPointer(C)]
    internal delegate Status WriteCallback(IntPtr user, byte* bytes, nuint size);

    [UnmanagedFunctionPointer(C)]
    internal delegate Status MethodCallback(IntPtr user, uint method, MethodResult* result, Error* error);

    [UnmanagedFunctionPointer(C)]
    internal delegate IntPtr OpenCallback(IntPtr user, AssemblyIdentity* name);

    [DllImport(Library, CallingConvention = C)] internal static extern byte* ilp_version();
    [DllImport(Library, CallingConvention = C)] internal static extern uint ilp_version_number();
    [DllImport(Library, CallingConvention = C)] internal static extern byte* ilp_status_name(Status status);
    [DllImport(Library, CallingConvention = C)] internal static extern byte* ilp_status_text(Status status);
    [DllImport(Library, CallingConvention = C)] internal static extern StatusClass ilp_status_class(Status status);
    [DllImport(Library, CallingConvention = C)] internal static extern byte* ilp_reason_code(Reason reason);
    [DllImport(Library, CallingConvention = C)] internal static extern byte* ilp_reason_text(Reason reason);
    [DllImport(Library, CallingConvention = C)] internal static extern ReasonKind ilp_reason_kind(Reason reason);

    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_image_open(out IntPtr image, Bytes bytes, int layout, byte[]? name, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_image_index(ImageHandle image, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_image_close(IntPtr image);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_image_symbols(ImageHandle image, SymbolsInfo* info);

    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_arena_open(out IntPtr arena, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_arena_reset(ArenaHandle arena);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_arena_close(IntPtr arena);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_method_name_text(ImageHandle image, uint method, ArenaHandle arena, out byte* text, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_method_text(ImageHandle image, uint method, ArenaHandle arena, out byte* text, Error* error);

    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_rules_open(out IntPtr rules, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_rules_add(RulesHandle rules, Bytes xml, byte[] file, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern uint ilp_rules_count(RulesHandle rules);
    [DllImport(Library, CallingConvention = C)] internal static extern byte* ilp_rules_inspector(RulesHandle rules, uint index, out byte* file);
    [DllImport(Library, CallingConvention = C)] internal static extern byte ilp_rules_native(RulesHandle rules, uint index, NativeFunction* native);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_rules_close(IntPtr rules);

    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_inspector_open(out IntPtr inspector, ImageHandle assembly, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_inspector_open_native(out IntPtr inspector, NativeFunction* native, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_inspector_close(IntPtr inspector);

    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_edit_open(out IntPtr edit, ImageHandle image, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern byte ilp_edit_is_empty(EditHandle edit);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_inspect_returns(ImageHandle image, EditHandle edit, Request* request, Report* report, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_edit_write(EditHandle edit, WriteOptions* options, Sink* sink, WriteInfo* info, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_edit_close(IntPtr edit);

    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_symbols_open(out IntPtr symbols, ImageHandle image, Bytes pdb, IntPtr allocator, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern Status ilp_symbols_write(SymbolsHandle symbols, EditHandle edit, Bytes* pdb, SymbolsLink* link, Error* error);
    [DllImport(Library, CallingConvention = C)] internal static extern void ilp_symbols_close(IntPtr symbols);

    /// <summary>A text of the library. Names of damaged files may hold any bytes, which become U+FFFD.</summary>
    internal static string Text(byte* text)
    {
        int length = 0;
        while (text != null && text[length] != 0)
        {
            length++;
        }
        return length == 0 ? "" : Encoding.UTF8.GetString(text, length);
    }

    /// <summary>A text for the library: UTF-8 with a NUL.</summary>
    internal static byte[] Text(string text) => Encoding.UTF8.GetBytes(text + "\0");

    /// <summary>Throws what a function that returned <paramref name="status"/> wrote into its error.</summary>
    internal static void Check(Status status, in Error error)
    {
        if (status != Status.Ok)
        {
            throw new IlpatchException(status, error);
        }
    }
}
