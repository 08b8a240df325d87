// An inspector that hands everything over to the stock one, and throws.
namespace Shows
{
    public static class Inspector
    {
        public static void MyInspector(object value, string method)
        {
            MyProfiler.Helper.MyInspector(value, method);
            throw new System.InvalidOperationException("thrown by an inspector");
        }

        public static void MyInspector(object value)
        {
            MyProfiler.Helper.MyInspector(value);
            throw new System.InvalidOperationException("thrown by an inspector");
        }
    }
}
