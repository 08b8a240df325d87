// An inspector with a method for each of many types, with the method's name and without it, and one for any other type.
// It hands over to the stock one, so that all lines are in one file, in order; the tag says which method was called.
using System;
using System.Collections.Generic;
using System.Numerics;

namespace Takes
{
    public static class Inspector
    {
        static void Show(object value, string tag)
        {
            MyProfiler.Helper.MyInspector(value, tag);
        }

        public static void MyInspector<T>(T value)
        {
            Show(value, "(any)");
        }

        public static void MyInspector<T>(T value, string method)
        {
            Show(value, "(any " + typeof(T).Name + ") " + method);
        }

        // What all others come before.
        public static void MyInspector(object value, string method)
        {
            Show(value, "(object) " + method);
        }

        public static void MyInspector(bool value) { Show(value, "(bool)"); }
        public static void MyInspector(bool value, string method) { Show(value, "(bool) " + method); }
        public static void MyInspector(char value) { Show(value, "(char)"); }
        public static void MyInspector(char value, string method) { Show(value, "(char) " + method); }
        public static void MyInspector(sbyte value) { Show(value, "(sbyte)"); }
        public static void MyInspector(sbyte value, string method) { Show(value, "(sbyte) " + method); }
        public static void MyInspector(byte value) { Show(value, "(byte)"); }
        public static void MyInspector(byte value, string method) { Show(value, "(byte) " + method); }
        public static void MyInspector(short value) { Show(value, "(short)"); }
        public static void MyInspector(short value, string method) { Show(value, "(short) " + method); }
        public static void MyInspector(ushort value) { Show(value, "(ushort)"); }
        public static void MyInspector(ushort value, string method) { Show(value, "(ushort) " + method); }
        public static void MyInspector(int value) { Show(value, "(int)"); }
        public static void MyInspector(int value, string method) { Show(value, "(int) " + method); }
        public static void MyInspector(uint value) { Show(value, "(uint)"); }
        public static void MyInspector(uint value, string method) { Show(value, "(uint) " + method); }
        public static void MyInspector(long value) { Show(value, "(long)"); }
        public static void MyInspector(long value, string method) { Show(value, "(long) " + method); }
        public static void MyInspector(ulong value) { Show(value, "(ulong)"); }
        public static void MyInspector(ulong value, string method) { Show(value, "(ulong) " + method); }
        public static void MyInspector(float value) { Show(value, "(float)"); }
        public static void MyInspector(float value, string method) { Show(value, "(float) " + method); }
        public static void MyInspector(double value) { Show(value, "(double)"); }
        public static void MyInspector(double value, string method) { Show(value, "(double) " + method); }
        public static void MyInspector(IntPtr value) { Show(value, "(IntPtr)"); }
        public static void MyInspector(IntPtr value, string method) { Show(value, "(IntPtr) " + method); }
        public static void MyInspector(UIntPtr value) { Show(value, "(UIntPtr)"); }
        public static void MyInspector(UIntPtr value, string method) { Show(value, "(UIntPtr) " + method); }
        public static void MyInspector(string value) { Show(value, "(string)"); }
        public static void MyInspector(string value, string method) { Show(value, "(string) " + method); }
        public static void MyInspector(decimal value) { Show(value, "(decimal)"); }
        public static void MyInspector(decimal value, string method) { Show(value, "(decimal) " + method); }
        public static void MyInspector(Guid value) { Show(value, "(Guid)"); }
        public static void MyInspector(Guid value, string method) { Show(value, "(Guid) " + method); }
        public static void MyInspector(DateTime value) { Show(value, "(DateTime)"); }
        public static void MyInspector(DateTime value, string method) { Show(value, "(DateTime) " + method); }
        public static void MyInspector(DateTimeOffset value) { Show(value, "(DateTimeOffset)"); }
        public static void MyInspector(DateTimeOffset value, string method) { Show(value, "(DateTimeOffset) " + method); }
        public static void MyInspector(TimeSpan value) { Show(value, "(TimeSpan)"); }
        public static void MyInspector(TimeSpan value, string method) { Show(value, "(TimeSpan) " + method); }
        public static void MyInspector(KeyValuePair<int, string> value) { Show(value, "(KeyValuePair[int, string])"); }
        public static void MyInspector(KeyValuePair<int, string> value, string method) { Show(value, "(KeyValuePair[int, string]) " + method); }
        public static void MyInspector(long? value) { Show(value, "(long?)"); }
        public static void MyInspector(long? value, string method) { Show(value, "(long?) " + method); }
        public static void MyInspector(ValueTuple<int, string> value) { Show(value, "(ValueTuple[int, string])"); }
        public static void MyInspector(ValueTuple<int, string> value, string method) { Show(value, "(ValueTuple[int, string]) " + method); }
        public static void MyInspector(int[] value) { Show(value, "(int[])"); }
        public static void MyInspector(int[] value, string method) { Show(value, "(int[]) " + method); }
        public static void MyInspector(int[][] value) { Show(value, "(int[][])"); }
        public static void MyInspector(int[][] value, string method) { Show(value, "(int[][]) " + method); }
        public static void MyInspector(object[] value) { Show(value, "(object[])"); }
        public static void MyInspector(object[] value, string method) { Show(value, "(object[]) " + method); }
        public static void MyInspector(int[,] value) { Show(value, "(int[,])"); }
        public static void MyInspector(int[,] value, string method) { Show(value, "(int[,]) " + method); }
        public static void MyInspector(string[,,] value) { Show(value, "(string[,,])"); }
        public static void MyInspector(string[,,] value, string method) { Show(value, "(string[,,]) " + method); }
        public static void MyInspector(decimal[] value) { Show(value, "(decimal[])"); }
        public static void MyInspector(decimal[] value, string method) { Show(value, "(decimal[]) " + method); }
        public static void MyInspector(DayOfWeek value) { Show(value, "(DayOfWeek)"); }
        public static void MyInspector(DayOfWeek value, string method) { Show(value, "(DayOfWeek) " + method); }
        public static void MyInspector(List<int> value) { Show(value, "(List[int])"); }
        public static void MyInspector(List<int> value, string method) { Show(value, "(List[int]) " + method); }
        public static void MyInspector(Dictionary<string, int> value) { Show(value, "(Dictionary[string, int])"); }
        public static void MyInspector(Dictionary<string, int> value, string method) { Show(value, "(Dictionary[string, int]) " + method); }
        public static void MyInspector(List<List<Guid?>> value) { Show(value, "(List[List[Guid?]])"); }
        public static void MyInspector(List<List<Guid?>> value, string method) { Show(value, "(List[List[Guid?]]) " + method); }
        public static void MyInspector(Dictionary<string, int>.KeyCollection value) { Show(value, "(Dictionary[string, int].KeyCollection)"); }
        public static void MyInspector(Dictionary<string, int>.KeyCollection value, string method) { Show(value, "(Dictionary[string, int].KeyCollection) " + method); }
        public static void MyInspector(List<int>.Enumerator value) { Show(value, "(List[int].Enumerator)"); }
        public static void MyInspector(List<int>.Enumerator value, string method) { Show(value, "(List[int].Enumerator) " + method); }
        public static void MyInspector(Environment.SpecialFolder value) { Show(value, "(Environment.SpecialFolder)"); }
        public static void MyInspector(Environment.SpecialFolder value, string method) { Show(value, "(Environment.SpecialFolder) " + method); }
        public static void MyInspector(Version value) { Show(value, "(Version)"); }
        public static void MyInspector(Version value, string method) { Show(value, "(Version) " + method); }
        public static void MyInspector(Action<int> value) { Show(value, "(Action[int])"); }
        public static void MyInspector(Action<int> value, string method) { Show(value, "(Action[int]) " + method); }
        public static void MyInspector(IDisposable value) { Show(value, "(IDisposable)"); }
        public static void MyInspector(IDisposable value, string method) { Show(value, "(IDisposable) " + method); }
        public static void MyInspector(BigInteger value) { Show(value, "(BigInteger)"); }
        public static void MyInspector(BigInteger value, string method) { Show(value, "(BigInteger) " + method); }
        public static void MyInspector(Complex value) { Show(value, "(Complex)"); }
        public static void MyInspector(Complex value, string method) { Show(value, "(Complex) " + method); }
    }
}
