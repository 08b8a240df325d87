// A small program whose methods are worth watching: what two customers pay for the same basket.
// What the methods return on the way there stands in no log; ilpatch shows it.
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Shop
{
    enum Level { New, Regular, Gold }

    struct Line
    {
        public string Item;
        public int Count;
        public decimal Price;

        public Line(string item, int count, decimal price)
        {
            Item = item;
            Count = count;
            Price = price;
        }

        public decimal Total()
        {
            return Count * Price;
        }
    }

    static class Program
    {
        static T Last<T>(IList<T> items)
        {
            return items[items.Count - 1];
        }

        // The sum of this line and all behind it.
        static decimal Sum(IList<Line> lines, int first)
        {
            if (first == lines.Count)
            {
                return 0;
            }
            return lines[first].Total() + Sum(lines, first + 1);
        }

        static Level LevelOf(decimal spent)
        {
            return spent >= 100 ? Level.Gold : spent > 0 ? Level.Regular : Level.New;
        }

        // In percent. No discount is null, not zero.
        static int? Discount(Level level)
        {
            switch (level)
            {
                case Level.Gold: return 10;
                case Level.Regular: return 5;
                default: return null;
            }
        }

        static string Money(decimal amount)
        {
            return amount.ToString("0.00", CultureInfo.InvariantCulture) + " EUR";
        }

        static void PrintBill(string customer, decimal sum, decimal spent)
        {
            int percent = Discount(LevelOf(spent)) ?? 0;
            Console.WriteLine("{0} pays {1}", customer, Money(sum - sum * percent / 100));
        }

        static int Main()
        {
            List<Line> lines = new List<Line>();
            lines.Add(new Line("tea", 2, 4.25m));
            lines.Add(new Line("cup", 1, 12.00m));
            lines.Add(new Line("honey", 3, 6.50m));

            Console.WriteLine("{0} lines, the last is {1}", lines.Count, Last(lines).Item);
            decimal sum = Sum(lines, 0);
            PrintBill("Ada", sum, 120);
            PrintBill("Ben", sum, 0);
            return 0;
        }
    }
}
