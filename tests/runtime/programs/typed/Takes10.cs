// An inspector for .NET 10: methods for its types, for two byref-like ones, and one for any other type, byref-like ones
// as well.
using System;
using System.Text;

namespace Takes10
{
    public static class Inspector
    {
        static void Show(object value, string tag)
        {
            MyProfiler.Helper.MyInspector(value, tag);
        }

        public static void MyInspector(DateOnly value, string method) { Show(value, "(DateOnly) " + method); }
        public static void MyInspector(TimeOnly value, string method) { Show(value, "(TimeOnly) " + method); }
        public static void MyInspector(Half value, string method) { Show(value, "(Half) " + method); }
        public static void MyInspector(Int128 value, string method) { Show(value, "(Int128) " + method); }
        public static void MyInspector(UInt128 value, string method) { Show(value, "(UInt128) " + method); }
        public static void MyInspector(Rune value, string method) { Show(value, "(Rune) " + method); }
        public static void MyInspector(Index value, string method) { Show(value, "(Index) " + method); }
        public static void MyInspector(Memory<int> value, string method) { Show(value, "(Memory[int]) " + method); }
        public static void MyInspector(Span<int> value, string method) { Show(value.Length, "(Span[int]) " + method); }
        public static void MyInspector(ReadOnlySpan<char> value, string method)
        {
            Show(value.ToString(), "(ReadOnlySpan[char]) " + method);
        }

        public static void Inspect<T>(T value, string method) where T : allows ref struct
        {
            Show(typeof(T).Name, "(any) " + method);
        }
    }
}
