// Compares Win32 resources (.rsrc): trees of the same shape, whose leaves hold the same bytes, wherever they are.
using System;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

sealed class Win32
{
    readonly PEReader before, after;
    readonly PEMemoryBlock old, now;
    readonly Report report;

    Win32(PEReader before, PEReader after, Report report)
    {
        this.before = before;
        this.after = after;
        this.report = report;
        old = before.GetSectionData(before.PEHeaders.PEHeader.ResourceTableDirectory.RelativeVirtualAddress);
        now = after.GetSectionData(after.PEHeaders.PEHeader.ResourceTableDirectory.RelativeVirtualAddress);
    }

    public static void Compare(PEReader before, PEReader after, Report report)
    {
        bool some = before.PEHeaders.PEHeader.ResourceTableDirectory.Size != 0;
        report.Check(some == (after.PEHeaders.PEHeader.ResourceTableDirectory.Size != 0), "Win32 resources are gone, or new");
        if (some && report.Differences == 0) {
            new Win32(before, after, report).Directory(0, 0, 0);
        }
    }

    // A directory of 16 bytes, its entries with a name or number and an offset: with the highest bit that of another directory, else
    // of a leaf, which is an RVA, a size and a code page.
    void Directory(int at, int other, int depth)
    {
        if (depth > 8 || !old.GetReader(at, 16).ReadBytes(16).AsSpan().SequenceEqual(now.GetReader(other, 16).ReadBytes(16))) {
            report.Add($"the directory of Win32 resources at {at:x} differs");
            return;
        }
        BlobReader a = old.GetReader(at + 12, 4);
        int count = a.ReadUInt16() + a.ReadUInt16();
        for (int i = 1; i <= count; i++) {
            a = old.GetReader(at + 8 + 8 * i, 8);
            BlobReader b = now.GetReader(other + 8 + 8 * i, 8);
            report.Check(a.ReadUInt32() == b.ReadUInt32(), "the name of a Win32 resource differs");
            uint x = a.ReadUInt32(), y = b.ReadUInt32();
            if (x >> 31 != 0) {
                Directory((int)(x & 0x7FFFFFFF), (int)(y & 0x7FFFFFFF), depth + 1);
            } else {
                Leaf((int)x, (int)y);
            }
        }
    }

    void Leaf(int at, int other)
    {
        BlobReader a = old.GetReader(at, 12), b = now.GetReader(other, 12);
        int rva = a.ReadInt32(), rvaNow = b.ReadInt32(), size = a.ReadInt32();
        report.Check(size == b.ReadInt32() && a.ReadUInt32() == b.ReadUInt32()
                     && before.GetSectionData(rva).GetContent(0, size).AsSpan().SequenceEqual(after.GetSectionData(rvaNow).GetContent(0, size).AsSpan()),
                     $"the Win32 resource at {at:x} differs");
    }
}
