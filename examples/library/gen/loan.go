package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/dprelease/dprelease/examples/internal/draw"
)

// members is the number of people who borrow anything in the year.
const members = 2400

// frequent has the numbers of loans of the members who borrow most.
var frequent = []int{140, 96, 75}

// The branches of the library, and their weights. The Bookbus is in the data but not in the list of the tutorial's job,
// since it is not a branch.
var (
	branches      = []string{"Central", "North", "Café Sud", "Old Harbour", "Bookbus"}
	branchWeights = []float64{45, 24, 18, 12, 1}
)

var (
	kinds       = []string{"book", "film", "music", "game"}
	kindWeights = []float64{62, 20, 8, 10}
)

// monthWeights[m] is how often loans begin in month m: often in winter, seldom in summer.
var monthWeights = []float64{11, 10, 9, 8, 7, 6, 5, 6, 8, 9, 10, 11}

type loan struct {
	member int
	branch string
	kind   string
	day    time.Time
	fee    int // in cents; -1 if nobody wrote it down
	age    int // in years; 0 if it is not known
}

type member struct {
	id, age, home int
}

// year returns the loans of 2024 in order of days. The seed is fixed: every call returns the same year.
func year() []loan {
	r := rand.New(rand.NewPCG(2024, 1122))
	var loans []loan
	for i, id := range r.Perm(90_000)[:members] {
		m := member{id: 10_000 + id, age: age(r), home: draw.Index(r, branchWeights)}
		for range loansOf(r, i) {
			loans = append(loans, newLoan(r, m))
		}
	}
	slices.SortFunc(loans, func(a, b loan) int {
		return cmp.Or(a.day.Compare(b.day), cmp.Compare(a.member, b.member))
	})
	return loans
}

// age returns an age in years: of a child, or of an adult, older ones being rarer. It returns 0, for unknown, in one of
// fifty cases.
func age(r *rand.Rand) int {
	switch x := r.Float64(); {
	case x < 0.02:
		return 0
	case x < 0.32:
		return 5 + r.IntN(13)
	default:
		return 18 + min(int(24*math.Abs(r.NormFloat64())), 75)
	}
}

// loansOf returns how many loans member i makes: most make a few, some make dozens.
func loansOf(r *rand.Rand, i int) int {
	if i < len(frequent) {
		return frequent[i]
	}
	return 1 + min(int(2.6*math.Exp(0.7*r.NormFloat64())), 40)
}

// newLoan returns a loan of a member, mostly at the branch near home.
func newLoan(r *rand.Rand, m member) loan {
	branch := m.home
	if r.Float64() < 0.2 {
		branch = draw.Index(r, branchWeights)
	}
	month := time.Month(1 + draw.Index(r, monthWeights))
	days := time.Date(2024, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return loan{
		member: m.id, age: m.age, branch: branches[branch], kind: kinds[draw.Index(r, kindWeights)],
		day: time.Date(2024, month, 1+r.IntN(days), 0, 0, 0, 0, time.UTC), fee: fee(r, branch),
	}
}

// maxLate is the maximum fee for a late loan, in cents.
const maxLate = 500

// fee returns the fee of a loan in cents, in steps of ten. Most loans cost nothing, late ones cost more at larger
// branches, and a lost book costs most.
func fee(r *rand.Rand, branch int) int {
	switch x := r.Float64(); {
	case x < 0.06:
		return -1
	case x < 0.62:
		return 0
	case x < 0.995:
		return min(maxLate, 10*int(math.Round(float64(24-4*branch)*r.ExpFloat64())))
	default:
		return 3500
	}
}

// table writes loans in the form of a library's old program: with tabs, in Windows-1252, the day before the month,
// decimal commas, "N/A" for missing values, and branches in upper or lower case as somebody typed them.
func table(loans []loan) ([]byte, error) {
	r := rand.New(rand.NewPCG(2024, 1123))
	var b bytes.Buffer
	b.WriteString("Member\tBranch\tKind\tDay\tFee\tAge\r\n")
	for _, l := range loans {
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\t%s\r\n", l.member, typed(r, l.branch), l.kind, l.day.Format("02/01/2006"),
			euros(l.fee), years(l.age))
	}
	return charmap.Windows1252.NewEncoder().Bytes(b.Bytes())
}

// typed returns the name of a branch, in one case of eight in upper or lower case.
func typed(r *rand.Rand, branch string) string {
	switch r.IntN(16) {
	case 0:
		return strings.ToUpper(branch)
	case 1:
		return strings.ToLower(branch)
	default:
		return branch
	}
}

func euros(cents int) string {
	if cents < 0 {
		return "N/A"
	}
	return fmt.Sprintf("%d,%02d", cents/100, cents%100)
}

func years(age int) string {
	if age == 0 {
		return "N/A"
	}
	return fmt.Sprint(age)
}
