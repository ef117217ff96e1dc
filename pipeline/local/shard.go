package local

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// Shard identifies one of several parts of the input: Number from 1 to Of.
type Shard struct{ Number, Of int }

// AggregateShard reads the splits of one shard (partial.Range) and writes a partial aggregate, encrypted under the
// run's key. The dataset must be hashed under that key's InputKey. If out has several writers, each gets one partition
// of the units. program is the version of the program. It charges nothing and needs no ledger. Errors are errors of
// reading the input or of writing.
func (e *Engine) AggregateShard(ctx context.Context, p *pipeline.Plan, o pipeline.Observer, s Shard, k partial.Key,
	program string, out ...io.Writer) error {
	spill, err := e.scratch(ctx, p)
	if err != nil {
		return err
	}
	defer func() { _ = spill.Close() }() // the contents are no longer needed
	from, to := partial.Range(s.Number, s.Of, e.data.Splits())
	said, workers, err := e.readShard(ctx, p, o, spill, splits{from, to})
	if err != nil {
		return err
	}
	said.Program, said.Shard, said.Of = program, s.Number, s.Of
	if len(out) == 1 {
		return partial.Write(out[0], k, said, workers[0].accumulators)
	}
	return partial.WritePartitions(out, k, said, workers[0].accumulators)
}

// Fingerprint returns a digest of facts about the input that are known before its rows are read: the files' names,
// sizes, footers and versions in a store, and the schema. The digest is private, since these facts are.
func (e *Engine) Fingerprint() ([]byte, error) {
	files, err := e.files()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(partial.PartHeader{Files: files, Schema: e.data.Schema().Fields})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// files returns the descriptions of the input's files for the header of a part. It reads the files' footers only once,
// since one engine may read many ranges of splits.
func (e *Engine) files() ([]partial.File, error) {
	e.stated.mu.Lock()
	defer e.stated.mu.Unlock()
	if e.stated.files != nil {
		return e.stated.files, nil
	}
	outlines, err := e.data.Outlines()
	if err != nil {
		return nil, err
	}
	files := make([]partial.File, len(outlines))
	for i, f := range outlines {
		files[i] = partial.File(f)
	}
	e.stated.files = files
	return files, nil
}
