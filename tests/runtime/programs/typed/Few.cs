// An inspector with methods for two types and one for objects.
namespace Few
{
    public static class Inspector
    {
        public static void MyInspector(int value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(few int) " + method);
        }

        public static void MyInspector(string value)
        {
            MyProfiler.Helper.MyInspector(value, "(few string)");
        }

        public static void MyInspector(object value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(few object) " + method);
        }
    }
}
