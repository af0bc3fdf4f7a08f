package cohort

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/bagscope/bagscope/internal/must"
)

// A cohort whose files are all in buckets has the results of one in folders, and the next run
// reuses them.
func TestBucket(t *testing.T) {
	const folder = "wasm/parity/testdata/"
	files := []string{"tiny.csv", "tiny_parts.onnx", "tiny_parts.onnx.data"}
	// Bags, one that is not there, one of another model, and a line that is broken.
	text := "model,bag,index\n" +
		"tiny_parts.onnx,tiny.csv,0\n" +
		"tiny_parts.onnx,gone.csv,0\n" +
		"tiny_parts.onnx,tiny.csv,1\n" +
		"gone.onnx,tiny.csv,1\n" +
		"tiny_parts.onnx,tiny.csv,2\n" +
		",,\n"
	local := t.TempDir()
	for _, file := range files {
		data := must.Get(os.ReadFile(repo(t, folder+file)))(t)
		must.Do(t, os.WriteFile(filepath.Join(local, file), data, 0o600))
	}
	must.Do(t, os.WriteFile(filepath.Join(local, "m.csv"), []byte(text), 0o600))
	o := Options{Manifest: filepath.Join(local, "m.csv"), Out: filepath.Join(local, "out"),
		Request: json.RawMessage(quickly), PerFile: 3}
	run(t, o)
	want := outputs(t, o.Out)
	for _, scheme := range []string{"memfs", "s3", "gs"} {
		t.Run(scheme, func(t *testing.T) {
			switch scheme {
			case "s3":
				s3Store(t, "bucket")
			case "gs":
				gsStore(t, "bucket")
			}
			in := scheme + "://bucket/Ulm, Süd (1)/in/"
			for _, file := range append(files, "m.csv") {
				data := must.Get(os.ReadFile(filepath.Join(local, file)))(t)
				must.Do(t, writeFile(t.Context(), in+file,
					func(w io.Writer) error { _, err := w.Write(data); return err }))
			}
			o := o
			o.Manifest, o.Out = in+"m.csv", scheme+"://bucket/out/"
			for _, reused := range []int64{0, 3} {
				if s := run(t, o); s.Finished != 3 || s.Failed != 3 || s.Kinds["file"] != 2 ||
					progress.reused.Load() != reused {
					t.Fatalf("%+v, %d from before", s, progress.reused.Load())
				}
				for name, text := range want {
					data, err := readFile(t.Context(), o.Out+name, maxFile)
					text = strings.ReplaceAll(text, local+string(filepath.Separator), in)
					if err != nil || string(data) != text {
						t.Errorf("%s: %v\n%.600s\nwant\n%.600s", name, err, data, text)
					}
				}
			}
			o.PerFile = 0 // what an earlier run left goes
			run(t, o)
			name := o.Out + "results-00000.jsonl"
			must.Equal(t, notThere(must.Err(readFile(t.Context(), name, maxFile))), true)
			if store, err := storeOf(o.Out); err != nil {
				t.Error(err)
			} else if left, err := store.List(t.Context(), o.Out+"attempts/*"); err != nil ||
				len(left) > 0 {
				t.Errorf("marks %v, %v", left, err)
			}
		})
	}
}

// The errors of a store have the same text in every run.
func TestBucketErrors(t *testing.T) {
	s3Store(t, "bucket")
	gsStore(t, "bucket")
	for _, c := range []struct{ name, says string }{
		{"s3://bucket/gone.npz", "the file s3://bucket/gone.npz does not exist"},
		{"gs://bucket/gone.npz", "the file gs://bucket/gone.npz does not exist"},
		{"s3://nowhere/gone.npz", "the bucket nowhere does not exist"},
		{"gs://nowhere/gone.npz", "the file gs://nowhere/gone.npz does not exist"},
		{"s3://bucket/a#1.npz", "#"}, {"gs://bucket/a?b.npz", "?"}, {"gs://bucket/50%.npz", "%"},
		{"s3://bucket", "name of the object is missing"}, {"s3://bucket/",
			"name of the object is missing"}, {"gs:///bag.npz", "name of the bucket is missing"},
		{"ftp://bucket/bag.npz", "ftp"},
	} {
		_, err := readFile(t.Context(), c.name, maxFile)
		must.Equal(t, err != nil, true, c.name, err)
		must.Equal(t, strings.Contains(err.Error(), c.says), true, c.name, err)
		must.Equal(t, strings.Contains(err.Error(), "RequestID"), false, c.name, err)
	}
	err := writeFile(t.Context(), "s3://nowhere/x",
		func(w io.Writer) error { _, err := w.Write([]byte("x")); return err })
	must.Fail(t, err)
	must.Contain(t, err.Error(), "the bucket nowhere does not exist")
}

// TestSilentStore: a store that cannot be reached is not asked for ever.
func TestSilentStore(t *testing.T) {
	storeTimeout = 100 * time.Millisecond
	defer func() { storeTimeout = 2 * time.Minute }()
	t.Setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:1")
	forget(t, "gs")
	_, read := readFile(t.Context(), "gs://bucket/a.npz", maxFile)
	for _, err := range []error{read, removeFiles(t.Context(), "gs://bucket/out", "tables/*.csv"),
		removeFile(t.Context(), "gs://bucket/a.npz")} {
		if err == nil || !strings.Contains(err.Error(), "did not respond within 100ms") &&
			!strings.Contains(err.Error(), "refused") {
			t.Error(err)
		}
	}
	must.Equal(t, strings.Contains(read.Error(), "did not respond within"), true, read)
}

func TestBeside(t *testing.T) {
	for _, c := range [][3]string{
		{"gs://b/m/list.jsonl", "a/x.onnx", "gs://b/m/a/x.onnx"},
		{"gs://b/list.jsonl", "s3://c/x.onnx", "s3://c/x.onnx"},
		{filepath.Join("d", "list.jsonl"), "x.onnx", filepath.Join("d", "x.onnx")},
		{"list.jsonl", "x.onnx", "x.onnx"},
		{filepath.Join("d", "list.jsonl"), filepath.Join(t.TempDir(), "x"), ""},
	} {
		want := c[2]
		if want == "" {
			want = c[1]
		}
		must.Equal(t, beside(c[0], c[1]), want, c[1], c[0])
	}
}
