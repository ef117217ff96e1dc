package protocol

import (
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
)

// decisions are the rows of the table in next.go, the more special one first. A row fits if its match does.
var decisions = []struct {
	name  string
	match func(situation) bool
	want  Next
}{
	{"sealed", func(s situation) bool { return s.state == ledger.Sealed }, NextFinish},
	{"reserved", func(s situation) bool { return s.state == ledger.Reserved }, NextResume},
	{"none", func(s situation) bool { return s.state == "" }, NextCharge},
	{"cancelled", func(s situation) bool { return s.state == ledger.Cancelled }, NextCharge},
	{"withdrawn", func(s situation) bool { return s.withdrawn && !s.newRelease }, NextWithdrawn},
	{"withdrawn, new release", func(s situation) bool { return s.withdrawn && !s.finished }, NextCharge},
	{"finished renewal, as asked", func(s situation) bool { return s.finished && s.renewal && s.asked }, NextFinish},
	{"finished renewal, other, new release", func(s situation) bool {
		return s.finished && s.renewal && s.newRelease
	}, NextRerender},
	{"finished renewal, other, older as asked", func(s situation) bool {
		return s.finished && s.renewal && s.repeatable
	}, NextRepeat},
	{"finished renewal, other", func(s situation) bool { return s.finished && s.renewal }, NextRerender},
	{"finished first, new release", func(s situation) bool { return s.finished && s.newRelease }, NextCharge},
	{"finished first, as asked", func(s situation) bool { return s.finished && s.asked }, NextFinish},
	{"finished first, older as asked", func(s situation) bool { return s.finished && s.repeatable }, NextRepeat},
	{"finished first, other", func(s situation) bool { return s.finished }, NextRerender},
	{"published, new release", func(s situation) bool { return s.newRelease }, NextCharge},
	{"published, as asked", func(s situation) bool { return s.repeatable }, NextRepeat},
	{"published in another rendering", func(situation) bool { return true }, NextRerender},
}

// TestNextFollowsTheTable compares the decision with the first row that fits, for every situation.
func TestNextFollowsTheTable(t *testing.T) {
	used := make([]int, len(decisions))
	states := []ledger.State{"", ledger.Cancelled, ledger.Reserved, ledger.Sealed, ledger.Published}
	for _, state := range states {
		for bits := range 1 << 6 {
			s := situation{
				state: state, withdrawn: bits&1 > 0, asked: bits&2 > 0, repeatable: bits&4 > 0, renewal: bits&8 > 0,
				finished: bits&16 > 0, newRelease: bits&32 > 0,
			}
			if s.finished && (s.state != ledger.Published || s.withdrawn) || s.asked && !s.repeatable && !s.withdrawn &&
				s.state == ledger.Published {
				continue // cannot be
			}
			for i, row := range decisions {
				if !row.match(s) {
					continue
				}
				used[i]++
				if got := s.next(); got != row.want {
					t.Errorf("%s: %+v: %s, want %s", row.name, s, got, row.want)
				}
				break
			}
			if got := s.next(); got == NextCharge && state == ledger.Published && !s.newRelease {
				t.Errorf("%+v is charged again unasked", s)
			}
		}
	}
	for i, n := range used {
		if n == 0 {
			t.Errorf("no situation is %q", decisions[i].name)
		}
	}
}
