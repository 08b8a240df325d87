// An inspector with methods for two types, and none for others: those are left as they are, answer no-overload.
namespace Only
{
    public static class Inspector
    {
        public static void MyInspector(int value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(only int) " + method);
        }

        public static void MyInspector(string value)
        {
            MyProfiler.Helper.MyInspector(value, "(only string)");
        }
    }
}
