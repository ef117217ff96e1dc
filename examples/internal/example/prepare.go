package example

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// originFile is the name of a file with one line, which tells where the prepared table comes from.
const originFile = "ORIGIN"

// unavailable is an error of an origin that does not have the table. Then the next origin is tried.
type unavailable struct{ error }

func unavailablef(format string, args ...any) error { return unavailable{fmt.Errorf(format, args...)} }

// origin is a way to get the table: from a folder, from an archive, or invented. The first one that works is used.
type origin struct {
	where, what string
	fill        func(ctx context.Context, dir string) error
}

func (p place) origins() []origin {
	return []origin{
		{"the folder $DPRELEASE_DATA", "public original", p.copyFolder},
		{"download", "public original", p.download},
		{"the generator of this example", "SYNTHETIC, all rows invented", p.synthesise},
	}
}

// ready prepares the table if there is none, and prints its origin.
func (p place) ready(ctx context.Context) error {
	if _, err := os.Stat(p.data()); errors.Is(err, fs.ErrNotExist) {
		return p.prepare(ctx)
	}
	p.say("data: %s", p.origin())
	return nil
}

func (p place) origin() string {
	line, err := os.ReadFile(filepath.Join(p.data(), originFile))
	if err != nil {
		return "not made by --prepare"
	}
	return strings.TrimSpace(string(line))
}

// prepare fills the folder data, completely or not at all.
func (p place) prepare(ctx context.Context) error {
	before := p.origin()
	for _, o := range p.origins() {
		err := p.try(ctx, o)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, new(unavailable)):
			p.say("data: not from %s: %v", o.where, err)
		case err != nil:
			return err
		default:
			p.say("data: %s", p.origin())
			p.remind(before)
			return nil
		}
	}
	return errors.New("no data could be had")
}

// try fills a new folder next to data, checks it, and moves it to data.
func (p place) try(ctx context.Context, o origin) error {
	staging := filepath.Join(p.dir, "data.new")
	if err := errors.Join(os.RemoveAll(staging), os.Mkdir(staging, 0o700)); err != nil { // a killed process leaves one
		return err
	}
	defer func() { _ = os.RemoveAll(staging) }() // no harm: the folder is empty or no longer needed
	if err := o.fill(ctx, staging); err != nil {
		return err
	}
	rows, err := p.Count(staging)
	if err != nil {
		return unavailable{err}
	}
	line := fmt.Sprintf("%s, from %s (%d rows)\n", o.what, o.where, rows)
	if err := os.WriteFile(filepath.Join(staging, originFile), []byte(line), 0o600); err != nil {
		return err
	}
	if err := os.RemoveAll(p.data()); err != nil {
		return err
	}
	return os.Rename(staging, p.data())
}

func (p place) synthesise(_ context.Context, dir string) error { return p.Synthetic(dir) }

// remind tells the user what a new table means for releases of the previous table.
func (p place) remind(before string) {
	if _, err := os.Stat(filepath.Join(p.dir, "ledger.db")); err == nil && before != p.origin() {
		p.say("note: releases of the table before are still there: delete them and ledger.db, or go on with -- --new-release")
	}
}

// put writes a file of the original table. It fails if the file's hash is known and differs.
func (p place) put(name, target string, content []byte) error {
	sum := sha256.Sum256(content)
	if known, ok := p.Known[name]; ok && known != hex.EncodeToString(sum[:]) {
		return unavailablef("%s is not the known original (SHA-256 %x)", name, sum)
	}
	return os.WriteFile(target, content, 0o600)
}
