// An enum that another assembly returns: without this one nobody knows that it is an enum.
namespace Colors
{
    public enum Shade { Light, Dark }
}
