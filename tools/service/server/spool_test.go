package server

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// largeBag returns an .npy file of digits, a little larger than what is held in memory.
func largeBag() []byte {
	const k = spoolFrom/(4*784) + 10
	out := fmt.Appendf(nil, "\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf(
		"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1, 28, 28), }", k))
	for i := range k * 784 {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(i%251)/250))
	}
	return out
}

// TestLargeUpload sends a bag that is kept in a temporary file. The answer is that for the same
// file below the folder of bags; nothing of the file is left, also after a failure.
func TestLargeUpload(t *testing.T) {
	data, folder, temporary := largeBag(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // on Windows
	must.Do(t, os.WriteFile(filepath.Join(folder, "bag.npy"), data, 0o600))
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	s, url := serve(t, Options{Bags: root})
	model := part{name: "model", data: []byte("model")}
	left := func(what string) {
		t.Helper()
		until(t, "the temporary file of "+what+" is removed", func() bool {
			files, err := os.ReadDir(temporary)
			return err == nil && len(files) == 0 && s.disk.Held() == 0
		})
	}
	status, _, want := post(t, url+"/v1/predict", "", model, part{name: "bag",
		data: []byte("bag.npy")})
	must.Equal(t, status, http.StatusOK, want)
	status, _, got := post(t, url+"/v1/predict", "", model, part{"bag", "bag.npy", data})
	must.Equal(t, status, http.StatusOK, got, want)
	must.EqualSlices(t, got, want, status)
	must.Equal(t, s.disk.Peak(), int64(len(data)), len(data))
	left("an upload")
	status, _, got = post(t, url+"/v1/groups", "", model, part{"bag", "bag.npy", data})
	must.Equal(t, status, http.StatusOK, got)
	left("the upload of a what-if")
	status, kind, body := post(t, url+"/v1/predict", "", model, part{"bag", "bag.npy",
		append([]byte("\x93NUMPY\x01\x00\xff\xff"), data...)})
	wantProblem(t, "a damaged upload", status, kind, body, "format", "bag.npy")
	left("a damaged upload")
	s.disk = quota.NewMemory(spoolFrom)
	status, kind, body = post(t, url+"/v1/predict", "", model, part{"bag", "bag.npy", data})
	wantProblem(t, "an upload beyond the limit", status, kind, body, "busy", "temporary files")
	left("an upload beyond the limit")
}
