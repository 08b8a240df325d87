// An inspector for any type but byref-like ones, and for objects.
namespace Boxes10
{
    public static class Inspector
    {
        public static void Inspect<T>(T value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(any) " + method);
        }

        public static void MyInspector(object value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(object) " + method);
        }
    }
}
