//go:build unix

package jsonl

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps other processes out until the file is closed, or its process has ended, however it ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		return nil // a file system without locks
	}
	return err
}
