// Package manifest defines release.json, in which a release describes itself: its guarantee in a sentence, and the
// numbers behind it. It checks that these numbers are consistent.
//
// Each fact is stated once: a mechanism in its query, a sentence about the whole release in the privacy block, and the
// data owner's statements in the deployment block of the job, which the manifest contains. An absent statement means
// that nobody made it. Numbers that follow from others are stated too, so that readers need not compute them, and
// [Manifest.Meets] checks them.
package manifest
