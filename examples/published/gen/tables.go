package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// table describes an invented table. It has the same rows each time.
type table struct {
	name   string // the name of its file; "" stands for "rows"
	rows   int
	each   int // if not 0, there is a row for every each rows of the first table; rows is not used
	header []string
	row    func(r *rand.Rand, i int) []string
	// beside are the job's other tables, by file name: private ones, and public lists.
	beside map[string]table
}

// list returns a public table with one column, whose name is also the name of the file.
func list(column string, cells []string) map[string]table {
	return map[string]table{column: {rows: len(cells), header: []string{column},
		row: func(_ *rand.Rand, i int) []string { return cells[i : i+1] }}}
}

// mergeTables merges maps of tables.
func mergeTables(all ...map[string]table) map[string]table {
	out := map[string]table{}
	for _, tables := range all {
		maps.Copy(out, tables)
	}
	return out
}

// tables has the table of each job, by the name of the job's folder.
var tables = mergeTables(people, map[string]table{
	// each device has three rows, with different pages; no column identifies the device
	"wikimedia": {rows: 3_000_000, header: []string{"country", "page"},
		row: func(r *rand.Rand, i int) []string {
			device := i / 3
			return []string{names("country", 30)[device*device%30], names("page", 5000)[skewed(r, 1666, 4)*3+i%3]}
		},
		beside: mergeTables(list("country", names("country", 30)), list("page", names("page", 5000)))},
	"wikimedia-history": {rows: 300_000, header: []string{"country", "page", "views"},
		row: func(r *rand.Rand, i int) []string {
			page := skewed(r, 5000, 4)
			return []string{names("country", 30)[i%30], names("page", 5000)[page],
				strconv.Itoa(1 + skewed(r, 20_000/(1+page), 2))}
		},
		beside: mergeTables(list("country", names("country", 30)), list("page", names("page", 5000)))},
	// all rows are of the same weekday in six weeks; in the last week fewer people go out
	"mobility": {rows: 6_000_000, header: []string{"user", "week", "county", "place"},
		row: func(r *rand.Rand, i int) []string {
			user, week := i/4/6, 1+i/4%6
			place := r.IntN(6)
			if week == 6 && r.IntN(3) == 0 {
				place = 5
			}
			return []string{strconv.Itoa(user), strconv.Itoa(week), names("county", 300)[user%300],
				[]string{"grocery", "park", "retail", "transit", "workplace", "home"}[place]}
		},
		beside: list("county", names("county", 300))},
	"pseo": {rows: 400_000, header: []string{"institution", "degree", "earnings"},
		row: func(r *rand.Rand, i int) []string {
			institution := skewed(r, 60, 2)
			return []string{names("institution", 60)[institution], []string{"associate", "bachelor", "master"}[r.IntN(3)],
				strconv.Itoa(int(min(40_000*math.Exp(0.5*r.NormFloat64()+0.005*float64(institution)), 400_000)))}
		},
		beside: list("institution", names("institution", 60))},
	"linkedin": {rows: 500_000, header: []string{"hire", "region", "employer"},
		row: func(r *rand.Rand, i int) []string {
			region := r.IntN(20)
			return []string{strconv.Itoa(i), names("region", 20)[region],
				fmt.Sprintf("employer%05d", (skewed(r, 20_000, 5)+region*37)%20_000)}
		},
		beside: list("region", names("region", 20))},
	"broadband": {rows: 2_000_000, header: []string{"zip", "speed_mbps"},
		row: func(r *rand.Rand, _ int) []string {
			return []string{fmt.Sprintf("%05d", 10_000+skewed(r, 32_000, 2)),
				strconv.FormatFloat(20*math.Exp(r.NormFloat64()), 'f', 1, 64)}
		},
		// the first codes are the most frequent, and their numbers of households are larger
		beside: map[string]table{"zip": {rows: 32_000, header: []string{"zip", "households"},
			row: func(_ *rand.Rand, i int) []string {
				return []string{strconv.Itoa(10_000 + i), strconv.Itoa(20 + int(2500/math.Sqrt(1+float64(i))))}
			}}}},
	// 4 states of 10 counties of 25 tracts; the states have 250,000 people each
	"census": {rows: 1_000_000, header: []string{"tract", "sex", "age", "race"},
		row: func(r *rand.Rand, i int) []string {
			return []string{names("tract", 1000)[250*(i%4)+skewed(r, 250, 2)], []string{"female", "male"}[r.IntN(2)],
				strconv.Itoa(int(min(39+22*math.Abs(r.NormFloat64()*0.9-0.2), 99))), names("race", 7)[skewed(r, 7, 3)]}
		},
		beside: mergeTables(list("race", names("race", 7)), map[string]table{
			"tract": {rows: 1000, header: []string{"tract", "county", "state", "country"},
				row: func(_ *rand.Rand, i int) []string {
					return []string{names("tract", 1000)[i], names("county", 40)[i/25], names("state", 4)[i/250], "all"}
				}},
			"state": {rows: 4, header: []string{"state", "population"}, row: func(_ *rand.Rand, i int) []string {
				return []string{names("state", 4)[i], "250000"}
			}}})},
	// The column editors is a number of editors. It may be published less exactly for a country in which editors are at
	// risk.
	"geoeditors": {rows: 60_000, header: []string{"country", "project", "activity", "editors"},
		row: func(r *rand.Rand, i int) []string {
			project := i / 3 % 100
			return []string{names("country", 200)[i/300], names("project", 100)[project],
				[]string{"1 to 4", "5 to 99", "100 or more"}[i%3], strconv.Itoa(skewed(r, 1+4000/(1+project)>>(2*(i%3)), 3))}
		},
		beside: mergeTables(list("lower", names("country", 200)[:120]), list("medium", names("country", 200)[120:170]),
			list("higher", names("country", 200)[170:]), list("project", names("project", 100)))},
	"births": {rows: 165_915, header: []string{"month", "mother_age", "parity", "gestation", "sex", "weight"},
		row: func(r *rand.Rand, _ int) []string {
			return []string{strconv.Itoa(1 + r.IntN(12)), strconv.Itoa(int(min(max(30+5.5*r.NormFloat64(), 17), 49))),
				strconv.Itoa(1 + min(int(r.ExpFloat64()*1.6), 9)), strconv.Itoa(int(min(max(39+1.8*r.NormFloat64(), 24), 43))),
				[]string{"female", "male"}[r.IntN(2)], strconv.Itoa(int(min(max(3200+520*r.NormFloat64(), 500), 4999)))}
		}},
})

// skewed returns a random number below n. Small numbers are more frequent, the more so the larger power is.
func skewed(r *rand.Rand, n int, power float64) int {
	return int(float64(n) * math.Pow(r.Float64(), power))
}

var named = map[string][]string{}

// names returns n names: the prefix and a number.
func names(prefix string, n int) []string {
	key := fmt.Sprint(prefix, n)
	if named[key] == nil {
		for i := range n {
			named[key] = append(named[key], fmt.Sprintf("%s%04d", prefix, i))
		}
	}
	return named[key]
}

// write writes the table, and the tables beside it, into a folder.
func (t table) write(dir string, rows int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, other := range t.beside {
		if other.each > 0 {
			other.rows = max(rows/other.each, 1)
		}
		if err := other.writeCSV(filepath.Join(dir, name+".csv"), other.rows); err != nil {
			return err
		}
	}
	return t.writeCSV(filepath.Join(dir, cmp.Or(t.name, "rows")+".csv"), rows)
}

func (t table) writeCSV(path string, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	w := csv.NewWriter(f)
	err = w.Write(t.header)
	for i := 0; i < rows && err == nil; i++ {
		err = w.Write(t.row(r, i))
	}
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}
