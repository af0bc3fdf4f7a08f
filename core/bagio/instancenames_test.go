package bagio

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestNamesOfTables reads names of instances from a column and names of features from the header.
func TestNamesOfTables(t *testing.T) {
	for name, c := range map[string]struct {
		text, columns       string
		instances, features []string
		note                string
	}{
		"usual": {"bag,tile_id,area,round\nb,x9,1,2\na,k2,3,4\nb,m,5,6\n", "",
			[]string{"x9", "m"}, []string{"area", "round"},
			"names of instances are tile_id"},
		"stated": {"bag,who,f1,f2\nb,ann,1,2\nb,bob,5,6\n", "who=instance_name",
			[]string{"ann", "bob"}, nil, "names of instances are who"},
		"numbers say nothing": {"bag,tile_id,f0,f1\nb,0,1,2\nb,17,5,6\n", "", nil, nil,
			"not features: tile_id"},
		"counted words say nothing": {"bag,tile,uni_0,uni_1\nb,t1,1,2\nb,t2,5,6\n", "", nil, nil,
			"not features: tile"},
		"numbers out of order": {"bag,tile,uni_1,uni_0\nb,t2,1,2\nb,t1,5,6\n", "",
			[]string{"t2", "t1"}, []string{"uni_1", "uni_0"}, "names of instances are tile"},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("t.csv", []byte(c.text), Options{Columns: c.columns}))(t)
			bag := must.Get(set.Bag(0))(t)
			must.EqualSlices(t, bag.InstanceNames, c.instances)
			must.EqualSlices(t, bag.FeatureNames, c.features)
			must.Contain(t, strings.Join(set.Notes(), " "), c.note)
		})
	}
	_, err := Read("t.csv", []byte("bag,u,v,f1\nb,x,y,1\n"),
		Options{Columns: "u=instance_name; v=instance_name"})
	must.Fail(t, err, "both stated as instance_name")
}

// TestNamesOfFiles reads names from lists of archives, and from AnnData's indexes.
func TestNamesOfFiles(t *testing.T) {
	bags := []*core.Bag{
		{Name: "a", Shape: []int{2}, Values: []float32{1, 2, 3, 4},
			InstanceNames: []string{"ä", ""}, FeatureNames: []string{"area", "perimeter"}},
		{Name: "b", Shape: []int{2}, Values: []float32{5, 6}, InstanceNames: []string{"third"},
			FeatureNames: []string{"area", "perimeter"}},
	}
	var file bytes.Buffer
	must.Do(t, WriteSet(&file, bags...))
	set := must.Get(Read("set.npz", file.Bytes(), Options{}))(t)
	for i, want := range bags {
		got := must.Get(set.Bag(i))(t)
		must.EqualSlices(t, got.InstanceNames, want.InstanceNames)
		must.EqualSlices(t, got.FeatureNames, want.FeatureNames)
	}
	data := must.Get(os.ReadFile(filepath.Join("testdata", "zarr", "named.h5ad")))(t)
	set = must.Get(Read("named.h5ad", data, Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, bag.InstanceNames, []string{"AAAC-1", "AAAG-1", "AACC-1"})
	must.EqualSlices(t, bag.FeatureNames, []string{"EPCAM", "VIM"})
	must.Equal(t, len(set.Notes()), 1, "only that there are no places: ", set.Notes())
}
