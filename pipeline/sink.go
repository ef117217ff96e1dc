package pipeline

import (
	"context"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Sink writes, publishes and inspects release folders. All paths are absolute.
//
// A staging folder (mode 0700) is a sibling of the release folder. It holds `release/`, which becomes the release
// folder by one rename, and the private files `note`, `mac` and `replaces`, which are never published. The folder must
// belong to the user who runs the release, and nobody else may have access. Otherwise every method that reads it
// returns an error, since an attacker may have made it.
type Sink interface {
	// Prepare makes an empty staging folder and the folders above it. It is called before anything is spent, so that a
	// folder that cannot be written costs nothing. It is an error if the staging folder exists.
	Prepare(staging string) error
	// Rehearse makes and checks every file of a release as Stage does, but in memory, and discards them. It is called
	// before anything is spent, on a synthetic release with few cells, so that a release that cannot be written costs
	// nothing.
	Rehearse(ctx context.Context, r *Release) error
	// Stage writes note and a complete release into the prepared staging folder: first the tables, which it reads back and
	// compares, then the documents, last the manifest. Everything is synced to disk. It returns the manifest's SHA-256
	// (hex).
	Stage(ctx context.Context, staging, note string, r *Release) (digest string, err error)
	// Staged returns the note and the manifest's digest of a complete staging folder. The error is ErrNoRelease if there
	// is no staging folder or no release in it, and ErrIncomplete if it is incomplete.
	Staged(ctx context.Context, staging string) (note, digest string, err error)
	// WriteMAC durably writes the MAC that proves that this pipeline completed the staging folder.
	WriteMAC(staging, mac string) error
	// ReadMAC returns the MAC of a staging folder; "" if there is none.
	ReadMAC(staging string) (string, error)
	// SignedBy returns the public key that the manifest of a release folder names; "" if the release is not signed.
	// Errors: as Inspect.
	SignedBy(dir string) (publicKey string, err error)
	// SignStaged signs the manifest of a complete staging folder again and returns its new SHA-256. It removes the MAC:
	// until a new MAC is written, the next run would delete the staging folder.
	SignStaged(ctx context.Context, staging string, s Signer) (digest string, err error)
	// Inspect checks every file of a release folder against its manifest and returns the manifest's SHA-256. The error is
	// ErrNoRelease if there is no folder, or if it is empty, and ErrIncomplete if it does not hold a complete release.
	Inspect(ctx context.Context, dir string) (digest string, err error)
	// Discard removes a staging folder and syncs its parent. If an Exchange left a published release in the staging
	// folder, Discard moves it aside first, as EndExchange does. A missing folder is not an error.
	Discard(staging string) error
	// Publish makes the staged release visible as dir, atomically, and removes the staging folder. It replaces nothing
	// except an empty folder.
	Publish(ctx context.Context, staging, dir string) error
	// Exchange atomically replaces the release at dir by the staged release: at every moment dir is one or the other.
	// digest is the SHA-256 of the older release's manifest. Afterwards the older release is in the staging folder, until
	// EndExchange. If the error is errors.ErrUnsupported, the system cannot exchange folders, and nothing was changed.
	Exchange(ctx context.Context, staging, dir, digest string) error
	// EndExchange ends an exchange, even one that a killed run began: it moves the older release aside, as Retire does,
	// and removes the staging folder. It returns the older release's new path; "" if there was none. A staging folder
	// without an exchange stays as it is.
	EndExchange(staging string) (moved string, err error)
	// Copy publishes at dir a byte-identical copy of the release folder from.
	Copy(ctx context.Context, from, dir string) error
	// Find returns the folder of a release that was published at dir: dir itself, or the folder to which Retire moves it.
	// digest is the SHA-256 of its manifest. The error is ErrNoRelease if the release is in neither place, and
	// ErrIncomplete if it is at dir but was changed.
	Find(ctx context.Context, dir, digest string) (string, error)
	// Manifest returns a release folder's manifest with its SHA-256. Errors: as Inspect, but it reads no other file.
	Manifest(dir string) (manifest.Manifest, string, error)
	// Columns reads a query's table in dir, after checking the file against the digest in the manifest.
	Columns(ctx context.Context, dir string, q *manifest.Query) (query.Columns, error)
	// Retire moves a published folder to dir.<short digest> and returns the new path.
	Retire(dir, digest string) (moved string, err error)
}
