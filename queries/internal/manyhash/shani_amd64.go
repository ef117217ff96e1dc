//go:build !purego

package manyhash

// compressPairs computes 2·pairs states of SHA-256: states[i] is the state at from + i·fromStep, updated by the block
// of 64 bytes at blocks + i·step. The steps are in bytes. from may equal states.
//
//go:noescape
func compressPairs(states *Sum, blocks *byte, step uintptr, pairs uintptr, from *Sum, fromStep uintptr)

// finishPairs is a faster compressPairs for consecutive blocks that all begin with the same 32 bytes and update the
// same state, from. The first eight of the 64 rounds use only these 32 bytes, so the caller computes them once: eighth
// is the state after them.
//
//go:noescape
func finishPairs(states *Sum, blocks *byte, pairs uintptr, from *Sum, eighth *Sum)

// identify returns three registers that the instruction CPUID sets for a leaf. They describe the processor's features.
//
//go:noescape
func identify(leaf uint32) (eax, ebx, ecx uint32)

// ssse3, sse41 and sha are the bits of CPUID that are 1 if the processor has these instructions.
const (
	ssse3 = 1 << 9  // leaf 1, ECX
	sse41 = 1 << 19 // leaf 1, ECX
	sha   = 1 << 29 // leaf 7, EBX
)

// pairwise reports whether this processor can run compressPairs and finishPairs.
var pairwise = hasInstructions()

func hasInstructions() bool {
	if highest, _, _ := identify(0); highest < 7 {
		return false
	}
	_, _, one := identify(1)
	_, seven, _ := identify(7)
	return one&ssse3 != 0 && one&sse41 != 0 && seven&sha != 0
}
