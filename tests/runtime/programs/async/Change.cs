// An inspector that gives other values back than it gets. It hands over to the stock one, so that all lines are in one
// file, in order.
namespace Change
{
    public static class Inspector
    {
        public static int MyInspector(int value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(change) " + method);
            return value + 1;
        }

        public static string MyInspector(string value)
        {
            MyProfiler.Helper.MyInspector(value, "(change)");
            return value + "!";
        }

        public static decimal? MyInspector(decimal? value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(change) " + method);
            return value + 1;
        }

        public static void MyInspector(object value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(any) " + method);
        }
    }
}
