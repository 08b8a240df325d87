// An inspector whose class cannot be initialised.
namespace Broken
{
    public static class Inspector
    {
        static readonly int number = int.Parse("no number");

        public static void MyInspector(object value, string method)
        {
            MyProfiler.Helper.MyInspector(number, "never");
        }
    }
}
