// The same with a method for any type.
namespace ThrowsAny
{
    public static class Inspector
    {
        public static void Inspect<T>(T value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(any) " + method);
            throw new System.Exception();
        }
    }
}
