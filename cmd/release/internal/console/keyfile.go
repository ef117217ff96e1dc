package console

import (
	"cmp"
	"io"

	"github.com/dprelease/dprelease/internal/private"
	"github.com/dprelease/dprelease/internal/regular"
)

// ReadKey reads at most largest bytes of the file of a secret key. It fails if other users can read the file. unread is
// the text of the error for a file that cannot be read, with %s for the path and the reason; shared is the text for one
// that others can read, with %s for who, the path and the remedy.
func ReadKey(path string, largest int64, unread, shared string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, Usagef(unread, path, regular.Reason(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, Usagef(unread, path, regular.Reason(err))
	}
	if who, err := private.Others(path, info); err != nil || who != "" {
		return nil, Usagef(shared, cmp.Or(who, "others"), path, private.Repair(path, info))
	}
	text, err := io.ReadAll(io.LimitReader(f, largest))
	if err != nil {
		return nil, Usagef(unread, path, regular.Reason(err))
	}
	return text, nil
}
