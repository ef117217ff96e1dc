//go:build !amd64 || purego

package manyhash

// pairwise reports whether this processor can run compressPairs and finishPairs.
var pairwise = false

func compressPairs(*Sum, *byte, uintptr, uintptr, *Sum, uintptr) {}

func finishPairs(*Sum, *byte, uintptr, *Sum, *Sum) {}
