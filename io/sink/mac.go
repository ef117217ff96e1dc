package sink

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/dprelease/dprelease/internal/regular"
)

// WriteMAC writes a MAC (message authentication code) of a staged release to a file in the staging folder and syncs it
// to the disk. It replaces an older MAC.
func (f *Folder) WriteMAC(staging, mac string) error {
	const op = "write the MAC of"
	if strings.ContainsRune(mac, '\n') || len(mac) >= maxNote {
		return refusal(op, staging, CodeFormat, "the MAC is not one short line")
	}
	if err := checkPrivate(op, staging); err != nil {
		return err
	}
	return failure(op, staging, replaceLine(staging, macName, mac))
}

// ReadMAC returns the MAC of a staging folder; empty if it has none.
func (f *Folder) ReadMAC(staging string) (string, error) {
	const op = "inspect"
	if err := checkPrivate(op, staging); err != nil {
		return "", err
	}
	root, err := regular.OpenRoot(staging)
	if err != nil {
		return "", failure(op, staging, err)
	}
	defer root.Close()
	text, err := readSmall(root, macName, maxNote)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) || errors.Is(err, errTooLarge) {
		return "", nil
	}
	return strings.TrimSuffix(string(text), "\n"), failure(op, staging, err)
}

// replaceLine writes a file of one line into a staging folder, in place of an older one, and syncs it to the disk.
func replaceLine(staging, name, line string) error {
	root, err := regular.OpenRoot(staging)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeLine(root, name, line); err != nil {
		return err
	}
	return syncFolder(staging)
}

// writeLine makes a file of one line that only this user can read.
func writeLine(root *os.Root, name, line string) error {
	_, err := writeNew(root, name, noteMode, func(w io.Writer) error {
		_, err := io.WriteString(w, line+"\n")
		return err
	})
	return err
}
