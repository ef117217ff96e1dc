package stabilitytest

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Known is a pair of tables that once revealed a fault, in this module or in a library that writes files.
type Known struct {
	Name string
	Job  *Job
	Pair *Pair
	// Counts holds the first cell of the answer on each of the two tables.
	Counts [2]int64
}

// Corpus returns the known pairs. Tests try each of them with every writer and several layouts.
func Corpus() []Known {
	nan := math.NaN()
	person := Column{Name: "u", Kind: Int64}
	number := Column{Name: "f", Kind: Float64}
	between := `{column: f, min: "0", max: "40"}`
	count := func(where string, columns ...Column) *Job {
		return &Job{Columns: columns, Unit: []string{"u"}, Adjacency: "add-remove", PerUnit: "max_rows: 1",
			Where: []string{where}, Queries: []string{"name: q0, count: {}"}, Formats: "csv"}
	}
	rows := func(columns ...Column) *Job {
		return &Job{Columns: columns, Adjacency: replaceOne, Rows: 3,
			Queries: []string{"name: q0, histogram: {by: [{column: f, values: [5], other: bin, null: bin}]}"}, Formats: "csv"}
	}
	text := Column{Name: "s", Kind: Text}
	whole := Column{Name: "i", Kind: Int64}
	return []Known{
		// The writer's running minimum starts again at a NaN, so the statistics say that no value is below 50.
		{"NaN hides the rows before it", count(between, person, number), one(1, 5.0, nan, 50.0, 50.0), [2]int64{1, 1}},
		{"NaN hides more rows than one person has", count(between, person, number), one(3, 5.0, 6.0, 7.0, nan, 50.0, 50.0),
			[2]int64{3, 3}},
		// The same fault, but a value that is read contradicts the statistics.
		{"NaN makes statistics contradict rows", count(between, person, number), one(1, 5.0, nan, 30.0, 30.0),
			[2]int64{3, 3}},
		{"NaN first", count(between, person, number), one(0, nan, 5.0, 50.0, 50.0), [2]int64{1, 1}},
		{"NaN last", count(between, person, number), one(3, 5.0, 50.0, 50.0, nan), [2]int64{1, 1}},
		{"NaN with a sign", count(between, person, number), one(1, 5.0, math.Copysign(nan, -1), 50.0, 50.0), [2]int64{1, 1}},
		{"NaN in float32", count(`{column: g, min: "0", max: "40"}`, person, Column{Name: "g", Kind: Float32}),
			one(1, 5.0, nan, 50.0, 50.0), [2]int64{1, 1}},
		{"NaN beside nulls", count(`{column: f, not_null: true}`, person, Column{"f", Float64, true}),
			one(1, 5.0, nan, nil, 50.0), [2]int64{2, 2}},
		{"minus zero", count(`{column: f, in: ["0"]}`, person, number), one(1, 0.0, math.Copysign(0, -1), 5.0),
			[2]int64{1, 2}},
		{"infinities", count(`{column: f, max: "40"}`, person, number), one(1, 5.0, math.Inf(-1), 50.0, math.Inf(1)),
			[2]int64{1, 2}},
		{"text that is not UTF-8", count(`{column: s, in: ["a"]}`, person, text),
			one(1, "a", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "b"), [2]int64{1, 1}},
		{"text with a long prefix", count(`{column: s, in: ["aaaaaaaaaaaaaaaab"]}`, person, text),
			one(1, "aaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaa", "b"), [2]int64{1, 1}},
		{"negative numbers", count(`{column: n, max: "-1"}`, person, Column{Name: "n", Kind: Int32}),
			one(1, int64(-5), int64(-1), int64(3)), [2]int64{1, 2}},
		{"the ends of integers", count(`{column: i, max: "9223372036854775807"}`, person, whole),
			one(1, int64(math.MaxInt64), int64(math.MinInt64), int64(3)), [2]int64{2, 3}},
		// The writer took a page's number of nulls from statistics that it had dropped.
		{"a null among numbers", count(`{column: i, min: "0"}`, person, Column{"i", Int64, true}),
			one(1, int64(1), nil, int64(3)), [2]int64{2, 2}},
		// In CSV, an empty line, and a line that looks like a comment, can be rows.
		{"an empty line", rows(Column{"f", Float64, true}), replaced(5.0, nil), [2]int64{1, 0}},
		{"a comment", commented(rows(text, number)), replacedText("a", "#a"), [2]int64{0, 0}},
	}
}

func commented(j *Job) *Job {
	j.CSV = `comment: "#"`
	return j
}

// one returns a pair of tables of persons with one value each. Only D' has the person with the index added.
func one(added int, values ...any) *Pair {
	p := &Pair{Files: 1}
	for i, v := range values {
		it := Item{Row: Row{int64(i + 1), v}, In: both, place: [2]uint64{uint64(i), uint64(i)}}
		if i == added {
			it.In = last
		}
		p.Items = append(p.Items, it)
	}
	return p
}

// replaced returns a pair of tables with three rows of one column. The second row is a in D and b in D'.
func replaced(a, b any) *Pair {
	p := &Pair{Files: 1}
	for i, it := range []Item{{Row: Row{1.0}, In: both}, {Row: Row{a}, In: first}, {Row: Row{b}, In: last},
		{Row: Row{2.0}, In: both}} {
		it.place = [2]uint64{uint64(i), uint64(i)}
		p.Items = append(p.Items, it)
	}
	return p
}

// replacedText does the same as replaced, for a table with a column of texts before the column of numbers.
func replacedText(a, b string) *Pair {
	p := replaced(1.0, 1.0)
	for i, s := range []string{"x", a, b, "y"} {
		p.Items[i].Row = Row{s, p.Items[i].Row[0]}
	}
	return p
}

// Cases returns n cases of the pair for each writer, with different layouts.
func (k Known) Cases(writers []Writer, n int) []*Case {
	var out []*Case
	for i, w := range writers {
		for layout := range n {
			if w.Fits(k.Job.Columns) {
				r := rand.New(rand.NewPCG(uint64(i), uint64(layout)))
				out = append(out, &Case{
					Job: k.Job, Pair: k.Pair, Writer: w, Layout: r.Uint64(), Limits: Limits{Workers: 1 + r.IntN(2),
						Tight: r.IntN(4) == 0},
					Whole: true, Note: fmt.Sprintf("%s, layout %d", k.Name, layout),
				})
			}
		}
	}
	return out
}
