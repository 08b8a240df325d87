// An inspector that takes no name. It hands over to the stock one, so that all lines are in one file, in order.
namespace Bare
{
    public static class Inspector
    {
        public static void MyInspector(object value)
        {
            MyProfiler.Helper.MyInspector(value, "(bare)");
        }
    }
}
