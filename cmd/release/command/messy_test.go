package command

import (
	"bytes"

	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/rogpeppe/go-internal/testscript"
)

// loan is a row of a library's table, in its cleanest form.
type loan struct {
	id, card    int
	branch      string
	date        time.Time
	cents, age  int
	noFee, paid bool
}

var loanBranches = []string{"Central", "North", "Café Sud", "Old Harbour"}

func loans(n int) []loan {
	rng := rand.New(rand.NewPCG(7, 11))
	out := make([]loan, n)
	for i := range out {
		out[i] = loan{
			id: 1000 + i, card: rng.IntN(n / 2), branch: loanBranches[rng.IntN(len(loanBranches))],
			date:  time.Date(2024, 1, 1+rng.IntN(366), 0, 0, 0, 0, time.UTC),
			cents: 5 * rng.IntN(60), age: 5 + rng.IntN(85), noFee: rng.IntN(10) == 0, paid: rng.IntN(2) == 0,
		}
	}
	return out
}

// loanStyle describes how somebody formatted the table.
type loanStyle struct {
	header    []string
	delimiter string
	date      func(i int, t time.Time) string
	fee       func(cents int) string
	none      string // the text of a missing fee
	branch    func(i int, s string) string
	end       func(i int) string // the end of line i
}

func (s loanStyle) write(rows []loan) []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(s.header, s.delimiter) + s.end(0))
	for i, r := range rows {
		fee := s.fee(r.cents)
		if r.noFee {
			fee = s.none
		}
		fields := []string{fmt.Sprint(r.id), fmt.Sprint(r.card), s.branch(i, r.branch), fee, s.date(i, r.date),
			fmt.Sprint(r.age), map[bool]string{true: "yes", false: "no"}[r.paid]}
		b.WriteString(strings.Join(fields, s.delimiter) + s.end(i))
	}
	return b.Bytes()
}

// clean is a style that a job reads without options; edit changes it.
func clean(edit func(*loanStyle)) loanStyle {
	s := loanStyle{
		header: []string{"loan_id", "card", "branch", "fee", "loan_date", "age", "paid"}, delimiter: ",",
		date:   func(_ int, t time.Time) string { return t.Format(time.DateOnly) },
		fee:    func(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) },
		branch: func(_ int, s string) string { return s },
		end:    func(int) string { return "\n" },
	}
	if edit != nil {
		edit(&s)
	}
	return s
}

func decimalComma(cents int) string { return fmt.Sprintf("%d,%02d", cents/100, cents%100) }

func dayFirst(_ int, t time.Time) string { return t.Format("02/01/2006") }

// windows1252 writes text whose letters are all in Latin-1.
func windows1252(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		out = append(out, byte(r))
	}
	return out
}

func utf16LE(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(text))) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func zipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // a Buffer never fails
	_ = w.Close()
	return b.Bytes()
}

// messyFiles returns the same table in the formats in which people deliver it.
func messyFiles() map[string][]byte {
	rows := loans(3000)
	style := func(edit func(*loanStyle)) []byte { return clean(edit).write(rows) }
	tidy := style(nil)
	cased := func(i int, s string) string { return []string{s, strings.ToUpper(s), strings.ToLower(s), s + " "}[i%4] }
	tabbed := func(s *loanStyle) { s.delimiter = "\t" }
	archive := zipped(tidy)
	return map[string][]byte{
		"clean.csv": tidy,
		"loans.txt": windows1252(style(func(s *loanStyle) {
			s.delimiter, s.date, s.fee, s.none, s.branch = "\t", dayFirst, decimalComma, "N/A", cased
		})),
		"three-layouts.csv": style(func(s *loanStyle) {
			s.date = func(i int, t time.Time) string {
				return t.Format([]string{"2006-01-02", "02/01/2006", "2 Jan 2006"}[i%3])
			}
		}),
		"day-first.csv": style(func(s *loanStyle) { s.date = dayFirst }),
		"month-names.csv": style(func(s *loanStyle) {
			s.date = func(_ int,
				t time.Time) string {
				return t.Format("2 January 2006")
			}
		}),
		"excel-serial-dates.csv": style(func(s *loanStyle) {
			s.date = func(_ int, t time.Time) string { return fmt.Sprint(25569 + t.Unix()/86400) }
		}),
		"decimal-commas.csv":       style(func(s *loanStyle) { s.delimiter, s.fee = ";", decimalComma }),
		"decimal-commas-shift.csv": style(func(s *loanStyle) { s.fee = decimalComma }),
		"currency.csv": style(func(s *loanStyle) {
			s.fee = func(c int) string {
				return fmt.Sprintf("£%d.%02d",
					c/100, c%100)
			}
		}),
		"cents.csv":           style(func(s *loanStyle) { s.fee = func(c int) string { return fmt.Sprint(10 * c) } }),
		"not-available.csv":   style(func(s *loanStyle) { s.none = "N/A" }),
		"semicolons.csv":      style(func(s *loanStyle) { s.delimiter = ";" }),
		"tabs.csv":            style(tabbed),
		"pipes.csv":           style(func(s *loanStyle) { s.delimiter = "|" }),
		"byte-order-mark.csv": append([]byte("\xef\xbb\xbf"), tidy...),
		"utf-16.csv":          utf16LE(tidy),
		"windows-1252.csv":    windows1252(tidy),
		"mixed-line-ends.csv": style(func(s *loanStyle) {
			s.end = func(i int) string {
				return []string{"\n",
					"\r\n"}[i%2]
			}
		}),
		"old-mac-line-ends.csv": style(func(s *loanStyle) { s.end = func(int) string { return "\r" } }),
		"upper-case.csv": style(func(s *loanStyle) {
			s.branch = func(_ int,
				b string) string {
				return strings.ToUpper(b)
			}
		}),
		"truncated.csv.gz":      archive[:len(archive)/2],
		"not-an-archive.csv.gz": tidy,
		"header-with-spaces.csv": style(func(s *loanStyle) {
			s.header = []string{"loan_id", " card", "Branch ", " fee", "Loan Date", "age", "paid"}
		}),
		"missing-column.csv": style(func(s *loanStyle) { s.header[4] = "returned" }),
		"no-header.csv":      tidy[bytes.IndexByte(tidy, '\n')+1:],
		"title-lines.csv":    append([]byte("Library loans 2024\n\n"), tidy...),
		"only-a-header.csv":  tidy[:bytes.IndexByte(tidy, '\n')+1],
		"empty.csv":          {},
		"sheet.xlsx":         []byte("PK\x03\x04not really"),
		"export.dat":         tidy,
		"months-of-another-year.csv": style(func(s *loanStyle) {
			s.date = func(_ int, t time.Time) string { return t.AddDate(-9, 0, 0).Format(time.DateOnly) }
		}),
	}
}

// messy writes the messy files into a folder.
func messy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: messy FOLDER")
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o700))
	for name, content := range messyFiles() {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]+"/"+name), content, 0o600))
	}
}

// mended fixes a file by hand as the messages advise: mended FROM TO rewrites Windows-1252 as UTF-8, and decimal commas
// as points.
func mended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mended FROM TO")
	}
	var b strings.Builder
	for _, c := range []byte(ts.ReadFile(args[0])) {
		if c == ',' {
			c = '.'
		}
		b.WriteRune(rune(c))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}
