// Package publish is the verb publish: it copies a finished release to an object store.
//
// A reader of the store must never find a manifest without the files that it names. So the manifest is written last,
// and removed first if another release replaces it. Objects that already have the right contents are not sent again,
// and every object that was sent is read back. So an interrupted copy is finished by the same command.
package publish

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
)

const long = `publish copies a finished release to a prefix of an object store, s3://bucket/prefix, gs:// or az://.

The folder is checked first, as release verify does. release.json is written last, so whoever finds it finds all that it
names. A file that is there already with the right contents is not sent again. What was sent is read back and compared.
If the prefix holds another release, or other contents under one of the names, nothing is written. With --replace
another release makes room: its release.json is removed first, and of its files those that are as it states them are
replaced or removed. If a publication is cut off, release.json.replaced stays. The same command then finishes it, and
publish --replace of any other release undoes it: it removes what is left and puts that release there. What somebody
else put below the prefix, or changed there, is never replaced nor removed.

s3://, gs:// and az:// need the program release-full; docs/howto/object-stores.md says how it finds credentials.`

// Command returns the verb publish.
func Command(c *console.Console) *cobra.Command {
	replace := false
	cmd := &cobra.Command{
		Use: "publish DIR ADDRESS", Short: "Copy a finished release to an object store", Long: long, Args: cobra.ExactArgs(2),
		Example: "  release-full publish out s3://bucket/trips/2024",
		RunE: func(cmd *cobra.Command, args []string) error {
			return publish(cmd.Context(), c, args[0], args[1], replace)
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "put the release in place of another one")
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print what was done as JSON")
	return cmd
}

func publish(ctx context.Context, c *console.Console, dir, address string, replace bool) error {
	to, err := store.ParseAddress(address)
	switch {
	case err != nil && !strings.Contains(address, "://"):
		return console.Usagef("%s is not an address of an object store, s3://bucket/prefix, gs:// or az://. In a folder of "+
			"this machine, copy the release with cp -r: it has all that release verify needs", console.Visible(address))
	case err != nil || strings.ContainsAny(to.Key, `*?[\`):
		return console.Usagef("the address has the form s3://bucket/prefix, and no credentials or patterns: those come " +
			"from the environment")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return console.Usagef("the folder: %v", err)
	}
	files, err := finished(ctx, dir)
	if err != nil {
		return err
	}
	bucket, err := store.Open(ctx, to)
	if err != nil {
		return failed(to, err)
	}
	defer bucket.Close()
	w, ok := bucket.(store.Writer)
	if !ok {
		return console.Usagef("nothing can be written to %s://: a release is copied to s3://, gs:// or az://", to.Scheme)
	}
	prefix := strings.TrimSuffix(to.Key, "/")
	if prefix != "" {
		prefix += "/"
	}
	done := &copying{to: w, at: to, prefix: prefix, dir: dir, files: files, replace: replace}
	if err := done.run(ctx); err != nil {
		return failed(to, err)
	}
	manifest := to.At(prefix + manifestName).String()
	if done.resumed {
		c.Note("a publication was cut off here earlier: what it left was replaced or removed")
	}
	if done.stays != nil {
		c.Note("release.json.replaced can't be removed, and does no harm: " + done.stays.Error())
	}
	if c.JSON {
		return c.PrintJSON(map[string]any{"manifest": manifest, "sent": done.sent, "already_there": done.found,
			"removed": done.removed, "kept": done.kept})
	}
	if done.kept > 0 {
		c.Note(spelling.Count(int(done.kept), "file") + " of the earlier release stay, since somebody changed them")
	}
	if c.Quiet {
		return nil
	}
	return c.Printf("%s: %s sent, %s there already\n", console.Visible(manifest), spelling.Count(int(done.sent), "file"),
		spelling.Count(int(done.found), "file"))
}

// failed returns an error that names the store by its address, without the address's options.
func failed(a store.Address, err error) error {
	var own *store.Error
	if !errors.As(err, &own) {
		return err
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "store", Message: console.Visible(a.String()) + ": " +
		own.Error(), Hint: own.Advice()}
}

// finished returns the files of a release folder; the manifest is last. It fails if the release is not complete.
func finished(ctx context.Context, dir string) ([]file, error) {
	found, err := sink.Examine(ctx, dir)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	if found.Manifest == nil || len(found.Findings) > 0 || found.Manifest.Synthetic != "" {
		return nil, &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "altered", Message: "the folder " + console.Here(dir) +
				" holds no finished release, or one that was changed",
			Hint: "release verify DIR says what differs",
		}
	}
	return filesOf(dir, found)
}
