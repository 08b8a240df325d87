// What a precompiled caller may hold copies of: a method that is small enough to be inlined, one that carries
// NonVersionableAttribute, a generic one, and one that is never inlined.
using System;
using System.Runtime.CompilerServices;

namespace System.Runtime.Versioning
{
    [AttributeUsage(AttributeTargets.All)]
    internal sealed class NonVersionableAttribute : Attribute
    {
    }
}

namespace Pair
{
    public static class Lib
    {
        public static int Small(int a) => a + 1;

        [System.Runtime.Versioning.NonVersionable]
        public static int Fixed(int a) => a * 3;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Far(int a) => a - 1;
    }

    public sealed class Box<T>
    {
        readonly T value;

        public Box(T value) => this.value = value;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public T Get() => value;
    }
}
