package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A language is how the mutants of files that are not Go are found and tried. Both are programs
// beside this one, which know the syntax and the test runner.
type language struct {
	ending string
	// list prints the mutants of the files that are its last arguments: a list of foreignMutant.
	list []string
	// try reads a list of foreignMutant, tries each and prints a foreignResult. Its last arguments
	// are the folder of the code and what to test: the folders after the colon of packages.txt.
	try []string
}

const (
	python  = "tools/python/.venv/bin/python"
	scripts = "tools/dev/mutate/"
)

var languages = []language{
	{".py", []string{python, scripts + "python/candidates.py"},
		[]string{python, scripts + "python/trial.py"}},
	{".ts", []string{"node", scripts + "typescript/candidates.mjs"},
		[]string{"node", scripts + "typescript/trial.mjs"}},
}

// A foreignMutant is a change of a file of another language.
type foreignMutant struct {
	ID       int    `json:"id"`
	File     string `json:"file"` // relative to the root of the repository
	Line     int    `json:"line"`
	Function string `json:"function"`
	Operator string `json:"operator"`
	Shown    string `json:"shown"` // "a < b → a <= b"
	// Begin and End are offsets of the bytes that Text replaces.
	Begin int    `json:"begin"`
	End   int    `json:"end"`
	Text  string `json:"text"`
	// Where is the code that a test runs which reaches the mutant, as the language's two programs
	// write and read it.
	Where json.RawMessage `json:"where"`
}

// A foreignResult is what the tests notice of the mutants that were tried, by their numbers.
type foreignResult struct {
	Noticed []int    `json:"noticed"`
	Reached []int    `json:"reached"`
	Left    []string `json:"left"` // tests that fail without a mutant
}

// languageOf returns the language of a folder's files; it is nil for Go.
func languageOf(folder string) (*language, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for i := range languages {
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return filepath.Ext(e.Name()) == languages[i].ending
		}) {
			return &languages[i], nil
		}
	}
	return nil, nil
}

// measure is measure for the folder of a language.
func (l *language) measure(ctx context.Context, t target, size int, seed uint64,
	known map[string]string) (r result, err error) {
	listed, err := l.candidates(ctx, t)
	if err != nil {
		return r, err
	}
	var all []*mutant
	changes := map[*mutant]foreignMutant{}
	seen := map[string]int{}
	for _, c := range listed {
		m := &mutant{change: change{operator: c.Operator}, line: c.Line}
		m.key = numbered(seen, fmt.Sprintf("%s %s %s\n%s", c.File, c.Function, c.Operator, c.Shown))
		all, changes[m] = append(all, m), c
	}
	if all, err = withoutKnown(t.folder, all, known); err != nil {
		return r, err
	}
	chosen, err := sample(all, size, seed, func([]*mutant) ([]*mutant, error) { return nil, nil })
	if err != nil {
		return r, err
	}
	tried := make([]foreignMutant, len(chosen))
	for i, m := range chosen {
		tried[i] = changes[m]
		tried[i].ID = m.id
	}
	input, err := json.Marshal(tried)
	if err != nil {
		return r, err
	}
	var found foreignResult
	err = runJSON(ctx, input, &found, slices.Concat(l.try, []string{t.folder}, t.others))
	if err != nil {
		return r, fmt.Errorf("the tests of %s cannot be run: %w", t.folder, err)
	}
	alive := slices.DeleteFunc(slices.Clone(chosen), func(m *mutant) bool {
		return slices.Contains(found.Noticed, m.id)
	})
	r = result{folder: t.folder, tried: len(chosen), left: found.Left}
	r.survivors = survivorsOf(alive, func(m *mutant) bool {
		return slices.Contains(found.Reached, m.id)
	})
	return r, nil
}

// candidates returns the mutants of the files of a folder that no program wrote: of those that the
// target names, if it names files of the language.
func (l *language) candidates(ctx context.Context, t target) ([]foreignMutant, error) {
	paths, err := filepath.Glob(filepath.Join(t.folder, "*"+l.ending))
	if err != nil {
		return nil, err
	}
	named := slices.DeleteFunc(slices.Clone(t.others), func(name string) bool {
		return filepath.Ext(name) != l.ending || strings.HasPrefix(name, "-")
	})
	for _, name := range named {
		if !slices.Contains(paths, filepath.Join(t.folder, name)) {
			return nil, fmt.Errorf("%s has no file %s, which %s names", t.folder, name,
				packagesFile)
		}
	}
	var files []string
	for _, path := range paths {
		if len(named) > 0 && !slices.Contains(named, filepath.Base(path)) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		if !bytes.Contains(first, []byte("Code generated")) {
			files = append(files, filepath.ToSlash(path))
		}
	}
	var list []foreignMutant
	if err := runJSON(ctx, nil, &list, slices.Concat(l.list, files)); err != nil {
		return nil, fmt.Errorf("the mutants of %s cannot be listed: %w", t.folder, err)
	}
	return list, nil
}

// runJSON runs a command with an input and decodes its output.
func runJSON(ctx context.Context, input []byte, out any, command []string) error {
	if _, err := exec.LookPath(command[0]); err != nil {
		return fmt.Errorf("%s is missing: %w; install Node, and the rest by make mutants",
			command[0], err)
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdin = bytes.NewReader(input)
	text, err := output(c)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s wrote no valid list: %w", strings.Join(command[:2], " "), err)
	}
	return nil
}
