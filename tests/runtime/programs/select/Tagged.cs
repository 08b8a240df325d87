// An inspector with both forms. It hands over to the stock one, so that all lines are in one file, in order.
namespace Tagged
{
    public static class Inspector
    {
        public static void MyInspector(object value)
        {
            MyProfiler.Helper.MyInspector(value, "(tagged)");
        }

        public static void MyInspector(object value, string method)
        {
            MyProfiler.Helper.MyInspector(value, "(tagged) " + method);
        }
    }
}
