package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A sourceFile is a Go file of a package, and its syntax.
type sourceFile struct {
	name   string // base name
	path   string // absolute
	source []byte
	set    *token.FileSet
	syntax *ast.File
}

// A sourcePackage is the code of a package without its tests, for this machine.
type sourcePackage struct {
	folder   string // relative to the root of the repository
	dir      string // absolute
	name     string
	files    []*sourceFile
	set      *token.FileSet
	importer types.Importer
}

// readPackage parses a package and finds the compiled packages that it imports. It runs in the root
// of the repository.
func readPackage(ctx context.Context, folder string) (*sourcePackage, error) {
	out, err := output(exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{.Name}}\t{{join .GoFiles \" \"}}", "./"+folder))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be listed: %w", folder, err)
	}
	exports := map[string]string{}
	p := &sourcePackage{folder: folder, set: token.NewFileSet()}
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		// A package comes after those that it imports, so the last line is the package itself.
		columns := strings.Split(lines.Text(), "\t")
		exports[columns[0]] = columns[1]
		p.dir, p.name, names = columns[2], columns[3], strings.Fields(columns[4])
	}
	p.importer = importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(file)
	})
	for _, name := range names {
		f := &sourceFile{name: name, path: filepath.Join(p.dir, name), set: p.set}
		if f.source, err = os.ReadFile(f.path); err != nil {
			return nil, err
		}
		f.syntax, err = parser.ParseFile(p.set, f.path, f.source,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	return p, nil
}

// output returns the standard output of a command, and an error with the end of what it wrote.
func output(c *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		text := strings.TrimSpace(errs.String())
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-2000):])
	}
	return out, nil
}

// at returns the offset of a position in the source.
func (f *sourceFile) at(p token.Pos) int { return f.set.Position(p).Offset }

// text returns the source of a node.
func (f *sourceFile) text(n ast.Node) string {
	return string(f.source[f.at(n.Pos()):f.at(n.End())])
}

// nameOf returns the name of a function, with the type of its receiver.
func (f *sourceFile) nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	return strings.TrimPrefix(f.text(fn.Recv.List[0].Type), "*") + "." + fn.Name.Name
}

// shown returns what a change does, in one line: "a < b → a <= b".
func (f *sourceFile) shown(c change) string {
	if c.operator == "early return" {
		return "→" + strings.TrimRight(c.text, " ")
	}
	from, to := f.at(c.shown.Pos()), f.at(c.shown.End())
	pos, end := f.at(c.pos), f.at(c.end)
	after := string(f.source[from:pos]) + c.text + string(f.source[end:to])
	return line(string(f.source[from:to])) + " → " + line(after)
}

// line returns code as one line of up to 100 characters.
func line(code string) string {
	r := []rune(strings.Join(strings.Fields(code), " "))
	if len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return string(r)
}
