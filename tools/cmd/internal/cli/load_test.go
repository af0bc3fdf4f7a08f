package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// A file that is too large is refused before it is read, and a device without an end at the limit.
func TestReadIsBounded(t *testing.T) {
	const most = 1 << 20
	sparse := filepath.Join(t.TempDir(), "large")
	must.Do(t, os.WriteFile(sparse, nil, 0o600))
	for _, size := range []int64{0, most, most + 1, 1 << 50} {
		if err := os.Truncate(sparse, size); err != nil {
			t.Logf("this file system has no files of %d bytes", size)
			continue
		}
		data, err := readUntil(t.Context(), sparse, &quota.FileSizeError{Most: most})
		if size <= most && (err != nil || int64(len(data)) != size) ||
			size > most && (err == nil || !strings.Contains(err.Error(), "more than 1048576")) {
			t.Errorf("%d bytes: %d are read, %v", size, len(data), err)
		}
	}
	folder := t.TempDir()
	if _, err := ReadFile(t.Context(), folder); err == nil ||
		err.Error() != folder+" cannot be read: it is a folder; name a file in it" {
		t.Errorf("a folder: %v", err)
	}
	if _, err := os.Stat("/dev/zero"); err != nil {
		return
	}
	must.Fail(t, must.Err(readUntil(t.Context(), "/dev/zero", &quota.FileSizeError{Most: most})),
		"/dev/zero cannot be read: it has more than 1048576")
}
