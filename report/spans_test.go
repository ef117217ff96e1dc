package report

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// Cells between two edges have readable names.
func TestSpanName(t *testing.T) {
	for _, c := range []struct {
		from, to    string
		whole, last bool
		want        string
	}{
		{"2025-01-01", "2025-02-01", false, false, "Jan 2025"}, {"2024-12-01", "2025-01-01", false, true, "Dec 2024"},
		{"2024-01-01", "2025-01-01", false, false, "2024"}, {"2024-04-01", "2024-07-01", false, false, "Q2 2024"},
		{"2024-02-29", "2024-03-01", false, false, "2024-02-29"},
		{"2024-02-01", "2024-05-01", false, false, "2024-02-01 to 2024-04-30"},
		{"2024-01-01", "2024-01-08", false, false, "2024-01-01 to 2024-01-07"},
		{"0", "18", true, false, "0–17"}, {"95", "100", true, true, "95–100"}, {"3", "4", true, false, "3"},
		{"0", "18", false, false, "0 to 18"}, {"0.5", "1", true, false, "0.5 to 1"}, {"other", "other", true, false, "other"},
		{"-5", "0", true, false, "-5–-1"},
		{"1990", "2000", true, false, "1990–1999"},
	} {
		if got := spanName(c.from, c.to, c.whole, c.last, false); got != c.want {
			t.Errorf("%s to %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// The last edge belongs to the cell that ends there, in whatever order the labels come.
func TestSpanOfTheLastEdge(t *testing.T) {
	table := &pageTable{Keys: []pageKey{
		{Labels: []string{"5", "0", "other"}, Codes: []int{1, 0, 2}},
		{Labels: []string{"5", "other", "10"}, Codes: []int{0, 2, 1}},
	}}
	a := &axis{Keys: []int{0, 1}, Whole: true, Closed: true}
	if got := a.spanNames(table); !slices.Equal(got, []string{"5–10", "0–4", "other"}) {
		t.Errorf("%q", got)
	}
}

// The numbers of an axis have commas if one has five digits: years have none.
func TestLongNumbersOfSpansHaveCommas(t *testing.T) {
	table := &pageTable{Keys: []pageKey{{Labels: []string{"1000", "9999"}, Codes: []int{0, 1}}, {Labels: []string{"9999",
		"10000.5"}, Codes: []int{0, 1}}}}
	a := &axis{Keys: []int{0, 1}}
	if got := a.spanNames(table); !slices.Equal(got, []string{"1,000 to 9,999", "9,999 to 10,000.5"}) {
		t.Errorf("%q", got)
	}
	table.Keys[1].Labels[1] = "9999.5"
	if got := a.spanNames(table); !slices.Equal(got, []string{"1000 to 9999", "9999 to 9999.5"}) {
		t.Errorf("%q", got)
	}
}

// A query of one of several tables knows which of its columns are integers, also of those that a join adds.
func TestWholeColumns(t *testing.T) {
	var in jobInput
	if err := json.Unmarshal([]byte(`{"tables":{"persons":{"csv":{"types":{"age":"int","size":"int","name":"text"}}},
		"visits":{"jsonl":{"columns":{"days":"int"}},"join":[{"table":"persons","prefix":"p_","add":["age","name"]}]}}}`),
		&in); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]map[string]bool{"visits": {"days": true, "p_age": true}, "persons": {"age": true,
		"size": true}, "": {}} {
		if got := in.wholeColumns(from); !maps.Equal(got, want) {
			t.Errorf("of %q: %v, want %v", from, got, want)
		}
	}
}
