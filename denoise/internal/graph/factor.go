package graph

import "context"

// factor is the Cholesky decomposition L·diag(d)·L' of I + A'WA, for a sparse matrix A whose columns are in the order
// of elimination, and a diagonal matrix W = diag(w). It is computed row by row ("up-looking"; Davis, "Algorithm 849: a
// concise sparse Cholesky factorization package", ACM TOMS 31, 2005).
type factor struct {
	a, columns *Matrix // A and A'
	parent     []int32 // the elimination tree
	start      []int   // where each column of L starts
	row        []int32
	val, d     []float64
	rowWork
}

// rowWork is the working memory for one row of L: the row as a dense vector, the marks of visited columns, the row's
// pattern, and the number of entries of each column so far.
type rowWork struct {
	y             []float64
	mark, pattern []int32
	filled        []int
}

// newFactor finds the pattern of L, the positions that are not 0. [factor.Sharing] adds the memory for the values.
// Errors: a [*sizeError] if L has too many entries; ctx.Err().
func newFactor(ctx context.Context, a *Matrix) (*factor, error) {
	n := a.Columns
	f := &factor{a: a, columns: a.transpose(), parent: make([]int32, n), start: make([]int, n+1)}
	f.mark = make([]int32, n)
	total := 0
	for j := range int32(n) {
		f.parent[j], f.mark[j] = -1, j
		rows, _ := f.columns.Row(int(j))
		for _, r := range rows {
			col, _ := a.Row(int(r))
			for _, i := range col {
				for i < j && f.mark[i] != j {
					if f.parent[i] < 0 {
						f.parent[i] = j
					}
					f.start[i+1]++
					total++
					f.mark[i] = j
					i = f.parent[i]
				}
			}
		}
		if total > maxEntries {
			return nil, &sizeError{total}
		}
		if j&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for j := range n {
		f.start[j+1] += f.start[j]
	}
	return f, nil
}

// Sharing returns a factor with the same pattern and with its own memory for values.
func (f *factor) Sharing() *factor {
	n := f.a.Columns
	out := *f
	out.row, out.val = make([]int32, f.start[n]), make([]float64, f.start[n])
	out.d, out.y, out.mark = make([]float64, n), make([]float64, n), make([]int32, n)
	out.pattern, out.filled = make([]int32, n), make([]int, n)
	return &out
}

// Compute computes L and d of I + A'·diag(w)·A.
func (f *factor) Compute(w []float64) {
	for j := range int32(len(f.d)) {
		f.filled[j], f.mark[j] = f.start[j], -1
	}
	for j := range int32(len(f.d)) {
		f.eliminate(j, f.load(j, w))
	}
}

// load copies row j of the matrix, up to the diagonal, into y. It finds the columns of L that this row needs and writes
// them, in order, to the end of pattern. It returns the index in pattern at which they begin.
func (f *factor) load(j int32, w []float64) (top int) {
	top = len(f.pattern)
	f.mark[j] = j
	f.y[j] = 1
	rows, vals := f.columns.Row(int(j))
	for k, r := range rows {
		scale := vals[k] * w[r]
		col, val := f.a.Row(int(r))
		for q, i := range col {
			if i > j {
				continue
			}
			f.y[i] += float64(scale * val[q])
			length := 0
			for ; f.mark[i] != j; i = f.parent[i] {
				f.pattern[length] = i
				length++
				f.mark[i] = j
			}
			for length > 0 {
				length--
				top--
				f.pattern[top] = f.pattern[length]
			}
		}
	}
	return top
}

// eliminate computes row j of L and d[j]. pattern[top:] holds the columns that load found.
func (f *factor) eliminate(j int32, top int) {
	d := f.y[j]
	f.y[j] = 0
	for _, i := range f.pattern[top:] {
		yi := f.y[i]
		f.y[i] = 0
		end := f.filled[i]
		row, val := f.row[f.start[i]:end], f.val[f.start[i]:end]
		for k, r := range row {
			f.y[r] -= float64(val[k] * yi)
		}
		l := yi / f.d[i]
		d -= float64(l * yi)
		f.row[end], f.val[end] = j, l
		f.filled[i]++
	}
	f.d[j] = d
}

// Solve replaces b by the solution x of (I + A'WA)·x = b.
func (f *factor) Solve(b []float64) {
	for j := range f.d {
		row, val := f.row[f.start[j]:f.start[j+1]], f.val[f.start[j]:f.start[j+1]]
		for k, r := range row {
			b[r] -= float64(val[k] * b[j])
		}
	}
	for j := len(f.d) - 1; j >= 0; j-- {
		row, val := f.row[f.start[j]:f.start[j+1]], f.val[f.start[j]:f.start[j+1]]
		sum := b[j] / f.d[j]
		for k, r := range row {
			sum -= float64(val[k] * b[r])
		}
		b[j] = sum
	}
}
