// Package private finds out whether other users of this machine can read or change a file or a folder. On Unix the
// file's mode answers that, on Windows its access list.
package private
