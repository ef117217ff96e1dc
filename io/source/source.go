// Package source reads private and public tables from Parquet, Arrow, CSV and JSON-lines files, of this machine or of a
// store (package store). Open finds the files of a table and returns a Dataset, which reads columns of them.
//
// A table is one or more files with one schema. It is read in splits (a Parquet row group, record batches of an Arrow
// file, an Arrow stream, a piece of a CSV file), each in batches of at most 65,536 rows. So memory does not depend on
// the table's length. Types come from the schema and the options, never from values, and no value can make a read fail:
// what does not parse is null. Errors name the file, the row group and the column, and never hold a value.
//
// What the types of Parquet and Arrow become:
//
//   - Integers of all widths: int and uint. Floats of all widths: float; a float32 is widened, so what was written as
//     0.1 is 0.100000001490116… and not equal to an edge of 0.1.
//   - Decimals without a fractional part and of at most 18 digits: int. All other decimals: float, the nearest float64.
//   - Strings and bytes, with offsets of any width, views, or of a fixed length: text.
//   - Dates: date. Timestamps: timestamp, an instant if the type has a zone, else a wall-clock reading.
//   - Lists of integers, floats and decimals: list. Integers beyond 2^53 become the nearest float64, null elements NaN.
//   - Structs: the values in them are columns with their paths as names, `address.city`, at any depth up to 32. A value
//     is null if any struct around it is. Numbers in a list of structs are a list, `items.price`, with NaN for an
//     element that is null, and so are the keys and the values of a map, `m.key` and `m.value`, if they are numbers.
//     Statistics of these columns are not used. If a column has a path as its own name, that column is read and not the
//     nested one. At most 16 MiB of paths are listed for each file.
//   - Columns without any value (type null): text, all null.
//   - Arrow dictionaries: what their values are, as codes. Extension types: what they are stored as.
//   - All others, such as times of a day, lists of texts and lists in lists, cannot be read, nor can a struct or a map
//     as a whole.
package source

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/internal/scratchfile"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/remote"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// place is one split of the dataset: the index of its file, and its number in that file.
type place struct{ file, split int }

// Dataset is one table: one or more files with the same columns. Its methods may be called concurrently.
type Dataset struct {
	found  []found // where the files are, and their names
	files  []scan.File
	places []place
	schema table.Schema
	stores *stores
	local  seenFiles // the files of this machine
}

// Open finds the files and checks that their schemas agree; columns may stand in another order in each file. No row is
// read. Files are read in the order of the patterns; the files of one glob are sorted. The errors are *Error or, if
// there are several, Errors; if standard input does not fit on the disk, a *scratchfile.Error.
func Open(ctx context.Context, o Options) (*Dataset, error) {
	d := &Dataset{stores: newStores(o.Workers)}
	if err := d.open(ctx, o); err != nil {
		d.stores.close()
		return nil, err
	}
	return d, nil
}

func (d *Dataset) open(ctx context.Context, o Options) error {
	dialects, err := newDialects(o)
	if err != nil {
		return err
	}
	folders, err := newInFolders(o)
	if err != nil {
		return err
	}
	mac, err := scan.NewBlockMAC(o.Key)
	if err != nil {
		return fault.New(fault.CodeOption, "this system cannot hash the input")
	}
	d.local = seenFiles{}
	found, err := find(ctx, o, d.stores, d.local, folders)
	if err != nil {
		return err
	}
	opened := make([]scan.File, len(found))
	faults := make([]*fault.Error, len(found))
	var atOnce errgroup.Group
	atOnce.SetLimit(openedAtOnce)
	for i, f := range found {
		open := func() error {
			if ctx.Err() != nil {
				return nil
			}
			f.at.MAC = mac
			opened[i], faults[i] = f.open(ctx, f.at, dialects)
			if faults[i] == nil {
				faults[i] = checkUnique(opened[i].Schema())
			}
			if faults[i] == nil {
				opened[i], faults[i] = folders.wrap(opened[i], f.at.Path)
			}
			return nil
		}
		if f.at.Remote == nil {
			_ = open() // no error is lost: open records errors
		} else {
			atOnce.Go(open)
		}
	}
	_ = atOnce.Wait() // no error is lost: open records errors
	if err := ctx.Err(); err != nil {
		return err
	}
	var full *scratchfile.Error
	if errors.As(d.stores.failed, &full) {
		return full
	}
	var wrong fault.Errors
	for i, f := range found {
		if faults[i] != nil {
			wrong = append(wrong, faults[i].InFile(f.name))
			continue
		}
		d.add(f, opened[i])
	}
	if len(wrong) > 0 {
		return wrong.Err()
	}
	d.schema = d.files[0].Schema()
	return d.agree().Err()
}

// openedAtOnce is the number of files of stores that are opened at the same time. Each needs several requests.
const openedAtOnce = 16

func (d *Dataset) add(f found, opened scan.File) {
	for s := range opened.Splits() {
		d.places = append(d.places, place{len(d.files), s})
	}
	d.found, d.files = append(d.found, f), append(d.files, opened)
}

// Schema returns the schema of the table. Columns of kind Invalid cannot be read.
func (d *Dataset) Schema() table.Schema { return d.schema }

// Files returns the base names of the files, in reading order.
func (d *Dataset) Files() (bases []string) {
	for _, f := range d.found {
		bases = append(bases, f.base)
	}
	return bases
}

// Shares reports whether both tables have a file in common, under whatever names. It cannot tell if a file on a mounted
// store and a URL are the same object.
func (d *Dataset) Shares(other *Dataset) bool {
	for at := range d.stores.seen {
		if other.stores.seen[at] {
			return true
		}
	}
	for _, files := range d.local {
		if slices.ContainsFunc(files, other.local.has) {
			return true
		}
	}
	return false
}

// Splits returns the number of splits, the pieces of the table that can be read independently. Their order is fixed.
func (d *Dataset) Splits() int { return len(d.places) }

// Read streams one split's columns in batches to yield, and returns a digest of the bytes on which the columns depend.
// For a Parquet split, these are the footer and the columns' chunks. For an Arrow split, they are the footer (of a
// stream the schema), the metadata of the record batches, and the columns' buffers and dictionaries. For a CSV split,
// they are its piece of the file. Without columns, batches have rows only. An error of yield or of ctx ends the read
// and is returned as it is; every other error is an *Error, or Errors.
func (d *Dataset) Read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) ([]byte,
	error) {
	p, err := d.check(split, columns)
	if err != nil {
		return nil, err
	}
	sum, err := d.files[p.file].Read(ctx, p.split, columns, 0, yield)
	return sum.Digest, d.addFileName(err, p.file)
}

// Digest returns the digest that Read would return for a split. It decodes nothing.
func (d *Dataset) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	p, err := d.check(split, columns)
	if err != nil {
		return nil, err
	}
	sum, err := d.files[p.file].Digest(ctx, p.split, columns)
	return sum, d.addFileName(err, p.file)
}

// check returns the place of a split. It returns an error if a column does not exist or cannot be read.
func (d *Dataset) check(split int, columns []string) (place, error) {
	if split < 0 || split >= len(d.places) {
		return place{}, fault.New(fault.CodeOption, "there is no split %d, only %d", split, len(d.places))
	}
	var wrong fault.Errors
	for _, name := range columns {
		f, ok := d.schema.Lookup(name)
		switch {
		case !ok:
			wrong = append(wrong, fault.New(fault.CodeColumn, "the table has no such column").OfColumn(name))
		case f.Type.Kind == table.Invalid:
			wrong = append(wrong, fault.New(fault.CodeType, "values of type %s cannot be read", f.Type).OfColumn(name))
		}
	}
	return d.places[split], wrong.Err()
}

// addFileName adds the file's name to an error that has none.
func (d *Dataset) addFileName(err error, file int) error {
	var e *fault.Error
	if errors.As(err, &e) && e.File == "" {
		e.File = d.found[file].name
	}
	return err
}

// AheadOfStores is how many bytes of memory each worker needs for requests to stores (see [Dataset.AheadBytes]).
const AheadOfStores = remote.PerWorker

// AheadBytes returns how many bytes of memory each worker needs to read ahead, in addition to decoded batches. It is 0
// if all files are on this machine.
func (d *Dataset) AheadBytes() int64 {
	if d.stores.haveFiles() {
		return AheadOfStores
	}
	return 0
}

// Close ends the use of the dataset; its other methods fail afterwards. It has no files to close, since none is open
// between reads.
func (d *Dataset) Close() error {
	d.files, d.places = nil, nil
	d.stores.close()
	return nil
}
