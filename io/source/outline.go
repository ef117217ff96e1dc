package source

import "golang.org/x/sync/errgroup"

// Outline describes a file of a dataset before its rows are read. The same files always have the same outlines.
type Outline struct {
	// Name is the base name of the file.
	Name   string
	Splits int
	// Bytes is the size of the file in bytes.
	Bytes int64
	// Footer is a digest of the file's footer; nil if the file has none. It is private, since a footer states facts about
	// rows.
	Footer []byte
	// Version is the version of an object of a store; "" if the file is on this machine. It is private, since it may be
	// a hash of the object's bytes.
	Version string
}

// Outlines returns the outlines of all files, in reading order. It opens the files again, and returns an error if it
// cannot.
func (d *Dataset) Outlines() ([]Outline, error) {
	out := make([]Outline, len(d.files))
	var atOnce errgroup.Group
	atOnce.SetLimit(1)
	if d.stores.haveFiles() {
		atOnce.SetLimit(openedAtOnce)
	}
	for i, f := range d.files {
		out[i] = Outline{Name: d.found[i].base, Splits: f.Splits(), Bytes: f.Length()}
		if remote := d.found[i].at.Remote; remote != nil {
			out[i].Version = remote.Version()
		}
		if out[i].Splits == 0 {
			continue
		}
		atOnce.Go(func() (err error) {
			out[i].Footer, err = f.DigestFooter(0)
			return d.addFileName(err, i)
		})
	}
	if err := atOnce.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}
