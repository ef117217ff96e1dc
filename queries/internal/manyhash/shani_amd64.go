//go:build !purego

package manyhash

// compressPairs compresses one block into each of 2·pairs states. Block i is at blocks + i·step, 64 bytes.
//
//go:noescape
func compressPairs(states *Sum, blocks *byte, step uintptr, pairs uintptr)

// identify asks the processor what it has: three registers of the instruction CPUID.
//
//go:noescape
func identify(leaf uint32) (eax, ebx, ecx uint32)

// The bits of identify that say which instructions there are.
const (
	ssse3 = 1 << 9  // leaf 1, ECX
	sse41 = 1 << 19 // leaf 1, ECX
	sha   = 1 << 29 // leaf 7, EBX
)

// pairwise says that compressPairs may be called.
var pairwise = hasInstructions()

func hasInstructions() bool {
	if highest, _, _ := identify(0); highest < 7 {
		return false
	}
	_, _, one := identify(1)
	_, seven, _ := identify(7)
	return one&ssse3 != 0 && one&sse41 != 0 && seven&sha != 0
}
