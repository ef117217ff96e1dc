package sink

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/hook"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// series repeats values over the cells. The value of a cell does not depend on how it is read.
func series(values ...float64) query.Series {
	return func(start int, dst []float64) {
		for i := range dst {
			dst[i] = values[(start+i)%len(values)]
		}
	}
}

// wave returns a series of many different values: positive and negative multiples of scale.
func wave(scale float64) query.Series {
	return func(start int, dst []float64) {
		for i := range dst {
			h := uint64(start+i+1) * 0x9e3779b97f4a7c15
			h ^= h >> 29
			dst[i] = scale * float64(int64(h%2001)-1000) / 16
		}
	}
}

// result returns a query over the cells of its keys, or a scalar.
func result(name string, keys ...domain.KeyColumn) pipeline.Result {
	cells := 1
	for i := len(keys) - 1; i >= 0; i-- {
		keys[i].Stride = cells
		cells *= labelCount(keys[i].Labels)
	}
	return pipeline.Result{Name: name, Answer: query.Answer{
		Cells: cells, Keys: keys,
		Noisy: wave(1), Estimate: wave(0.5), Sigma: series(4.25), Low: wave(2), High: wave(3),
	}}
}

func stringKey(name string, labels ...string) domain.KeyColumn {
	return domain.KeyColumn{Name: name, Labels: domain.Labels{Strings: labels}}
}

func intKey(name string, labels ...int64) domain.KeyColumn {
	return domain.KeyColumn{Name: name, Labels: domain.Labels{Ints: labels}}
}

func floatKey(name string, labels ...float64) domain.KeyColumn {
	return domain.KeyColumn{Name: name, Labels: domain.Labels{Floats: labels}}
}

func tableOf(t testing.TB, r pipeline.Result) *table {
	t.Helper()
	tables, err := tablesOf(r)
	if err != nil {
		t.Fatal(err)
	}
	return tables[0]
}

// mean returns a query with two more columns, whose cells may have no value.
func mean(name string, keys ...domain.KeyColumn) pipeline.Result {
	r := result(name, keys...)
	r.Answer.Noisy = series(1.5, math.NaN(), -2, 0)
	r.Answer.Sigma = series(math.NaN(), 0.25, math.Float64frombits(0xfff8_0000_0000_0001))
	r.Answer.High = series(math.NaN())
	r.Answer.Extra = []query.Extra{{Name: "noisy_centred_sum", Values: wave(5)}, {Name: "noisy_count", Values: wave(7)}}
	return r
}

// newRelease makes a release without a run.
var newRelease = hook.NewRelease.(func(manifest.Manifest, []string, []pipeline.Result) *pipeline.Release)

// release returns a release of the results in every format.
func release(t testing.TB, results ...pipeline.Result) *pipeline.Release {
	t.Helper()
	return releaseAs(t, allFormats(), results...)
}

func releaseAs(t testing.TB, formats []string, results ...pipeline.Result) *pipeline.Release {
	t.Helper()
	m := manifest.Manifest{
		Format: manifest.Format, Name: "sample", Params: map[string]string{"hour": "00"},
		Privacy: manifest.Privacy{Epsilon: 1, Delta: 1e-6, Unit: []string{"cab_id"}, Statement: "a <statement> & more"},
		Job:     []byte(`{"name":"sample"}`), Program: manifest.Program{Name: "dprelease", Version: "test"},
	}
	for _, r := range results {
		m.Queries = append(m.Queries, manifest.Query{Name: r.Name, Kind: "histogram", Cells: r.Answer.Cells})
	}
	return newRelease(m, formats, results)
}

// remade returns a release with a manifest of its own.
func remade(t testing.TB, m manifest.Manifest, results ...pipeline.Result) *pipeline.Release {
	t.Helper()
	return newRelease(m, []string{"csv"}, results)
}

// allFormats returns the names of the formats that can be written, in alphabetical order.
func allFormats() []string { return slices.Sorted(maps.Keys(builtin())) }
