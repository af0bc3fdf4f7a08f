package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/dev/linked"
)

var someDate = time.Date(2026, 11, 23, 15, 36, 18, 0, time.UTC)

// TestArchives checks that archives do not depend on the order and the times of files, and that
// they hold the folders of their files.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	must.Do(t, os.WriteFile(program, []byte("program"), 0o600))
	files := []file{{name: "a/b/program", mode: 0o755, from: program},
		{name: "a/LICENSE", mode: 0o644, data: []byte("terms")},
		{name: "tmp/", mode: 0o777 | fs.ModeSticky}}
	names := []string{"a/", "a/LICENSE", "a/b/", "a/b/program", "tmp/"}
	for _, c := range []struct {
		name  string
		write func(io.Writer, []file, time.Time) error
		list  func(*testing.T, []byte) []string
	}{{"tar", writeTarGz, tarNames}, {"zip", writeZip, zipNames}} {
		t.Run(c.name, func(t *testing.T) {
			var first, second bytes.Buffer
			must.Do(t, c.write(&first, files, someDate))
			must.Do(t, os.Chtimes(program, time.Time{}, time.Now()))
			turned := slices.Clone(files)
			slices.Reverse(turned)
			must.Do(t, c.write(&second, turned, someDate))
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("two archives of the same files differ")
			}
			if got := c.list(t, first.Bytes()); !slices.Equal(got, names) {
				t.Errorf("the archive holds %q, want %q", got, names)
			}
		})
	}
}

// tarNames returns the names in a compressed tar archive, and fails on wrong owners, times and
// modes.
func tarNames(t *testing.T, data []byte) []string {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]int64{"a/b/program": 0o755, "a/LICENSE": 0o644, "tmp/": 0o1777}
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if want, ok := modes[h.Name]; h.Uid != 0 || !h.ModTime.Equal(someDate) ||
			ok && h.Mode != want {
			t.Errorf("%s: user %d, time %s, mode %o", h.Name, h.Uid, h.ModTime, h.Mode)
		}
	}
}

// zipNames returns the names in a zip archive.
func zipNames(t *testing.T, data []byte) []string {
	r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	return names
}

// TestSums checks digests, and that every kind of difference of two releases is found.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "bagscope.txt"), []byte("abc"), 0o644))
	sums := must.Get(writeSums(dir))(t)
	// The digest of "abc" is an example of FIPS 180-4.
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	text, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil || string(text) != abc+"  bagscope.txt\n" || sums["bagscope.txt"] != abc {
		t.Errorf("%q, %v", text, err)
	}
	a := map[string]string{"same": "1", "other": "1", "first": "1"}
	b := map[string]string{"same": "1", "other": "2", "second": "1"}
	got, want := compareSums(a, b), []string{"first", "other", "second"}
	if !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
}

// TestEmptyFolder checks that files of an old release are removed, and no others.
func TestEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bagscope-0.1.0.tgz", sumsFile} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	must.Do(t, emptyFolder(dir))
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o644))
	if err := emptyFolder(dir); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("a folder with another file: %v", err)
	}
}

// TestPlatforms reads the platforms of flags and of wheels.
func TestPlatforms(t *testing.T) {
	if list, err := parsePlatforms("linux/arm64,windows/amd64"); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := parsePlatforms("linux/386"); err == nil {
		t.Error("linux/386 is accepted")
	}
	for tag, want := range map[string]string{
		"manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64": "linux/arm64",
		"macosx_12_0_x86_64": "darwin/amd64", "macosx_12_0_arm64": "darwin/arm64",
		"win_amd64": "windows/amd64", "win_arm64": "windows/arm64", "any": "",
	} {
		p, err := wheelPlatform("bagscope-0.1.0-py3-none-" + tag + ".whl")
		if want == "" && err == nil || want != "" && p.String() != want {
			t.Errorf("%s: platform %s, %v, want %s", tag, p, err, want)
		}
	}
}

// TestWorkflow checks that the workflow runs the commands of every platform.
func TestWorkflow(t *testing.T) {
	workflow := must.Get(os.ReadFile("../../../.github/workflows/release.yml"))(t)
	list := must.Get(parsePlatforms(strings.Join(allPlatforms(), ",")))(t)
	for _, p := range list {
		if !strings.Contains(string(workflow), "platform: "+p.name()+" }") {
			t.Errorf("the workflow does not run the commands of %s", p)
		}
	}
}

// TestCertificates checks that the images' file has the roots of the large authorities.
func TestCertificates(t *testing.T) {
	var names []string
	for rest := certificates(); len(rest) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			t.Fatalf("%d bytes are not PEM", len(rest))
		}
		c := must.Get(x509.ParseCertificate(block.Bytes))(t)
		names = append(names, c.Subject.CommonName)
	}
	for _, want := range []string{"ISRG Root X1", "Amazon Root CA 1", "GTS Root R1"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing among %d roots", want, len(names))
		}
	}
}

// TestBill checks components, hashes and licences of a bill of materials.
func TestBill(t *testing.T) {
	apache := must.Get(os.ReadFile("../../../LICENSE"))(t)
	m := materials{component: "bagscope",
		bundled: []bundled{{"@scope/name", "1.2.3", "MIT"}, {"slide.svs", "", "CC0-1.0"}},
		modules: []linked.Module{{Path: linked.Own, Materials: []linked.Material{
			{Name: "c", Version: "1-2", License: "Apache-2.0 WITH LLVM-exception",
				URL: "pkg:deb/debian/c@1-2", Sum: "cd"}}},
			{Path: linked.Standard, Version: "go1.26.8",
				Licences: []linked.Licence{{File: "LICENSE", Text: string(apache)}}},
			{Path: "example.com/a", Version: "v2.0.0+incompatible", Sum: "h1:AAEC",
				Licences: []linked.Licence{{File: "LICENSE", Text: string(apache)}}}}}
	bom := must.Get(m.bill(source{version: "0.1.0", commit: "81ca", date: someDate}, "bagscope.tgz",
		"ab"))(t)
	text := must.Get(json.Marshal(bom))(t)
	for _, want := range []string{`"type":"data","name":"slide.svs"`,
		"pkg:golang/example.com/a@v2.0.0%2Bincompatible", `"000102"`, `"Apache-2.0"`,
		"pkg:npm/%40scope/name@1.2.3", "pkg:golang/std@go1.26.8",
		`"pkg:deb/debian/c@1-2"`, `"expression":"Apache-2.0 WITH LLVM-exception"`, `"cd"`,
		"2026-11-23T15:36:18Z"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the bill lacks %s", want)
		}
	}
	if n := len(*bom.Components); n != 5 {
		t.Errorf("%d components, want 5: the project's own module is none", n)
	}
	m.modules[2].Sum = ""
	if _, err := m.bill(source{}, "", ""); err == nil {
		t.Error("a module without a hash is accepted")
	}
}
