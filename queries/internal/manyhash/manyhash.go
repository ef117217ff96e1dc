// Package manyhash computes SHA-256 digests of many short messages that differ in a few bytes.
//
// crypto/sha256 hashes one message at a time. For a message of one block (64 bytes), it spends half of the time on
// copying, padding and swapping bytes, and most of the other half on waiting for results of instructions. A [Batch]
// holds up to [Most] messages of one length, which are padded in place:
//
//	prefix | content | number (8 bytes)
//
// All messages of a batch have the same prefix, some have the same content, and each has its own number. On amd64 with
// the SHA extensions, the instructions for two messages alternate, so that neither message waits. If messages are
// longer than one block, blocks that several of them begin with are hashed once. Other processors, and builds with the
// tag purego, use crypto/sha256.
package manyhash

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// Most is the largest number of messages of a batch. It is even.
const Most = 64

// NumberBytes is the length of the number at the end of a message.
const NumberBytes = 8

// Batch is messages of one length that are hashed together. The zero value is ready for Open. The head of a message is
// the blocks before the block in which the number ends; this block is the message's tail.
type Batch struct {
	length, prefix int         // the length in bytes of a message, and of the prefix that all messages share
	message        []byte      // the current message with its padding: whole blocks
	lead           int         // the length of a head in bytes; 0 if a message has no head
	n, heads       int         // the number of messages, and of different heads
	leads          []byte      // the heads, one after the other
	leadSums       [Most]Sum   // for each head, the state of the hash after it
	head           [Most]uint8 // head[i] is the number of message i's head
	tails          [Most * blockBytes]byte
	sums           [Most]Sum
	tags           [Most]int32
	mixed          bool   // false if the first 32 bytes of all tails are known to be equal
	whole          []byte // working memory: a whole message, if the SHA extensions are not used
}

const (
	blockBytes  = sha256.BlockSize
	sharedBytes = 32 // the part of a block that the first eight of SHA-256's 64 rounds use
)

// Open empties the batch and prepares it for messages of length bytes that begin with prefix. length must be at least
// len(prefix) + 8.
func (b *Batch) Open(prefix []byte, length int) {
	blocks := (length + 1 + 8 + blockBytes - 1) / blockBytes
	size := blocks * blockBytes
	if cap(b.message) < size {
		b.message = make([]byte, size)
	}
	b.message = b.message[:size]
	b.length, b.prefix, b.n, b.heads = length, len(prefix), 0, 0
	b.mixed = length < sharedBytes+NumberBytes
	b.lead = (length - 1) / blockBytes * blockBytes
	if n := Most * b.lead; cap(b.leads) < n {
		b.leads = make([]byte, n)
	}
	clear(b.message[copy(b.message, prefix):])
	b.message[length] = 0x80
	binary.BigEndian.PutUint64(b.message[size-8:], 8*uint64(length))
}

// SetContent sets the content of the messages that are added next. It must have exactly the length that is left between
// the prefix and the number.
func (b *Batch) SetContent(content []byte) {
	if early := sharedBytes - b.prefix; early > 0 && b.n > 0 && !b.mixed {
		early = min(early, len(content))
		b.mixed = string(content[:early]) != string(b.message[b.prefix:b.prefix+early])
	}
	copy(b.message[b.prefix:b.length-NumberBytes], content)
}

// Full reports whether no message can be added before the batch is emptied.
func (b *Batch) Full() bool { return b.n == Most }

// Add adds a message with the content that was set last. Empty returns the tag with the message's digest. The batch
// must not be full.
func (b *Batch) Add(number uint64, tag int32) {
	at := b.length - NumberBytes - b.lead // the index in the tail of the number's first byte
	if b.lead > 0 {
		if at < 0 { // the number begins in the head
			binary.BigEndian.PutUint64(b.message[b.lead+at:], number)
		}
		b.addHead()
	}
	tail := (*[blockBytes]byte)(b.tails[b.n*blockBytes:])
	*tail = *(*[blockBytes]byte)(b.message[b.lead:])
	if at >= 0 {
		// Write to the copy in tail, not to b.message before the copy, because the copy would have to wait for the write.
		binary.BigEndian.PutUint64(tail[at:], number)
	}
	b.tags[b.n] = tag
	b.n++
}

// AddRun adds messages with the numbers from, from+1, … up to to-1 and the same content and tag, until the batch is
// full. It returns the first number that was not added.
func (b *Batch) AddRun(from, to uint64, tag int32) (next uint64) {
	if b.lead > 0 || to <= from {
		for ; from < to && b.n < Most; from++ {
			b.Add(from, tag)
		}
		return from
	}
	to = min(to, from+uint64(Most-b.n))
	block, at, n := (*[blockBytes]byte)(b.message), b.length-NumberBytes, b.n
	for ; from < to; from++ {
		tail := (*[blockBytes]byte)(b.tails[n*blockBytes:])
		*tail = *block
		binary.BigEndian.PutUint64(tail[at:], from)
		b.tags[n] = tag
		n++
	}
	b.n = n
	return from
}

// addHead stores the head of the current message, unless it equals the head of the previous message.
func (b *Batch) addHead() {
	lead := b.message[:b.lead]
	if b.heads == 0 || !bytes.Equal(lead, b.leadOf(b.heads-1)) {
		b.heads++
		copy(b.leadOf(b.heads-1), lead)
	}
	b.head[b.n] = uint8(b.heads - 1)
}

func (b *Batch) leadOf(head int) []byte { return b.leads[:cap(b.leads)][head*b.lead : (head+1)*b.lead] }

// Empty hashes the messages and empties the batch. It returns the digests and the tags in the order in which the
// messages were added, valid until the next message is added.
func (b *Batch) Empty() ([]Sum, []int32) {
	n := b.n
	if pairwise {
		b.hashPairs()
	} else {
		b.hashEach()
	}
	b.n, b.heads, b.mixed = 0, 0, b.length < sharedBytes+NumberBytes
	return b.sums[:n], b.tags[:n]
}

// hashPairs hashes two messages at a time. If their number is odd, it hashes one unused message more.
func (b *Batch) hashPairs() {
	if b.n == 0 {
		return
	}
	pairs := uintptr(b.n+1) / 2
	switch {
	case b.lead > 0:
		b.hashLeads()
		compressPairs(&b.sums[0], &b.tails[0], blockBytes, pairs, &b.sums[0], sumBytes)
	case b.mixed || b.n < minShared:
		compressPairs(&b.sums[0], &b.tails[0], blockBytes, pairs, &initial, 0)
	default:
		eighth := afterEight(b.message)
		finishPairs(&b.sums[0], &b.tails[0], pairs, &initial, &eighth)
	}
	if rest := b.message[b.lead+blockBytes:]; len(rest) > 0 { // only padding, which is the same for all messages
		compressPairs(&b.sums[0], &rest[0], 0, pairs, &b.sums[0], sumBytes)
	}
}

// minShared is the smallest number of messages for which it is faster to hash their common first 32 bytes once.
const minShared = 16

// hashLeads computes for each message the state after its head.
func (b *Batch) hashLeads() {
	leads, from, step := b.leads[:cap(b.leads)], &initial, uintptr(0)
	for at := 0; at < b.lead; at += blockBytes {
		compressPairs(&b.leadSums[0], &leads[at], uintptr(b.lead), uintptr(b.heads+1)/2, from, step)
		from, step = &b.leadSums[0], sumBytes
	}
	for i := range b.sums[:b.n] {
		b.sums[i] = b.leadSums[b.head[i]]
	}
}

// hashEach hashes one message after the other.
func (b *Batch) hashEach() {
	for i := range b.n {
		b.whole = b.whole[:0]
		if b.lead > 0 {
			b.whole = append(b.whole, b.leadOf(int(b.head[i]))...)
		}
		b.whole = append(b.whole, b.tails[i*blockBytes:][:b.length-b.lead]...)
		b.sums[i] = Of(b.whole)
	}
}
