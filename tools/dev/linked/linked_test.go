package linked

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestModules compares what the everyday command and the program for browsers link with known
// modules.
func TestModules(t *testing.T) {
	for _, c := range []struct {
		name            string
		programs        Programs
		linked, missing []string
	}{
		{"command for Linux", Programs{OS: "linux", Arch: "arm64",
			Packages: []string{"./tools/cmd/bagscope"}},
			[]string{"github.com/spf13/cobra", "go.etcd.io/bbolt"},
			[]string{"gorgonia.org/gorgonia", "github.com/inconshreveable/mousetrap"}},
		{"command for Windows", Programs{OS: "windows", Arch: "amd64",
			Packages: []string{"./tools/cmd/bagscope"}},
			[]string{"github.com/spf13/cobra", "github.com/inconshreveable/mousetrap"},
			[]string{"gorgonia.org/gorgonia"}},
		{"program for browsers", Programs{OS: "js", Arch: "wasm", Tags: []string{"bagscope_simd"},
			Packages: []string{"./wasm"}},
			[]string{"google.golang.org/protobuf"}, []string{"github.com/spf13/cobra"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.programs.Dir = "../../.."
			modules := must.Get(Modules(t.Context(), c.programs))(t)
			must.Equal(t, modules[0].Path, Own, "the first module is")
			for _, path := range append(c.linked, Standard) {
				must.Equal(t, has(modules, path), true, path)
			}
			for _, path := range c.missing {
				must.Equal(t, has(modules, path), false, path)
			}
			for _, m := range modules {
				if m.Sum == "" && m.Path != Own && m.Path != Standard {
					t.Errorf("%s has no hash", m.Path)
				}
			}
		})
	}
}

func has(modules []Module, path string) bool {
	return slices.ContainsFunc(modules, func(m Module) bool { return m.Path == path })
}

// TestLicencesOfParts checks that a package's folders up to the module's root are searched, and
// that a file of code is not taken for a licence.
func TestLicencesOfParts(t *testing.T) {
	root := t.TempDir()
	part := filepath.Join(root, "a", "b")
	for _, dir := range []string{part, filepath.Join(root, "a", "licenses")} {
		must.Do(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range []string{"LICENSE", "NOTICE.txt", "a/b/Licence.md", "a/license.go",
		"a/copy.txt", "a/licenses/ftl.txt"} {
		must.Do(t, os.WriteFile(filepath.Join(root, name), []byte("terms of "+name), 0o644))
	}
	var m Module
	for range 2 { // the second package of a folder adds nothing
		must.Do(t, m.addLicences(root, part))
	}
	var files []string
	for _, l := range m.Licences {
		files = append(files, l.File)
	}
	want := []string{"a/b/Licence.md", "a/licenses/ftl.txt", "LICENSE", "NOTICE.txt"}
	must.EqualSlices(t, files, want)
	must.Fail(t, m.addLicences(part, root))
}

// TestEncodings checks that a text in ISO 8859-1 becomes UTF-8, and that UTF-8 stays.
func TestEncodings(t *testing.T) {
	for given, want := range map[string]string{"\xa9 1996": "© 1996", "© 1996": "© 1996", "": ""} {
		must.Equal(t, inUTF8([]byte(given)), want, given)
	}
}

// TestUnlicensed checks that a module without a licence file is an error.
func TestUnlicensed(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/a\n\ngo 1.26\n\nrequire example.com/b v1.0.0\n\n" +
			"replace example.com/b => ./b\n",
		"a.go":     "package main\n\nimport _ \"example.com/b\"\n\nfunc main() {}\n",
		"LICENSE":  "terms",
		"b/go.mod": "module example.com/b\n\ngo 1.26\n",
		"b/b.go":   "package b\n",
	} {
		file := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	}
	_, err := Modules(t.Context(), Programs{Dir: root, OS: "linux", Arch: "amd64",
		Packages: []string{"."}})
	must.Fail(t, err, "example.com/b v1.0.0 has no licence file")
}

// TestMaterials expects the materials of codec.wasm in each program that decodes JPEG 2000, and
// that they are what its script builds.
func TestMaterials(t *testing.T) {
	script := string(must.Get(os.ReadFile("../codec/build.sh"))(t))
	for _, p := range []Programs{
		{OS: "linux", Arch: "amd64", Packages: []string{"./tools/cmd/bagscope"}},
		{OS: "js", Arch: "wasm", Tags: []string{"bagscope_simd"}, Packages: []string{"./wasm"}},
	} {
		p.Dir = "../../.."
		own := must.Get(Modules(t.Context(), p))(t)[0]
		must.Equal(t, len(own.Materials), 3, p.OS, own.Materials)
		source := own.Materials[0]
		for _, want := range []string{"version=" + source.Version + "\n", source.Sum + "  " +
			source.Name + "_"} {
			must.Contain(t, script, want)
		}
		for _, m := range own.Materials[1:] {
			must.Contain(t, script, m.Name)
		}
		for _, m := range own.Materials {
			must.Contain(t, Text([]Module{own}), m.Name+" "+m.Version+", "+m.License+"\n")
		}
	}
}

// TestUnion checks that a module of two lists occurs once with the licences of both.
func TestUnion(t *testing.T) {
	a := Module{Path: "example.com/a", Version: "v1", Licences: []Licence{{"LICENSE", "one"}}}
	b := Module{Path: "example.com/a", Version: "v1", Licences: []Licence{{"LICENSE", "one"},
		{"zstd/LICENSE", "two"}}}
	own := func(names ...string) []Module {
		m := Module{Path: Own}
		for _, name := range names {
			m.Materials = append(m.Materials, Material{Name: name})
		}
		return []Module{m}
	}
	union := Union([]Module{b}, []Module{a}, own("x"), own("x", "y"))
	if len(union) != 2 || union[0].Path != Own || len(union[0].Materials) != 2 ||
		len(union[1].Licences) != 2 {
		t.Errorf("union %+v", union)
	}
	want := "example.com/a v1\n================\n\nLICENSE\n\none\n\nzstd/LICENSE\n\ntwo\n"
	must.Equal(t, Text(union), want)
}
