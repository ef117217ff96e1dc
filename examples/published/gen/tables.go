package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// table is an invented table. Its rows are the same each time.
type table struct {
	rows   int
	header []string
	row    func(r *rand.Rand, i int) []string
	// public are lists of cells that the job reads, by column.
	public map[string][]string
	// beside are more columns of these lists, by column: their names, and the values beside cell i.
	beside map[string]columns
}

type columns struct {
	names []string
	of    func(i int) []string
}

// tables are named as the folders of their jobs.
var tables = map[string]table{
	// a device has three rows, of which the table does not tell that they are its; their pages differ
	"wikimedia": {rows: 3_000_000, header: []string{"country", "page"},
		row: func(r *rand.Rand, i int) []string {
			device := i / 3
			return []string{names("country", 30)[device*device%30], names("page", 5000)[skewed(r, 1666, 4)*3+i%3]}
		},
		public: map[string][]string{"country": names("country", 30), "page": names("page", 5000)}},
	"wikimedia-history": {rows: 300_000, header: []string{"country", "page", "views"},
		row: func(r *rand.Rand, i int) []string {
			page := skewed(r, 5000, 4)
			return []string{names("country", 30)[i%30], names("page", 5000)[page], strconv.Itoa(1 + skewed(r, 20_000/(1+page), 2))}
		},
		public: map[string][]string{"country": names("country", 30), "page": names("page", 5000)}},
	// six weeks of one weekday; in the last one fewer go out
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
		public: map[string][]string{"county": names("county", 300)}},
	"pseo": {rows: 400_000, header: []string{"institution", "degree", "earnings"},
		row: func(r *rand.Rand, i int) []string {
			institution := skewed(r, 60, 2)
			return []string{names("institution", 60)[institution], []string{"associate", "bachelor", "master"}[r.IntN(3)],
				strconv.Itoa(int(min(40_000*math.Exp(0.5*r.NormFloat64()+0.005*float64(institution)), 400_000)))}
		},
		public: map[string][]string{"institution": names("institution", 60)}},
	"linkedin": {rows: 500_000, header: []string{"hire", "region", "employer"},
		row: func(r *rand.Rand, i int) []string {
			region := r.IntN(20)
			return []string{strconv.Itoa(i), names("region", 20)[region], fmt.Sprintf("employer%05d", (skewed(r, 20_000, 5)+region*37)%20_000)}
		},
		public: map[string][]string{"region": names("region", 20)}},
	"broadband": {rows: 2_000_000, header: []string{"zip", "speed_mbps"},
		row: func(r *rand.Rand, _ int) []string {
			return []string{fmt.Sprintf("%05d", 10_000+skewed(r, 32_000, 2)), strconv.FormatFloat(20*math.Exp(r.NormFloat64()), 'f', 1, 64)}
		},
		public: map[string][]string{"zip": zips()},
		// devices are skewed to the first codes, and households follow them
		beside: map[string]columns{"zip": {[]string{"households"}, func(i int) []string {
			return []string{strconv.Itoa(20 + int(2500/math.Sqrt(1+float64(i))))}
		}}}},
	// 4 states of 10 counties of 25 tracts; the states have 250,000 people each
	"census": {rows: 1_000_000, header: []string{"tract", "sex", "age", "race"},
		row: func(r *rand.Rand, i int) []string {
			return []string{names("tract", 1000)[250*(i%4)+skewed(r, 250, 2)], []string{"female", "male"}[r.IntN(2)],
				strconv.Itoa(int(min(39+22*math.Abs(r.NormFloat64()*0.9-0.2), 99))), names("race", 7)[skewed(r, 7, 3)]}
		},
		public: map[string][]string{"tract": names("tract", 1000), "state": names("state", 4), "race": names("race", 7)},
		beside: map[string]columns{
			"tract": {[]string{"county", "state", "country"}, func(i int) []string {
				return []string{names("county", 40)[i/25], names("state", 4)[i/250], "all"}
			}},
			"state": {[]string{"population"}, func(int) []string { return []string{"250000"} }}}},
	// numbers of editors, of which a country's risk decides how exact they are
	"geoeditors": {rows: 60_000, header: []string{"country", "project", "activity", "editors"},
		row: func(r *rand.Rand, i int) []string {
			project := i / 3 % 100
			return []string{names("country", 200)[i/300], names("project", 100)[project],
				[]string{"1 to 4", "5 to 99", "100 or more"}[i%3], strconv.Itoa(skewed(r, 1+4000/(1+project)>>(2*(i%3)), 3))}
		},
		public: map[string][]string{"lower": names("country", 200)[:120], "medium": names("country", 200)[120:170],
			"higher": names("country", 200)[170:], "project": names("project", 100)}},
	"births": {rows: 165_915, header: []string{"month", "mother_age", "parity", "gestation", "sex", "weight"},
		row: func(r *rand.Rand, _ int) []string {
			return []string{strconv.Itoa(1 + r.IntN(12)), strconv.Itoa(int(min(max(30+5.5*r.NormFloat64(), 17), 49))),
				strconv.Itoa(1 + min(int(r.ExpFloat64()*1.6), 9)), strconv.Itoa(int(min(max(39+1.8*r.NormFloat64(), 24), 43))),
				[]string{"female", "male"}[r.IntN(2)], strconv.Itoa(int(min(max(3200+520*r.NormFloat64(), 500), 4999)))}
		}},
}

// skewed returns a number below n, of which small ones are more frequent: the larger power is, the more so.
func skewed(r *rand.Rand, n int, power float64) int {
	return int(float64(n) * math.Pow(r.Float64(), power))
}

var named = map[string][]string{}

// names returns n names that begin alike.
func names(prefix string, n int) []string {
	key := fmt.Sprint(prefix, n)
	if named[key] == nil {
		for i := range n {
			named[key] = append(named[key], fmt.Sprintf("%s%04d", prefix, i))
		}
	}
	return named[key]
}

func zips() (list []string) {
	for i := range 32_000 {
		list = append(list, fmt.Sprintf("%05d", 10_000+i))
	}
	return list
}

// write writes the table and its public lists into a folder.
func (t table) write(dir string, rows int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for column, cells := range t.public {
		beside := t.beside[column]
		header := append([]string{column}, beside.names...)
		if err := writeCSV(filepath.Join(dir, column+".csv"), header, len(cells), func(i int) []string {
			if beside.of == nil {
				return cells[i : i+1]
			}
			return append([]string{cells[i]}, beside.of(i)...)
		}); err != nil {
			return err
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	return writeCSV(filepath.Join(dir, "rows.csv"), t.header, rows, func(i int) []string { return t.row(r, i) })
}

func writeCSV(path string, header []string, rows int, row func(int) []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	err = w.Write(header)
	for i := 0; i < rows && err == nil; i++ {
		err = w.Write(row(i))
	}
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}
