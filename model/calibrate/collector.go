package calibrate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"

	"upsim/model"
	"upsim/model/kube"
)

// Input is one file that was read, and how much of use was in it.
type Input struct {
	Name      string
	Recording bool
	// Pods, Nodes and Events are counts: of a snapshot of objects, of a recording of events alone.
	Pods, Nodes, Events int
}

// Collector gathers times from any number of inputs. The zero Collector is not ready; use NewCollector.
type Collector struct {
	inputs []Input
	times  kube.TimesReader
	snapshot
	samples
	recordings
}

// NewCollector returns a Collector without any input.
func NewCollector() *Collector {
	c := &Collector{snapshot: newSnapshot(), samples: newSamples(), recordings: recordings{}}
	c.times = kube.TimesReader{Pod: c.pod, Node: c.node, Event: c.event}
	return c
}

// headSize is how much of an input is looked at to see what it is.
const headSize = 64 << 10

// recordingHead is how a recording begins: an object whose first key is one of a
// recording's, and none of a Kubernetes object's, or one that soon has events with a t.
var recordingHead = regexp.MustCompile(`\A\s*\{\s*("(kubernetes|exact|summary|initialPods|events)"\s*:|(?s:.*)"events"\s*:\s*\[\s*\{[^{}]*"t"\s*:)`)

// Add reads one input to its end; name stands for it in messages. It takes the
// output of kube.TimesCommand, in every form that kube.TimesReader knows, and
// the recorded.json of a recording; both may be packed with gzip. After an error the Collector must not be used any more.
func (c *Collector) Add(name string, in io.Reader) error {
	br := bufio.NewReaderSize(in, headSize)
	if head, _ := br.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return unpacked(c.add(name, bufio.NewReaderSize(z, headSize)), name)
	}
	return c.add(name, br)
}

func (c *Collector) add(name string, br *bufio.Reader) error {
	head, err := br.Peek(headSize)
	if err != nil && len(head) == 0 && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := kube.Complaint(head); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.inputs = append(c.inputs, Input{Name: name, Recording: recordingHead.Match(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))})
	if c.now().Recording {
		return c.recording(name, br)
	}
	return c.times.Read(name, br)
}

// now is the input that is being read.
func (c *Collector) now() *Input { return &c.inputs[len(c.inputs)-1] }

// unpacked says of an archive that breaks off what it is.
func unpacked(err error, name string) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) {
		return fmt.Errorf("%s: the gzip file is cut off or damaged; copy it again", name)
	}
	return err
}

// Calibration is what the inputs tell.
type Calibration struct {
	Inputs    []Input
	Estimates []Estimate
	LeftOut   []LeftOut
	Missing   []Missing
	// Notes are about objects that are not understood.
	Notes []model.Finding
}

// Calibrate makes the estimates of everything that was added. It may be called
// once. Inputs of which most is not understood are an error.
func (c *Collector) Calibrate() (*Calibration, error) {
	notes, err := c.times.Close()
	if err != nil {
		return nil, err
	}
	c.evaluate()
	out := &Calibration{Inputs: c.inputs, Estimates: c.estimates(), LeftOut: c.leftOut(), Notes: notes}
	out.Missing = c.missing(out.Estimates)
	return out, nil
}

// evaluate makes times of what the snapshots say, and leaves out what cannot be trusted.
func (c *Collector) evaluate() {
	c.readClocks()
	c.nodeTimes()
	c.startTimes()
	c.stopTimes()
	c.distrust()
	c.settleKinds()
}
