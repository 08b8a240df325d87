// The shortest digits that round-trip (free-format printing of Steele and White, exact arithmetic),
// in the format of .NET 10's "R". "R" of Mono and of .NET Framework gives other digits.

using System;
using System.Globalization;
using System.Text;

namespace MyProfiler
{
    static class Float
    {
        internal static string Text(double value)
        {
            long bits = BitConverter.DoubleToInt64Bits(value);
            return Text(bits < 0, (int)(bits >> 52) & 0x7ff, bits & 0xfffffffffffffL, 52, 17);
        }

        internal static string Text(float value)
        {
            int bits = BitConverter.ToInt32(BitConverter.GetBytes(value), 0);
            return Text(bits < 0, (bits >> 23) & 0xff, bits & 0x7fffff, 23, 9);
        }

        static string Text(bool negative, int exponent, long fraction, int fractionBits,
                           int precision)
        {
            int special = fractionBits == 52 ? 0x7ff : 0xff;
            if (exponent == special)
            {
                return fraction != 0 ? "NaN" : negative ? "-Infinity" : "Infinity";
            }
            string sign = negative ? "-" : "";
            if (exponent == 0 && fraction == 0)
            {
                return sign + "0";
            }
            // value = mantissa * 2^power; below a power of two the neighbour is at half the distance
            bool lowerIsNearer = fraction == 0 && exponent > 1;
            long mantissa = exponent == 0 ? fraction : fraction | (1L << fractionBits);
            int power = Math.Max(exponent, 1) - special / 2 - fractionBits;
            int point;
            string digits = Digits(mantissa, power, lowerIsNearer, out point);
            return sign + Layout(digits, point, Math.Max(digits.Length, precision));
        }

        // value = 0.DIGITS * 10^point. All four numbers are scaled by the same factor: r/s is the
        // remainder of the value, low/s and high/s the distances to the midpoints between it and
        // its neighbours; digits end when the remainder is within them.
        static string Digits(long mantissa, int power, bool lowerIsNearer, out int point)
        {
            int bits = 0;
            while ((mantissa >> bits) != 0)
            {
                bits++;
            }
            // floor(log10(2^(bits - 1 + power))), which is at most the point
            point = (int)Math.Floor((bits - 1 + power) * 0.30103);

            int shift = lowerIsNearer ? 2 : 1;
            Natural r = new Natural(mantissa), s = new Natural(1);
            Natural low = new Natural(1), high = new Natural(1);
            r.ShiftLeft(shift + Math.Max(power, 0));
            s.ShiftLeft(shift + Math.Max(-power, 0));
            low.ShiftLeft(Math.Max(power, 0));
            high.ShiftLeft(shift - 1 + Math.Max(power, 0));
            for (int i = 0; i < point; i++)
            {
                s.Multiply(10);
            }
            for (int i = point; i < 0; i++)
            {
                r.Multiply(10);
                low.Multiply(10);
                high.Multiply(10);
            }
            // A reader rounds a midpoint to the even mantissa: only then a midpoint gives this
            // value.
            int within = (mantissa & 1) == 0 ? 0 : -1;
            while (Natural.CompareSum(r, high, s) >= -within)
            {
                s.Multiply(10);
                point++;
            }

            StringBuilder digits = new StringBuilder(17);
            for (;;)
            {
                r.Multiply(10);
                low.Multiply(10);
                high.Multiply(10);
                int digit = 0;
                while (Natural.Compare(r, s) >= 0)
                {
                    r.Subtract(s);
                    digit++;
                }
                bool lowEnough = Natural.Compare(r, low) <= within;
                bool highEnough = Natural.CompareSum(r, high, s) >= -within;
                if (lowEnough || highEnough)
                {
                    int half = Natural.CompareSum(r, r, s);
                    bool up = lowEnough && highEnough
                        ? half > 0 || (half == 0 && (digit & 1) != 0)
                        : highEnough;
                    return digits.Append((char)('0' + digit + (up ? 1 : 0))).ToString();
                }
                digits.Append((char)('0' + digit));
            }
        }

        static string Layout(string digits, int point, int longest)
        {
            if (point > longest || point < -3)
            {
                int exponent = point - 1;
                string fraction = digits.Length > 1 ? "." + digits.Substring(1) : "";
                return digits[0] + fraction + (exponent < 0 ? "E-" : "E+") +
                       Math.Abs(exponent).ToString("00", CultureInfo.InvariantCulture);
            }
            if (point <= 0)
            {
                return "0." + new string('0', -point) + digits;
            }
            return point >= digits.Length
                ? digits.PadRight(point, '0')
                : digits.Substring(0, point) + "." + digits.Substring(point);
        }
    }

    // A natural number, as large as printing a double needs: 2^53 * 10^324 has 1,130 bits.
    sealed class Natural
    {
        readonly uint[] words = new uint[40];
        int length;                                 // words in use, the highest not 0

        internal Natural(long value)
        {
            words[0] = (uint)value;
            words[1] = (uint)(value >> 32);
            length = words[1] != 0 ? 2 : 1;
        }

        internal void Multiply(uint factor)
        {
            ulong carry = 0;
            for (int i = 0; i < length; i++)
            {
                carry += (ulong)words[i] * factor;
                words[i] = (uint)carry;
                carry >>= 32;
            }
            if (carry != 0)
            {
                words[length++] = (uint)carry;
            }
        }

        internal void ShiftLeft(int bits)
        {
            int whole = bits / 32;
            if (whole > 0)
            {
                Array.Copy(words, 0, words, whole, length);
                Array.Clear(words, 0, whole);
                length += whole;
            }
            Multiply(1u << (bits % 32));
        }

        // Requires other <= this.
        internal void Subtract(Natural other)
        {
            long borrow = 0;
            for (int i = 0; i < length; i++)
            {
                borrow += (long)words[i] - other.words[i];
                words[i] = (uint)borrow;
                borrow >>= 32;
            }
            while (length > 1 && words[length - 1] == 0)
            {
                length--;
            }
        }

        internal static int Compare(Natural a, Natural b)
        {
            return CompareSum(a, null, b);
        }

        // The sign of a + b - c; b may be null for 0.
        internal static int CompareSum(Natural a, Natural b, Natural c)
        {
            int top = Math.Max(Math.Max(a.length, b == null ? 0 : b.length), c.length);
            long rest = 0;
            for (int i = top - 1; i >= 0; i--)
            {
                rest = (rest << 32) + a.words[i] + (b == null ? 0 : b.words[i]) - c.words[i];
                // Lower words add less than 2 in units of this word, and subtract less than 1.
                if (rest >= 1 || rest <= -2)
                {
                    return rest < 0 ? -1 : 1;
                }
            }
            return rest < 0 ? -1 : rest > 0 ? 1 : 0;
        }
    }
}
