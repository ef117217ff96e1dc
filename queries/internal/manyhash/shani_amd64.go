//go:build !purego

package manyhash

// compressPairs writes 2·pairs states: state i is the state before it, updated by block i. Block i is at blocks +
// i·step, 64 bytes, and the state before it at from + i·fromStep. from may be states.
//
//go:noescape
func compressPairs(states *Sum, blocks *byte, step uintptr, pairs uintptr, from *Sum, fromStep uintptr)

// finishPairs does the work of compressPairs for adjacent blocks that begin with the same 32 bytes, if the state before
// all blocks is from. eighth is the state after the eight rounds for these bytes.
//
//go:noescape
func finishPairs(states *Sum, blocks *byte, pairs uintptr, from *Sum, eighth *Sum)

// identify returns three registers of the instruction CPUID, which describe the processor's features.
//
//go:noescape
func identify(leaf uint32) (eax, ebx, ecx uint32)

// The bits of the registers that announce the instructions that are needed.
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
