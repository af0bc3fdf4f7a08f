package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// switchFile is the file that an overlay adds to a package. It reads the active mutant from the
// environment, and appends the number of each mutant that is reached to a file.
const switchFile = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantActive  = func() int { n, _ := strconv.Atoi(os.Getenv("MUTANT")); return n }()
	mutantReached = os.Getenv("MUTANTS_REACHED")
	mutantsSeen   sync.Map
)

func mutantAt(id int) {
	if _, seen := mutantsSeen.LoadOrStore(id, true); seen {
		return
	}
	f, err := os.OpenFile(mutantReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		f.WriteString(strconv.Itoa(id) + "\n")
		f.Close()
	}
}
`

// A span is the place of a mutant's copy of its function in a changed file.
type span struct {
	from, to int
	mutant   *mutant
}

// program returns the changed files of a package by their paths, and the copies in them. A function
// begins with a choice between changed copies of itself, as function literals.
func (p *sourcePackage) program(chosen []*mutant) (map[string][]byte, map[string][]span) {
	texts := map[string][]byte{
		filepath.Join(p.dir, "zz_mutants.go"): fmt.Appendf(nil, switchFile, p.name)}
	spans := map[string][]span{}
	for _, f := range p.files {
		var insertions []insertion
		for _, m := range chosen {
			if m.file != f {
				continue
			}
			insertions = append(insertions,
				insertion{f.at(m.function.Body.Lbrace) + 1, f.copy(m), m},
				insertion{f.at(m.reach),
					fmt.Sprintf(` if mutantReached != "" { mutantAt(%d) };`, m.id), nil})
		}
		if len(insertions) == 0 {
			continue
		}
		slices.SortStableFunc(insertions, func(a, b insertion) int {
			return cmp.Compare(a.at, b.at)
		})
		var out []byte
		done := 0
		for _, in := range insertions {
			out = append(out, f.source[done:in.at]...)
			done = in.at
			from := len(out)
			out = append(out, in.text...)
			if in.mutant != nil {
				spans[f.path] = append(spans[f.path], span{from, len(out), in.mutant})
			}
		}
		texts[f.path] = append(out, f.source[done:]...)
	}
	return texts, spans
}

// An insertion is text before an offset; mutant is nil for what only notes a reached mutant.
type insertion struct {
	at     int
	text   string
	mutant *mutant
}

// copy returns the statement that runs a mutant's function instead of the rest of the function.
func (f *sourceFile) copy(m *mutant) string {
	open, end := f.at(m.function.Body.Lbrace), f.at(m.function.Body.End())
	body := string(f.source[open:f.at(m.change.pos)]) + m.change.text +
		string(f.source[f.at(m.change.end):end])
	if results := m.function.Type.Results; results != nil {
		return fmt.Sprintf(" if mutantActive == %d { return func() %s %s() };", m.id,
			f.text(results), body)
	}
	return fmt.Sprintf(" if mutantActive == %d { func() %s(); return };", m.id, body)
}

// check type-checks the package with all chosen mutants, and returns those that do not compile.
func (p *sourcePackage) check(chosen []*mutant) ([]*mutant, error) {
	texts, spans := p.program(chosen)
	paths := []string{filepath.Join(p.dir, "zz_mutants.go")}
	for _, f := range p.files {
		paths = append(paths, f.path)
	}
	var bad []*mutant
	var foreign error
	found := func(path string, offset int, err error) {
		for _, s := range spans[path] {
			if s.from <= offset && offset < s.to {
				if !slices.Contains(bad, s.mutant) {
					bad = append(bad, s.mutant)
				}
				return
			}
		}
		foreign = errors.Join(foreign, err)
	}
	var files []*ast.File
	for i, path := range paths {
		text, changed := texts[path]
		if !changed {
			files = append(files, p.files[i-1].syntax)
			continue
		}
		file, err := parser.ParseFile(p.set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("a mutant of %s is no Go code: %w", p.folder, err)
		}
		files = append(files, file)
	}
	config := types.Config{Importer: p.importer, Error: func(err error) {
		var e types.Error
		if !errors.As(err, &e) {
			foreign = errors.Join(foreign, err)
		} else if !strings.HasPrefix(e.Msg, "\t") { // the rest of the error before it
			at := p.set.Position(e.Pos)
			found(at.Filename, at.Offset, err)
		}
	}}
	_, _ = config.Check(p.folder, p.set, files, nil) // found has got all errors
	if len(bad) > 0 {
		return bad, nil
	}
	return nil, foreign
}
