// Package eventq is the event queue of a simulation whose clock never runs
// backwards: an item with a time goes in, the one with the earliest time comes
// out, and items of equal times come out in the order in which they went in.
//
// Queue is the fast list. Sorted keeps the same contract the plain way and is
// what Queue is tested against.
package eventq

import (
	"fmt"
	"math"
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
	blockLen  = 64 // items in a block
	minBlocks = 32 // blocks got at once, at least: 33 KB
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
// A bucket is a chain of blocks. It keeps one of them when it is emptied and
// gives the others back to a stock that all buckets share, so the memory is that
// of the items at the peak and a block or two for each bucket ever used, and a
// queue that has been at its peak allocates nothing more.
//
// The zero value is an empty queue at time 0. A Queue is not for concurrent use.
type Queue struct {
	clock int64
	n     int
	busy  uint16         // levels that hold something
	used  [levels]uint16 // slots of each level that hold something
	b     [levels][slots]bucket
	soon  []Item
	free  *block
	got   int // blocks that exist
}

// bucket is a chain of blocks, read at the head from pos and filled at the
// tail, where room items still fit. An empty one has min at the end of time and
// a block of its own, or none yet.
type bucket struct {
	head, tail *block
	min        int64 // the earliest time in it
	pos, room  uint32
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

// grow adds count blocks to the stock.
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
	one := [...]Item{{at, data}}
	q.place(one[:])
}

func panicPast(at, clock int64) {
	panic(fmt.Sprintf("eventq: an item is pushed at time %d, which is before %d, the time last popped", at, clock))
}

// place puts items, in their order, into the buckets where they belong under
// the present clock. What it marks is often marked already; to ask first would
// cost a branch that cannot be foretold.
func (q *Queue) place(items []Item) {
	clock := q.clock
	for i := range items {
		x := &items[i]
		l := uint(bits.Len64(uint64(x.At^clock)|1)-1) / digitBits % levels
		s := uint(uint64(x.At)>>(l*digitBits)) % slots
		b := &q.b[l][s]
		if b.room == 0 {
			q.extend(b)
		}
		b.tail.items[-b.room%blockLen] = *x
		b.room--
		b.min = min(b.min, x.At)
		q.used[l] |= 1 << s
		q.busy |= 1 << l
	}
}

// extend adds a block to a bucket, from the stock or, when that has none, from
// as many new ones as there are.
func (q *Queue) extend(b *bucket) {
	if q.free == nil {
		q.grow(max(minBlocks, q.got))
	}
	k := q.free
	q.free = k.next
	k.next = nil
	if b.tail == nil {
		b.head = k
		b.min = math.MaxInt64
	} else {
		b.tail.next = k
	}
	b.tail = k
	b.room = blockLen
}

// drop gives a bucket's first block back to the stock.
func (q *Queue) drop(b *bucket) {
	k := b.head
	b.head = k.next
	k.next = q.free
	q.free = k
}

// empty marks a bucket as empty, of which one block is left.
func (q *Queue) empty(l, s uint, b *bucket) {
	b.pos, b.room, b.min = 0, blockLen, math.MaxInt64
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

// Due reports whether an item waits whose time is the one last popped.
func (q *Queue) Due() bool { return q.used[0]>>(q.clock&(slots-1))&1 != 0 }

// Pop takes out the earliest item, of several the one pushed first, and moves
// the clock to its time; ok is false when the queue is empty.
func (q *Queue) Pop() (x Item, ok bool) {
	if q.n == 0 {
		return Item{}, false
	}
	q.n--
	l, s, b := q.first()
	if l > 0 {
		if b.room == blockLen-1 && b.head == b.tail {
			// A lone item need not fall through the levels below.
			x = b.head.items[0]
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
		if b.pos+b.room == blockLen {
			q.empty(l, s, b)
		}
	} else if b.pos == blockLen {
		q.drop(b)
		b.pos = 0
	}
	return x, true
}

// soonAtLeast is how many items make it worth their while to be looked at together, see Soon.
const soonAtLeast = 8

// Soon are items that come next, a few dozen at most, each mostly once before it is popped. It is meant for reading what they
// are about together: a processor that waits for memory then waits once. They are valid until the next call of the queue.
func (q *Queue) Soon() []Item {
	s := q.soon
	q.soon = nil
	return s
}

// deal moves the clock to the earliest time in a bucket above level 0, all of
// whose items then belong to lower levels, and puts them there in their order.
func (q *Queue) deal(l, s uint, b *bucket) {
	q.clock = b.min
	lone := b.head == b.tail
	for b.head != b.tail {
		q.place(b.head.items[:])
		q.drop(b)
	}
	rest := b.head.items[:blockLen-b.room]
	if len(rest) >= soonAtLeast && lone {
		q.soon = rest
	}
	q.place(rest)
	q.empty(l, s, b)
}

// Reset empties the queue and sets its clock to 0. It keeps the memory.
func (q *Queue) Reset() {
	for q.busy != 0 {
		l, s, b := q.first()
		for b.head != b.tail {
			q.drop(b)
		}
		q.empty(l, s, b)
	}
	q.clock, q.n, q.soon = 0, 0, nil
}
