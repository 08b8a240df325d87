// Referenced assemblies, which the caller finds and the library asks for (struct ilp_resolver).
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.ExceptionServices;

namespace Ilpatch;

/// <summary>Finds referenced assemblies, for <see cref="InspectOptions.Resolve"/>.</summary>
public static class References
{
    /// <summary>Looks for NAME.dll and NAME.exe in these folders, in their order.</summary>
    public static Func<AssemblyName, byte[]?> InFolders(params string[] folders) => name =>
        folders.SelectMany(folder => new[] { ".dll", ".exe" }.Select(ending => Path.Combine(folder, name.Name + ending)))
            .Where(File.Exists).Select(File.ReadAllBytes).FirstOrDefault();
}

/// <summary>The images of referenced assemblies, each opened once and kept until all that uses them is closed.</summary>
internal sealed unsafe class OpenReferences : IDisposable
{
    private readonly Func<AssemblyName, byte[]?> find;
    private readonly Dictionary<string, ImageHandle?> images = new(StringComparer.OrdinalIgnoreCase);
    private readonly Native.OpenCallback open;
    private ExceptionDispatchInfo? thrown;

    internal OpenReferences(Func<AssemblyName, byte[]?> find)
    {
        this.find = find;
        open = Open;
        Resolver = new Native.Resolver { Open = System.Runtime.InteropServices.Marshal.GetFunctionPointerForDelegate(open) };
    }

    internal Native.Resolver Resolver { get; }

    /// <summary>What the caller's function has thrown, which must not pass the library's frames.</summary>
    internal void Rethrow() => thrown?.Throw();

    public void Dispose()
    {
        GC.KeepAlive(open);
        foreach (ImageHandle? image in images.Values)
        {
            image?.Dispose();
        }
    }

    private IntPtr Open(IntPtr user, Native.AssemblyIdentity* identity)
    {
        try
        {
            // By the simple name: types are equal if their image is, whatever version a reference names.
            string name = Native.Text(identity->Name);
            if (!images.TryGetValue(name, out ImageHandle? image))
            {
                images[name] = image = thrown == null ? Open(Name(name, identity)) : null;
            }
            return image?.DangerousGetHandle() ?? IntPtr.Zero;
        }
        catch (Exception e)
        {
            thrown ??= ExceptionDispatchInfo.Capture(e);
            return IntPtr.Zero;
        }
    }

    private ImageHandle? Open(AssemblyName name)
    {
        byte[]? bytes = find(name);
        if (bytes == null)
        {
            return null;
        }
        ImageHandle image = ImageHandle.Open(bytes, name.Name);
        Native.Error error;
        Status status = Native.ilp_image_index(image, &error);
        if (status != Status.Ok)
        {
            image.Dispose();
        }
        Native.Check(status, error);
        return image;
    }

    private static AssemblyName Name(string simple, Native.AssemblyIdentity* identity)
    {
        ushort* version = identity->Version;
        AssemblyName name = new()
        {
            Name = simple,
            Version = new Version(version[0], version[1], version[2], version[3]),
            CultureName = Native.Text(identity->Culture),
        };
        byte[] key = identity->Key.Copy();
        if ((identity->Flags & 1) != 0)
        {
            name.SetPublicKey(key);
        }
        else
        {
            name.SetPublicKeyToken(key);
        }
        return name;
    }
}
