// All that the small inspector needs of System.Private.CoreLib, which it is compiled against: what is not here cannot be used.
// No code, only signatures; build.sh makes an assembly of it under the library's name and key, and the program's own takes
// its place.
//
// What is listed here is in every program that the trimmer of .NET 8, 9 and 10 left, down to one that only returns a number
// with all features switched off: overrides of Object's and ValueType's methods, the formatting of numbers, what the runtime
// calls at start and for exceptions that nobody handles.

using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;

[assembly: System.Reflection.AssemblyVersion("4.0.0.0")]

namespace System
{
    public class Object
    {
        public Object() { }
        public extern Type GetType();
        public virtual extern string ToString();
    }

    public abstract class ValueType { }
    public struct Void { }
    public struct Boolean { }
    public struct SByte { }
    public struct Int16 { }
    public struct UInt16 { }
    public struct UInt32 { }
    public struct UInt64 { }
    public struct Single { }
    public struct Double { }
    public struct Decimal { }
    public struct RuntimeTypeHandle { }
    public struct RuntimeFieldHandle { }
    public delegate void Action();

    public struct Byte { }

    public struct Char
    {
        public override extern string ToString();
        public static extern bool IsHighSurrogate(char c);
        public static extern bool IsLowSurrogate(char c);
        public static extern bool IsSurrogate(char c);
    }

    public struct Int32
    {
        public extern string ToString(IFormatProvider provider);
        public extern string ToString(string format, IFormatProvider provider);
    }

    public struct Int64
    {
        public extern string ToString(string format, IFormatProvider provider);
    }

    public struct IntPtr
    {
        public extern IntPtr(int value);
        public static extern bool operator ==(IntPtr a, IntPtr b);
        public static extern bool operator !=(IntPtr a, IntPtr b);
    }

    public struct UIntPtr { }

    public abstract class Enum : ValueType { }
    public abstract class Delegate { }
    public abstract class MulticastDelegate : Delegate { }

    public sealed class String
    {
        public extern String(char[] value);
        public extern int Length { get; }
        [System.Runtime.CompilerServices.IndexerName("Chars")]
        public extern char this[int index] { get; }
        public extern string Substring(int start, int length);
        public extern int IndexOf(char value);
        public extern bool StartsWith(string value, StringComparison comparison);
        public static extern bool IsNullOrEmpty(string value);
        public static extern string Concat(string a, string b);
        public static extern string Concat(string a, string b, string c);
        public static extern string Concat(string a, string b, string c, string d);
        public static extern bool operator ==(string a, string b);
        public static extern bool operator !=(string a, string b);
    }

    public enum StringComparison { Ordinal = 4 }

    public abstract class Array
    {
        public extern int Length { get; }
        public extern int Rank { get; }
        public static extern void Copy(Array from, int start, Array to, int place, int length);
    }

    public abstract class Type : MemberInfo
    {
        public abstract Assembly Assembly { get; }
        public abstract string FullName { get; }
        public extern TypeAttributes Attributes { get; }
        public virtual extern bool IsEnum { get; }
        public extern bool IsValueType { get; }
        public extern bool IsPointer { get; }
        public virtual extern bool IsGenericType { get; }
        public virtual extern Type[] GetGenericArguments();
        public abstract Type GetElementType();
        public abstract FieldInfo[] GetFields(BindingFlags flags);
        public extern MethodInfo GetMethod(string name, Type[] types);
        public extern ConstructorInfo GetConstructor(BindingFlags flags, Binder binder, Type[] types,
                                                     ParameterModifier[] modifiers);
        public static extern Type GetTypeFromHandle(RuntimeTypeHandle handle);
    }

    public interface IFormatProvider { }

    public interface IFormattable
    {
        string ToString(string format, IFormatProvider provider);
    }

    public class Exception { }
    public class SystemException : Exception { }
    public class TypeLoadException : SystemException { }

    public static class Environment
    {
        public static extern int ProcessId { get; }
        public static extern string GetEnvironmentVariable(string name);
    }

    public abstract class Attribute { }
    public class ParamArrayAttribute : Attribute { }
    public class ThreadStaticAttribute : Attribute { }
    public enum AttributeTargets { All = 0x7fff }

    public class AttributeUsageAttribute : Attribute
    {
        public AttributeUsageAttribute(AttributeTargets on) { }
        public bool AllowMultiple { get { return false; } set { } }
        public bool Inherited { get { return false; } set { } }
    }

    public interface IDisposable
    {
        void Dispose();
    }
}

namespace System.Collections
{
    public interface IEnumerable { }
    public interface IEnumerator { }
}

namespace System.Globalization
{
    public class CultureInfo : IFormatProvider
    {
        public static extern CultureInfo InvariantCulture { get; }
    }
}

namespace System.Reflection
{
    public abstract class MemberInfo
    {
        public abstract string Name { get; }
        public abstract Type DeclaringType { get; }
        public virtual extern int MetadataToken { get; }
    }

    public abstract class FieldInfo : MemberInfo
    {
        public abstract Type FieldType { get; }
        public abstract object GetValue(object of);
    }

    public abstract class MethodBase : MemberInfo { }
    public abstract class MethodInfo : MethodBase { }
    public abstract class ConstructorInfo : MethodBase { }
    public abstract class Assembly { }
    public abstract class Binder { }
    public struct ParameterModifier { }
    public enum BindingFlags { Instance = 4, Static = 8, Public = 16, NonPublic = 32 }
    public enum TypeAttributes { LayoutMask = 0x18, BeforeFieldInit = 0x100000 }

    public class AssemblyVersionAttribute : Attribute
    {
        public AssemblyVersionAttribute(string version) { }
    }

    public class DefaultMemberAttribute : Attribute
    {
        public DefaultMemberAttribute(string name) { }
    }
}

namespace System.Runtime.CompilerServices
{
    public class IndexerNameAttribute : Attribute
    {
        public IndexerNameAttribute(string name) { }
    }

    public static class RuntimeHelpers
    {
        public static extern bool TryEnsureSufficientExecutionStack();
    }
}

namespace System.Runtime.InteropServices
{
    public class DllImportAttribute : Attribute
    {
        public DllImportAttribute(string library) { }
    }

    public enum LayoutKind { Sequential = 0, Explicit = 2 }

    public class StructLayoutAttribute : Attribute
    {
        public int Pack;
        public StructLayoutAttribute(LayoutKind kind) { }
    }

    public class FieldOffsetAttribute : Attribute
    {
        public FieldOffsetAttribute(int offset) { }
    }

    public enum GCHandleType { Pinned = 3 }

    public struct GCHandle
    {
        public static extern GCHandle Alloc(object value, GCHandleType type);
        public extern IntPtr AddrOfPinnedObject();
        public extern void Free();
    }

    public static class Marshal
    {
        public static extern int GetLastPInvokeError();
        public static extern void SetLastPInvokeError(int error);
    }

    public class OutAttribute : Attribute { }
    public class InAttribute : Attribute { }
}

namespace System.Text
{
    public abstract class Encoding
    {
        public static extern Encoding UTF8 { get; }
        public virtual extern byte[] GetBytes(string text);
    }

    public sealed class StringBuilder
    {
        public extern StringBuilder(int capacity);
        public extern int Length { get; }
        public extern StringBuilder Append(char c);
        public extern StringBuilder Append(string s);
    }
}

namespace System.Threading
{
    public static class Interlocked
    {
        public static extern long Increment(ref long value);
        public static extern int CompareExchange(ref int value, int next, int expected);
        public static extern T CompareExchange<T>(ref T value, T next, T expected) where T : class;
    }

    public sealed class Thread
    {
        public static extern bool Yield();
    }

    public class ThreadInterruptedException : SystemException { }
}
