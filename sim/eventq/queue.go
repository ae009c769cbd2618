// Package eventq is the event queue of a simulation whose clock never runs
// backwards: an item with a time goes in, the one with the earliest time comes
// out, and items of equal times come out in the order in which they went in.
//
// Queue is the fast list. Sorted keeps the same contract the plain way and is
// what Queue is tested against.
package eventq

import (
	"fmt"
	"math/bits"
)

// Item is one pending event: a time, in whatever unit the caller counts, and a
// word that means something to the caller only.
type Item struct {
	At   int64
	Data uint64
}

const (
	digitBits = 4
	slots     = 1 << digitBits // buckets of a level
	levels    = 64 / digitBits
	blockLen  = 32 // items in a block
	minBlocks = 64 // blocks got at once, at least: 33 KB
)

// Queue is a monotone radix list in base 16 (after Ahuja, Mehlhorn, Orlin and
// Tarjan, "Faster algorithms for the shortest path problem", JACM 37(2), 1990,
// with digits in place of bits).
//
// An item lies in the bucket that is named by the highest digit in which its
// time differs from the clock, the time last popped: by that digit's place (the
// level) and its value (the slot). Where every item lies follows from its time
// and the clock alone, so equal times always share a bucket, in the order in
// which they were pushed, and no sequence number is needed. When level 0 is
// empty, the first bucket of the lowest level in use is dealt out against the
// earliest time in it, and every item of it falls to a lower level: at most 15
// times in its life, whatever the times and however many items are pending.
//
// A bucket is a chain of blocks that all buckets share, so the memory is that
// of the items at the peak plus a partly filled block or two for each bucket in
// use, and a queue that has been at its peak allocates nothing more.
//
// The zero value is an empty queue at time 0. A Queue is not for concurrent use.
type Queue struct {
	clock int64
	n     int
	busy  uint16         // levels that hold something
	used  [levels]uint16 // slots of each level that hold something
	b     [levels][slots]bucket
	free  *block
	got   int // blocks that exist
}

// bucket is a chain of blocks, filled at the tail from 0 to end, read at the
// head from pos. An empty bucket has no blocks.
type bucket struct {
	head, tail *block
	min        int64 // the earliest time in it
	pos, end   uint32
}

type block struct {
	next  *block
	items [blockLen]Item
}

// New makes an empty queue at time 0 that has room for about capacity items
// before it asks for memory.
func New(capacity int) *Queue {
	q := &Queue{}
	q.grow(max(minBlocks, capacity/blockLen+1))
	return q
}

// grow adds count blocks to the free ones.
func (q *Queue) grow(count int) {
	q.got += count
	bs := make([]block, count)
	for i := range bs[:count-1] {
		bs[i].next = &bs[i+1]
	}
	bs[count-1].next = q.free
	q.free = &bs[0]
}

// Len is the number of pending items.
func (q *Queue) Len() int { return q.n }

// Push adds an item. It panics if at is before the time last popped (or before
// 0 in a new queue): an event in the past is an error of the program.
func (q *Queue) Push(at int64, data uint64) {
	if at < q.clock {
		panicPast(at, q.clock)
	}
	q.n++
	q.place(Item{at, data})
}

func panicPast(at, clock int64) {
	panic(fmt.Sprintf("eventq: an item is pushed at time %d, which is before %d, the time last popped", at, clock))
}

// place puts an item into the bucket where it belongs under the present clock.
func (q *Queue) place(x Item) {
	l := uint(bits.Len64(uint64(x.At^q.clock)|1)-1) / digitBits % levels
	s := uint(uint64(x.At)>>(l*digitBits)) % slots
	b := &q.b[l][s]
	if b.tail == nil {
		b.head = q.take()
		b.tail = b.head
		b.pos, b.end, b.min = 0, 0, x.At
		q.used[l] |= 1 << s
		q.busy |= 1 << l
	} else if b.end == blockLen {
		t := q.take()
		b.tail.next = t
		b.tail, b.end = t, 0
	}
	b.tail.items[b.end%blockLen] = x
	b.end++
	b.min = min(b.min, x.At)
}

// take gets a free block, and more of them when there is none: as many again
// as there are.
func (q *Queue) take() *block {
	if q.free == nil {
		q.grow(max(minBlocks, q.got))
	}
	k := q.free
	q.free = k.next
	k.next = nil
	return k
}

func (q *Queue) give(k *block) {
	k.next = q.free
	q.free = k
}

// empty marks a bucket, whose blocks have been given back, as empty.
func (q *Queue) empty(l, s uint, b *bucket) {
	b.head, b.tail = nil, nil
	q.used[l] &^= 1 << s
	if q.used[l] == 0 {
		q.busy &^= 1 << l
	}
}

// first names the bucket that holds the earliest item; the queue is not empty.
func (q *Queue) first() (l, s uint, b *bucket) {
	l = uint(bits.TrailingZeros16(q.busy)) % levels
	s = uint(bits.TrailingZeros16(q.used[l])) % slots
	return l, s, &q.b[l][s]
}

// Peek is the time of the earliest item; ok is false when the queue is empty.
// The clock stays where it is: an earlier item may still be pushed.
func (q *Queue) Peek() (at int64, ok bool) {
	if q.n == 0 {
		return 0, false
	}
	_, _, b := q.first()
	return b.min, true
}

// Pop takes out the earliest item, of several the one pushed first, and moves
// the clock to its time; ok is false when the queue is empty.
func (q *Queue) Pop() (x Item, ok bool) {
	if q.n == 0 {
		return Item{}, false
	}
	q.n--
	l, s, b := q.first()
	if l > 0 {
		if b.head == b.tail && b.end == 1 {
			// A lone item need not fall through the levels below.
			x = b.head.items[0]
			q.give(b.head)
			q.empty(l, s, b)
			q.clock = x.At
			return x, true
		}
		q.deal(l, s, b)
		l, s, b = q.first()
	}
	x = b.head.items[b.pos%blockLen]
	q.clock = x.At
	b.pos++
	if b.head == b.tail {
		if b.pos == b.end {
			q.give(b.head)
			q.empty(l, s, b)
		}
	} else if b.pos == blockLen {
		k := b.head
		b.head, b.pos = k.next, 0
		q.give(k)
	}
	return x, true
}

// deal moves the clock to the earliest time in a bucket above level 0, all of
// whose items then belong to lower levels, and puts them there in their order.
func (q *Queue) deal(l, s uint, b *bucket) {
	q.clock = b.min
	k, tail, end := b.head, b.tail, b.end
	q.empty(l, s, b)
	for {
		items := k.items[:]
		if k == tail {
			items = items[:end]
		}
		for i := range items {
			q.place(items[i])
		}
		next := k.next
		done := k == tail
		q.give(k)
		if done {
			return
		}
		k = next
	}
}

// Reset empties the queue and sets its clock to 0. It keeps the memory.
func (q *Queue) Reset() {
	for q.busy != 0 {
		l, s, b := q.first()
		b.tail.next = q.free
		q.free = b.head
		q.empty(l, s, b)
	}
	q.clock, q.n = 0, 0
}
