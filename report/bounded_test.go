package report

import (
	"strings"
	"testing"
)

// For each query, the page states what the bounds of the job leave out.
func TestBoundedNumbersAreNamed(t *testing.T) {
	for _, c := range []struct{ kind, why, want string }{
		{histogram, "each row is in one cell: 1", ""},
		{histogram, "declared: 3; implied: each person adds at most 2 rows: 2", "true numbers can be higher."},
		{histogram, "each person adds at most 2 rows: 2", "each person adds at most 2 rows. Rows above these bounds are not " +
			"counted: true numbers can be higher."},
		{"sum", "each row, a value in [0, 99]: 99", "values outside of the range count as its nearer end."},
	} {
		q := queryFacts{kind: c.kind, why: c.why}
		if got := q.bounded(); !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q: %q", c.why, got)
		}
	}
}
