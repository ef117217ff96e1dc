// Package manyhash computes SHA-256 digests of many short messages that differ in a few bytes.
//
// crypto/sha256 hashes one message at a time. For messages of one block it waits for the results of its own
// instructions, and it takes as long again to copy, pad and swap bytes. A [Batch] holds up to [Most] messages of one
// length, which are padded in place when the batch is opened:
//
//	prefix | content | number (8 bytes)
//
// The prefix is the same for the whole batch, a content is the same for some messages, and each message has its own
// number. On amd64 with the SHA extensions two messages are hashed in turns, so that the instructions of one fill the
// waits of the other. Blocks before the one with the last byte of the number are hashed once for all messages that
// share them. Other processors, and builds with the tag purego, use crypto/sha256.
package manyhash

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// Most is the largest number of messages of a batch, an even number.
const Most = 64

// NumberBytes is the length of the number at the end of a message.
const NumberBytes = 8

// Batch is messages of one length that are hashed together. The zero value is ready for Open.
type Batch struct {
	length, prefix int    // bytes of a message, and of them those that all share
	message        []byte // the current message, padded: whole blocks
	lead           int    // bytes of the blocks before the one with the last byte of the number
	n, heads       int    // messages, and different beginnings of lead bytes
	leads          []byte // the lead of each head
	leadSums       [Most]Sum
	head           [Most]uint8             // head[i] is the head of message i
	tails          [Most * blockBytes]byte // for each message, the block after lead
	sums           [Most]Sum
	tags           [Most]int32
	mixed          bool   // messages of one block may differ in their first eight words
	whole          []byte // a message, without the instructions
}

const (
	blockBytes  = sha256.BlockSize
	sharedBytes = 32 // the bytes of the first eight rounds
)

// Open empties the batch and prepares it for messages of the given length, which begin with prefix. length is at least
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

// SetContent sets the content of the messages that are added next: the bytes between the prefix and the number.
func (b *Batch) SetContent(content []byte) {
	if early := sharedBytes - b.prefix; early > 0 && b.n > 0 && !b.mixed {
		early = min(early, len(content))
		b.mixed = string(content[:early]) != string(b.message[b.prefix:b.prefix+early])
	}
	copy(b.message[b.prefix:b.length-NumberBytes], content)
}

// Full reports whether no message can be added before the batch is emptied.
func (b *Batch) Full() bool { return b.n == Most }

// Add adds a message of the content that was set last, with a number. The tag is returned with its digest. The batch
// must not be full.
func (b *Batch) Add(number uint64, tag int32) {
	at := b.length - NumberBytes - b.lead // where the number begins in the tail
	if b.lead > 0 {
		if at < 0 { // it begins in the block before
			binary.BigEndian.PutUint64(b.message[b.lead+at:], number)
		}
		b.addHead()
	}
	tail := (*[blockBytes]byte)(b.tails[b.n*blockBytes:])
	*tail = *(*[blockBytes]byte)(b.message[b.lead:])
	if at >= 0 {
		binary.BigEndian.PutUint64(tail[at:], number) // there, and not before the copy, which would have to wait for it
	}
	b.tags[b.n] = tag
	b.n++
}

// AddRun adds messages that differ only in their numbers, from from to before to, as long as there is room, and returns
// the number after the last one added.
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

// addHead finds the beginning of the current message: the one of the last message, or a new one.
func (b *Batch) addHead() {
	lead := b.message[:b.lead]
	if b.heads == 0 || !bytes.Equal(lead, b.leadOf(b.heads-1)) {
		b.heads++
		copy(b.leadOf(b.heads-1), lead)
	}
	b.head[b.n] = uint8(b.heads - 1)
}

func (b *Batch) leadOf(head int) []byte { return b.leads[:cap(b.leads)][head*b.lead : (head+1)*b.lead] }

// Empty hashes the messages, empties the batch, and returns the digests and the tags in the order of the messages. They
// are valid until the next message is added.
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

// hashPairs hashes block by block. If the number of states is odd, it also computes the unused state after the last.
func (b *Batch) hashPairs() {
	if b.n == 0 {
		return
	}
	pairs := uintptr(b.n+1) / 2
	switch {
	case b.lead > 0:
		b.hashLeads()
		compressPairs(&b.sums[0], &b.tails[0], blockBytes, pairs, &b.sums[0], sumBytes)
	case b.mixed || b.n < fewMessages:
		compressPairs(&b.sums[0], &b.tails[0], blockBytes, pairs, &initial, 0)
	default:
		eighth := afterEight(b.message)
		finishPairs(&b.sums[0], &b.tails[0], pairs, &initial, &eighth)
	}
	if rest := b.message[b.lead+blockBytes:]; len(rest) > 0 { // only padding, the same for all
		compressPairs(&b.sums[0], &rest[0], 0, pairs, &b.sums[0], sumBytes)
	}
}

// fewMessages is the number of messages below which computing the common part once takes longer than repeating it.
const fewMessages = 16

// hashLeads gives each message the state after its blocks before the tail.
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

// hashEach hashes message by message.
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
