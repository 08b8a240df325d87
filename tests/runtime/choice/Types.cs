using System;
using System.Collections.Generic;
using S;

namespace S
{
    public class Box<T>
    {
        public class Side { public int X = 1; }
        public class Side<U> { public int X = 2; }
        public class Derived : Side { }
        public struct St { public int Y; }
        public enum En { A, B }
    }

    public class Plain
    {
        public class Nest { public int Z = 3; }
        public int Q = 4;
    }
}

// Each method is named by the conditions of run.sh that its value meets.
static class Types
{
    static int[] Numbers() { return new int[2]; }
    static object Boxes() { return new Box<int>[1]; }
    static Plain[,] Plains() { return new Plain[1, 1]; }
    static object Box() { return new Box<int>(); }
    static Plain Plain() { return new Plain(); }
    static object Nest() { return new Plain.Nest(); }
    static object Side() { return new Box<int>.Side(); }
    static object Side2() { return new Box<string>.Side<long>(); }
    static Box<int>.Side Derived() { return new Box<int>.Derived(); }
    static Box<int>.St St() { return new Box<int>.St(); }
    static object BoxedSt() { return new Box<string>.St(); }
    static Box<int>.En En() { return Box<int>.En.B; }
    static List<int> List() { return new List<int> { 1 }; }
    static List<int>.Enumerator Enumerator() { return new List<int> { 1 }.GetEnumerator(); }
    static object Keys() { return new Dictionary<int, int> { { 1, 2 } }.Keys; }
    static int Number() { return 5; }
    static (int, int, int, int, int, int, int, string, int) Nine() { return (1, 2, 3, 4, 5, 6, 7, "eight", 9); }
    static object Sixteen() { return (1, 2, 3, 4, 5, 6, 7, "eight", 9, 10, 11, 12, 13, 14, "fifteen", 16L); }
    static object Class()
    {
        return new Tuple<int, int, int, int, int, int, int, Tuple<string, int>>(1, 2, 3, 4, 5, 6, 7, Tuple.Create("eight", 9));
    }

    static void Main()
    {
        Numbers(); Boxes(); Plains(); Box(); Plain(); Nest(); Side(); Side2(); Derived(); St(); BoxedSt(); En(); List(); Enumerator(); Keys(); Number();
        Nine(); Sixteen(); Class();
        Console.WriteLine("done");
    }
}
