package eventq

import "container/heap"

// Sorted keeps the contract of Queue with the standard library's heap and a
// number for each push. It is slow and plain: the list to test Queue, and an
// engine that runs on it, against. The zero value is an empty list at time 0.
type Sorted struct {
	clock int64
	seq   uint64
	h     numberedHeap
}

type numbered struct {
	Item
	seq uint64
}

type numberedHeap []numbered

func (h numberedHeap) Len() int { return len(h) }
func (h numberedHeap) Less(i, j int) bool {
	if h[i].At != h[j].At {
		return h[i].At < h[j].At
	}
	return h[i].seq < h[j].seq
}
func (h numberedHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *numberedHeap) Push(x any)   { *h = append(*h, x.(numbered)) }
func (h *numberedHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// NewSorted makes an empty list at time 0 with room for capacity items.
func NewSorted(capacity int) *Sorted {
	return &Sorted{h: make(numberedHeap, 0, max(0, capacity))}
}

// Len is the number of pending items.
func (s *Sorted) Len() int { return len(s.h) }

// Push adds an item. It panics if at is before the time last popped.
func (s *Sorted) Push(at int64, data uint64) {
	if at < s.clock {
		panicPast(at, s.clock)
	}
	heap.Push(&s.h, numbered{Item{at, data}, s.seq})
	s.seq++
}

// Peek is the time of the earliest item; ok is false when the list is empty.
func (s *Sorted) Peek() (at int64, ok bool) {
	if len(s.h) == 0 {
		return 0, false
	}
	return s.h[0].At, true
}

// Due reports whether an item waits whose time is the one last popped.
func (s *Sorted) Due() bool { return len(s.h) > 0 && s.h[0].At == s.clock }

// Pop takes out the earliest item, of several the one pushed first; ok is
// false when the list is empty.
func (s *Sorted) Pop() (x Item, ok bool) {
	if len(s.h) == 0 {
		return Item{}, false
	}
	x = heap.Pop(&s.h).(numbered).Item
	s.clock = x.At
	return x, true
}

// Reset empties the list and sets its clock to 0. It keeps the memory.
func (s *Sorted) Reset() {
	s.h = s.h[:0]
	s.clock, s.seq = 0, 0
}
