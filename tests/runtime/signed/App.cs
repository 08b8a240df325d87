public static class App
{
    public static int Main()
    {
        System.Console.WriteLine("twice 21 is " + Library.Twice(21));
        return 0;
    }
}
