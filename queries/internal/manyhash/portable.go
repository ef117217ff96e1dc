//go:build !amd64 || purego

package manyhash

// pairwise is set if compressPairs and finishPairs may be called.
var pairwise = false

func compressPairs(*Sum, *byte, uintptr, uintptr, *Sum, uintptr) {}

func finishPairs(*Sum, *byte, uintptr, *Sum, *Sum) {}
