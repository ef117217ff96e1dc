package graph

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func forestOf(t testing.TB, parents []int) *Forest {
	var edges []Edge
	for i, p := range parents {
		if p >= 0 {
			edges = append(edges, Edge{U: i, V: p, W: 1})
		}
	}
	g := must(New(len(parents), edges))(t)
	return must(g.Forest())(t)
}

// The transform on the reference hierarchy, whatever ties one's own construction breaks otherwise.
func TestGoldenTransform(t *testing.T) {
	for _, name := range []string{"path8", "star6", "rtree60", "rtree1000"} {
		tree := golden(t, "wavelet_"+name+".tree.csv")
		y := floats(t, tree["y"])
		d, want := goldenDendrogram(t, name, len(y))
		c := d.forward(y)
		if e := farthest(c.detail, want); e > 1e-9 {
			t.Errorf("%s: coefficients differ by %g", name, e)
		}
		x := make([]float64, len(y))
		d.inverse(c, x)
		if e := farthest(x, y); e > 1e-11 {
			t.Errorf("%s: the inverse differs by %g", name, e)
		}
		d.estimate(y, x, WaveletOptions{Sigma: 40, Rule: Universal})
		soft := golden(t, "wavelet_"+name+".soft_universal.csv")
		if e := farthest(x, floats(t, soft["x"])); e > 1e-9 {
			t.Errorf("%s: the estimate differs by %g", name, e)
		}
	}
}

func goldenDendrogram(t *testing.T, name string, n int) (*dendrogram, []float64) {
	table := golden(t, "wavelet_"+name+".dendrogram.csv")
	left, right, size := ints(t, table["left"]), ints(t, table["right"]), ints(t, table["size"])
	d := &dendrogram{n: n, root: []int32{int32(n)}}
	d.reserve(n)
	for k := range left {
		leftSize := int32(1)
		if left[k] >= n {
			leftSize = int32(size[left[k]-n])
		}
		d.left, d.right = append(d.left, int32(left[k])), append(d.right, int32(right[k]))
		d.size, d.leftSize = append(d.size, int32(size[k])), append(d.leftSize, leftSize)
	}
	return d, floats(t, table["coef"])
}

// On a path of 8 nodes the basis is Haar's, up to signs.
func TestPathGivesHaar(t *testing.T) {
	d := newDendrogram(must(Path(8))(t))
	var want [][]float64
	for size := 8; size >= 2; size /= 2 {
		for from := 0; from < 8; from += size {
			row := make([]float64, 8)
			for i := range size {
				row[from+i] = math.Copysign(1/math.Sqrt(float64(size)), float64(size/2-i)-0.5)
			}
			want = append(want, row)
		}
	}
	for _, row := range want {
		c := d.forward(row)
		found := false
		for _, v := range c.detail {
			found = found || math.Abs(math.Abs(v)-1) < 1e-15
		}
		if !found {
			t.Errorf("%v is not in the basis: %v", row, c.detail)
		}
	}
}

func randomTree(n int) *rapid.Generator[[]int] {
	return rapid.Custom(func(t *rapid.T) []int {
		size := rapid.IntRange(1, n).Draw(t, "nodes")
		reach := rapid.SampledFrom([]int{1, 3, 1 << 30}).Draw(t, "reach")
		parents := make([]int, size)
		for i := range parents {
			parents[i] = -1
			if i > 0 && rapid.IntRange(0, 30).Draw(t, "root") > 0 {
				parents[i] = rapid.IntRange(max(0, i-reach), i-1).Draw(t, "parent")
			}
		}
		return parents
	})
}

func TestBasisIsOrthonormalAndSparse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parents := randomTree(60).Draw(r, "parents")
		f := forestOf(t, parents)
		d := newDendrogram(f)
		n := len(parents)
		if len(d.left)+len(d.root) != n {
			r.Fatalf("%d coefficients and %d means of %d nodes", len(d.left), len(d.root), n)
		}
		w := make([][]float64, n) // columns: the transform of each unit vector
		for i := range w {
			e := make([]float64, n)
			e[i] = 1
			w[i] = orthonormal(d, e)
		}
		for i := range w {
			for j := range w {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := dot(w[i], w[j]); math.Abs(got-want) > 1e-12 {
					r.Fatalf("columns %d and %d have product %v", i, j, got)
				}
			}
		}
		checkSparse(r, f, d)
	})
}

// orthonormal returns all coefficients, those of the means too.
func orthonormal(d *dendrogram, y []float64) []float64 {
	c := d.forward(y)
	out := c.detail
	for i, m := range c.mean {
		size := 1.0
		if r := int(d.root[i]); r >= d.n {
			size = float64(d.size[r-d.n])
		}
		out = append(out, m*math.Sqrt(size))
	}
	return out
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// checkSparse cuts one edge of the tree: few details may see that.
func checkSparse(t *rapid.T, f *Forest, d *dendrogram) {
	degree, most := make([]int, len(f.node)), 1
	for p, q := range f.parent {
		if q >= 0 {
			degree[p]++
			degree[q]++
			most = max(most, degree[p], degree[q])
		}
	}
	log2 := func(n int) int { return len(strconv.FormatInt(int64(max(n, 1)-1), 2)) }
	bound := max(1, log2(most)) * log2(len(f.node))
	size := subtreeSizes(f)
	for p := range f.node {
		if f.parent[p] < 0 {
			continue
		}
		y := make([]float64, len(f.node))
		for q := p; q < p+int(size[p]); q++ {
			y[f.node[q]] = 1
		}
		nonzero := 0
		for _, v := range d.forward(y).detail {
			if math.Abs(v) > 1e-12 {
				nonzero++
			}
		}
		if nonzero > bound {
			t.Fatalf("one cut edge gives %d nonzero details, want at most %d", nonzero, bound)
		}
	}
}

func TestShrinkageDivergence(t *testing.T) {
	g := must(Grid(12, 9))(t)
	r := &public{5}
	y := make([]float64, g.Nodes())
	for i := range y {
		y[i] = 40*normal(r) + 60*float64(i%9/4)
	}
	for _, rule := range []Rule{Levels, Universal, SUREThreshold, Given} {
		o := WaveletOptions{Sigma: 40, Rule: rule, Threshold: 30, Trees: 3}
		fit := must(TreeWavelets(t.Context(), g, y, o))(t)
		if rule == SUREThreshold { // the divergence is that at a fixed threshold
			o.Trees = 1
			fit = must(TreeWavelets(t.Context(), g, y, o))(t)
			o.Rule, o.Threshold = Given, fit.Lambda+0.001 // off the kink
		}
		var trace float64
		for i := range y {
			const h = 1e-5
			y[i] += h
			up := must(TreeWavelets(t.Context(), g, y, o))(t)
			y[i] -= 2 * h
			down := must(TreeWavelets(t.Context(), g, y, o))(t)
			y[i] += h
			trace += (up.X[i] - down.X[i]) / (2 * h)
		}
		if math.Abs(trace-fit.DF) > 1e-4*fit.DF {
			t.Errorf("rule %d: divergence %v, by differences %v", rule, fit.DF, trace)
		}
	}
}

// normal draws by Box and Muller's formula.
func normal(r *public) float64 {
	return math.Sqrt(-2*math.Log(1-r.unit())) * math.Cos(2*math.Pi*r.unit())
}

func TestWaveletsAreTheSameForAnyWorkers(t *testing.T) {
	g := must(Grid(20, 20))(t)
	y := make([]float64, g.Nodes())
	r := &public{1}
	for i := range y {
		y[i] = normal(r)
	}
	var first []float64
	for _, workers := range []int{1, 2, 7} {
		fit := must(TreeWavelets(t.Context(), g, y, WaveletOptions{Sigma: 1, Trees: 19, Run: Run{Workers: workers}}))(t)
		if first == nil {
			first = fit.X
		} else if farthest(first, fit.X) != 0 {
			t.Errorf("%d workers give another estimate", workers)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	g := must(Grid(2, 2))(t)
	y := []float64{1, 2, 3, 4}
	for _, o := range []WaveletOptions{
		{}, {Sigma: -1}, {Sigma: math.NaN()}, {Sigma: math.Inf(1)}, {Sigma: 1, Rule: 9}, {Sigma: 1, Trees: -1},
		{Sigma: 1, Rule: Given, Threshold: math.NaN()},
	} {
		if _, err := TreeWavelets(t.Context(), g, y, o); err == nil || !strings.Contains(err.Error(), ": ") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	for _, y := range [][]float64{nil, {1, 2, 3, math.NaN()}, {1, 2, 3, math.Inf(1)}} {
		if _, err := TreeWavelets(t.Context(), g, y, WaveletOptions{Sigma: 1}); err == nil {
			t.Errorf("%v: no error", y)
		}
	}
}
