//go:build check

package csv

import (
	"context"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// OpenPieces opens a file that is read in pieces of the given length.
func OpenPieces(ctx context.Context, path string, o textfile.CSV, length int64) (scan.File, error) {
	d, err := NewDialect(o, nil)
	if err != nil {
		return nil, err
	}
	mac, err := scan.NewBlockMAC(nil)
	if err != nil {
		return nil, err
	}
	f, e := Open(ctx, scan.Place{Path: path, MAC: mac}, d)
	if e != nil {
		return nil, e
	}
	out := f.(*file)
	out.pieceSize = length
	return out, nil
}
