// An inspector that returns another value, but throws at numbers below 0 and texts without letters: those stay.
using System;

namespace Changes
{
    public static class Inspector
    {
        public static int MyInspector(int value, string method)
        {
            if (value < 0)
                throw new ArgumentException(method);
            return value + 1000;
        }

        public static string MyInspector(string value)
        {
            return value.Substring(0, 1) + "!";
        }

        public static T Inspect<T>(T value)
        {
            if (value.Equals(default(T)))
                throw new ArgumentException();
            return default(T);
        }
    }
}
