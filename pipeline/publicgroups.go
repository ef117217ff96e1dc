package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/queries/domain"
)

// places reads the cells of a dimension with levels, such as districts within regions, from a public file. It returns
// each cell with the groups that contain it. The cells of a group are adjacent; groups and cells are otherwise in the
// order in which they first occur.
func (b *builder) places(v *configs.ValuesFrom, levels []string, path string) ([]domain.Label, []domain.Level) {
	columns, unread := make([][]string, len(levels)), b.unread
	for l, name := range levels {
		columns[l] = b.wholeColumn(v.File, name, path+".levels")
		if b.unread > unread {
			return nil, nil
		}
		if len(columns[l]) != len(columns[0]) || len(columns[l]) == 0 {
			b.unreadable(path+".levels", "a row of the file has no value at some level",
				"every row needs a value in each column")
			return nil, nil
		}
	}
	// order lists the row numbers, sorted by the first occurrence of their groups, level by level.
	order, ranks := make([]int, len(columns[0])), make([][]int32, len(levels))
	for i := range order {
		order[i] = i
	}
	type group struct {
		parent int32
		name   string
	}
	for l, names := range columns {
		ranks[l] = make([]int32, len(names))
		seen := make(map[group]int32, len(names))
		for i, name := range names {
			g := group{name: name}
			if l > 0 {
				g.parent = ranks[l-1][i]
			}
			rank, ok := seen[g]
			if !ok {
				rank = int32(len(seen))
				seen[g] = rank
			}
			ranks[l][i] = rank
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		for l := range ranks {
			if d := ranks[l][i] - ranks[l][j]; d != 0 {
				return int(d)
			}
		}
		return i - j
	})
	labels, out := make([]domain.Label, len(order)), make([]domain.Level, len(levels))
	for i, row := range order {
		name := columns[len(levels)-1][row]
		labels[i] = domain.Label{Name: name, Members: []string{name}}
	}
	for l, name := range levels {
		groups := domain.Level{Name: name, Groups: make([]int32, len(order))}
		for i, row := range order {
			if i == 0 || ranks[l][row] != ranks[l][order[i-1]] {
				groups.Labels = append(groups.Labels, columns[l][row])
			}
			groups.Groups[i] = int32(len(groups.Labels) - 1)
		}
		out[l] = groups
	}
	return labels, out
}

// calendarLevels groups calendar cells by calendar steps, such as months: a cell belongs to the step in which it
// begins. It returns nil if the edges are not dates, which is reported elsewhere.
func calendarLevels(edges, steps []string) []domain.Level {
	var out []domain.Level
	for _, step := range steps {
		level := domain.Level{Name: step}
		last := ""
		for i, edge := range edges[:max(len(edges)-1, 0)] {
			day, err := time.Parse(time.DateOnly, edge[:min(len(edge), len(time.DateOnly))])
			if err != nil {
				return nil
			}
			if begins := stepOf(day, step); begins != last || i == 0 {
				level.Edges, last = append(level.Edges, edge), begins
			}
			level.Groups = append(level.Groups, int32(len(level.Edges)-1))
		}
		if len(edges) > 0 {
			level.Edges = append(level.Edges, edges[len(edges)-1])
		}
		out = append(out, level)
	}
	return out
}

// stepOf returns the name of the calendar step that contains a day, such as 2024-05 for a month.
func stepOf(day time.Time, step string) string {
	switch step {
	case "year":
		return day.Format("2006")
	case "quarter":
		return fmt.Sprintf("%d-%d", day.Year(), (int(day.Month())-1)/3)
	case "month":
		return day.Format("2006-01")
	case "week":
		year, week := day.ISOWeek()
		return fmt.Sprintf("%d-%d", year, week)
	}
	return day.Format(time.DateOnly)
}

// known reads the public totals of the groups of levels. Keys of the result are indices of levels.
func (b *builder) known(totals []configs.KnownTotals, by []domain.Dimension, path string) map[int][]float64 {
	if len(totals) == 0 || len(by) == 0 || by[0].Levels == nil {
		return nil
	}
	out := map[int][]float64{}
	for i, t := range totals {
		at := fmt.Sprintf("%s[%d]", path, i)
		level := slices.IndexFunc(by[0].Levels, func(l domain.Level) bool { return l.Name == t.Level })
		if level < 0 || out[level] != nil || by[0].Levels[level].Labels == nil {
			b.report(at+".level", "contradiction", "is not one of the levels of places, or is listed twice",
				"name each level of the first dimension once at most")
			continue
		}
		if of := b.totals(t, by[0].Levels[level].Labels, at); of != nil {
			out[level] = of
		}
	}
	return out
}

// totals reads the public totals of the groups of one level; it returns nil if something is wrong with them.
func (b *builder) totals(t configs.KnownTotals, groups []string, path string) []float64 {
	unread := b.unread
	names := b.wholeColumn(t.File, t.Level, path+".file")
	if b.unread > unread {
		return nil
	}
	numbers := b.wholeColumn(t.File, t.Column, path+".column")
	if b.unread > unread {
		return nil
	}
	problem := func(message string) []float64 {
		b.unreadable(path+".file", message, "list each group of the level once, with an integer")
		return nil
	}
	place := make(map[string]int, len(groups))
	for i, name := range groups {
		if _, twice := place[name]; twice {
			return problem(fmt.Sprintf("two groups of the level have the name %q", name))
		}
		place[name] = i
	}
	if len(names) != len(groups) || len(numbers) != len(names) {
		return problem(fmt.Sprintf("the file has %d totals, the level %d groups", len(numbers), len(groups)))
	}
	out := make([]float64, len(groups))
	for i, name := range names {
		at, ok := place[name]
		x, err := strconv.ParseUint(numbers[i], 10, 47)
		switch {
		case !ok:
			return problem(fmt.Sprintf("%q is not a group of the level, or there twice", name))
		case err != nil:
			return problem(fmt.Sprintf("the total of %q is not a number of rows", name))
		}
		delete(place, name)
		out[at] = float64(x)
	}
	return out
}
