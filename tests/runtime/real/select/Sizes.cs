// How many bytes the structs have that methods return, queried from the runtime: the assembly is loaded, and the types
// are instantiated. A type that holds values of its own type parameters has no size before it is instantiated.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

// Bytes is null where there is no one size. InDoubt: whether there is one is not known; it is Bytes, if any.
record struct Size(int? Bytes, bool InDoubt = false);

class Sizes
{
    readonly Module module;
    readonly Dictionary<Type, Size> known = new();

    // Reads nothing of assemblies that are not for this runtime.
    public Sizes(string path, bool load)
    {
        if (!load) {
            return;
        }
        string folder = Path.GetDirectoryName(path);
        AssemblyLoadContext.Default.Resolving += (context, name) => {
            string beside = Path.Combine(folder, name.Name + ".dll");
            return File.Exists(beside) ? context.LoadFromAssemblyPath(beside) : null;
        };
        module = AssemblyLoadContext.Default.LoadFromAssemblyPath(path).ManifestModule;
    }

    public Size OfReturn(Subject subject)
    {
        if (module == null) {
            return new Size(null, true);
        }
        Type type;
        try {
            type = ((MethodInfo)module.ResolveMethod(subject.Token)).ReturnType;
        } catch (Exception e) when (e is IOException or TypeLoadException or BadImageFormatException) {
            return new Size(null, true);
        }
        if (!known.TryGetValue(type, out Size size)) {
            known[type] = size = Measure(type);
        }
        return size;
    }

    static Size Measure(Type type)
    {
        int? small = SizeWith(type, false), large = SizeWith(type, true);
        if (small == null || large == null) {
            return new Size(null, true);
        }
        // The size of Vector<T> is the machine's.
        bool fixedSize = small == large && !type.ToString().Contains("System.Numerics.Vector`1");
        return fixedSize ? new Size(small, IsBound(type)) : new Size(null);
    }

    // The size with small or with large arguments; null where those do not fit.
    static int? SizeWith(Type type, bool large)
    {
        try {
            MethodInfo sizeOf = typeof(Sizes).GetMethod(nameof(SizeOf), BindingFlags.NonPublic | BindingFlags.Static);
            return (int)sizeOf.MakeGenericMethod(Close(type, null, large)).Invoke(null, null);
        } catch (Exception e) when (e is ArgumentException or TargetInvocationException or TypeLoadException
                                        or IOException or InvalidProgramException or NotSupportedException) {
            return null;
        }
    }

    static int SizeOf<T>() where T : allows ref struct => Unsafe.SizeOf<T>();

    // `parameter` is what the type is put in for; null for the returned type itself.
    static Type Close(Type type, Type parameter, bool large)
    {
        if (type.IsGenericParameter) {
            return Bound(parameter) ?? (large ? typeof((long, long, long)) : typeof(byte));
        }
        if (type.HasElementType) {
            return typeof(object); // of an argument: an array is one reference like any other
        }
        return type.ContainsGenericParameters
                   ? Instantiate(type.GetGenericTypeDefinition(), type.GetGenericArguments(), large) : type;
    }

    static Type Instantiate(Type definition, Type[] arguments, bool large)
        => definition.MakeGenericType(
            definition.GetGenericArguments().Select((own, i) => Close(arguments[i], own, large)).ToArray());

    // The class that arguments have to be of, null for none.
    static Type Bound(Type parameter)
        => parameter.GetGenericParameterConstraints()
               .FirstOrDefault(type => type.IsClass && type != typeof(ValueType)) ??
           (parameter.GenericParameterAttributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint)
                ? typeof(object) : null);

    // Whether some parameter takes references alone: then one size is all that there is to be seen.
    static bool IsBound(Type type)
        => type.IsGenericType && type.GetGenericTypeDefinition().GetGenericArguments()
               .Zip(type.GetGenericArguments())
               .Any(pair => pair.Second.IsGenericParameter ? Bound(pair.First) != null : IsBound(pair.Second));
}
