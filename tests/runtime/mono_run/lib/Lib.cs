namespace Lib
{
    public class Greeter
    {
        public string Hello(string name) { return "hello " + name; }
    }
}
