package installs

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNotices checks that each file of the release contains the licences of everything that its
// bill of materials lists.
func TestNotices(t *testing.T) {
	bills, err := filepath.Glob(filepath.Join(*releaseFolder, "*.cdx.json"))
	if err != nil || len(bills) < 8 {
		t.Fatalf("%d bills of materials in %s, %v; make installs writes the release", len(bills),
			*releaseFolder, err)
	}
	for _, name := range bills {
		text := must.Get(os.ReadFile(name))(t)
		var bill struct {
			Metadata   struct{ Component component }
			Components []component
		}
		must.Do(t, json.Unmarshal(text, &bill))
		file := strings.TrimSuffix(name, ".cdx.json")
		t.Run(filepath.Base(file), func(t *testing.T) {
			texts := notices(t, file, bill.Metadata.Component)
			for _, c := range append(bill.Components, component{Name: "Apache License"}) {
				title := strings.TrimSpace(c.Name + " " + c.Version)
				if !strings.Contains(texts, title) {
					t.Errorf("the licence of %s is missing", title)
				}
			}
		})
	}
}

// A component is what a bill of materials lists.
type component struct{ Name, Version string }

// notices returns the texts of a file's licences: of all files below it named LICENSE or LICENSES.
func notices(t *testing.T, file string, about component) string {
	t.Helper()
	files := must.Get(contents(t.TempDir(), file, about))(t)
	var texts strings.Builder
	must.Do(t, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "LICENSE") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		texts.Write(text)
		return err
	}))
	return texts.String()
}

// contents returns the files in a file of the release, unpacked into a folder if they have to be.
func contents(dir, file string, about component) (fs.FS, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch filepath.Ext(file) {
	case ".whl", ".zip":
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return zip.NewReader(strings.NewReader(string(text)), int64(len(text)))
	case ".gz", ".tgz":
		inside := filepath.Join(dir, "files")
		return os.DirFS(inside), gunzip(f, func(r io.Reader) error { return untar(r, inside) })
	default:
		if err := untar(f, filepath.Join(dir, "layout")); err != nil {
			return nil, err
		}
		one, err := findImage(filepath.Join(dir, "layout"),
			"localhost/"+about.Name+":"+about.Version)
		if err != nil {
			return nil, err
		}
		files, inside := mutate.Extract(one), filepath.Join(dir, "files")
		return os.DirFS(inside), errors.Join(untar(files, inside), files.Close())
	}
}
