// JitAll FILE: has the runtime compile every method of an assembly and prints those that it refuses.
//
//   0x06000012 Ns.Type::Method <Object> InvalidProgramException     one line for each failure, sorted
//   2143 methods, 1 failed, 3 not instantiated, 0 types not loaded
//
// The list for a patched assembly, compared with the list for the original, shows what the patch broke:
// only a new line counts, since real assemblies hold methods that no runtime compiles (vararg on Unix,
// types of another framework). Lines begin with the token, which patching does not change.
//
// A generic method has code only for type arguments: it is compiled once for reference types (which share
// code) and once for a value type, where the constraints allow; what no choice fits is counted.
//
// One source for CoreCLR and for Mono's mcs, so no C# newer than 7.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

static class JitAll
{
    const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static
                           | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    static readonly bool IsMono = Type.GetType("Mono.Runtime") != null;
    public static readonly SortedSet<string> Failures = new SortedSet<string>(StringComparer.Ordinal);
    static int methods, failed, notInstantiated, typesNotLoaded;

    public static int Main(string[] args)
    {
        if (args.Length != 1) {
            Console.Error.WriteLine("usage: JitAll FILE");
            return 2;
        }
        Assembly assembly = Assembly.LoadFrom(Path.GetFullPath(args[0]));
        if (IsMono && assembly.Location != Path.GetFullPath(args[0])) {
            Console.Error.WriteLine("the runtime takes " + assembly.Location); // which it has loaded already, or found among its own
            return 3;
        }
        string summary = Of(assembly);
        foreach (string line in Failures) {
            Console.WriteLine(line);
        }
        Console.WriteLine(summary);
        return 0;
    }

    // Compiles all of it; what fails is in Failures.
    public static string Of(Assembly assembly)
    {
        methods = failed = notInstantiated = typesNotLoaded = 0;
        Failures.Clear();
        UsedAsBase.Clear();
        Types.Clear();
        foreach (Module module in assembly.GetModules()) {
            foreach (MethodInfo method in module.GetMethods(All)) {
                Compile(method, Type.EmptyTypes);
            }
        }
        Type[] types = TypesOf(assembly);
        foreach (Type type in types) {
            NoteBases(type);
        }
        foreach (Type type in types) {
            CompileType(type);
        }
        return string.Format("{0} methods, {1} failed, {2} not instantiated, {3} types not loaded",
                             methods, failed, notInstantiated, typesNotLoaded);
    }

    static readonly Dictionary<Assembly, Type[]> Types = new Dictionary<Assembly, Type[]>();

    static Type[] TypesOf(Assembly assembly)
    {
        Type[] types;
        if (!Types.TryGetValue(assembly, out types)) {
            Types[assembly] = types = LoadTypes(assembly);
        }
        return types;
    }

    static Type[] LoadTypes(Assembly assembly)
    {
        try {
            return assembly.GetTypes();
        } catch (ReflectionTypeLoadException e) {
            // The types that did load stand beside a null for each that did not.
            foreach (Exception why in e.LoaderExceptions.Where(x => x != null)) {
                Failures.Add("type " + NameOf(why) + " " + why.Message.Split('\n')[0]);
            }
            typesNotLoaded += e.Types.Count(t => t == null);
            return e.Types.Where(t => t != null).ToArray();
        }
    }

    static void CompileType(Type type)
    {
        try {
            if (!type.IsGenericTypeDefinition) {
                CompileMembers(type, Type.EmptyTypes);
                return;
            }
            List<Type[]> choices = Instantiations(type.GetGenericArguments(),
                                                  a => type.MakeGenericType(a));
            if (choices.Count == 0) {
                notInstantiated += type.GetMethods(All).Length + type.GetConstructors(All).Length;
            }
            foreach (Type[] choice in choices) {
                CompileMembers(type.MakeGenericType(choice), choice);
            }
        } catch (Exception e) {
            typesNotLoaded++;
            Failures.Add("type " + type + " " + NameOf(e));
        }
    }

    static void CompileMembers(Type type, Type[] typeArguments)
    {
        // GetConstructors gives the static constructor too; it is compiled, not run.
        foreach (ConstructorInfo constructor in type.GetConstructors(All)) {
            Compile(constructor, typeArguments);
        }
        foreach (MethodInfo method in type.GetMethods(All)) {
            if (!method.IsGenericMethodDefinition) {
                Compile(method, typeArguments);
                continue;
            }
            List<Type[]> choices;
            try {
                choices = Instantiations(method.GetGenericArguments(), a => method.MakeGenericMethod(a));
            } catch (Exception e) {
                Fail(method, typeArguments, e);
                continue;
            }
            if (choices.Count == 0) {
                notInstantiated++;
            }
            foreach (Type[] choice in choices) {
                Compile(method.MakeGenericMethod(choice), typeArguments.Concat(choice).ToArray());
            }
        }
    }

    static void Compile(MethodBase method, Type[] arguments)
    {
        const MethodImplAttributes noIl = MethodImplAttributes.CodeTypeMask | MethodImplAttributes.InternalCall;
        if (method.IsAbstract || (method.Attributes & MethodAttributes.PinvokeImpl) != 0
            || (method.GetMethodImplementationFlags() & noIl) != 0) {
            return;
        }
        methods++;
        try {
            if (IsMono) {
                // Its PrepareMethod only makes a trampoline (6.8); asking for the address compiles.
                method.MethodHandle.GetFunctionPointer();
            } else if (arguments.Length == 0) {
                RuntimeHelpers.PrepareMethod(method.MethodHandle);
            } else {
                // A handle is that of the code that reference types share: the arguments make it exact.
                RuntimeHelpers.PrepareMethod(method.MethodHandle,
                                             arguments.Select(t => t.TypeHandle).ToArray());
            }
        } catch (Exception e) {
            Fail(method, arguments, e);
        }
    }

    static void Fail(MethodBase method, Type[] arguments, Exception e)
    {
        failed++;
        Failures.Add(string.Format("0x{0:x8} {1}::{2} <{3}> {4}", method.MetadataToken,
                                   method.DeclaringType, method.Name,
                                   string.Join(",", arguments.Select(t => t.Name).ToArray()), NameOf(e)));
    }

    static string NameOf(Exception e)
    {
        while (e is TargetInvocationException && e.InnerException != null) {
            e = e.InnerException;
        }
        return e.GetType().Name;
    }

    // Up to three choices of type arguments that the constraints let pass: of reference types, with a value
    // type, and those by which a type of the assembly derives from this one (or from what it is nested in).
    static List<Type[]> Instantiations(Type[] parameters, Func<Type[], MemberInfo> make)
    {
        var found = new List<Type[]>();
        var others = new[] { new[] { typeof(object), typeof(string) },
                             new[] { typeof(int), typeof(DayOfWeek) } };
        foreach (Type[] kind in others) {
            Type[] first = kind.SelectMany(t => new[] { parameters.Select(_ => t).ToArray(),
                                                        ByConstraint(parameters, t) })
                               .FirstOrDefault(c => Allowed(c, make));
            if (first != null && !found.Any(f => f.SequenceEqual(first))) {
                found.Add(first);
            }
        }
        for (Type t = parameters[0].DeclaringMethod == null ? parameters[0].DeclaringType : null;
             t != null && found.Count == 0; t = t.DeclaringType) {
            Type[] used;
            if (UsedAsBase.TryGetValue(t, out used) && used.Length == parameters.Length && Allowed(used, make)) {
                found.Add(used);
            }
        }
        return found;
    }

    // Generic type definition -> arguments with which a type of the assembly derives from it: for those whose
    // constraints are about each other (`T : Pass<T, U>`), where no choice of ours can fit.
    static readonly Dictionary<Type, Type[]> UsedAsBase = new Dictionary<Type, Type[]>();

    static void NoteBases(Type type)
    {
        for (Type b = type.BaseType; b != null; b = b.BaseType) {
            if (b.IsGenericType && !b.ContainsGenericParameters) {
                UsedAsBase[b.GetGenericTypeDefinition()] = b.GetGenericArguments();
            }
        }
    }

    // Each parameter gets its first constraint as soon as all that this one names is chosen, a value type
    // where one is requested, else `other`.
    static Type[] ByConstraint(Type[] parameters, Type other)
    {
        var chosen = new Type[parameters.Length];
        for (int pass = 0; pass < parameters.Length; pass++) {
            for (int i = 0; i < parameters.Length; i++) {
                if (chosen[i] == null) {
                    chosen[i] = ByConstraint(parameters, i, chosen, other);
                }
            }
        }
        return chosen.Select(t => t ?? other).ToArray();
    }

    static Type ByConstraint(Type[] parameters, int i, Type[] chosen, Type other)
    {
        GenericParameterAttributes flags = parameters[i].GenericParameterAttributes;
        bool wantsClass = (flags & GenericParameterAttributes.ReferenceTypeConstraint) != 0;
        bool wantsNew = (flags & GenericParameterAttributes.DefaultConstructorConstraint) != 0;
        if ((flags & GenericParameterAttributes.NotNullableValueTypeConstraint) != 0) {
            return other.IsValueType ? other : typeof(int);
        }
        Type constraint = parameters[i].GetGenericParameterConstraints().FirstOrDefault();
        if (constraint == null) {
            return wantsClass && other.IsValueType ? typeof(object) : other;
        }
        constraint = Close(constraint, parameters, chosen);
        if (constraint == typeof(Enum)) {
            return typeof(DayOfWeek);
        }
        if (constraint != null && wantsNew) {
            return TypesOf(constraint.Assembly).FirstOrDefault(
                t => constraint.IsAssignableFrom(t) && !t.IsAbstract && !t.ContainsGenericParameters
                     && t.GetConstructor(Type.EmptyTypes) != null);
        }
        return constraint;
    }

    // `type` with the parameters replaced by what was chosen for them; null when one is still open.
    static Type Close(Type type, Type[] parameters, Type[] chosen)
    {
        if (!type.ContainsGenericParameters) {
            return type;
        }
        if (type.IsGenericParameter) {
            int i = Array.IndexOf(parameters, type);
            return i < 0 ? null : chosen[i];
        }
        if (!type.IsGenericType) {
            return null;
        }
        Type[] arguments = type.GetGenericArguments().Select(a => Close(a, parameters, chosen)).ToArray();
        try {
            return arguments.Contains(null) ? null : type.GetGenericTypeDefinition().MakeGenericType(arguments);
        } catch (Exception) {
            return null;
        }
    }

    static bool Allowed(Type[] arguments, Func<Type[], MemberInfo> make)
    {
        try {
            make(arguments);
            return true;
        } catch (Exception) { // ArgumentException, or TypeLoadException, as the runtime likes
            return false;
        }
    }
}
