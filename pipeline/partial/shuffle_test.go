package partial_test

import (
	"errors"
	"testing"

	"github.com/dprelease/dprelease/pipeline/partial"
)

// Messages are merged only if they have the same table, the same run fingerprint and the same program.
func TestRangesOfOneRun(t *testing.T) {
	packed := func(from int, change func(*partial.PartHeader)) *partial.Message {
		s := partial.PartHeader{Program: "v1", Run: "q", From: from, To: from + 1,
			Files: []partial.File{{Name: "a.csv", Splits: 2, Bytes: 10}}, Digests: [][]byte{{byte(from + 1)}}, Rows: 3}
		change(&s)
		return &partial.Message{Packed: &partial.Packed{PartHeader: s}}
	}
	same := func(*partial.PartHeader) {}
	for name, change := range map[string]func(*partial.PartHeader){
		"":                 same,
		"another table":    func(s *partial.PartHeader) { s.Files = []partial.File{{Name: "b.csv", Splits: 2, Bytes: 10}} },
		"another question": func(s *partial.PartHeader) { s.Run = "other" },
		"another program":  func(s *partial.PartHeader) { s.Program = "v2" },
	} {
		var all partial.Tally
		err := errors.Join(all.Add(packed(0, same)), all.Add(packed(1, change)))
		if err == nil {
			_, err = all.Header()
		}
		if (name == "") != (err == nil) || err != nil && !errors.Is(err, partial.ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
