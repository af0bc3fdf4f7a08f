package arch

import (
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const modulePath = "github.com/bagscope/bagscope"

// A platform is what build constraints are read for.
type platform struct{ os, arch, tag string }

var (
	native  = platform{"linux", "amd64", ""}
	browser = platform{"js", "wasm", ""}
)

// with is a platform whose programs are built with a tag.
func (p platform) with(tag string) platform {
	p.tag = tag
	return p
}

// A tree is the module on disk with all it depends on.
type tree struct {
	root     string
	modcache string            // folder of modules
	goroot   string            // folder of the Go distribution
	modules  map[string]string // required module to version, from go.mod
}

var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+([^\s()]+\.[^\s()]+) (v[^\s]+)`)

// openTree reads go.mod in root.
func openTree(root string) (*tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, modules: map[string]string{}}
	for _, m := range requirement.FindAllStringSubmatch(string(mod), -1) {
		t.modules[m[1]] = m[2]
	}
	// Programs built with -trimpath do not know GOROOT.
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMODCACHE GOROOT: %w", err)
	}
	t.modcache, t.goroot, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return t, nil
}

// packages returns the import paths of the module's own packages, sorted.
func (t *tree) packages() ([]string, error) {
	found := map[string]bool{}
	err := filepath.WalkDir(t.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != t.root && (name == "node_modules" || name == "testdata" ||
			strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ".go") {
			dir, err := filepath.Rel(t.root, filepath.Dir(p))
			if err != nil {
				return err
			}
			found[path.Join(modulePath, filepath.ToSlash(dir))] = true
		}
		return nil
	})
	var list []string
	for p := range found {
		list = append(list, p)
	}
	slices.Sort(list)
	return list, err
}

// dir returns where the sources of an import path lie.
func (t *tree) dir(imported string) (string, error) {
	if rest, ok := within(imported, modulePath); ok {
		return filepath.Join(t.root, filepath.FromSlash(rest)), nil
	}
	for module, version := range t.modules {
		if rest, ok := within(imported, module); ok {
			dir := filepath.Join(t.modcache, escape(module)+"@"+version, filepath.FromSlash(rest))
			if _, err := os.Stat(dir); err == nil {
				return dir, nil
			}
		}
	}
	src := filepath.Join(t.goroot, "src")
	for _, dir := range []string{filepath.Join(src, imported),
		filepath.Join(src, "vendor", imported)} {
		if _, err := os.Stat(dir); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("the sources of %s are not on this machine; run go mod download",
		imported)
}

// imports returns what the files of a package for a platform import, and apart from that what its
// tests import. Both are empty when no file is for the platform.
func (t *tree) imports(pkg string, on platform) (code, tests []string, err error) {
	dir, err := t.dir(pkg)
	if err != nil {
		return nil, nil, err
	}
	b := build.Default
	b.GOOS, b.GOARCH, b.CgoEnabled = on.os, on.arch, false
	if on.tag != "" {
		b.BuildTags = []string{on.tag}
	}
	p, err := b.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none {
		err = nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", pkg, err)
	}
	return p.Imports, slices.Concat(p.TestImports, p.XTestImports), nil
}

// reach returns every package that a program links on a platform, each with the package that first
// led to it.
func (t *tree) reach(program string, on platform) (map[string]string, error) {
	from := map[string]string{program: ""}
	queue := []string{program}
	for len(queue) > 0 {
		pkg := queue[0]
		queue = queue[1:]
		code, _, err := t.imports(pkg, on)
		if err != nil {
			return nil, err
		}
		for _, next := range code {
			if _, seen := from[next]; !seen && next != "C" && next != "unsafe" {
				from[next] = pkg
				queue = append(queue, next)
			}
		}
	}
	return from, nil
}

// within returns the part of an import path below a prefix, and whether it lies there.
func within(imported, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(imported, prefix)
	return strings.TrimPrefix(rest, "/"), ok && (rest == "" || rest[0] == '/')
}

// escape writes a module path as the module cache does: capitals as '!' and the small letter.
func escape(module string) string {
	var b strings.Builder
	for _, r := range module {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
