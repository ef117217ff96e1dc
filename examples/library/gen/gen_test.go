//go:build check

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCommittedTableIsCurrent(t *testing.T) {
	made, err := table(year())
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(filepath.Join("..", "loans.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, committed) {
		t.Error("loans.txt is not what the generator makes")
	}
}

// TestTheYearHasWhatTheTutorialShows keeps the properties on which the tutorial relies.
func TestTheYearHasWhatTheTutorialShows(t *testing.T) {
	perMember, perBranch := map[int]int{}, map[string]int{}
	var unknownFee, unknownAge, lost int
	loans := year()
	for _, l := range loans {
		perMember[l.member]++
		perBranch[l.branch]++
		if l.fee < 0 {
			unknownFee++
		}
		if l.fee > maxLate {
			lost++
		}
		if l.age == 0 {
			unknownAge++
		}
	}
	busiest := 0
	for _, n := range perMember {
		busiest = max(busiest, n)
	}
	if len(perMember) != members || len(perBranch) != len(branches) || busiest != frequent[0] {
		t.Errorf("%d members, %d branches, the busiest member with %d loans", len(perMember), len(perBranch), busiest)
	}
	if unknownFee == 0 || unknownAge == 0 || lost == 0 {
		t.Errorf("%d unknown fees, %d unknown ages, %d lost books", unknownFee, unknownAge, lost)
	}
	text, err := table(loans)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\tCaf\xe9 Sud\t", "\tCAF\xc9 SUD\t", "\tcentral\t", "\t31/01/2024\t", "\tN/A\t",
		"\t1,20\t", "\r\n"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q in the table", want)
		}
	}
}
