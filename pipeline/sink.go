package pipeline

import (
	"context"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Sink writes, publishes and inspects release folders. All paths are absolute.
//
// A staging folder (mode 0700) is a sibling of the release folder. It holds `release/`, which becomes the release
// folder by one rename, and `note`, `mac` and `replaces`, private lines that are never published. It belongs to the
// user who runs the release, and nobody else may look into it. Otherwise every method that reads it returns an error,
// since the folder may have been planted.
type Sink interface {
	// Prepare makes an empty staging folder and the folders above it. It is called before anything is spent, so that a
	// folder that cannot be written costs nothing. It is an error if the staging folder exists.
	Prepare(staging string) error
	// Rehearse makes every file of a release and checks it as Stage does, in memory, and discards it. It is called
	// before anything is spent, on a synthetic release with few cells, so that a release that cannot be written costs
	// nothing.
	Rehearse(ctx context.Context, r *Release) error
	// Stage writes note, then a complete release into the prepared staging folder: tables first, read back and
	// compared; then the manifest; all synced. It returns the manifest's SHA-256 (hex).
	Stage(ctx context.Context, staging, note string, r *Release) (digest string, err error)
	// Staged returns the note and the manifest's digest of a complete staging folder; ErrNoRelease if there is no
	// staging folder or no release in it, ErrIncomplete if it is incomplete.
	Staged(ctx context.Context, staging string) (note, digest string, err error)
	// WriteMAC durably writes the MAC that proves that this pipeline completed the staging.
	WriteMAC(staging, mac string) error
	// ReadMAC returns the MAC; "" if there is none.
	ReadMAC(staging string) (string, error)
	// SignedBy returns the public key that a release folder's manifest names; "" if it is not signed. Errors: as
	// Inspect.
	SignedBy(dir string) (publicKey string, err error)
	// SignStaged signs the manifest of a complete staging anew and returns its new SHA-256. It removes the MAC: until a
	// new one is written, the next run deletes the staging.
	SignStaged(ctx context.Context, staging string, s Signer) (digest string, err error)
	// Inspect checks every file of a release folder against its manifest and returns the manifest's SHA-256.
	// ErrNoRelease: there is no folder, or it is empty; ErrIncomplete: it is not a complete release.
	Inspect(ctx context.Context, dir string) (digest string, err error)
	// Discard removes a staging folder and syncs its parent. It moves a published release that an Exchange left in it
	// aside, as EndExchange does. A missing folder is not an error.
	Discard(staging string) error
	// Publish makes the staged release visible as dir, atomically, and removes the staging folder. It never replaces
	// anything but an empty folder.
	Publish(ctx context.Context, staging, dir string) error
	// Exchange makes the staged release visible in place of the one at dir, whose manifest has this SHA-256, in one
	// step: at every moment dir is one or the other. The older one is then in the staging folder, until EndExchange. If
	// the error is errors.ErrUnsupported, the system cannot exchange folders, and nothing was changed.
	Exchange(ctx context.Context, staging, dir, digest string) error
	// EndExchange ends an exchange, even one that a killed run began: it moves the older release aside, as Retire does,
	// and removes the staging folder. moved is "" if there was nothing to move; a staging folder in which no exchange
	// took place stays as it is.
	EndExchange(staging string) (moved string, err error)
	// Copy publishes at dir a byte-identical copy of the release folder from.
	Copy(ctx context.Context, from, dir string) error
	// Find returns the folder of the release that was published at dir with this manifest's SHA-256: dir, or the folder
	// to which Retire moves it. The error is ErrNoRelease if it is in neither place, ErrIncomplete if it is at dir and
	// was changed.
	Find(ctx context.Context, dir, digest string) (string, error)
	// Manifest returns a release folder's manifest with its SHA-256. Errors as Inspect, but no other file is looked at.
	Manifest(dir string) (manifest.Manifest, string, error)
	// Columns reads a query's table in dir back, after comparing the file with the manifest's digest.
	Columns(ctx context.Context, dir string, q *manifest.Query) (query.Columns, error)
	// Retire moves a published folder aside to dir.<short digest> and returns the new path.
	Retire(dir, digest string) (moved string, err error)
}
