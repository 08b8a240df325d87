// Tests as people write them: facts, theories, async ones, a fixture, one that is skipped and one that fails.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

public class Basket
{
    readonly List<decimal> prices = [];

    public void Add(decimal price) => prices.Add(price > 0 ? price : throw new ArgumentOutOfRangeException(nameof(price)));
    public decimal Total() => prices.Sum();
    public async Task<decimal> TotalLater()
    {
        await Task.Delay(1);
        return Total();
    }
}

public sealed class Fixture : IDisposable
{
    public Basket Basket { get; } = new();
    public Fixture() => Basket.Add(2);
    public void Dispose() => Basket.Add(1);
}

public class BasketTests(Fixture fixture) : IClassFixture<Fixture>
{
    [Fact]
    public void Empty() => Assert.Equal(0, new Basket().Total());

    [Theory]
    [InlineData(1, 2, 3)]
    [InlineData(2, 2, 4)]
    [MemberData(nameof(Sums))]
    public void Adds(int a, int b, int sum)
    {
        var basket = new Basket();
        basket.Add(a);
        basket.Add(b);
        Assert.Equal(sum, basket.Total());
    }

    public static TheoryData<int, int, int> Sums() => new() { { 10, 20, 30 }, { 7, 8, 15 } };

    [Fact]
    public async Task Later() => Assert.Equal(2, await fixture.Basket.TotalLater());

    [Fact]
    public void Refuses() => Assert.Throws<ArgumentOutOfRangeException>(() => new Basket().Add(-1));

    [Fact(Skip = "not now")]
    public void Skipped() => Assert.Fail();

    [Fact]
    public void Fails() => Assert.Equal(["a", "b"], new[] { "a", "c" });
}
