package sink

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Vouch writes the voucher beside a staged release, durably. It replaces a voucher that exists.
func (f *Folder) Vouch(staging, voucher string) error {
	const op = "vouch for"
	if strings.ContainsRune(voucher, '\n') || len(voucher) >= maxNote {
		return refusal(op, staging, CodeFormat, "the voucher is not one short line")
	}
	if err := checkPrivate(op, staging); err != nil {
		return err
	}
	root, err := os.OpenRoot(staging)
	if err != nil {
		return failure(op, staging, err)
	}
	defer root.Close()
	if err := root.Remove(voucherName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(op, staging, err)
	}
	if err := writeLine(root, voucherName, voucher); err != nil {
		return failure(op, staging, err)
	}
	return failure(op, staging, syncFolder(staging))
}

// Voucher returns the voucher of a staging folder; empty if it has none.
func (f *Folder) Voucher(staging string) (string, error) {
	const op = "inspect"
	if err := checkPrivate(op, staging); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(staging)
	if err != nil {
		return "", failure(op, staging, err)
	}
	defer root.Close()
	text, err := readSmall(root, voucherName, maxNote)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) || errors.Is(err, errTooLarge) {
		return "", nil
	}
	return strings.TrimSuffix(string(text), "\n"), failure(op, staging, err)
}

// writeLine makes a file of one line that nobody else may read.
func writeLine(root *os.Root, name, line string) error {
	_, err := writeNew(root, name, noteMode, func(w io.Writer) error {
		_, err := io.WriteString(w, line+"\n")
		return err
	})
	return err
}
