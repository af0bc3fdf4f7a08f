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
	"github.com/bagscope/bagscope/internal/testfile"
)

// opened keeps sets, which are not changed by their methods, from one test to the next.
var opened = map[string]*Set{}

// open opens a data set of restricted data.
func open(t *testing.T, name, part string, o Options) *Set {
	t.Helper()
	testfile.Restricted(t, "data/"+part)
	key := fmt.Sprint(name, o)
	if set := opened[key]; set != nil {
		return set
	}
	set, err := Open(name, testfile.Restricted(t, "data"), o)
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

// readSet reads the bags of a bag set of restricted data.
func readSet(t *testing.T, name string) []*core.Bag {
	t.Helper()
	data := testfile.ReadRestricted(t, name)
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

// readRows reads a gzipped table of restricted data.
func readRows(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(testfile.Restricted(t, name))
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
