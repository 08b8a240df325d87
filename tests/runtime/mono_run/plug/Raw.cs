public static class Raw
{
    public static int Run(int number) { return number + number; }
}
