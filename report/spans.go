package report

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spans
//
// A span is a cell between two edges. The files have two columns for it: from and to. The page shows one name instead:
// a month is "Jan 2025", and ages from 0 to below 18 are "0–17" if the column holds integers.

// spanName returns the name of the cell between two edges. whole is true if the values are integers, last if the upper
// edge belongs to the cell. If the edges are neither dates nor integers, the name contains them unchanged: "0.5 to 1".
func spanName(from, to string, whole, last bool) string {
	if name := calendarName(from, to); name != "" {
		return name
	}
	low, err1 := strconv.ParseInt(from, 10, 64)
	high, err2 := strconv.ParseInt(to, 10, 64)
	if !whole || err1 != nil || err2 != nil {
		if from == to || to == "" {
			return from
		}
		return from + " to " + to
	}
	if !last {
		high--
	}
	if low == high {
		return from
	}
	return from + "–" + strconv.FormatInt(high, 10)
}

// calendarName names a day, a month, a quarter or a year that lies between two dates; "" if they bound no such period.
func calendarName(from, to string) string {
	start, err1 := time.Parse(time.DateOnly, from)
	end, err2 := time.Parse(time.DateOnly, to)
	first := start.Day() == 1
	switch {
	case err1 != nil || err2 != nil:
		return ""
	case end.Equal(start.AddDate(0, 0, 1)):
		return from
	case first && end.Equal(start.AddDate(0, 1, 0)):
		return start.Format("Jan 2006")
	case first && start.Month()%3 == 1 && end.Equal(start.AddDate(0, 3, 0)):
		return "Q" + strconv.Itoa(int(start.Month()+2)/3) + " " + start.Format("2006")
	case first && start.Month() == time.January && end.Equal(start.AddDate(1, 0, 0)):
		return start.Format("2006")
	}
	return from + " to " + end.AddDate(0, 0, -1).Format(time.DateOnly)
}

// names returns the name of each cell along an axis; element i belongs to code i of the axis's first key column.
func (a *axis) names(t *pageTable) []string {
	if a.cells != nil {
		return a.cells
	}
	return t.Keys[a.Keys[0]].Labels
}

// spanNames returns the names of the cells along an axis whose cells lie between edges.
func (a *axis) spanNames(t *pageTable) []string {
	first, second := &t.Keys[a.Keys[0]], &t.Keys[a.Keys[1]]
	out := slices.Clone(first.Labels)
	for i, code := range first.Codes {
		to := second.Codes[i]
		out[code] = spanName(first.Labels[code], second.Labels[to], a.Whole, a.Closed && to == len(second.Labels)-1)
	}
	return out
}

// spans reports whether the axis's cells lie between edges.
func (a *axis) spans() bool { return len(a.Keys) == 2 && a.Type != "grid" }

// forReaders returns a table for readers: each axis has one column, called by the axis's label. The two columns from
// and to of a span become one column of names. Rows keep their order.
func forReaders(t *pageTable, axes []axis) *pageTable {
	out := *t
	out.Keys = []pageKey{}
	for i := range axes {
		a := &axes[i]
		if !a.spans() {
			for _, k := range a.Keys {
				key := t.Keys[k]
				if len(a.Keys) == 1 {
					key.Name = a.Label
				}
				out.Keys = append(out.Keys, key)
			}
			continue
		}
		first := &t.Keys[a.Keys[0]]
		out.Keys = append(out.Keys, pageKey{Name: a.Label, Labels: a.names(t), Codes: first.Codes, Ordered: true})
	}
	return &out
}

// wholeColumns returns the columns that the job declares as integers, including columns that joins add. from is the
// query's table; "" if the job has only one table.
func (in *jobInput) wholeColumns(from string) map[string]bool {
	out := map[string]bool{}
	if from != "" {
		of := in.Tables[from]
		for _, j := range of.Join {
			other := in.Tables[j.Table]
			for name := range other.wholeColumns("") {
				if slices.Contains(j.Add, name) {
					out[j.Prefix+name] = true
				}
			}
		}
		in = &of
	}
	for _, types := range []map[string]string{in.CSV.Types, in.JSONL.Columns, in.Folders} {
		for name, t := range types {
			if strings.TrimSpace(t) == "int" {
				out[name] = true
			}
		}
	}
	return out
}
