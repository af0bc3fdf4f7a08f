package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A result is the mutants of a package, and what the tests notice of them.
type result struct {
	folder    string
	tried     int
	survivors []survivor // sorted by file and line
	left      []string   // tests that fail without a mutant, so that they cannot notice one
}

// A survivor is a mutant that no test notices.
type survivor struct {
	file     string // relative to the root of the repository
	line     int
	function string
	operator string
	shown    string
	reached  bool // some test runs its block
}

// score returns how many of the tried mutants tests notice, in percent.
func (r result) score() float64 { return percent(r.tried-len(r.survivors), r.tried) }

// percent returns the share of noticed mutants; it is 100 if none was tried.
func percent(noticed, tried int) float64 {
	if tried == 0 {
		return 100
	}
	return 100 * float64(noticed) / float64(tried)
}

// measure samples mutants of a package and tries them by its tests, and those that remain by other
// tests. It fails if the package does not compile, and if known has an entry for the package that
// is no mutant any more.
func measure(ctx context.Context, t target, size int, seed uint64, known map[string]string) (
	r result, err error) {
	if l, err := languageOf(t.folder); err != nil {
		return r, err
	} else if l != nil {
		return l.measure(ctx, t, size, seed, known)
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(scratch)
	chosen, overlay, err := sampleOf(ctx, t, size, seed, known, scratch)
	if err != nil {
		return r, err
	}
	r.folder, r.tried = t.folder, len(chosen)
	alive := slices.Clone(chosen)
	reached := map[*mutant]bool{}
	for _, folder := range append([]string{t.folder}, t.others...) {
		if len(alive) == 0 {
			break
		}
		suite, err := buildSuite(ctx, folder, overlay, scratch)
		if err != nil {
			return r, err
		}
		r.left = append(r.left, suite.record(ctx, scratch)...)
		for _, m := range alive {
			reached[m] = reached[m] || len(suite.reaching(m.id)) > 0
		}
		alive = suite.unnoticed(ctx, alive)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
	}
	r.survivors = survivorsOf(alive, func(m *mutant) bool { return reached[m] })
	return r, nil
}

// sampleOf samples mutants of a package of Go. It returns them and the file that the go command
// reads to compile them.
func sampleOf(ctx context.Context, t target, size int, seed uint64, known map[string]string,
	scratch string) (chosen []*mutant, overlay string, err error) {
	p, err := readPackage(ctx, t.folder)
	if err != nil {
		return nil, "", err
	}
	all, err := withoutKnown(p.folder, candidates(p), known)
	if err != nil {
		return nil, "", err
	}
	if chosen, err = sample(all, size, seed, p.check); err != nil {
		return nil, "", err
	}
	overlay, err = p.overlay(chosen, scratch)
	return chosen, overlay, err
}

// survivorsOf returns mutants by file and line.
func survivorsOf(alive []*mutant, reached func(*mutant) bool) []survivor {
	var list []survivor
	for _, m := range alive {
		place, shown, _ := strings.Cut(m.key, "\n")
		words := strings.SplitN(place, " ", 3)
		list = append(list, survivor{words[0], m.line, words[1], words[2], shown, reached(m)})
	}
	slices.SortFunc(list, func(a, b survivor) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return list
}

// withoutKnown leaves out the mutants that no test can notice.
func withoutKnown(folder string, all []*mutant, known map[string]string) ([]*mutant, error) {
	found := map[string]bool{}
	all = slices.DeleteFunc(all, func(m *mutant) bool {
		key := strings.TrimSpace(m.key) // nothing is behind the arrow if code is left out
		_, ok := known[key]
		found[key] = found[key] || ok
		return ok
	})
	for key := range known {
		of := filepath.ToSlash(filepath.Dir(strings.Fields(key)[0]))
		if of == folder && !found[key] {
			return nil, fmt.Errorf("%s lists a change that the code does not allow any more; "+
				"remove it:\n%s", equivalentFile, key)
		}
	}
	return all, nil
}

// overlay writes the changed files of a package, and the list of them that the go command reads.
func (p *sourcePackage) overlay(chosen []*mutant, scratch string) (string, error) {
	texts, _ := p.program(chosen)
	replace := map[string]string{}
	for path, text := range texts {
		copied := filepath.Join(scratch, filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(scratch, "overlay.json")
	return file, os.WriteFile(file, list, 0o644)
}

// unnoticed returns the mutants that no test of the suite notices. It tries several at a time.
func (s *suite) unnoticed(ctx context.Context, mutants []*mutant) []*mutant {
	alive := make([]bool, len(mutants))
	free := make(chan struct{}, max(1, runtime.NumCPU()))
	var all sync.WaitGroup
	for i, m := range mutants {
		free <- struct{}{}
		all.Go(func() {
			alive[i] = !s.notices(ctx, m.id)
			<-free
		})
	}
	all.Wait()
	var list []*mutant
	for i, m := range mutants {
		if alive[i] {
			list = append(list, m)
		}
	}
	return list
}
