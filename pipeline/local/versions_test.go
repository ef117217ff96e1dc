package local_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

const objectJob = `
version: 1
name: object
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input: {files: ["s3://bucket/t.csv"], csv: {types: {person: int, age: int}}}
queries:
  - {name: ages, histogram: {by: [{column: age, edges: [0, 20, 40, 60]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: object, budget: {epsilon: 1, delta: 1e-6}}
`

// Shards of two versions of an object, of the same length, are refused by the merge and by a shuffling engine, and the
// fingerprints differ. The same version twice is accepted.
func TestShardsOfTwoVersions(t *testing.T) {
	var table strings.Builder
	table.WriteString("person,age\n")
	for i := range 1000 {
		fmt.Fprintf(&table, "%d,%d\n", 100+i%300, 10+i%50)
	}
	other := []byte(table.String())
	other[len(other)-2] ^= 1
	m := storetest.New()
	store.Register("s3", m.Opener)
	p, k := enginetest.Plan(t, filepath.Join(t.TempDir(), "job.yaml"), []byte(objectJob)), runKey(t)
	for name, second := range map[string][]byte{"another version": other, "the same": []byte(table.String())} {
		dir := t.TempDir()
		var paths []string
		var packed []partial.Message
		var prints [][]byte
		for i, content := range [][]byte{[]byte(table.String()), second} {
			m.Set("t.csv", content)
			data, err := source.Open(t.Context(), source.Options{Files: p.Job().Input.Files,
				CSV: textfile.CSV{Header: true, Types: p.Job().Input.CSV.Types, Delimiter: ','}, Key: make([]byte, 32)})
			if err != nil {
				t.Fatal(err)
			}
			e := local.New(data, 1)
			defer e.Close()
			var b bytes.Buffer
			path := filepath.Join(dir, fmt.Sprint(i))
			fingerprint, err1 := e.Fingerprint()
			err2 := e.AggregateShard(t.Context(), p, pipeline.Silent{}, local.Shard{Number: i + 1, Of: 2}, k, program, &b)
			from, to := partial.Range(i+1, 2, e.Splits())
			err3 := e.Pack(t.Context(), p, k, program, from, to, 1, func(bucket int, message []byte) {
				if m, err := partial.NewOpener(k).Message(message); err == nil && bucket == 1 {
					packed = append(packed, *m)
				}
			})
			if err := errors.Join(err1, err2, err3, os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			paths, prints = append(paths, path), append(prints, fingerprint)
		}
		_, err := local.OpenParts(paths, k, p, program, local.Limits{})
		e := new(pipeline.Error)
		same := name == "the same"
		if same != (err == nil) || !same && (!errors.As(err, &e) || e.Code != "shard-foreign") {
			t.Errorf("%s: %v", name, err)
		}
		if len(packed) != 2 || packed[0].Packed.SameTable(&packed[1].Packed.PartHeader) != same ||
			bytes.Equal(prints[0], prints[1]) != same {
			t.Errorf("%s: %d packed messages, fingerprints %x", name, len(packed), prints)
		}
	}
}
