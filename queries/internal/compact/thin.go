package compact

import "encoding/binary"

// Thin leaves out of records, each of some width, the bytes that are the same in all of them: numbers of units that are far below 2^64 have many. It
// returns the first record, a mask with a bit for each of its bytes that differs in a later one, the lowest bit of the first byte first, and these
// bytes of all records, in the memory of the records. Widen reverses it.
func Thin(records []byte, width int) (first, mask, rest []byte) {
	first, mask = make([]byte, width), make([]byte, (width+7)/8)
	if len(records) == 0 {
		return first, mask, nil
	}
	copy(first, records)
	places := differing(records, first)
	for _, p := range places {
		mask[p/8] |= 1 << (p % 8)
	}
	rest = records[:0]
	for at := 0; at < len(records); at += width {
		record := records[at : at+width]
		for _, p := range places {
			rest = append(rest, record[p]) // never beyond the record at hand, whose byte p has at least so many before it
		}
	}
	return first, mask, rest
}

// differing returns the places at which records are not all like the first one.
func differing(records, first []byte) (places []int) {
	width := len(first)
	differ := make([]byte, width)
	for at := 0; at < len(records); at += width {
		record, place := records[at:at+width], 0
		for ; place+8 <= width; place += 8 {
			change := binary.LittleEndian.Uint64(record[place:]) ^ binary.LittleEndian.Uint64(first[place:])
			binary.LittleEndian.PutUint64(differ[place:], binary.LittleEndian.Uint64(differ[place:])|change)
		}
		for ; place < width; place++ {
			differ[place] |= record[place] ^ first[place]
		}
	}
	for p, d := range differ {
		if d != 0 {
			places = append(places, p)
		}
	}
	return places
}

// Widen hands each of n thinned records to add, which may keep none of it, until it returns false. It returns false if the parts are none of n
// records, or if add did.
func Widen(n uint64, first, mask, rest []byte, add func(record []byte) bool) bool {
	if len(mask) != (len(first)+7)/8 {
		return false
	}
	var places []int
	for p := range 8 * len(mask) {
		if mask[p/8]>>(p%8)&1 != 0 {
			places = append(places, p)
		}
	}
	if k := len(places); k > 0 && places[k-1] >= len(first) || n > uint64(len(rest)) && k > 0 || n*uint64(k) != uint64(len(rest)) {
		return false
	}
	record := append([]byte(nil), first...)
	for range n {
		for i, p := range places {
			record[p] = rest[i]
		}
		rest = rest[len(places):]
		if !add(record) {
			return false
		}
	}
	return true
}
