// Package linked finds the modules that Go programs link, and the licences of their sources.
package linked

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Own is the prefix of the paths of this project's modules.
const Own = "github.com/bagscope/bagscope"

// Standard is the path of the standard library in lists of modules.
const Standard = "std"

// Programs are main packages of one module, built for one platform.
type Programs struct {
	Dir      string   // folder of the module
	OS, Arch string   // GOOS and GOARCH
	Tags     []string // build tags
	Packages []string // such as ./tools/cmd/bagscope
}

// A Module is one that programs link, with the licences of the linked packages.
type Module struct {
	Path, Version string
	Sum           string // hash of go.sum; empty for the standard library and for Own
	Licences      []Licence
	Materials     []Material
}

// A Material is a work of others that a file in a linked package was made of, such as the sources
// of a WebAssembly module. The file materials.json beside it lists them.
type Material struct {
	Name, Version string
	License       string // the name by SPDX
	URL           string // a package URL
	Sum           string // SHA-256 of its archive in hexadecimal, or ""
}

// A Licence is a file with terms: of a licence, a notice or a patent grant.
type Licence struct{ File, Text string }

// listed is what go list prints for a package.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct{ Path, Version, Sum, Dir string }
}

// Modules returns the modules that programs link, the project's own first, then by path. It fails
// if a module has no licence file, because it could then not be distributed.
func Modules(ctx context.Context, p Programs) ([]Module, error) {
	packages, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	goroot, version, err := p.toolchain(ctx)
	if err != nil {
		return nil, err
	}
	modules := map[string]*Module{}
	for _, pkg := range packages {
		path, release, sum, root := Standard, version, "", goroot
		if m := pkg.Module; m != nil {
			path, release, sum, root = m.Path, m.Version, m.Sum, m.Dir
		}
		one := modules[path]
		if one == nil {
			one = &Module{Path: path, Version: release, Sum: sum}
			modules[path] = one
		}
		if err := one.addLicences(root, pkg.Dir); err != nil {
			return nil, err
		}
	}
	var list []Module
	for _, path := range slices.SortedFunc(maps.Keys(modules), ownFirst) {
		m := modules[path]
		if len(m.Licences) == 0 && !isOwn(path) {
			return nil, fmt.Errorf("%s %s has no licence file; it must not be distributed",
				path, m.Version)
		}
		slices.SortFunc(m.Licences, func(a, b Licence) int {
			return strings.Compare(a.File, b.File)
		})
		list = append(list, *m)
	}
	return list, nil
}

// list returns the packages that the programs link.
func (p Programs) list(ctx context.Context) ([]listed, error) {
	args := []string{"list", "-deps", "-json=Dir,Standard,Module",
		"-tags=" + strings.Join(p.Tags, ",")}
	out, err := p.run(ctx, append(args, p.Packages...)...)
	if err != nil {
		return nil, err
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg listed
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("the output of go list: %w", err)
		}
		if pkg.Module == nil && !pkg.Standard {
			return nil, fmt.Errorf("go list names no module for the package in %s", pkg.Dir)
		}
		packages = append(packages, pkg)
	}
}

// toolchain returns the folder and the version of the Go distribution, such as go1.26.8.
func (p Programs) toolchain(ctx context.Context) (goroot, version string, err error) {
	out, err := p.run(ctx, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return "", "", err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return "", "", fmt.Errorf("go env prints %q instead of GOROOT and GOVERSION", out)
	}
	return lines[0], lines[1], nil
}

// run runs the go command for the platform. Programs are linked without C.
func (p Programs) run(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = p.Dir
	c.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0", "GOFLAGS=")
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(problems.String()))
	}
	return out, nil
}

// addLicences adds the licence files of a package's folder and of the folders above it up to the
// module's root: parts of a module can have licences of their own.
func (m *Module) addLicences(root, dir string) error {
	for {
		within, err := filepath.Rel(root, dir)
		if err != nil || strings.HasPrefix(within, "..") {
			return fmt.Errorf("the package in %s is outside its module %s", dir, root)
		}
		if err := m.addFolder(within, dir); err != nil || within == "." {
			return err
		}
		dir = filepath.Dir(dir)
	}
}

// materialsFile lists the materials of a package.
const materialsFile = "materials.json"

// addMaterials adds what a file of materials lists, unless it was added before.
func (m *Module) addMaterials(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var list []Material
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	m.Materials = joined(m.Materials, list)
	return nil
}

// joined returns the values of two lists without repetition.
func joined[T comparable](list, more []T) []T {
	list = slices.Clone(list)
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// addFolder adds the licence files and the materials of one folder, unless they were added before.
// A folder of licences inside belongs to it.
func (m *Module) addFolder(within, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.ToSlash(filepath.Join(within, f.Name()))
		switch {
		case f.IsDir() && licenceFolder(f.Name()):
			err = m.addAll(name, filepath.Join(dir, f.Name()))
		case f.Type().IsRegular() && namesLicence(f.Name()):
			err = m.addFile(name, filepath.Join(dir, f.Name()))
		case f.Name() == materialsFile && isOwn(m.Path):
			err = m.addMaterials(filepath.Join(dir, f.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addAll adds all files of a folder of licences and of the folders in it.
func (m *Module) addAll(within, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return m.addFile(within+"/"+filepath.ToSlash(name), path)
	})
}

// addFile adds a licence file, unless it was added before.
func (m *Module) addFile(name, path string) error {
	if slices.ContainsFunc(m.Licences, func(l Licence) bool { return l.File == name }) {
		return nil
	}
	text, err := os.ReadFile(path)
	m.Licences = append(m.Licences, Licence{name, strings.TrimSpace(inUTF8(text))})
	return err
}

// inUTF8 returns a text in UTF-8. A text in another encoding, such as FreeType's terms with their
// copyright sign, is taken for ISO 8859-1, whose bytes are the numbers of their characters.
func inUTF8(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	characters := make([]rune, len(text))
	for i, b := range text {
		characters[i] = rune(b)
	}
	return string(characters)
}

// licenceFolder reports whether a folder contains licences, judged by its name.
func licenceFolder(name string) bool {
	name = strings.ToLower(name)
	return name == "licenses" || name == "licences" || name == "third_party_licenses"
}

// namesLicence reports whether a file contains terms of code, judged by its name. LICENSE.docs has
// those of documentation.
func namesLicence(name string) bool {
	name = strings.ToLower(name)
	switch filepath.Ext(name) {
	case ".go", ".sh", ".py", ".yml", ".yaml", ".json", ".tmpl", ".tpl", ".docs":
		return false
	}
	return slices.ContainsFunc([]string{"licence", "license", "copying", "notice", "patents"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func isOwn(path string) bool { return path == Own || strings.HasPrefix(path, Own+"/") }

// ownFirst orders the project's modules before others, and each group by path.
func ownFirst(a, b string) int {
	if isOwn(a) != isOwn(b) {
		if isOwn(a) {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

// Text returns the licences of modules as one text, a section for each module, which names the
// module's materials. Equal modules give equal bytes.
func Text(modules []Module) string {
	var sections []string
	for _, m := range modules {
		if len(m.Licences) == 0 {
			continue // a module of the project: the root's licence applies
		}
		title := m.Path
		if !isOwn(m.Path) {
			title += " " + m.Version
		}
		section := title + "\n" + strings.Repeat("=", len(title)) + "\n"
		for _, w := range m.Materials {
			section += "\nmade of " + w.Name + " " + w.Version + ", " + w.License
		}
		if len(m.Materials) > 0 {
			section += "\n"
		}
		for _, l := range m.Licences {
			section += "\n" + l.File + "\n\n" + l.Text + "\n"
		}
		sections = append(sections, section)
	}
	return strings.Join(sections, "\n\n")
}

// Union returns the modules of several lists without repetition, with the licences and the
// materials of all lists.
func Union(lists ...[]Module) []Module {
	modules := map[string]Module{}
	for _, m := range slices.Concat(lists...) {
		before := modules[m.Path]
		m.Licences = joined(m.Licences, before.Licences)
		m.Materials = joined(m.Materials, before.Materials)
		slices.SortFunc(m.Licences, func(a, b Licence) int {
			return strings.Compare(a.File, b.File)
		})
		modules[m.Path] = m
	}
	var union []Module
	for _, path := range slices.SortedFunc(maps.Keys(modules), ownFirst) {
		union = append(union, modules[path])
	}
	return union
}
