package local_test

import (
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

func TestConformance(t *testing.T) {
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		in := p.Job().Input
		data, err := source.Open(t.Context(), source.Options{
			Dir: p.Job().Dir(), Files: in.Files, CSV: source.CSV{Header: true, Types: in.CSV.Types, Delimiter: ','},
		})
		if err != nil {
			t.Fatal(err)
		}
		return local.New(data, workers)
	})
}
