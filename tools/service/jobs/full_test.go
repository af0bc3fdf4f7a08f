//go:build linux || darwin

package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() { children[full] = fill }

// fill takes a store through a full disk: a job that has no room is refused in words, one that was
// there stays, with its results, and once there is room again both go on. A job can be ended while
// there is no room.
func fill(dir string) error {
	s, err := Open(dir, Limits{})
	if err != nil {
		return err
	}
	first, err := s.Add(New{Spec: []byte("spec"), Items: [][]byte{{1}, {2}}})
	if err != nil {
		return err
	}
	hopeless, err := s.Add(New{Spec: []byte("spec"), Items: [][]byte{{4}}})
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, "jobs.db"))
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	room := l.Cur
	l.Cur = uint64(info.Size())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	large := New{Spec: []byte("spec"), Files: map[string][]byte{"a": make([]byte, 8<<20)},
		Items: [][]byte{{3}}}
	var refused *FullError
	for range 2 {
		if _, err := s.Add(large); !errors.As(err, &refused) ||
			!strings.Contains(err.Error(), "disk is full") {
			return fmt.Errorf("without room: %v", err)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 2 || s.count != 2 ||
		s.bytes != first.Bytes+hopeless.Bytes {
		return fmt.Errorf("%d jobs, %d counted with %d bytes, %v", len(list), s.count, s.bytes, err)
	}
	w, err := s.Take(context.Background())
	if err != nil || len(w.Data) != 1 {
		return fmt.Errorf("%+v, %v", w, err)
	}
	if err := s.Put(w, make([]byte, 8<<20), false); !errors.As(err, &refused) || !refused.Disk {
		return fmt.Errorf("a result without room: %v", err)
	}
	if j, err := s.Fill(hopeless.ID, refused.Reason); err != nil || j.State != Full ||
		!strings.Contains(j.Reason, "disk is full") {
		return fmt.Errorf("a job cannot be ended: %+v, %v", j, err)
	}
	l.Cur = room
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	if err := s.Put(w, make([]byte, 8<<20), false); err != nil {
		return err
	}
	second, err := s.Add(large)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if s, err = Open(dir, Limits{}); err != nil {
		return err
	}
	defer s.Close()
	one, err := s.Get(first.ID)
	if err != nil || one.Done != 1 {
		return fmt.Errorf("%+v, %v", one, err)
	}
	file, err := s.File(nil, second.ID, "a")
	if err != nil || len(file) != 8<<20 {
		return fmt.Errorf("%d bytes, %v", len(file), err)
	}
	return nil
}

func TestFullDisk(t *testing.T) {
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), full+"="+t.TempDir())
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
