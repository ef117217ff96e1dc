// Command dist makes the files of a release of the program: for each platform an archive with the program and a list of
// what is in it (a CycloneDX bill of materials), and for all of them one file of checksums, which it signs.
//
// The same commit and the same version of Go give the same bytes, on any machine and in any folder: no cgo, no paths, no
// time but that of the commit, and no settings of Go but those that are written here.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

// platforms are those that are made if no others are asked for.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	source := flags.String("source", ".", "the repository")
	out := flags.String("out", "dist", "the folder to write to; it must be empty or not there")
	list := flags.String("platforms", platforms, "GOOS/GOARCH, with commas between them")
	secret := flags.String("sign", "", "sign the checksums with this minisign secret key; "+passwordVariable+" holds its password")
	if err := flags.Parse(args); err != nil {
		return err
	}
	key, err := readKey(*secret) // before anything is built: --sign is a promise
	if err != nil {
		return err
	}
	if err := emptyFolder(*out); err != nil {
		return err
	}
	var names []string
	for _, p := range strings.Split(*list, ",") {
		made, err := distribute(ctx, *source, *out, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		names = append(names, made...)
	}
	if err := writeChecksums(*out, names, key); err != nil {
		return err
	}
	if key == nil {
		fmt.Println(filepath.Join(*out, checksums) + " is not signed: --sign KEY signs it")
	}
	return nil
}

// emptyFolder makes a folder, which must hold nothing: a file of an older release would be taken for one of this.
func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it first", dir)
	}
	return nil
}

// distribute makes the archive and the bill of materials of one platform, and returns the names of both files.
func distribute(ctx context.Context, source, out, platform string) ([]string, error) {
	folder, err := os.MkdirTemp("", "dprelease-dist")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	b, err := build(ctx, source, filepath.Join(folder, "release"), platform)
	if err != nil {
		return nil, err
	}
	base := strings.Join([]string{"dprelease", b.version(), b.os, b.arch}, "_")
	if err := b.writeArchive(source, filepath.Join(out, base+".tar.gz"), base); err != nil {
		return nil, err
	}
	if err := b.writeMaterials(filepath.Join(out, base+".cdx.json")); err != nil {
		return nil, err
	}
	fmt.Println(filepath.Join(out, base+".tar.gz"))
	return []string{base + ".tar.gz", base + ".cdx.json"}, nil
}
