package table

import (
	"strings"
	"testing"
)

func TestHeaderAdvice(t *testing.T) {
	for want, names := range map[string][]string{
		`delimiter: "\t"`:  {"id\tloan_date\tfee"},
		`delimiter: ";"`:   {"id;loan_date;fee"},
		`delimiter: "|"`:   {"id|loan_date"},
		`delimiter: ","`:   {"id,loan_date"},
		"title":            {"Library loans 2024"},
		"carriage return":  {"id", "loan_date\r1", "2024-01-01\r2"},
		"trim_space: true": {"id", " Loan Date "},
		"header: false":    {"1001", "77", "secret"},
	} {
		got := HeaderAdvice(names, "loan_date")
		if !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%q: %s", names, got)
		}
	}
}
