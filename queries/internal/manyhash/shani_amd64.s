//go:build !purego

#include "textflag.h"

// The round constants of SHA-256, FIPS 180-4 section 4.2.2.
DATA ·rounds+0x00(SB)/8, $0x71374491428a2f98
DATA ·rounds+0x08(SB)/8, $0xe9b5dba5b5c0fbcf
DATA ·rounds+0x10(SB)/8, $0x59f111f13956c25b
DATA ·rounds+0x18(SB)/8, $0xab1c5ed5923f82a4
DATA ·rounds+0x20(SB)/8, $0x12835b01d807aa98
DATA ·rounds+0x28(SB)/8, $0x550c7dc3243185be
DATA ·rounds+0x30(SB)/8, $0x80deb1fe72be5d74
DATA ·rounds+0x38(SB)/8, $0xc19bf1749bdc06a7
DATA ·rounds+0x40(SB)/8, $0xefbe4786e49b69c1
DATA ·rounds+0x48(SB)/8, $0x240ca1cc0fc19dc6
DATA ·rounds+0x50(SB)/8, $0x4a7484aa2de92c6f
DATA ·rounds+0x58(SB)/8, $0x76f988da5cb0a9dc
DATA ·rounds+0x60(SB)/8, $0xa831c66d983e5152
DATA ·rounds+0x68(SB)/8, $0xbf597fc7b00327c8
DATA ·rounds+0x70(SB)/8, $0xd5a79147c6e00bf3
DATA ·rounds+0x78(SB)/8, $0x1429296706ca6351
DATA ·rounds+0x80(SB)/8, $0x2e1b213827b70a85
DATA ·rounds+0x88(SB)/8, $0x53380d134d2c6dfc
DATA ·rounds+0x90(SB)/8, $0x766a0abb650a7354
DATA ·rounds+0x98(SB)/8, $0x92722c8581c2c92e
DATA ·rounds+0xa0(SB)/8, $0xa81a664ba2bfe8a1
DATA ·rounds+0xa8(SB)/8, $0xc76c51a3c24b8b70
DATA ·rounds+0xb0(SB)/8, $0xd6990624d192e819
DATA ·rounds+0xb8(SB)/8, $0x106aa070f40e3585
DATA ·rounds+0xc0(SB)/8, $0x1e376c0819a4c116
DATA ·rounds+0xc8(SB)/8, $0x34b0bcb52748774c
DATA ·rounds+0xd0(SB)/8, $0x4ed8aa4a391c0cb3
DATA ·rounds+0xd8(SB)/8, $0x682e6ff35b9cca4f
DATA ·rounds+0xe0(SB)/8, $0x78a5636f748f82ee
DATA ·rounds+0xe8(SB)/8, $0x8cc7020884c87814
DATA ·rounds+0xf0(SB)/8, $0xa4506ceb90befffa
DATA ·rounds+0xf8(SB)/8, $0xc67178f2bef9a3f7
GLOBL ·rounds(SB), RODATA|NOPTR, $256

// For PSHUFB: the bytes of each word in the other order.
DATA ·swap+0x00(SB)/8, $0x0405060700010203
DATA ·swap+0x08(SB)/8, $0x0c0d0e0f08090a0b
GLOBL ·swap(SB), RODATA|NOPTR, $16

// LOAD reads a state, words a to h, into f e b a and h g d c, as the instructions have them.
#define LOAD(at, s, t, tmp) \
	MOVOU   (at), s;           \
	MOVOU   16(at), t;         \
	PSHUFD  $0xb1, s, s;       \
	PSHUFD  $0x1b, t, t;       \
	MOVO    s, tmp;            \
	PALIGNR $0x08, t, s;       \
	PBLENDW $0xf0, tmp, t

// STORE adds the rounds to the state that they began with. They stand at from.
#define STORE(at, from, s, t, tmp) \
	PSHUFD  $0x1b, s, s;        \
	PSHUFD  $0xb1, t, t;        \
	MOVO    s, tmp;             \
	PBLENDW $0xf0, t, s;        \
	PALIGNR $0x08, tmp, t;      \
	MOVOU   (from), tmp;        \
	PADDD   tmp, s;             \
	MOVOU   16(from), tmp;       \
	PADDD   tmp, t;             \
	MOVOU   s, (at);            \
	MOVOU   t, 16(at)

// READ reads four words of a message.
#define READ(from, m) \
	MOVOU  from, m; \
	PSHUFB X15, m

// FIRST and SECOND are two rounds each, of message words m.
#define FIRST(k, m, s, t) \
	MOVO        m, X0;       \
	PADDD       k(AX), X0;   \
	SHA256RNDS2 X0, s, t

#define SECOND(s, t) \
	PSHUFD      $0x0e, X0, X0; \
	SHA256RNDS2 X0, t, s

// NEXT completes four words of the schedule, which follow those in m; before are the four before m.
#define NEXT(m, before, next, tmp) \
	MOVO       m, tmp;              \
	PALIGNR    $0x04, before, tmp;  \
	PADDD      tmp, next;           \
	SHA256MSG2 m, next

// The rounds of two messages in turns: four without a schedule, four that begin one, eight groups that do both, and those at the end.
#define ROUNDS0(k, a, b) \
	FIRST(k, a, X1, X2);  \
	SECOND(X1, X2);       \
	FIRST(k, b, X7, X8);  \
	SECOND(X7, X8)

#define ROUNDS1(k, a, aBefore, b, bBefore) \
	FIRST(k, a, X1, X2);    \
	SECOND(X1, X2);         \
	SHA256MSG1 a, aBefore;  \
	FIRST(k, b, X7, X8);    \
	SECOND(X7, X8);         \
	SHA256MSG1 b, bBefore

#define ROUNDS2(k, a, aBefore, aNext, b, bBefore, bNext) \
	FIRST(k, a, X1, X2);            \
	NEXT(a, aBefore, aNext, X13);   \
	SECOND(X1, X2);                 \
	SHA256MSG1 a, aBefore;          \
	FIRST(k, b, X7, X8);            \
	NEXT(b, bBefore, bNext, X14);   \
	SECOND(X7, X8);                 \
	SHA256MSG1 b, bBefore

#define ROUNDS3(k, a, aBefore, aNext, b, bBefore, bNext) \
	FIRST(k, a, X1, X2);            \
	NEXT(a, aBefore, aNext, X13);   \
	SECOND(X1, X2);                 \
	FIRST(k, b, X7, X8);            \
	NEXT(b, bBefore, bNext, X14);   \
	SECOND(X7, X8)

// LATER is the rounds from 8 on.
#define LATER \
	ROUNDS1(0x20, X5, X4, X11, X10); \
	ROUNDS2(0x30, X6, X5, X3, X12, X11, X9); \
	ROUNDS2(0x40, X3, X6, X4, X9, X12, X10); \
	ROUNDS2(0x50, X4, X3, X5, X10, X9, X11); \
	ROUNDS2(0x60, X5, X4, X6, X11, X10, X12); \
	ROUNDS2(0x70, X6, X5, X3, X12, X11, X9); \
	ROUNDS2(0x80, X3, X6, X4, X9, X12, X10); \
	ROUNDS2(0x90, X4, X3, X5, X10, X9, X11); \
	ROUNDS2(0xa0, X5, X4, X6, X11, X10, X12); \
	ROUNDS2(0xb0, X6, X5, X3, X12, X11, X9); \
	ROUNDS2(0xc0, X3, X6, X4, X9, X12, X10); \
	ROUNDS3(0xd0, X4, X3, X5, X10, X9, X11); \
	ROUNDS3(0xe0, X5, X4, X6, X11, X10, X12); \
	ROUNDS0(0xf0, X6, X12)

// func compressPairs(states *Sum, blocks *byte, step uintptr, pairs uintptr, from *Sum, fromStep uintptr)
// Requires: SHA, SSE4.1, SSSE3
TEXT ·compressPairs(SB), NOSPLIT, $0-48
	MOVQ  states+0(FP), DI
	MOVQ  blocks+8(FP), SI
	MOVQ  step+16(FP), DX
	MOVQ  pairs+24(FP), CX
	MOVQ  from+32(FP), R10
	MOVQ  fromStep+40(FP), R11
	LEAQ  ·rounds(SB), AX
	MOVOU ·swap(SB), X15

pair:
	TESTQ CX, CX
	JEQ   done
	LEAQ  (SI)(DX*1), R8
	LEAQ  (R10)(R11*1), R9
	LOAD(R10, X1, X2, X13)
	LOAD(R9, X7, X8, X14)
	READ(0(SI), X3)
	READ(0(R8), X9)
	ROUNDS0(0x00, X3, X9)
	READ(16(SI), X4)
	READ(16(R8), X10)
	ROUNDS1(0x10, X4, X3, X10, X9)
	READ(32(SI), X5)
	READ(32(R8), X11)
	READ(48(SI), X6)
	READ(48(R8), X12)
	LATER
	STORE(DI, R10, X1, X2, X13)
	LEAQ  32(DI), R12
	STORE(R12, R9, X7, X8, X14)
	LEAQ  64(DI), DI
	LEAQ  (R8)(DX*1), SI
	LEAQ  (R9)(R11*1), R10
	DECQ  CX
	JMP   pair

done:
	RET

// func finishPairs(states *Sum, blocks *byte, pairs uintptr, from *Sum, eighth *Sum)
// Requires: SHA, SSE4.1, SSSE3
TEXT ·finishPairs(SB), NOSPLIT, $0-40
	MOVQ  states+0(FP), DI
	MOVQ  blocks+8(FP), SI
	MOVQ  pairs+16(FP), CX
	MOVQ  from+24(FP), R10
	MOVQ  eighth+32(FP), R11
	LEAQ  ·rounds(SB), AX
	MOVOU ·swap(SB), X15

pair:
	TESTQ CX, CX
	JEQ   done
	LOAD(R11, X1, X2, X13)
	MOVO  X1, X7
	MOVO  X2, X8
	READ(0(SI), X3)
	READ(64(SI), X9)
	READ(16(SI), X4)
	READ(80(SI), X10)
	SHA256MSG1 X4, X3
	SHA256MSG1 X10, X9
	READ(32(SI), X5)
	READ(96(SI), X11)
	READ(48(SI), X6)
	READ(112(SI), X12)
	LATER
	STORE(DI, R10, X1, X2, X13)
	LEAQ  32(DI), R12
	STORE(R12, R10, X7, X8, X14)
	LEAQ  64(DI), DI
	LEAQ  128(SI), SI
	DECQ  CX
	JMP   pair

done:
	RET

// func identify(leaf uint32) (eax, ebx, ecx uint32)
TEXT ·identify(SB), NOSPLIT, $0-20
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	RET
