public static class Plug
{
    public static int Run(int number) { return number * number; }
}
