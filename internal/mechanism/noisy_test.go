package mechanism

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

func all(n Noisy) []float64 {
	out := make([]float64, n.Len())
	n.Fill(0, out)
	return out
}

func counting(size int) Noisy {
	n := Noisy{mechanism: calibrate.Mechanism{Query: "q", Grid: 0.25}, multiples: make([]int64, size)}
	for i := range n.multiples {
		n.multiples[i] = int64(i)
	}
	return n
}

func double(x []float64) ([]float64, error) {
	for i := range x {
		x[i] *= 2
	}
	return x, nil
}

func TestFill(t *testing.T) {
	plain := counting(5)
	stepped, err := plain.Then("same", func(x []float64) ([]float64, error) { return x, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []Noisy{plain, stepped} {
		for _, c := range []struct {
			start int
			want  []float64
		}{
			{0, []float64{0, .25, .5}}, {2, []float64{.5, .75, 1}}, {4, []float64{1, -9, -9}}, {5, []float64{-9, -9, -9}}, {-1,
				[]float64{-9, -9, -9}},
			{math.MaxInt, []float64{-9, -9, -9}},
		} {
			dst := []float64{-9, -9, -9}
			if n.Fill(c.start, dst); !slices.Equal(dst, c.want) {
				t.Errorf("Fill(%d): %v, want %v", c.start, dst, c.want)
			}
		}
		n.Fill(0, nil)
	}
}

// A noisy integer is converted to float64 once, to nearest.
func TestConversion(t *testing.T) {
	n := Noisy{mechanism: calibrate.Mechanism{Grid: math.Ldexp(1, -10)},
		multiples: []int64{1<<53 + 1, 1<<53 + 3, math.MinInt64, math.MaxInt64}}
	want := []float64{1 << 43, math.Ldexp(1<<53+4, -10), -1 << 53, 1 << 53}
	if got := all(n); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	n.mechanism.Grid = math.Ldexp(1, 960)
	for _, x := range all(n) {
		if math.IsInf(x, 0) {
			t.Error("the largest grid overflows")
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, size := range []int{0, 1, viewCells - 1, viewCells, viewCells + 1, 3*viewCells + 5} {
		n := counting(size)
		var got []float64
		for start, block := range n.Blocks() {
			if start != len(got) || len(block) == 0 || len(block) > viewCells {
				t.Fatalf("%d cells: block of %d at %d", size, len(block), start)
			}
			got = append(got, block...)
			clear(block) // the vector must not change
		}
		if !slices.Equal(got, all(n)) {
			t.Errorf("%d cells: the blocks are not the vector", size)
		}
	}
	for range counting(3 * viewCells).Blocks() {
		break
	}
}

func TestThen(t *testing.T) {
	n := counting(4)
	var kept []float64
	once, err := n.Then("double", func(x []float64) ([]float64, error) {
		kept = x
		return double(x)
	})
	if err != nil {
		t.Fatal(err)
	}
	clear(kept) // only the vector holds its values
	a, errA := once.Then("a", double)
	b, errB := once.Then("b", double)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for _, c := range []struct {
		n      Noisy
		values []float64
		steps  []string
	}{
		{n, []float64{0, .25, .5, .75}, nil},
		{once, []float64{0, .5, 1, 1.5}, []string{"double"}},
		{a, []float64{0, 1, 2, 3}, []string{"double", "a"}},
		{b, []float64{0, 1, 2, 3}, []string{"double", "b"}},
	} {
		if !slices.Equal(all(c.n), c.values) || !slices.Equal(c.n.Steps(), c.steps) || c.n.Mechanism() != n.Mechanism() {
			t.Errorf("%v %v, want %v %v", all(c.n), c.n.Steps(), c.values, c.steps)
		}
	}
	if s := a.Steps(); len(s) > 0 {
		s[0] = "changed"
		if a.Steps()[0] != "double" {
			t.Error("the steps can be changed")
		}
	}
}

func TestThenRefuses(t *testing.T) {
	own := errors.New("own")
	returns := func(x []float64, err error) func([]float64) ([]float64, error) {
		return func([]float64) ([]float64, error) { return x, err }
	}
	for what, c := range map[string]struct {
		n    Noisy
		step string
		f    func([]float64) ([]float64, error)
		want error
	}{
		"empty":     {Noisy{}, "s", double, ErrStep},
		"no name":   {counting(2), "", double, ErrStep},
		"no step":   {counting(2), "s", nil, ErrStep},
		"shorter":   {counting(2), "s", returns([]float64{1}, nil), ErrStep},
		"longer":    {counting(2), "s", returns([]float64{1, 2, 3}, nil), ErrStep},
		"NaN":       {counting(2), "s", returns([]float64{1, math.NaN()}, nil), ErrStep},
		"infinite":  {counting(2), "s", returns([]float64{math.Inf(-1), 1}, nil), ErrStep},
		"own error": {counting(2), "s", returns(nil, own), own},
	} {
		if n, err := c.n.Then(c.step, c.f); !errors.Is(err, c.want) || n.Len() != 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// If a vector is in memory, ThenEach applies the step once to every cell of a copy, and the vector does not change.
func TestThenEach(t *testing.T) {
	n := counting(viewCells + 3)
	n.mechanism.Noise, n.keys = calibrate.Geometric, []string{"kept"}
	out, err := n.ThenEach("add", func(x []float64) {
		for i := range x {
			x[i]++
		}
	})
	if err != nil || out.Normal() || len(out.Keys()) != 1 || !slices.Equal(out.Steps(), []string{"add"}) ||
		len(n.Steps()) != 0 {
		t.Fatal(out.Steps(), err)
	}
	for i, x := range all(out) {
		if x != float64(i)/4+1 {
			t.Fatalf("cell %d: %g", i, x)
		}
	}
	if all(n)[0] != 0 {
		t.Error("the first vector has changed")
	}
	spoil := func(x []float64) { x[0] = math.Inf(1) }
	for what, c := range map[string]struct {
		n    Noisy
		step string
		f    func([]float64)
	}{"empty": {Noisy{}, "s", spoil}, "no name": {n, "", spoil}, "no step": {n, "s", nil}, "infinite": {n, "s", spoil}} {
		if _, err := c.n.ThenEach(c.step, c.f); !errors.Is(err, ErrStep) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
