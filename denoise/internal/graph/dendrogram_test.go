package graph

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// goldenColumns reads a table of reference values by column.
func goldenColumns(t testing.TB, name string) map[string][]string {
	t.Helper()
	return csvtest.Columns(t, csvtest.Shared(t, "golden", "denoise", name))
}

func goldenInts(t testing.TB, texts []string) []int {
	t.Helper()
	out := make([]int, len(texts))
	for i, v := range csvtest.Floats(t, texts) {
		out[i] = int(v)
	}
	return out
}

func numbered(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// forests draws the parents of up to n positions in preorder: each is a child of the one before it or of an ancestor of
// that, or begins a new tree.
func forests(n int) *rapid.Generator[[]int32] {
	return rapid.Custom(func(t *rapid.T) []int32 {
		parent := make([]int32, rapid.IntRange(1, n).Draw(t, "nodes"))
		most := rapid.SampledFrom([]int{0, 2, n}).Draw(t, "most steps up")
		for i := range parent {
			at := int32(i - 1)
			for range rapid.IntRange(0, most).Draw(t, "steps up") {
				if at >= 0 && parent[at] >= 0 {
					at = parent[at]
				}
			}
			if rapid.IntRange(0, 30).Draw(t, "root") == 0 {
				at = -1
			}
			parent[i] = at
		}
		return parent
	})
}

// The transform agrees with the reference on the reference hierarchy; newDendrogram may break ties differently.
func TestGoldenTransform(t *testing.T) {
	for _, name := range []string{"path8", "star6", "rtree60", "rtree1000"} {
		tree := goldenColumns(t, "wavelet_"+name+".tree.csv")
		y := csvtest.Floats(t, tree["y"])
		d, want := goldenDendrogram(t, name, len(y))
		c := d.forward(y)
		if e := csvtest.Farthest(c.Detail, want); e > 1e-9 {
			t.Errorf("%s: coefficients differ by %g", name, e)
		}
		x := make([]float64, len(y))
		d.Inverse(c, x)
		if e := csvtest.Farthest(x, y); e > 1e-11 {
			t.Errorf("%s: the inverse differs by %g", name, e)
		}
		soft(c.Detail, 40*math.Sqrt(2*math.Log(float64(len(y)))))
		d.Inverse(c, x)
		soft := goldenColumns(t, "wavelet_"+name+".soft_universal.csv")
		if e := csvtest.Farthest(x, csvtest.Floats(t, soft["x"])); e > 1e-9 {
			t.Errorf("%s: the estimate differs by %g", name, e)
		}
	}
}

func goldenDendrogram(t *testing.T, name string, n int) (*Dendrogram, []float64) {
	table := goldenColumns(t, "wavelet_"+name+".dendrogram.csv")
	left, right, size := goldenInts(t, table["left"]), goldenInts(t, table["right"]), goldenInts(t, table["size"])
	d := &Dendrogram{n: n, root: []int32{int32(n)}}
	d.reserve(n)
	for k := range left {
		leftSize := int32(1)
		if left[k] >= n {
			leftSize = int32(size[left[k]-n])
		}
		d.left, d.right = append(d.left, int32(left[k])), append(d.right, int32(right[k]))
		d.size, d.leftSize = append(d.size, int32(size[k])), append(d.leftSize, leftSize)
	}
	return d, csvtest.Floats(t, table["coef"])
}

// On a path of 8 nodes the basis is Haar's, up to signs.
func TestPathGivesHaar(t *testing.T) {
	d := newDendrogram([]int32{0, 1, 2, 3, 4, 5, 6, 7}, []int32{-1, 0, 1, 2, 3, 4, 5, 6})
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
		for _, v := range c.Detail {
			found = found || math.Abs(math.Abs(v)-1) < 1e-15
		}
		if !found {
			t.Errorf("%v is not in the basis: %v", row, c.Detail)
		}
	}
}

func TestBasisIsOrthonormalAndSparse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parent := forests(60).Draw(r, "parents")
		node := rapid.Permutation(numbered(len(parent))).Draw(r, "nodes")
		d := newDendrogram(node, parent)
		n := len(parent)
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
		checkSparse(r, node, parent, d)
	})
}

// orthonormal returns all coefficients, including the means'.
func orthonormal(d *Dendrogram, y []float64) []float64 {
	c := d.forward(y)
	out := c.Detail
	for i, m := range c.Mean {
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

// checkSparse cuts one edge of the tree: only few details may change.
func checkSparse(t *rapid.T, node, parent []int32, d *Dendrogram) {
	degree, most := make([]int, len(parent)), 1
	for p, q := range parent {
		if q >= 0 {
			degree[p]++
			degree[q]++
			most = max(most, degree[p], degree[q])
		}
	}
	log2 := func(n int) int { return len(strconv.FormatInt(int64(max(n, 1)-1), 2)) }
	bound := max(1, log2(most)) * log2(len(parent))
	size := subtreeSizes(parent)
	for p := range node {
		if parent[p] < 0 {
			continue
		}
		y := make([]float64, len(parent))
		for q := p; q < p+int(size[p]); q++ {
			y[node[q]] = 1
		}
		nonzero := 0
		for _, v := range d.forward(y).Detail {
			if math.Abs(v) > 1e-12 {
				nonzero++
			}
		}
		if nonzero > bound {
			t.Fatalf("one cut edge gives %d nonzero details, want at most %d", nonzero, bound)
		}
	}
}
