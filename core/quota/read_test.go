package quota

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bagscope/bagscope/internal/must"
)

// TestReadAll reads texts of several sizes, whole and byte by byte, with and without their size.
func TestReadAll(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 70_000} {
		text := strings.Repeat("a", n)
		for _, r := range []io.Reader{
			strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)),
			iotest.DataErrReader(strings.NewReader(text)),
		} {
			m := NewMemory(1 << 20)
			data, err := m.ReadAll(r, 0, "a text")
			if err != nil || string(data) != text || m.Held() != int64(cap(data)) {
				t.Errorf("%d bytes: %v; %d are reserved for %d", n, err, m.Held(), cap(data))
			}
		}
		m := NewMemory(int64(max(n+1, 512)))
		data, err := m.ReadAll(strings.NewReader(text), int64(n), "a text")
		if err != nil || string(data) != text || m.Held() != m.Peak() {
			t.Errorf("%d bytes with their size: %v; at most %d are reserved", n, err, m.Peak())
		}
	}
	data := must.Get((*Memory)(nil).ReadAll(strings.NewReader("abc"), 1, "a text"))(t)
	must.Equal(t, string(data), "abc", data)
}

// After an error nothing stays reserved.
func TestReadAllFails(t *testing.T) {
	m := NewMemory(10_000)
	var refused *MemoryError
	long := strings.Repeat("a", 20_000)
	must.As(t, must.Err(m.ReadAll(strings.NewReader(long), 0, "a text")), &refused)
	broken := io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF))
	must.Equal(t, must.Err(m.ReadAll(broken, 0, "a text")), io.ErrUnexpectedEOF)
	must.Equal(t, m.Held(), 0)
}
