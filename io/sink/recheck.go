package sink

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/io/sink/internal/reread"
	"github.com/dprelease/dprelease/pipeline"
)

// ReadManifest returns the manifest of a release folder and its SHA-256. Errors: as Inspect.
func ReadManifest(dir string) (m pipeline.Manifest, digest string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return m, "", failure("inspect", dir, err)
	}
	defer root.Close()
	text, err := readSmall(root, manifestName, maxManifest)
	if err != nil {
		return m, "", missing(dir, manifestName, err)
	}
	if m, err = decodeManifest(text); err != nil {
		return m, "", incomplete(dir, manifestName+" "+err.Error())
	}
	w := newDigestWriter(io.Discard)
	_, _ = w.Write(text) // it discards everything
	return m, w.hex(), nil
}

// ReadSigned returns the bytes of a release's manifest and of its signature.
func ReadSigned(dir string) (manifest, signature []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, failure("inspect", dir, err)
	}
	defer root.Close()
	if manifest, err = readSmall(root, manifestName, maxManifest); err != nil {
		return nil, nil, missing(dir, manifestName, err)
	}
	if signature, err = readSmall(root, SignatureName, maxNote); err != nil {
		return nil, nil, missing(dir, SignatureName, err)
	}
	return manifest, signature, nil
}

// Recheck reads the Parquet tables of a release folder again with a reader that has nothing in common with the one that wrote them,
// and compares them with the manifest and with the CSV tables beside them, bit by bit. It returns what does not hold, in words without
// values.
func Recheck(ctx context.Context, dir string, m *pipeline.Manifest) (findings []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, failure("inspect", dir, err)
	}
	defer root.Close()
	for i := range m.Queries {
		q := &m.Queries[i]
		for _, f := range q.Files {
			if filepath.Ext(f.Path) != ".parquet" {
				continue
			}
			err := (&rechecking{ctx: ctx, root: root, query: q}).file(f)
			var found mismatch
			switch {
			case errors.As(err, &found):
				findings = append(findings, f.Path+": "+string(found))
			case errors.Is(err, reread.ErrFormat):
				findings = append(findings, f.Path+": "+err.Error())
			case err != nil:
				return findings, failure("inspect", filepath.Join(dir, f.Path), err)
			}
		}
	}
	return findings, nil
}

// rechecking is the second reading of one table.
type rechecking struct {
	ctx   context.Context
	root  *os.Root
	query *pipeline.ManifestQuery
	csv   *csv.Reader // of the same table; nil where there is none
	rows  int
}

func (c *rechecking) file(f pipeline.File) error {
	in, size, err := openRegular(c.root, f.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	if i := slices.IndexFunc(c.query.Files, func(f pipeline.File) bool { return filepath.Ext(f.Path) == ".csv" }); i >= 0 {
		beside, _, err := openRegular(c.root, c.query.Files[i].Path)
		if err != nil {
			return err
		}
		defer beside.Close()
		c.csv = csv.NewReader(beside)
		c.csv.ReuseRecord = true
	}
	rows, err := reread.Read(in, size, c.group)
	if err != nil {
		return err
	}
	if rows != f.Rows {
		return mismatch("it has not as many rows as the manifest says")
	}
	return c.csvEnds()
}

// group checks one row group.
func (c *rechecking) group(columns []reread.Column) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	n := len(columns) - len(valueNames)
	for n >= 0 && columns[n].Name != valueNames[0] {
		n--
	}
	if n < 0 {
		return mismatch("it lacks a column of values")
	}
	for i, name := range valueNames {
		if columns[n+i].Name != name || columns[n+i].Kind != reread.Double {
			return mismatch("its columns are not those of a release")
		}
	}
	if err := c.values(columns[n : n+len(valueNames)]); err != nil {
		return err
	}
	return c.compareCSV(columns)
}

var valueNames = []string{"noisy", "estimate", "sigma", "ci95_low", "ci95_high"}

// values checks that noisy values are multiples of the grid within their interval, and that their deviation is the manifest's, where the
// query has one part and no scale.
func (c *rechecking) values(v []reread.Column) error {
	if c.query.Kind != "count" && c.query.Kind != "histogram" || len(c.query.Parts) != 1 {
		return nil
	}
	p := &c.query.Parts[0]
	for i, noisy := range v[0].Floats {
		switch units := noisy / p.Grid; {
		case math.Abs(units) < 1<<53 && units != math.Trunc(units):
			return mismatch("a noisy value is not a multiple of the grid")
		case !sameBits(v[2].Floats[i], p.StandardDeviation):
			return mismatch("the column sigma is not the standard deviation that the manifest states")
		case !(v[3].Floats[i] < noisy && noisy < v[4].Floats[i]):
			return mismatch("an interval does not hold its value")
		}
	}
	return nil
}

// compareCSV compares the rows of a group with the next ones of the CSV file.
func (c *rechecking) compareCSV(columns []reread.Column) error {
	if c.csv == nil {
		return nil
	}
	if c.rows == 0 {
		header, err := c.csv.Read()
		if err != nil || !slices.EqualFunc(header, columns, func(name string, c reread.Column) bool { return name == c.Name }) {
			return mismatch("the CSV table has other columns")
		}
	}
	for row := range max(len(columns[0].Ints), len(columns[0].Floats), len(columns[0].Texts)) {
		record, err := c.csv.Read()
		if err != nil || len(record) != len(columns) {
			return mismatch("the CSV table has other rows")
		}
		for i := range columns {
			if !sameText(&columns[i], row, record[i]) {
				return mismatch(fmt.Sprintf("column %s differs from the CSV table", columns[i].Name))
			}
		}
		c.rows++
	}
	return nil
}

func (c *rechecking) csvEnds() error {
	if c.csv == nil || c.rows == 0 {
		return nil
	}
	if _, err := c.csv.Read(); !errors.Is(err, io.EOF) {
		return mismatch("the CSV table has more rows")
	}
	return nil
}

// sameText says whether a field of CSV is the value of a row.
func sameText(c *reread.Column, row int, text string) bool {
	switch {
	case c.Kind == reread.Text:
		return c.Texts[row] == text
	case c.Kind == reread.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && n == c.Ints[row]
	case c.Null != nil && c.Null[row] || math.IsNaN(c.Floats[row]):
		return text == ""
	}
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && sameBits(x, c.Floats[row])
}
