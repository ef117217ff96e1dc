package derived_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

// rowOf returns the columns of the sample with one row: its values, and null for each bit of nulls.
func rowOf(ints [9]int64, f, g float64, s, c string, nulls uint16) []table.Column {
	_, columns := sample()
	at := 0
	for i := range columns {
		x := &columns[i]
		*x = table.Column{Type: x.Type, Valid: []bool{nulls>>i&1 == 0}}
		switch x.Type.Kind {
		case table.Float:
			x.Values.Floats = []float64{f}
			f = g
		case table.String:
			x.Values.Offsets, x.Values.Data = []uint32{0, uint32(len(s))}, []byte(s)
			s = c
		default:
			if x.Values.Ints = []int64{ints[at]}; x.Type.Kind == table.Bool {
				x.Values.Ints[0] &= 1
			}
			at++
		}
	}
	return columns
}

// joined puts the rows of two tables of one row into one table.
func joined(a, b []table.Column) []table.Column {
	out := make([]table.Column, len(a))
	for i := range a {
		out[i] = table.Column{Type: a[i].Type, Valid: append(append([]bool{}, a[i].Valid...), b[i].Valid...)}
		v, x, y := &out[i].Values, &a[i].Values, &b[i].Values
		v.Ints = append(append([]int64{}, x.Ints...), y.Ints...)
		v.Floats = append(append([]float64{}, x.Floats...), y.Floats...)
		if x.Offsets != nil {
			v.Data = append(append([]byte{}, x.Data...), y.Data...)
			v.Offsets = []uint32{0, x.Offsets[1], x.Offsets[1] + y.Offsets[1]}
		}
	}
	return out
}

// No value of a row makes an expression fail, or changes the result of another row.
func FuzzRowValues(f *testing.F) {
	f.Add(uint64(1), int64(-1), int64(0), uint64(1<<63), 0.0, 1e308, "\xff", "2013-02-29", int64(1<<62), int64(-1<<63), int64(-1), uint16(0))
	f.Add(uint64(2), int64(-1<<63), int64(-1), uint64(3), -0.5, 1e-320, "é2", "0x1p-2", int64(-719163), int64(2932897), int64(1<<63-1), uint16(5))
	f.Add(uint64(7), int64(1<<63-1), int64(2), uint64(0), 9.3e18, -9.3e18, "NaN", "9223372036854775808", int64(0), int64(0), int64(0), uint16(1<<5))
	names, _ := sample()
	f.Fuzz(func(t *testing.T, seed uint64, i, j int64, k uint64, x, y float64, s, c string, day, instant, clock int64, nulls uint16) {
		usual := rowOf([9]int64{7, 2, 1, 1, 15706, 15707, 1357005600_000_000, 0, 86399}, 0.5, 2, "Ab c", "b", 0)
		odd := rowOf([9]int64{i, j, int64(k), i & 1, day, j, instant, clock, clock}, x, y, s, c, nulls)
		r := rand.New(rand.NewPCG(seed, 1))
		kinds := []string{"int", "float", "text", "bool", "date"}
		for range 8 {
			text := randomExpression(r, kinds[r.IntN(len(kinds))], 4)
			alone, err := computed(t, text, names, usual)
			if err != nil {
				continue // the expression reads no column, or is too long: no row decides this
			}
			own, err := computed(t, text, names, odd)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			both, err := computed(t, text, names, joined(usual, odd))
			if err != nil || both[0] != alone[0] || both[1] != own[0] {
				t.Fatalf("%s: %v together, %v and %v alone (%v)", text, both, alone, own, err)
			}
		}
	})
}
