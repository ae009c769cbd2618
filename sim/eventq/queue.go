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
	slots     = 1 << digitBits         // buckets of a level
	buckets   = 64 / digitBits * slots // of all levels
	blockLen  = 64                     // items in a block
	minBlocks = 32                     // blocks got at once, at least: 33 KB
	nearMost  = 32                     // items near, at most, but for those of one instant
	sortMost  = 24                     // items that become near at once, at most, but for those of one instant
)

// Queue is a monotone radix list in base 16 (after Ahuja, Mehlhorn, Orlin and
// Tarjan, "Faster algorithms for the shortest path problem", JACM 37(2), 1990,
// with digits in place of bits) with a short sorted list in front of it.
//
// What is pending before an instant, the limit, is near: in the sorted list,
// which a push enters from its early end and from which a pop takes the last.
// All else is far. It lies in the bucket that is named by the highest digit in
// which its time differs from the base, an instant before all that is far: by
// that digit's place (the level) and its value (the slot). So where an item lies
// follows from its time, the limit and the base alone; equal times always lie
// together, in the order in which they were pushed, and no number for each push
// is needed.
//
// When nothing is near, the first bucket of the lowest level in use is next. If
// it holds few items, they become near. If it holds many, it is dealt out against
// the earliest time among them, and every one falls to a lower level: at most 15
// times, whatever the times and however many items are pending. When too many
// are near, the later half of them goes to buckets; at least nearMost-sortMost
// pushes lie between two such moves.
//
// A bucket is a chain of blocks. It keeps one of them when it is emptied and
// gives the others back to a stock that all buckets share, so the memory is that
// of the items at the peak and a block or two for each bucket ever used, and a
// queue that has been at its peak allocates nothing more.
//
// The zero value is an empty queue at time 0. A Queue is not for concurrent use.
type Queue struct {
	clock int64 // the time last popped
	n     uint  // items near
	// at[1:n+1] and data[1:n+1] are what is near, the latest first. at[0] is no
	// item's: it is the limit, later than all that is near, and ends the search
	// for an item's place.
	at    [2*blockLen + 1]int64
	data  [2*blockLen + 1]uint64
	base  int64
	far   int                  // items in buckets
	used  [buckets / 64]uint64 // a bit for each bucket that holds something
	b     [buckets]bucket      // in the order of time
	soon  bool                 // Soon has something to say
	free  *block
	got   int // blocks that exist
	moved int // how often an item was moved from a bucket or to one by anything but its push
}

// bucket is a chain of blocks, filled at the tail, where room items still fit.
// An empty one has min at the end of time and a block of its own, or none yet.
type bucket struct {
	head, tail *block
	min        int64 // the earliest time in it
	room       uint32
}

type block struct {
	next  *block
	items [blockLen]Item
}

// endOfTime is a limit that is later than all times, as limits are compared: as
// unsigned numbers.
const endOfTime = math.MinInt64

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
func (q *Queue) Len() int { return q.far + int(q.n) }

// Push adds an item. It panics if at is before the time last popped (or before
// 0 in a new queue): an event in the past is an error of the program.
func (q *Queue) Push(at int64, data uint64) {
	if uint64(at) < uint64(q.at[0]) {
		if at < q.clock {
			panicPast(at, q.clock)
		}
		if q.n >= nearMost {
			q.makeRoom()
			q.Push(at, data) // it may be far now
			return
		}
		i := q.n
		for ; uint64(q.at[i%(2*blockLen)]) <= uint64(at); i-- {
			q.at[i%(2*blockLen)+1], q.data[i%(2*blockLen)+1] = q.at[i%(2*blockLen)], q.data[i%(2*blockLen)]
		}
		q.at[i%(2*blockLen)+1], q.data[i%(2*blockLen)+1] = at, data
		q.n++
		return
	}
	place := uint(bits.Len64(uint64(at^q.base)|1)-1) &^ (digitBits - 1)
	i := (place*(slots/digitBits) + uint(uint64(at)>>place)%slots) % buckets
	b := &q.b[i]
	if b.room == 0 {
		q.extend(b, at)
	}
	b.tail.items[-b.room%blockLen] = Item{at, data}
	b.room--
	b.min = min(b.min, at)
	q.used[i/64] |= 1 << (i % 64)
	q.far++
}

// panicPast is not inlined, so that a push need not make room for its message.
//
//go:noinline
func panicPast(at, clock int64) {
	panic(fmt.Sprintf("eventq: an item is pushed at time %d, which is before %d, the time last popped", at, clock))
}

// makeRoom moves the later half of what is near to buckets, and what is of one
// time with it: of one time, either all is near or only what was pushed first.
func (q *Queue) makeRoom() {
	cut := uint(nearMost / 2)
	for cut < q.n && q.at[cut+1] == q.at[cut] {
		cut++
	}
	q.moved += int(cut)
	q.at[0] = q.at[cut]
	for i := cut; i > 0; i-- {
		q.Push(q.at[i], q.data[i])
	}
	copy(q.at[1:], q.at[cut+1:q.n+1])
	copy(q.data[1:], q.data[cut+1:q.n+1])
	q.n -= cut
}

// extend adds a block to a bucket for an item at a time, from the stock or, when
// that has none, from as many new ones as there are. The buckets of times before
// 0 never have room, so here is where a push at such a time is found out.
func (q *Queue) extend(b *bucket, at int64) {
	if at < 0 {
		panicPast(at, q.clock)
	}
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
func (q *Queue) empty(i uint, b *bucket) {
	b.room, b.min = blockLen, math.MaxInt64
	q.used[i/64] &^= 1 << (i % 64)
}

// first is the first bucket that holds something.
func (q *Queue) first() (i uint, ok bool) {
	for w, set := range &q.used {
		if set != 0 {
			return uint(w*64 + bits.TrailingZeros64(set)), true
		}
	}
	return 0, false
}

// items are what one of the bucket's blocks holds.
func (b *bucket) items(k *block) []Item {
	if k == b.tail {
		return k.items[:blockLen-b.room]
	}
	return k.items[:]
}

// Peek is the time of the earliest item; ok is false when the queue is empty.
// The clock stays where it is: an earlier item may still be pushed.
func (q *Queue) Peek() (at int64, ok bool) {
	if q.n > 0 {
		return q.at[q.n], true
	}
	i, ok := q.first()
	if !ok {
		return 0, false
	}
	return q.b[i].min, true
}

// Due reports, after a pop, whether another item of its time waits.
func (q *Queue) Due() bool {
	// Where nothing is near, this asks the limit, which is the clock only while more of that instant is far.
	return q.at[q.n%(2*blockLen)] == q.clock
}

// Pop takes out the earliest item, of several the one pushed first, and moves
// the clock to its time; ok is false when the queue is empty.
func (q *Queue) Pop() (x Item, ok bool) {
	if !q.Ready() {
		return Item{}, false
	}
	return q.Take(), true
}

// Ready reports whether anything is pending. Ready and then, with nothing pushed
// in between, Take are a Pop in two steps, which are short enough for the
// compiler to put them where they are called.
func (q *Queue) Ready() bool { return q.n > 0 || q.load() }

// Take is Pop after Ready has found something.
func (q *Queue) Take() Item {
	x := Item{q.at[q.n%(2*blockLen)], q.data[q.n%(2*blockLen)]}
	q.n--
	q.clock = x.At
	return x
}

// load makes what comes first of what is far near, where nothing is; it reports
// whether there is anything. It is not inlined, so that Ready can be.
//
//go:noinline
func (q *Queue) load() bool {
	for {
		i, ok := q.first()
		if !ok {
			return false
		}
		b := &q.b[i]
		items, lone := b.items(b.head), b.head == b.tail
		switch {
		case lone && len(items) <= sortMost:
			q.take(items)
			q.empty(i, b)
			q.at[0] = q.startOfFar()
		case i < slots:
			q.loadInstant(b, items)
		default:
			q.deal(i, b)
			continue
		}
		return true
	}
}

// loadInstant makes items near, of which there are many at one instant. One at least stays far, and
// with it goes what is pushed at that instant from now on.
func (q *Queue) loadInstant(b *bucket, items []Item) {
	if b.head != b.tail {
		q.take(items)
		q.drop(b)
	} else {
		last := len(items) - 1
		q.take(items[:last])
		items[0] = items[last]
		b.room = blockLen - 1
	}
	q.at[0] = q.base
}

// take makes items near, where nothing is, and sorts them. It begins with the
// last: often they are in order, and then none need be moved.
func (q *Queue) take(items []Item) {
	q.at[0] = endOfTime
	for i := range items {
		x := items[len(items)-1-i]
		j := uint(i)
		for ; uint64(q.at[j%(2*blockLen)]) < uint64(x.At); j-- {
			q.at[j%(2*blockLen)+1], q.data[j%(2*blockLen)+1] = q.at[j%(2*blockLen)], q.data[j%(2*blockLen)]
		}
		q.at[j%(2*blockLen)+1], q.data[j%(2*blockLen)+1] = x.At, x.Data
	}
	q.n = uint(len(items))
	q.far -= len(items)
	q.moved += len(items)
	q.base = q.at[q.n]
	q.soon = q.n >= soonAtLeast
}

// startOfFar is the earliest time that has its place in the first bucket that
// holds something.
func (q *Queue) startOfFar() int64 {
	i, ok := q.first()
	if !ok {
		return endOfTime
	}
	place := i / slots * digitBits
	return (q.base>>place&^(slots-1) | int64(i%slots)) << place
}

// deal puts the items of a bucket above level 0, in their order, into lower
// levels, where all of them belong once the base is the earliest time among them.
func (q *Queue) deal(i uint, b *bucket) {
	q.base = b.min
	q.at[0] = q.base
	for {
		items := b.items(b.head)
		q.far -= len(items)
		q.moved += len(items)
		for _, x := range items {
			q.Push(x.At, x.Data)
		}
		if b.head == b.tail {
			break
		}
		q.drop(b)
	}
	q.empty(i, b)
}

// soonAtLeast is how many items make it worth their while to be looked at together, see Soon.
const soonAtLeast = 3

// Soon are the words of items that come next, a few dozen at most, each mostly once before it is popped. It is meant for reading what
// they are about together: a processor that waits for memory then waits once. They are valid until the next call of the queue.
func (q *Queue) Soon() []uint64 {
	if !q.soon {
		return nil
	}
	q.soon = false
	return q.data[1 : q.n+1]
}

// Reset empties the queue and sets its clock to 0. It keeps the memory.
func (q *Queue) Reset() {
	for i, ok := q.first(); ok; i, ok = q.first() {
		b := &q.b[i]
		for b.head != b.tail {
			q.drop(b)
		}
		q.empty(i, b)
	}
	q.clock, q.n, q.at[0], q.base, q.far, q.soon = 0, 0, 0, 0, 0, false
}
