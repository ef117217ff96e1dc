package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// Queries with several tables
//
// The noise of crosstabs and of nested levels is in several vectors, one for each residual or level. The answer holds
// their noisy numbers one after the other. The tables are computed from them, as readings.

// parts are the noisy vectors of such a query. names[i] is the name of component i and lengths[i] its length.
type parts struct {
	names   []string
	lengths []int
}

// partsAnswer returns the answer that holds the noisy numbers, and the numbers of each component, which share memory
// with the answer. The key columns have the component's name, and the index of the number in the component.
func (c *parts) partsAnswer(nameKey, indexKey string, noisy []mechanism.Noisy) (a query.Answer, vectors [][]float64) {
	var names []string
	var indices []int64
	var ends []int
	for i, n := range c.lengths {
		names = append(names, slices.Repeat(c.names[i:i+1], n)...)
		for j := range n {
			indices = append(indices, int64(j))
		}
		ends = append(ends, len(names))
	}
	values, deviations := make([]float64, len(names)), deviationsOf(mechanismsOf(noisy))
	for i, n := range c.lengths {
		vector := values[ends[i]-n : ends[i]]
		noisy[i].Fill(0, vector)
		vectors = append(vectors, vector)
	}
	a = answerOf(values, func(start int, dst []float64) {
		i := 0
		for k := range dst {
			for start+k >= ends[i] {
				i++
			}
			dst[k] = deviations[i]
		}
	})
	a.Keys = []domain.KeyColumn{{Name: nameKey, Stride: 1, Labels: domain.Labels{Strings: names}},
		{Name: indexKey, Stride: 1, Labels: domain.Labels{Ints: indices}}}
	return a, vectors
}

// Recover reads the noisy numbers back from released columns.
func (c *parts) Recover(columns query.Columns, grids []float64) (out query.Recovered, err error) {
	if len(grids) != len(c.lengths) || len(columns.Noisy) != sumOf(c.lengths) {
		return out, errInexact
	}
	var vectors [][]float64
	rest := columns.Noisy
	for _, n := range c.lengths {
		vectors, rest = append(vectors, rest[:n]), rest[n:]
	}
	return recoverVectors(grids, vectors...)
}

// fileNames returns the names of tables for file names. names[k] holds the names of table k's dimensions, which are
// joined by points. If file names cannot contain one of these names, or if one is long, the tables are numbered
// instead: numbered is the word before the number.
func fileNames(names [][]string, numbered string) []string {
	const longest = 100
	out, plain := make([]string, len(names)), true
	for k, of := range names {
		out[k] = strings.Join(of, ".")
		plain = plain && len(out[k]) <= longest && !slices.ContainsFunc(of, func(name string) bool {
			return strings.ContainsFunc(name, func(c rune) bool {
				return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-'
			})
		})
	}
	for k := range out {
		if !plain {
			out[k] = fmt.Sprint(numbered, k+1)
		}
	}
	return out
}

// valuesOf returns the values of a noisy vector.
func valuesOf(n mechanism.Noisy) []float64 {
	values := make([]float64, n.Len())
	n.Fill(0, values)
	return values
}

// mechanismsOf returns the mechanism of each noisy vector.
func mechanismsOf(noisy []mechanism.Noisy) []calibrate.Mechanism {
	ms := make([]calibrate.Mechanism, len(noisy))
	for i := range noisy {
		ms[i] = noisy[i].Mechanism()
	}
	return ms
}

// deviationsOf returns the standard deviation of each mechanism's noise.
func deviationsOf(ms []calibrate.Mechanism) []float64 {
	deviations := make([]float64, len(ms))
	for i, m := range ms {
		deviations[i] = m.Deviation()
	}
	return deviations
}

// variancesOf returns the variance of each mechanism's noise.
func variancesOf(ms []calibrate.Mechanism) []float64 {
	variances := deviationsOf(ms)
	for i, sd := range variances {
		variances[i] = sd * sd
	}
	return variances
}
