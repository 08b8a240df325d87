// An inspector that puts another value in the place of a byref-like one.
using System;

namespace Change10
{
    public static class Inspector
    {
        public static Span<int> MyInspector(Span<int> value, string method) { return value.Slice(1); }
        public static T Inspect<T>(T value, string method) where T : allows ref struct { return default(T); }
    }
}
