package cohort

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
)

// TestBucket runs a cohort whose every file is in a store that is no folder: what it writes is what a folder would hold.
func TestBucket(t *testing.T) {
	put := func(from, to string) {
		data, err := os.ReadFile(repo(t, from))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(t.Context(), to, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			t.Fatal(err)
		}
	}
	const folder = "wasm/parity/testdata/"
	for _, file := range []string{"tiny.csv", "tiny_parts.onnx", "tiny_parts.onnx.data"} {
		put(folder+file, "memfs://bucket/in/"+file)
	}
	local := t.TempDir()
	text := "model,bag,index\n"
	for i := range 3 {
		text += fmt.Sprintf("tiny_parts.onnx,tiny.csv,%d\n", i)
	}
	if err := writeFile(t.Context(), "memfs://bucket/in/m.csv", func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"tiny.csv", "tiny_parts.onnx", "tiny_parts.onnx.data"} {
		data, err := os.ReadFile(repo(t, folder+file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(local, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(local, "m.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(local, "out")
	o := Options{Manifest: filepath.Join(local, "m.csv"), Out: out, Request: json.RawMessage(quickly)}
	run(t, o)
	want := outputs(t, out)
	o.Manifest, o.Out = "memfs://bucket/in/m.csv", "memfs://bucket/out/"
	for range 2 {
		if s := run(t, o); s.Finished != 3 {
			t.Fatalf("%+v", s)
		}
		for name, text := range want {
			data, err := readFile(context.Background(), "memfs://bucket/out/"+name)
			if err != nil || string(data) != text {
				t.Errorf("%s: %v\n%.300s\nwant\n%.300s", name, err, data, text)
			}
		}
	}
	if n := progress.reused.Load(); n != 3 {
		t.Errorf("the second run found %d bags of 3", n)
	}
	if strings.Contains(want["results.jsonl"], "cannot") {
		t.Error(want["results.jsonl"])
	}
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
		if got := beside(c[0], c[1]); got != want {
			t.Errorf("%s beside %s is %s, want %s", c[1], c[0], got, want)
		}
	}
}
