package source_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
)

// stating is a store that states a wrong length of its objects.
type stating struct {
	*storetest.Memory
	size int64
}

// Stat implements store.Bucket.
func (s stating) Stat(ctx context.Context, key string) (store.Object, error) {
	o, err := s.Memory.Stat(ctx, key)
	o.Size = s.size
	return o, err
}

// An impossible length from a store is not trusted, in any format.
func TestStoresStateLengths(t *testing.T) {
	for _, size := range []int64{-1, math.MinInt64} {
		for _, name := range []string{"a.csv", "a.parquet", "a.arrow", "a.jsonl"} {
			m, at := bucket(t)
			m.Set(name, []byte("x,y\n1,2\n"))
			scheme, _, _ := strings.Cut(at, ":")
			store.Register(scheme, func(context.Context, store.Address) (store.Bucket, error) { return stating{m, size}, nil })
			_, err := source.Open(t.Context(), source.Options{Files: []string{at + name}, CSV: textfile.CSV{Header: true},
				JSONL: textfile.JSONL{Columns: map[string]string{"x": "int"}}})
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.CodeUnreadable {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
		}
	}
}
