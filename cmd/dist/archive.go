package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"os"
	"path"
	"path/filepath"
)

// writeArchive writes the program and what belongs to it as a .tar.gz with one folder. Owners, modes, times and the
// order are fixed, so that the bytes depend on the content alone.
func (b *built) writeArchive(source, to, folder string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	t := tar.NewWriter(z)
	for _, file := range []struct {
		name, from string
		mode       int64
	}{
		{"release", b.path, 0o755},
		{"LICENSE", filepath.Join(source, "LICENSE"), 0o644},
		{"README.md", filepath.Join(source, "README.md"), 0o644},
		{"CHANGELOG.md", filepath.Join(source, "CHANGELOG.md"), 0o644},
	} {
		content, err := os.ReadFile(file.from)
		if err == nil {
			err = t.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: path.Join(folder, file.name), Size: int64(len(content)), Mode: file.mode, ModTime: b.time, Format: tar.FormatUSTAR,
			})
		}
		if err == nil {
			_, err = t.Write(content)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(t.Close(), z.Close(), f.Close())
}
