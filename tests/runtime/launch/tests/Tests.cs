// One test that passes and one that fails.

using Xunit;

public class Tests
{
    static int Triple(int x) { return 3 * x; }

    [Fact] public void Right() { Assert.Equal(21, Triple(7)); }

    [Fact] public void Wrong() { Assert.Equal(20, Triple(7)); }
}
