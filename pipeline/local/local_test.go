package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

func dataset(t *testing.T, p *pipeline.Plan) *source.Dataset {
	t.Helper()
	in := p.Job().Input
	data, err := source.Open(t.Context(), source.Options{
		Dir: p.Job().Dir(), Files: in.Files, CSV: textfile.CSV{Header: true, Types: in.CSV.Types, Delimiter: ','},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestConformance(t *testing.T) {
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		return local.New(dataset(t, p), workers)
	})
}

// An engine that writes nearly all rows to its scratch folder gives the same answers, and leaves no file there.
func TestConformanceWithoutMemory(t *testing.T) {
	owntest.Slow(t)
	folder := t.TempDir()
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		return local.NewTight(dataset(t, p), workers, folder)
	})
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left in the scratch folder, %v", left, err)
	}
}

// A scratch folder that cannot be written is an error of the output, with a hint.
func TestScratchFolderIsMissing(t *testing.T) {
	enginetest.Fails(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		return local.NewTight(dataset(t, p), workers, filepath.Join(t.TempDir(), "missing"))
	}, func(t *testing.T, err error) {
		t.Helper()
		var e *pipeline.Error
		if !errors.As(err, &e) || e.Cause != pipeline.CauseOutput || e.Code != "scratch" || e.Hint == "" {
			t.Errorf("%v", err)
		}
	})
}
