// A library for netstandard2.0, and a method that its host calls.
namespace Library
{
    public static class Work
    {
        public static string Twice(string text) { return text + text; }
        public static int Sum(params int[] numbers)
        {
            int sum = 0;
            foreach (int number in numbers) sum += number;
            return sum;
        }
    }
}
