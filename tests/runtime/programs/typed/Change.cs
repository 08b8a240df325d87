// An inspector whose methods put another value in the place of the one that is returned. That for bool only looks.
using System;
using System.Collections.Generic;

namespace Change
{
    public class Inspector
    {
        public static int MyInspector(int value, string method) { return value + 1000; }
        public static string MyInspector(string value) { return value + "!"; }
        public static decimal MyInspector(decimal value, string method) { return -value; }
        public static TimeSpan MyInspector(TimeSpan value) { return new TimeSpan(value.Ticks * 2); }
        public static int[] MyInspector(int[] value, string method) { return new int[3]; }
        public static long? MyInspector(long? value, string method) { return value == null ? 42 : value; }
        public static DayOfWeek MyInspector(DayOfWeek value) { return DayOfWeek.Sunday; }
        public static void MyInspector(bool value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(change) " + method);
        }
        public static KeyValuePair<int, string> MyInspector(KeyValuePair<int, string> value, string method)
        {
            return new KeyValuePair<int, string>(value.Key + 1, method);
        }

        // Of other types: the default, but what is requested by name stays.
        public static T Inspect<T>(T value, string method)
        {
            return typeof(T) == typeof(object) ? value : default(T);
        }
    }
}
