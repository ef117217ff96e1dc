// Command gen writes an invented register of the pupils of a district. From the repository's root:
//
//	go run ./examples/school-register/gen
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// register returns the rows of the register and of the public table of teachers, each with a header. They are the same
// each time.
func register() (pupils, teachers [][]string) {
	r := rand.New(rand.NewPCG(34, 3))
	pupils = [][]string{{"pupil", "school", "grade", "absent", "graduated"}}
	teachers = [][]string{{"school", "teachers"}}
	for _, school := range []struct {
		name      string
		size      int
		graduates float64
	}{{"Harbour", 900, 0.86}, {"Hillside", 650, 0.91}, {"Old Mill", 420, 0.78}, {"Riverbank", 240, 0.88},
		{"Island", 14, 0.9}} {
		for range school.size {
			graduated := "no"
			if r.Float64() < school.graduates {
				graduated = "yes"
			}
			pupils = append(pupils, []string{fmt.Sprint(len(pupils)), school.name, fmt.Sprint(9 + r.IntN(4)),
				fmt.Sprint(int(6 * r.ExpFloat64())), graduated})
		}
		teachers = append(teachers, []string{school.name, fmt.Sprint(school.size/16 + 2)})
	}
	return pupils, teachers
}

func write(w io.Writer, rows [][]string) error { return csv.NewWriter(w).WriteAll(rows) }

func main() {
	pupils, teachers := register()
	for name, rows := range map[string][][]string{"pupils.csv": pupils, "teachers.csv": teachers} {
		f, err := os.Create(filepath.Join("examples", "school-register", name))
		if err == nil {
			err = errors.Join(write(f, rows), f.Close())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
