package dataset

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// shared returns the folder of a part of the shared material, and skips the test where it is absent.
func shared(t *testing.T, part string) string {
	t.Helper()
	root := os.Getenv("BAGSCOPE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir := filepath.Join(root, filepath.FromSlash(part))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not here; BAGSCOPE_SHARED names the folder of shared material", dir)
	}
	return dir
}

// opened keeps sets, which are not changed by their methods, from one test to the next.
var opened = map[string]*Set{}

// open opens a data set of the shared material.
func open(t *testing.T, name, part string, o Options) *Set {
	t.Helper()
	shared(t, "data/"+part)
	key := fmt.Sprint(name, o)
	if set := opened[key]; set != nil {
		return set
	}
	set, err := Open(name, shared(t, "data"), o)
	if err != nil {
		t.Fatal(err)
	}
	opened[key] = set
	return set
}

// split splits a set.
func split(t *testing.T, set *Set, repeat int) *Split {
	t.Helper()
	s, err := set.Split(repeat)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func preprocess(t *testing.T, s *Split) Preprocess {
	t.Helper()
	p, err := s.Preprocess()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readSet reads the bags of a bag set of the shared material.
func readSet(t *testing.T, name string) []*core.Bag {
	t.Helper()
	data, err := os.ReadFile(shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	set, err := bagio.Read(filepath.Base(name), data, bagio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bags := make([]*core.Bag, set.Len())
	for i := range bags {
		if bags[i], err = set.Bag(i); err != nil {
			t.Fatal(err)
		}
	}
	return bags
}

// readRows reads a gzipped table of the shared material.
func readRows(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
