package scan

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/io/table"
)

const (
	// intDigits is the largest n for which every decimal integer of n digits fits an int64.
	intDigits = 18
	// MaxDecimal is the maximum length of a decimal in bytes: 256 bits.
	MaxDecimal = 32
	// exactPower is the largest n for which a float64 holds 10^n exactly.
	exactPower = 22
)

// Decimal converts the unscaled integers of a decimal type to values. Decimals without a fraction that an int64 holds
// become Int, all others Float: the float64 nearest to the decimal. An Int that overflows an int64 becomes the nearest
// int64.
type Decimal struct {
	Type  table.Type
	scale int
	exact bool
}

// Exact returns a conversion under which different decimals stay different: Int stays Int, but an integer that
// overflows an int64 becomes [NoValue]; Float becomes String, the text that appendText writes.
func (d Decimal) Exact() Decimal {
	d.exact = true
	if d.Type.Kind == table.Float {
		d.Type.Kind = table.String
	}
	return d
}

// DecimalOf returns the conversion of a decimal type. If the type cannot be read, its Type is Invalid.
func DecimalOf(precision, scale int) Decimal {
	d := Decimal{Type: table.Type{Kind: table.Float}, scale: scale}
	switch {
	case precision < 1 || scale < -999 || scale > 999:
		d.Type = UnreadableType("decimal of an odd precision")
	case scale <= 0 && precision-scale <= intDigits:
		d.Type.Kind = table.Int
	}
	return d
}

// Add appends the decimal v·10^-scale to to.
func (d Decimal) Add(v int64, to *table.Values) {
	switch d.Type.Kind {
	case table.Int:
		to.Ints = append(to.Ints, d.int(v))
	case table.String:
		d.addText(strconv.FormatInt(v, 10), to)
	default:
		to.Floats = append(to.Floats, d.float(v))
	}
}

// addText appends the decimal digits·10^-scale to to, as a text.
func (d Decimal) addText(digits string, to *table.Values) {
	to.Data = d.appendText(to.Data, digits)
	if len(to.Offsets) == 0 {
		to.Offsets = append(to.Offsets, 0)
	}
	to.Offsets = append(to.Offsets, uint32(len(to.Data)))
}

// appendText appends digits·10^-scale as a text without an exponent, and without zeros at the end of the fraction. So
// equal decimals of different scales have the same text. digits is an integer in decimal.
func (d Decimal) appendText(dst []byte, digits string) []byte {
	digits, negative := strings.CutPrefix(digits, "-")
	if negative {
		dst = append(dst, '-')
	}
	if d.scale <= 0 {
		dst = append(dst, digits...)
		for range -d.scale {
			if digits != "0" {
				dst = append(dst, '0')
			}
		}
		return dst
	}
	digits = strings.Repeat("0", max(0, d.scale+1-len(digits))) + digits
	whole, fraction := digits[:len(digits)-d.scale], strings.TrimRight(digits[len(digits)-d.scale:], "0")
	dst = append(dst, whole...)
	if fraction != "" {
		dst = append(append(dst, '.'), fraction...)
	}
	return dst
}

// AddBytes appends to to the decimal whose unscaled integer is b, big-endian in two's complement.
func (d Decimal) AddBytes(b []byte, to *table.Values) {
	if v, ok := smallInteger(b); ok {
		d.Add(v, to)
		return
	}
	sign := -1
	if b[0] < 0x80 {
		sign = 1
	}
	if d.Type.Kind == table.Int {
		to.Ints = append(to.Ints, d.saturated(sign))
		return
	}
	if len(b) > MaxDecimal && !d.exact {
		to.Floats = append(to.Floats, math.Inf(sign))
		return
	}
	v := new(big.Int).SetBytes(b)
	if sign < 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if d.Type.Kind == table.String {
		d.addText(v.String(), to)
		return
	}
	to.Floats = append(to.Floats, d.parse(v.String()))
}

// smallInteger returns the integer in b. It returns false if the integer overflows an int64.
func smallInteger(b []byte) (int64, bool) {
	var last [8]byte
	sign := byte(0)
	if len(b) > 0 && b[0] >= 0x80 {
		sign = 0xff
	}
	for i := range last {
		last[i] = sign
	}
	copy(last[8-min(len(b), 8):], b[len(b)-min(len(b), 8):])
	for _, x := range b[:max(len(b)-8, 0)] {
		if x != sign {
			return 0, false
		}
	}
	return int64(binary.BigEndian.Uint64(last[:])), last[0]&0x80 == sign&0x80
}

// NoValue is stored in place of a value that an integer column cannot represent exactly, until [Nullify] makes the row
// null. No other value of such a column equals NoValue.
const NoValue = math.MinInt64

func (d Decimal) saturated(sign int) int64 {
	if sign < 0 || d.exact {
		return math.MinInt64
	}
	return math.MaxInt64
}

func (d Decimal) int(v int64) int64 {
	for s := d.scale; s < 0; s++ {
		if v > math.MaxInt64/10 || v < math.MinInt64/10 {
			return d.saturated(int(v >> 63))
		}
		v *= 10
	}
	return v
}

var powers = func() (p [exactPower + 1]float64) {
	p[0] = 1
	for i := range p[1:] {
		p[i+1] = 10 * p[i]
	}
	return p
}()

// float returns the float64 nearest to v·10^-scale. Both operands are exact, so the quotient is rounded once.
func (d Decimal) float(v int64) float64 {
	if v > -1<<53 && v < 1<<53 && d.scale >= 0 && d.scale <= exactPower {
		return float64(v) / powers[d.scale]
	}
	return d.parse(strconv.FormatInt(v, 10))
}

// parse returns the float64 nearest to digits·10^-scale. It is infinite if the number is too large.
func (d Decimal) parse(digits string) float64 {
	f, _ := strconv.ParseFloat(digits+"e"+strconv.Itoa(-d.scale), 64)
	return f
}

// Half converts the bits of a float16 to a float64. Source: IEEE 754-2019, 3.4, binary16.
func Half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 31:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
