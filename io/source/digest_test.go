package source_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
)

// A digest depends on every byte of a file and on the key.
func TestDigestsDependOnBytesAndKey(t *testing.T) {
	content := []byte("x,y\n" + strings.Repeat("a,1\n", 100_000)) // several blocks
	digest := func(content []byte, key string) []byte {
		d, err := source.Open(context.Background(), source.Options{Files: []string{write(t, "a.csv", content)}, CSV: lines, Key: []byte(key)})
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

// A selection's digest depends on the page index that it goes by, and on nothing that is passed over or not.
func TestDigestsOfSelections(t *testing.T) {
	content := counting(t)
	sum := func(content []byte, conditions ...wanted) []byte {
		d := open(t, source.CSV{}, write(t, "a.parquet", content))
		sum, err := where(d, conditions...).Digest(t.Context(), 0, []string{"list", "id"})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	want := sum(content, fromTo("id", 250, 260))
	if !bytes.Equal(want, sum(content, fromTo("id", 0, 1000))) {
		t.Error("the digest depends on what is passed over")
	}
	d := open(t, source.CSV{}, write(t, "a.parquet", content))
	if all, err := d.Digest(t.Context(), 0, []string{"list", "id"}); err != nil || !bytes.Equal(all, sum(content)) || bytes.Equal(all, want) {
		t.Errorf("without conditions: %x, %v", all, err)
	}
	changed := bytes.Clone(content)
	changed[pagesEnd(t, content)+9] ^= 1
	if bytes.Equal(want, sum(changed, fromTo("id", 250, 260))) {
		t.Error("the digest does not depend on the page index")
	}
	if !bytes.Equal(sum(content), sum(changed)) {
		t.Error("without conditions, the digest depends on the page index")
	}
}
