package source_test

import (
	"bytes"
	"context"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// A digest depends on every byte of a file and on the key.
func TestDigestsDependOnBytesAndKey(t *testing.T) {
	content := []byte("x,y\n" + strings.Repeat("a,1\n", 100_000)) // several blocks
	digest := func(content []byte, key string) []byte {
		d, err := source.Open(context.Background(), source.Options{Files: []string{write(t, "a.csv", content)}, CSV: lines,
			Key: []byte(key)})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := d.Digest(context.Background(), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	want := digest(content, "key")
	if !slices.Equal(want, digest(content, "key")) {
		t.Error("the digest of the same bytes changes")
	}
	if slices.Equal(want, digest(content, "other")) {
		t.Error("the digest does not depend on the key")
	}
	for _, at := range []int{4, 1 << 16, len(content) - 1} {
		changed := bytes.Clone(content)
		changed[at] ^= 1
		if slices.Equal(want, digest(changed, "key")) {
			t.Errorf("the digest does not depend on byte %d", at)
		}
	}
	const block = 1 << 16
	copy(content[block:], "z")
	swapped := slices.Concat(content[block:2*block], content[:block], content[2*block:])
	copy(swapped, content[:4]) // the header stays
	copy(swapped[block:], "x,y\n")
	if slices.Equal(digest(content, "key"), digest(swapped, "key")) {
		t.Error("the digest does not depend on the order of blocks")
	}
}

// Under a filter, the digest covers the bytes that are read and the footers of the skipped parts.
func TestDigestsUnderFilters(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	d := open(t, textfile.CSV{}, write(t, "a.parquet", pagedGo(t, rng, pagedRows(rng, 800))))
	groups := rowGroups(d, fromTo("id", 0, 3))
	for split := range d.Splits() {
		some, err := groups.Digest(t.Context(), split, pagedColumns)
		if err != nil {
			t.Fatal(err)
		}
		all, err := d.Digest(t.Context(), split, pagedColumns)
		if err != nil || bytes.Equal(some, all) == groups.Skips(split) {
			t.Errorf("split %d, skipped %v: %x, %x, %v", split, groups.Skips(split), some, all, err)
		}
	}
	if groups.Skips(0) || !groups.Skips(d.Splits()-1) {
		t.Error("other row groups are left out")
	}
}
