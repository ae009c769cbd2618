package eventq

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"
)

// FuzzQueue drives Queue and Sorted with the same commands and compares all
// that they say. A command is one byte: its low three bits say what to do, the
// others how far.
func FuzzQueue(f *testing.F) {
	f.Add([]byte{0, 0, 0, 6, 6, 6, 6})
	f.Add([]byte{0x19, 0x29, 0x39, 6, 0x49, 6, 0x12, 6, 6, 7})
	f.Add([]byte{0xf9, 0, 0, 6, 0xf1, 6, 5, 6, 6, 6})
	f.Add([]byte{4, 6, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 6, 6, 6, 6, 7, 0, 6})
	f.Add([]byte{0xf8, 0xf8, 6, 0, 6, 0xf8, 0x3e, 0, 0xfe, 0xf8, 0xfe, 0xfe, 0xfe})                // crowds at one instant, and more of it while they are popped
	f.Add([]byte{0xb5, 6, 1, 1, 1, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0x0e, 1, 1, 1, 1}) // before all that is pending
	f.Add([]byte{0x65, 6, 0x55, 0x5d, 6, 0xf8, 0x65, 0x0e, 0x55, 0x16, 0x5d, 0xfe, 0xfe, 0xfe})    // crowds among what is near
	f.Add([]byte{0x09, 0x29, 0x49, 0x69, 0x89, 0xa9, 0xc9, 0xe9, 6, 0xf9, 6, 0xf1, 6, 6, 6, 6, 6}) // ever further apart
	f.Fuzz(func(t *testing.T, in []byte) {
		q, s := New(0), NewSorted(0)
		clock, id := int64(0), uint64(0)
		push := func(by uint64) {
			at := clock + int64(min(by, uint64(math.MaxInt64-clock)))
			q.Push(at, id)
			s.Push(at, id)
			id++
		}
		pop := func() bool {
			wantAt, wantAny := s.Peek()
			if at, ok := q.Peek(); at != wantAt || ok != wantAny {
				t.Fatalf("peeked %d, %v; want %d, %v", at, ok, wantAt, wantAny)
			}
			want, _ := s.Pop()
			x, ok := q.Pop()
			if x != want || ok != wantAny {
				t.Fatalf("popped %v, %v; want %v, %v", x, ok, want, wantAny)
			}
			if due := q.Due(); ok && due != s.Due() {
				t.Fatalf("after a pop at %d an item of that time waits: %v, want %v", x.At, due, s.Due())
			}
			if ok {
				clock = x.At
			}
			return ok
		}
		for len(in) > 0 && id < 20_000 {
			c := in[0]
			in = in[1:]
			far := uint64(c >> 3)
			switch c & 7 {
			case 0: // now, several times
				for range far + 1 {
					push(0)
				}
			case 1: // a power of two, up to 1<<62
				push(1 << (2 * far))
			case 2: // just short of one
				push(1<<(2*far) - 1)
			case 3: // any number
				var b [8]byte
				in = in[copy(b[:], in):]
				push(binary.LittleEndian.Uint64(b[:]) >> (2 * far))
			case 4: // the last instants before 1<<62 and of the range
				if clock < 1<<62 {
					push(uint64(1<<62-clock) - min(far, uint64(1<<62-clock)))
				}
				push(math.MaxInt64)
			case 5: // a crowd, spread
				for i := range far * far {
					push(bits.Reverse64(i*0x9e3779b97f4a7c15) >> (2 * far))
				}
			case 6:
				for range far + 1 {
					pop()
				}
			case 7:
				if far == 0 {
					q.Reset()
					s.Reset()
					clock = 0
				}
			}
			if q.Len() != s.Len() {
				t.Fatalf("Len is %d, want %d", q.Len(), s.Len())
			}
		}
		for pop() {
		}
	})
}
