package showntest

import (
	"strings"
	"testing"
)

// In a manifest, exactly the numbers that have noise are masked.
func TestManifest(t *testing.T) {
	text := `{"epsilon": 1.50, "queries": [{"name": "a", "cells": 3, "expected_error": {"rmse": 1, "low": 2, "high": 3}, "files": [{"path": "a.csv", "sha256": "00", "rows": 3}]},
		{"name": "b", "files": [{"path": "b.csv", "sha256": "00", "rows": 3}]}], "job": {"queries": [{"name": "a", "sparse": true, "denoise": [1]}, {"name": "b"}]}, "ledger": {"head": "1"}}`
	same := strings.NewReplacer(`"sha256": "00"`, `"sha256": "11"`, `"rmse": 1`, `"rmse": 2`,
		`"path": "a.csv", "sha256": "11", "rows": 3`, `"path": "a.csv", "rows": 4`).Replace(text)
	same = strings.Replace(same, `"rows": 3}]},`, `"rows": 4}]},`, 1)
	a, err := Manifest([]byte(text), "ledger")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Manifest([]byte(same), "ledger"); err != nil || string(a) != string(b) {
		t.Errorf("%s\n%s\n%v", a, b, err)
	}
	for _, change := range [][2]string{{`1.50`, `1.5`}, {`"cells": 3`, `"cells": 4`}, {`b.csv`, `c.csv`},
		{`"rows": 3}]}]`, `"rows": 4}]}]`}, {`, "high": 3`, ``}, {`, "ledger": {"head": "1"}`, ``}} {
		b, err := Manifest([]byte(strings.Replace(text, change[0], change[1], 1)), "ledger")
		if err != nil || string(a) == string(b) {
			t.Errorf("%s does not show: %v", change[1], err)
		}
	}
}

// In tables whose keys are selected by noisy counts, of their own query or of another one, the number of keys is
// masked, and nothing else.
func TestManifestOfSelectedKeys(t *testing.T) {
	text := `{"queries": [{"name": "a", "cells": 3, "selection": {"threshold": 58.5}, "files": [{"path": "a.csv", "rows": 3}]},
		{"name": "b", "cells": 3, "keys_of": "a", "files": [{"path": "b.csv", "rows": 3}]}, {"name": "c", "cells": 3, "files": [{"path": "c.csv", "rows": 3}]}]}`
	a, err := Manifest([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	same, c, _ := strings.Cut(text, `{"name": "c"`)
	same = strings.NewReplacer(`"cells": 3`, `"cells": 2`, `"rows": 3`, `"rows": 2`).Replace(same) + `{"name": "c"` + c
	if b, err := Manifest([]byte(same)); err != nil || string(a) != string(b) {
		t.Errorf("%s\n%s\n%v", a, b, err)
	}
	for _, change := range [][2]string{{"58.5", "58"}, {`"keys_of": "a"`, `"keys_of": "c"`},
		{`"c", "cells": 3`, `"c", "cells": 2`}, {`c.csv", "rows": 3`, `c.csv", "rows": 2`}} {
		b, err := Manifest([]byte(strings.Replace(text, change[0], change[1], 1)))
		if err != nil || string(a) == string(b) {
			t.Errorf("%s does not show: %v", change[1], err)
		}
	}
}
