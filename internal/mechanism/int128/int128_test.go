package int128

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var one = big.NewInt(1)

func anyInt(r *rapid.T, name string) Int {
	x := Int{rapid.Int64().Draw(r, name+" high"), rapid.Uint64().Draw(r, name+" low")}
	return x.ShiftRight(rapid.UintRange(0, 127).Draw(r, name+" shift"))
}

// digits returns the low 128 digits of x in two's complement.
func digits(x *big.Int) *big.Int {
	return new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(one, 128), one))
}

// All arithmetic agrees with math/big.
func TestAgreesWithBig(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, y := anyInt(r, "x"), anyInt(r, "y")
		n := rapid.UintRange(0, 200).Draw(r, "n")
		if got, want := x.ShiftRight(n).Big(), new(big.Int).Rsh(x.Big(), n); got.Cmp(want) != 0 {
			r.Fatalf("%v >> %d = %v, want %v", x, n, got, want)
		}
		if got, want := x.ShiftLeft(n).Big(), new(big.Int).Lsh(x.Big(), n); digits(got).Cmp(digits(want)) != 0 {
			r.Fatalf("%v << %d = %v, want %v", x, n, got, want)
		}
		if got, want := x.Add(y).Big(), new(big.Int).Add(x.Big(), y.Big()); digits(got).Cmp(digits(want)) != 0 {
			r.Fatalf("%v + %v = %v, want %v", x, y, got, want)
		}
		if got, want := x.Sub(y).Big(), new(big.Int).Sub(x.Big(), y.Big()); digits(got).Cmp(digits(want)) != 0 {
			r.Fatalf("%v - %v = %v, want %v", x, y, got, want)
		}
		k := rapid.Int64().Draw(r, "k")
		if got, want := x.Times(k).Big(), new(big.Int).Mul(x.Big(), big.NewInt(k)); digits(got).Cmp(digits(want)) != 0 {
			r.Fatalf("%v · %d = %v, want %v", x, k, got, want)
		}
		same := x
		if got, want := x.Cmp(y), x.Big().Cmp(y.Big()); got != want || x.Cmp(same) != 0 {
			r.Fatalf("%v and %v compare as %d, want %d", x, y, got, want)
		}
		if x.IsInt64() != x.Big().IsInt64() {
			r.Fatalf("%v is an int64: %v", x, x.IsInt64())
		}
		a, b := rapid.Int64().Draw(r, "a"), rapid.Uint64().Draw(r, "b")
		if got, want := Product(a, b).Big(), new(big.Int).Mul(big.NewInt(a), new(big.Int).SetUint64(b)); got.Cmp(want) != 0 {
			r.Fatalf("%d · %d = %v, want %v", a, b, got, want)
		}
		if b = min(b, 1<<63); Square(b).Big().Cmp(new(big.Int).Mul(new(big.Int).SetUint64(b),
			new(big.Int).SetUint64(b))) != 0 {
			r.Fatalf("%d² = %v", b, Square(b).Big())
		}
	})
}

// Slices add like their integers, narrow or wide.
func TestSlices(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, y := anyInt(r, "x"), anyInt(r, "y")
		n := rapid.Int64().Draw(r, "n")
		s := Make(3)
		s.Add(1, x)
		s.AddSlice(Slice{[]int64{0, y.High, 7}, []uint64{0, y.Low, 8}})
		s.AddSlice(Narrow([]int64{n, 0, 0}))
		if s.At(0) != Of(n) || s.At(1) != x.Add(y) || s.At(2) != (Int{7, 8}) || s.Len() != 3 {
			r.Fatalf("%v", s)
		}
		c := s.Clone()
		if part := s.Cut(1, 2); part.Len() != 1 || part.At(0) != x.Add(y) {
			r.Fatalf("%v", part)
		}
		if s.Wipe(); s.At(1) != (Int{}) || c.At(1) != x.Add(y) {
			r.Fatalf("%v, %v", s, c)
		}
		if cells := []int64{n, 5}; !slices.Equal(Narrow(cells).Cut(1, 2).Clone().High, cells[1:]) ||
			Narrow(cells).Cut(0, 1).At(0) != Of(n) {
			r.Fatal("narrow integers are cut wrongly")
		}
	})
}
