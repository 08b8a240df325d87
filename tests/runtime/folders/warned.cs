// What a compiler warns of.

#warning a warning of its own
class Warned
{
    int unused;

    int Get() { int never = 3; return 2; }
}
