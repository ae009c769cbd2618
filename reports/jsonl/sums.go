package jsonl

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
)

// sums are the check sums of an unfinished file's lines, four bytes for each in
// a file beside it. A line that is with the system has its own there, so that a
// kill leaves none without one.
type sums struct {
	f   *os.File
	out *bufio.Writer
}

// sumSize is the length of a line's check sum in the file.
const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumsOf is the name of the file of check sums beside an unfinished one.
func sumsOf(partial string) string { return partial + ".sums" }

func openSums(partial string) (*sums, error) {
	f, err := os.OpenFile(sumsOf(partial), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &sums{f: f}, nil
}

// begin keeps the sums of the first lines, and goes on behind some of them.
func (s *sums) begin(keep, after int) error {
	if err := s.f.Truncate(int64(keep) * sumSize); err != nil {
		return err
	}
	_, err := s.f.Seek(int64(after)*sumSize, io.SeekStart)
	s.out = bufio.NewWriter(s.f)
	return err
}

// add takes whole lines, each with its newline.
func (s *sums) add(lines []byte) error {
	for len(lines) > 0 {
		n := bytes.IndexByte(lines, '\n') + 1
		sum := binary.LittleEndian.AppendUint32(s.out.AvailableBuffer(), crc32.Checksum(lines[:n], castagnoli))
		if _, err := s.out.Write(sum); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

// remove is for the end, when the lines are in a finished file.
func (s *sums) remove(partial string) {
	s.f.Close()
	os.Remove(sumsOf(partial)) // one that stays is cut off by the next who writes
}

// sumReader compares lines, in order, with their check sums.
type sumReader struct{ in *bufio.Reader }

// proves reports whether the next line is as it was written.
func (s *sumReader) proves(line []byte) (bool, error) {
	var want [sumSize]byte
	if _, err := io.ReadFull(s.in, want[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return binary.LittleEndian.Uint32(want[:]) == crc32.Checksum(line, castagnoli), nil
}
