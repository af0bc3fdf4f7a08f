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
	"github.com/bagscope/bagscope/internal/must"
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
	set := must.Get(Open(name, testfile.Restricted(t, "data"), o))(t)
	opened[key] = set
	return set
}

// split splits a set.
func split(t *testing.T, set *Set, repeat int) *Split {
	t.Helper()
	return must.Get(set.Split(repeat))(t)
}

func preprocess(t *testing.T, s *Split) Preprocess {
	t.Helper()
	return must.Get(s.Preprocess())(t)
}

// readSet reads the bags of a bag set of restricted data.
func readSet(t *testing.T, name string) []*core.Bag {
	t.Helper()
	data := testfile.ReadRestricted(t, name)
	set := must.Get(bagio.Read(filepath.Base(name), data, bagio.Options{}))(t)
	bags := make([]*core.Bag, set.Len())
	for i := range bags {
		bags[i] = must.Get(set.Bag(i))(t)
	}
	return bags
}

// readRows reads a gzipped table of restricted data.
func readRows(t *testing.T, name string) [][]string {
	t.Helper()
	file := must.Get(os.Open(testfile.Restricted(t, name)))(t)
	defer file.Close()
	r := must.Get(gzip.NewReader(file))(t)
	return must.Get(csv.NewReader(r).ReadAll())(t)
}
