package montecarlo

import (
	"runtime"
	"sync"
)

// Ordered does jobs on several workers and hands the answers over in the order
// of the jobs, so that the number of workers changes nothing but the time. Few
// answers are held at once, also where an early job takes long.
type Ordered[J, A any] struct {
	// Next gives the next job, false when there is none. It is called by one worker at a time.
	Next func() (J, bool)
	// Do is called by several workers at once.
	Do func(J) A
	// Take gets the answers in order, in the goroutine that called Run. An error ends everything.
	Take func(A) error
	// Size is about how many bytes an answer holds; nil counts none.
	Size func(A) int
	// Workers is how many jobs go on at once; 0 means one for each processor.
	Workers int
}

// Bounds of what is held while an early job is not done: answers and their bytes.
const (
	mostAhead = 4096
	mostBytes = 64 << 20
)

// Run does all jobs; the error is that of Take.
func (o *Ordered[J, A]) Run() error {
	q := &orderedQueue[A]{done: map[int]A{}}
	q.moved.L = &q.mu
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				if !q.mayStart() {
					return
				}
				next.Lock()
				job, ok := o.Next()
				var i int
				if ok {
					i = q.start()
				}
				next.Unlock()
				if !ok {
					q.end()
					return
				}
				a := o.Do(job)
				size := 0
				if o.Size != nil {
					size = o.Size(a)
				}
				q.put(i, a, size)
			}
		})
	}
	err := q.drain(o.Take, o.Size)
	all.Wait()
	return err
}

// orderedQueue holds the answers that wait for an earlier one.
type orderedQueue[A any] struct {
	mu    sync.Mutex
	moved sync.Cond // something below has changed

	done    map[int]A
	bytes   int  // of done
	started int  // jobs
	taken   int  // answers
	ended   bool // there are no more jobs
	stopped bool // Take has failed
}

// mayStart waits until there is room for another answer; false means that no more are wanted.
func (q *orderedQueue[A]) mayStart() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && !q.ended && q.full() {
		q.moved.Wait()
	}
	return !q.stopped && !q.ended
}

// full reports whether as many answers are held, or will be, as may be.
func (q *orderedQueue[A]) full() bool {
	return q.started-q.taken >= mostAhead || q.bytes >= mostBytes
}

// start numbers a job.
func (q *orderedQueue[A]) start() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.started++
	return q.started - 1
}

func (q *orderedQueue[A]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.moved.Broadcast()
}

func (q *orderedQueue[A]) put(i int, a A, size int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done[i] = a
	q.bytes += size
	q.moved.Broadcast()
}

// drain takes the answers as they become next.
func (q *orderedQueue[A]) drain(take func(A) error, sizeOf func(A) int) error {
	for {
		a, ok := q.next(sizeOf)
		if !ok {
			return nil
		}
		if err := take(a); err != nil {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.stopped = true
			q.moved.Broadcast()
			return err
		}
	}
}

// next waits for the next answer; false means that all have been taken.
func (q *orderedQueue[A]) next(sizeOf func(A) int) (a A, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if a, ok = q.done[q.taken]; ok {
			delete(q.done, q.taken)
			if sizeOf != nil {
				q.bytes -= sizeOf(a)
			}
			q.taken++
			q.moved.Broadcast()
			return a, true
		}
		if q.ended && q.taken == q.started {
			return a, false
		}
		q.moved.Wait()
	}
}
