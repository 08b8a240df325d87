// Objects of the library as SafeHandles: each is closed once, and not while a call uses it or while another object borrows from it.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Ilpatch;

internal abstract unsafe class NativeHandle : SafeHandle
{
    private List<SafeHandle>? lenders;
    private List<GCHandle>? pins;

    protected NativeHandle() : base(IntPtr.Zero, true) { }

    public override bool IsInvalid => handle == IntPtr.Zero;

    protected abstract void Close(IntPtr pointer);

    /// <summary>What this object borrows from stays open until this is closed, also when both are finalized, in whatever order.</summary>
    internal void BorrowFrom(SafeHandle lender)
    {
        bool added = false;
        lender.DangerousAddRef(ref added);
        (lenders ??= new()).Add(lender);
    }

    /// <summary>Bytes that stay where they are until this is closed.</summary>
    internal Native.Bytes Pin(byte[] bytes)
    {
        GCHandle pin = GCHandle.Alloc(bytes, GCHandleType.Pinned);
        (pins ??= new()).Add(pin);
        return new Native.Bytes { Data = (byte*)pin.AddrOfPinnedObject(), Size = (nuint)bytes.Length };
    }

    /// <summary>Takes what an open function made. After a failure there is nothing to close, but what is held goes.</summary>
    internal void Take(Status status, IntPtr pointer, in Native.Error error)
    {
        if (status == Status.Ok)
        {
            SetHandle(pointer);
            return;
        }
        Release();
        SetHandleAsInvalid();
        throw new IlpatchException(status, error);
    }

    protected override bool ReleaseHandle()
    {
        Close(handle);
        Release();
        return true;
    }

    private void Release()
    {
        lenders?.ForEach(lender => lender.DangerousRelease());
        pins?.ForEach(pin => pin.Free());
        lenders = null;
        pins = null;
    }
}

internal sealed unsafe class ImageHandle : NativeHandle
{
    protected override void Close(IntPtr pointer) => Native.ilp_image_close(pointer);

    internal static ImageHandle Open(byte[] bytes, string? name)
    {
        ImageHandle image = new();
        Native.Error error;
        Status status = Native.ilp_image_open(out IntPtr pointer, image.Pin(bytes), 0, name == null ? null : Native.Text(name), IntPtr.Zero, &error);
        image.Take(status, pointer, error);
        return image;
    }
}

internal sealed unsafe class ArenaHandle : NativeHandle
{
    protected override void Close(IntPtr pointer) => Native.ilp_arena_close(pointer);

    internal static ArenaHandle Open()
    {
        ArenaHandle arena = new();
        Native.Error error;
        Status status = Native.ilp_arena_open(out IntPtr pointer, IntPtr.Zero, &error);
        arena.Take(status, pointer, error);
        return arena;
    }
}

internal sealed unsafe class EditHandle : NativeHandle
{
    protected override void Close(IntPtr pointer) => Native.ilp_edit_close(pointer);

    internal static EditHandle Open(ImageHandle image)
    {
        EditHandle edit = new();
        Native.Error error;
        edit.BorrowFrom(image);
        Status status = Native.ilp_edit_open(out IntPtr pointer, image, IntPtr.Zero, &error);
        edit.Take(status, pointer, error);
        return edit;
    }
}

internal sealed unsafe class SymbolsHandle : NativeHandle
{
    protected override void Close(IntPtr pointer) => Native.ilp_symbols_close(pointer);

    /// <summary>The PDB of the image: these bytes, or the one that is embedded.</summary>
    internal static SymbolsHandle Open(ImageHandle image, byte[]? pdb)
    {
        SymbolsHandle symbols = new();
        Native.Error error;
        symbols.BorrowFrom(image);
        Status status = Native.ilp_symbols_open(out IntPtr pointer, image, pdb == null ? default : symbols.Pin(pdb), IntPtr.Zero, &error);
        symbols.Take(status, pointer, error);
        return symbols;
    }
}

internal sealed unsafe class InspectorHandle : NativeHandle
{
    protected override void Close(IntPtr pointer) => Native.ilp_inspector_close(pointer);

    internal static InspectorHandle Open(byte[] assembly)
    {
        using ImageHandle image = ImageHandle.Open(assembly, null);
        InspectorHandle inspector = new();
        Native.Error error;
        inspector.BorrowFrom(image);
        Status status = Native.ilp_inspector_open(out IntPtr pointer, image, IntPtr.Zero, &error);
        inspector.Take(status, pointer, error);
        return inspector;
    }

    internal static InspectorHandle Open(in Native.NativeFunction function)
    {
        InspectorHandle inspector = new();
        Native.Error error;
        fixed (Native.NativeFunction* native = &function)
        {
            Status status = Native.ilp_inspector_open_native(out IntPtr pointer, native, IntPtr.Zero, &error);
            inspector.Take(status, pointer, error);
        }
        return inspector;
    }
}

internal sealed unsafe class RulesHandle : NativeHandle
{
    protected override void Close(IntPtr pointer) => Native.ilp_rules_close(pointer);

    internal static RulesHandle Open()
    {
        RulesHandle rules = new();
        Native.Error error;
        Status status = Native.ilp_rules_open(out IntPtr pointer, IntPtr.Zero, &error);
        rules.Take(status, pointer, error);
        return rules;
    }
}

/// <summary>Handles whose pointers a call has in its structs: none of them is closed before the end of the call.</summary>
internal sealed class Held : IDisposable
{
    private readonly Stack<SafeHandle> handles = new();

    internal IntPtr Hold(SafeHandle handle)
    {
        bool added = false;
        handle.DangerousAddRef(ref added);
        handles.Push(handle);
        return handle.DangerousGetHandle();
    }

    public void Dispose()
    {
        while (handles.Count > 0)
        {
            handles.Pop().DangerousRelease();
        }
    }
}
