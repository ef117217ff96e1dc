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
	// numbers are public numbers of these cells, by column: the name, and the number of cell i.
	numbers map[string]publicNumber
}

type publicNumber struct {
	name string
	of   func(i int) int
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
	"mobility": {rows: 1_000_000, header: []string{"user", "county", "place"},
		row: func(r *rand.Rand, i int) []string {
			user := i / 4
			return []string{strconv.Itoa(user), names("county", 300)[user%300],
				[]string{"grocery", "park", "retail", "transit", "workplace", "home"}[r.IntN(6)]}
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
		numbers: map[string]publicNumber{"zip": {"households", func(i int) int { return 20 + int(2500/math.Sqrt(1+float64(i))) }}}},
	"census": {rows: 1_000_000, header: []string{"county", "tract", "sex", "age", "race"},
		row: func(r *rand.Rand, i int) []string {
			county := skewed(r, 40, 2)
			return []string{names("county", 40)[county], strconv.Itoa(r.IntN(25)), []string{"female", "male"}[r.IntN(2)],
				strconv.Itoa(int(min(39+22*math.Abs(r.NormFloat64()*0.9-0.2), 99))), names("race", 7)[skewed(r, 7, 3)]}
		},
		public: map[string][]string{"county": names("county", 40), "race": names("race", 7)}},
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
		header, number := []string{column}, t.numbers[column]
		if number.of != nil {
			header = append(header, number.name)
		}
		if err := writeCSV(filepath.Join(dir, column+".csv"), header, len(cells), func(i int) []string {
			if number.of == nil {
				return cells[i : i+1]
			}
			return []string{cells[i], strconv.Itoa(number.of(i))}
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
