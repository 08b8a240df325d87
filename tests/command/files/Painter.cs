namespace Painter
{
    public static class Brush
    {
        public static Colors.Shade Shade() { return Colors.Shade.Dark; }
        public static int Width() { return 3; }
    }
}
