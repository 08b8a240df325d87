// An enum that another assembly returns: without this one it is not known to be an enum.
namespace Colors
{
    public enum Shade { Light, Dark }
}
