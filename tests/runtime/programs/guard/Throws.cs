// An inspector that prints what it got and throws, each time something else.
using System;
using System.Collections.Generic;

namespace Throws
{
    public static class Inspector
    {
        static int calls;

        static void Throw(object value, string method)
        {
            MyProfiler.Helper.MyInspector(value, method);
            switch (calls++ % 5)
            {
            case 0: throw new InvalidOperationException("thrown by an inspector");
            case 1: throw null;
            case 2: throw new OutOfMemoryException();
            case 3: ((int[])null)[0] = 1; break;
            default: calls /= calls - calls; break;
            }
        }

        public static void MyInspector(object value, string method) { Throw(value, method); }
        public static void MyInspector(int value, string method) { Throw(value, "(int) " + method); }
        public static void MyInspector(List<int> value) { Throw(value, "(list)"); }
    }
}
