package preview

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// The values that a job expects in a column
//
// Each place in the job that names a column tells something about the column's values: it lists cells, edges, a range
// or a condition. Such a place is called a use. A use draws values that fit it, so that synthetic rows fall into the
// job's cells.

// use is a place in the job that names columns and suggests their values.
type use struct {
	columns []string
	// kind is the likely kind of the columns' types, if nothing states the types.
	kind table.Kind
	// draw draws a value for each column. ok is false if no value of the columns' types fits.
	draw func(r *random, types []table.Type) (values []value, ok bool)
}

// uses collects the uses in a plan's job.
type uses struct {
	ctx  context.Context
	job  *configs.Job
	zone *time.Location
	list []use
}

// usesOf returns the uses in a plan's job. It reads the job's public files.
func usesOf(ctx context.Context, plan *pipeline.Plan) ([]use, error) {
	u := &uses{ctx: ctx, job: plan.Job(), zone: plan.Location()}
	for i := range u.job.Queries {
		q := &u.job.Queries[i]
		if q.OverUnits() {
			continue // no use: the query reads the table of units, which is computed from rows
		}
		for _, by := range q.Dimensions() {
			if err := u.dimensions(by); err != nil {
				return nil, err
			}
		}
		for k := range q.Where {
			u.filter(&q.Where[k])
		}
		if w, _ := q.RowWeight(); w != nil {
			u.values(&configs.Aggregate{Column: w.Column, Clamp: w.Clamp})
		}
		for _, a := range q.Aggregates() {
			u.values(a)
		}
	}
	for i := range u.job.Input.Where {
		u.filter(&u.job.Input.Where[i])
	}
	for i := range u.job.Input.Lookups {
		if err := u.lookup(&u.job.Input.Lookups[i]); err != nil {
			return nil, err
		}
	}
	return u.list, nil
}

// lookup adds a use for the key of a lookup. It draws keys that the public table has.
func (u *uses) lookup(l *configs.Lookup) error {
	columns := slices.Sorted(maps.Keys(l.On))
	keys := make([][]string, len(columns))
	for i, column := range columns {
		var err error
		if keys[i], err = source.ReadColumn(u.ctx, u.job.Path(l.File), l.On[column], true); err != nil {
			return err
		}
	}
	if len(keys[0]) == 0 {
		return nil
	}
	u.list = append(u.list, use{columns, table.String, func(r *random, types []table.Type) ([]value, bool) {
		row := r.early(len(keys[0]))
		out := make([]value, len(columns))
		for i := range out {
			var ok bool
			if out[i], ok = parsed(keys[i][row], types[i], u.zone); !ok {
				return nil, false
			}
		}
		return out, true
	}})
	return nil
}

// add adds a use of a single column.
func (u *uses) add(column string, kind table.Kind, draw func(r *random, t table.Type) (value, bool)) {
	u.list = append(u.list, use{[]string{column}, kind, func(r *random, types []table.Type) ([]value, bool) {
		v, ok := draw(r, types[0])
		return []value{v}, ok
	}})
}

func (u *uses) dimensions(by []configs.Dimension) error {
	for i := range by {
		if err := u.dimension(&by[i]); err != nil {
			return err
		}
	}
	return nil
}

func (u *uses) dimension(d *configs.Dimension) error {
	switch {
	case d.Grid != nil:
		u.grid(d.Grid)
		return nil
	case d.Nearest != nil:
		return u.nearest(d.Nearest)
	}
	if err := u.cells(d); err != nil {
		return err
	}
	if d.Null == "bin" {
		u.rarely(d.Column, func(*random, table.Type) (value, bool) { return absent, true })
	}
	if d.Other == "bin" {
		u.rarely(d.Column, func(_ *random, t table.Type) (value, bool) {
			return running(0, "other", t),
				t.Kind == table.String
		})
	}
	return nil
}

// cells adds a use for a dimension that has one column.
func (u *uses) cells(d *configs.Dimension) error {
	switch edges := d.Expanded(); {
	case d.ValuesFrom != nil:
		values, err := source.ReadStrings(u.ctx, u.job.Path(d.ValuesFrom.File), d.ValuesFrom.Column)
		if err != nil {
			return err
		}
		u.members(d.Column, len(values), func(i int) []string { return values[i : i+1] })
	case len(d.Values) > 0:
		u.members(d.Column, len(d.Values), func(i int) (texts []string) {
			for _, m := range d.Values[i].Members {
				texts = append(texts, string(m))
			}
			return texts
		})
	case len(edges) > 1:
		u.edges(d.Column, edges)
	case d.Part != "":
		u.add(d.Column, table.Timestamp, func(r *random, t table.Type) (value, bool) {
			return usual(t).at(r.unit(), t),
				isTime(t)
		})
	default:
		u.add(d.Column, table.String, func(r *random, t table.Type) (value,
			bool) {
			return running(r.early(discoveredKeys), "key", t), true
		})
	}
	return nil
}

// discoveredKeys is how many different keys are drawn for keys: discover.
const discoveredKeys = 20

// rare is the mean number of draws for each draw of a null or of a value outside the domain.
const rare = 30

// rarely adds a use that draws a value in only one of rare draws, on average.
func (u *uses) rarely(column string, draw func(*random, table.Type) (value, bool)) {
	u.add(column, table.Invalid, func(r *random, t table.Type) (value, bool) {
		if r.below(rare) > 0 {
			return value{}, false
		}
		return draw(r, t)
	})
}

// members adds a use for listed cells. of returns the values that belong to a cell. The first cells are drawn more
// often.
func (u *uses) members(column string, cells int, of func(cell int) []string) {
	if cells == 0 {
		return
	}
	u.add(column, table.String, func(r *random, t table.Type) (value, bool) {
		texts := of(r.early(cells))
		if len(texts) == 0 {
			return value{}, false
		}
		return parsed(texts[r.below(len(texts))], t, u.zone)
	})
}

func (u *uses) edges(column string, edges []configs.Scalar) {
	kind := table.Float
	if _, err := strconv.ParseFloat(string(edges[0]), 64); err != nil {
		kind = table.Date
		if slices.ContainsFunc(edges, func(e configs.Scalar) bool { return strings.ContainsAny(string(e), "T: ") }) {
			kind = table.Timestamp
		}
	}
	u.add(column, kind, func(r *random, t table.Type) (value, bool) {
		i := int(r.middle() * float64(len(edges)-1))
		low, high := string(edges[i]), string(edges[i+1])
		s, ok := spanOf(&low, &high, t, u.zone)
		return s.at(r.unit(), t), ok
	})
}

// values adds a use for a column that is summed or averaged.
func (u *uses) values(a *configs.Aggregate) {
	s, length := span{}, max(a.Length, len(a.Columns), 1)
	if len(a.Bounds()) == 2 {
		s.low, _ = strconv.ParseFloat(string(a.Bounds()[0]), 64) // no error: the plan has checked the bounds
		s.high, _ = strconv.ParseFloat(string(a.Bounds()[1]), 64)
	} else {
		clip, _ := strconv.ParseFloat(string(a.ClipL2), 64)
		s.high = clip / math.Sqrt(float64(length))
		s.low = -s.high
	}
	if a.Length > 0 {
		u.add(a.Column, table.List, func(r *random, t table.Type) (value, bool) {
			v := value{}
			for range a.Length {
				v.list = append(v.list, s.low+r.middle()*(s.high-s.low))
			}
			return v, t.Kind == table.List
		})
		return
	}
	columns := a.Columns
	if a.Column != "" {
		columns = []string{a.Column}
	}
	for _, c := range columns {
		u.add(c, table.Float, func(r *random, t table.Type) (value, bool) { return s.at(r.middle(), t), !isTime(t) })
	}
}

func (u *uses) filter(f *configs.Filter) {
	if len(f.In) > 0 {
		u.members(f.Column, len(f.In), func(i int) []string { return []string{string(f.In[i])} })
	}
	low, high := f.From, f.Before
	kind := table.Timestamp
	if low == nil && high == nil {
		low, high, kind = f.Min, f.Max, table.Float
	}
	if low == nil && high == nil {
		return
	}
	u.add(f.Column, kind, func(r *random, t table.Type) (value, bool) {
		s, ok := spanOf((*string)(low), (*string)(high), t, u.zone)
		if length, err := lengthOf(f.For); err == nil && ok {
			s.high = s.low + length
		}
		return s.at(r.unit(), t), ok
	})
}

// lengthOf converts a length of time in a job, such as 1h, to seconds.
func lengthOf(text string) (float64, error) {
	units := map[string]float64{"s": 1, "m": 60, "h": 3600, "d": secondsOfDay, "w": 7 * secondsOfDay}
	n := max(len(text)-1, 0)
	x, err := strconv.ParseFloat(text[:n], 64)
	return x * units[text[n:]], err
}

func (u *uses) grid(g *configs.Grid) {
	side := func(low, high configs.Decimal) span {
		a, _ := strconv.ParseFloat(string(low), 64) // no error: the plan has checked the bounds
		b, _ := strconv.ParseFloat(string(high), 64)
		return span{a, b}
	}
	lat, lon := side(g.South, g.North), side(g.West, g.East)
	u.list = append(u.list, use{[]string{g.Lat, g.Lon}, table.Float, func(r *random, types []table.Type) ([]value, bool) {
		return []value{lat.at(r.middle(), types[0]), lon.at(r.middle(), types[1])}, true
	}})
}

// metresOfDegree is the length of a degree of latitude, in metres.
const metresOfDegree = 111_200

func (u *uses) nearest(n *configs.Nearest) error {
	var at [2][]float64
	for i, column := range []string{"lat", "lon"} {
		texts, err := source.ReadStrings(u.ctx, u.job.Path(n.Points), column)
		if err != nil {
			return err
		}
		for _, text := range texts {
			x, _ := strconv.ParseFloat(text, 64) // no error: the plan has checked the text
			at[i] = append(at[i], x)
		}
	}
	within, _ := strconv.ParseFloat(string(n.WithinM), 64)
	around := within / metresOfDegree / 2
	u.list = append(u.list, use{[]string{n.Lat, n.Lon}, table.Float, func(r *random, types []table.Type) ([]value, bool) {
		if len(at[0]) == 0 || len(at[0]) != len(at[1]) {
			return nil, false
		}
		i := r.early(len(at[0]))
		lat, lon := at[0][i], at[1][i]
		wide := around / max(math.Cos(lat*math.Pi/180), 0.01)
		return []value{
			span{lat - around, lat + around}.at(r.middle(), types[0]), span{lon - wide, lon + wide}.at(r.middle(), types[1]),
		}, true
	}})
	return nil
}
