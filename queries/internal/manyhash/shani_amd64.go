//go:build !purego

package manyhash

// compressPairs writes 2·pairs states, each of them the one that it begins with and a block. Block i is at blocks +
// i·step, 64 bytes, and the state before it at from + i·fromStep. from may be states.
//
//go:noescape
func compressPairs(states *Sum, blocks *byte, step uintptr, pairs uintptr, from *Sum, fromStep uintptr)

// finishPairs is compressPairs of blocks that are next to each other and begin with the same 32 bytes, from one state.
// eighth is that state after the eight rounds of these bytes.
//
//go:noescape
func finishPairs(states *Sum, blocks *byte, pairs uintptr, from *Sum, eighth *Sum)

// identify asks the processor for its features: three registers of the instruction CPUID.
//
//go:noescape
func identify(leaf uint32) (eax, ebx, ecx uint32)

// The bits of identify for the instructions.
const (
	ssse3 = 1 << 9  // leaf 1, ECX
	sse41 = 1 << 19 // leaf 1, ECX
	sha   = 1 << 29 // leaf 7, EBX
)

// pairwise is set if compressPairs and finishPairs may be called.
var pairwise = hasInstructions()

func hasInstructions() bool {
	if highest, _, _ := identify(0); highest < 7 {
		return false
	}
	_, _, one := identify(1)
	_, seven, _ := identify(7)
	return one&ssse3 != 0 && one&sse41 != 0 && seven&sha != 0
}
