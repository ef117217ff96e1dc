package sink

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
)

// million returns a histogram of 10^6 cells with three string keys.
func million() pipeline.Result {
	keys := make([][]string, 3)
	for k := range keys {
		for i := range 100 {
			keys[k] = append(keys[k], fmt.Sprintf("label %d of key %d", i, k))
		}
	}
	return result("million", stringKey("a", keys[0]...), stringKey("b", keys[1]...), stringKey("c", keys[2]...))
}

func BenchmarkWrite(b *testing.B) {
	for name, f := range builtin() {
		b.Run(name, func(b *testing.B) {
			t := tableOf(b, million())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Write(b.Context(), io.Discard, t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	for name, f := range builtin() {
		b.Run(name, func(b *testing.B) {
			t, file := tableOf(b, million()), bytes.Buffer{}
			if _, err := f.Write(b.Context(), &file, t); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(file.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if err := verify(b.Context(), f, bytes.NewReader(file.Bytes()), int64(file.Len()), t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
