package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPatchesOfCRC compares patches and labels with bags of an independent program, and the nuclei
// in each patch with a table of their counts.
func TestPatchesOfCRC(t *testing.T) {
	set := open(t, "crc", "crc", Options{})
	s := split(t, set, 0)
	byName := map[string]*core.Bag{}
	patches, positive := 0, 0
	for _, e := range slices.Concat(s.Train, s.Validation, s.Test) {
		bag := must.Get(e.Bag())(t)
		byName[e.Name] = bag
		patches += e.Size
		positive += e.Class()
	}
	must.Equal(t, math.Abs((float64(patches)/float64(len(byName)))-264.34) <= .005, true,
		byName["img76"] != nil, positive)
	must.Equal(t, byName["img76"] == nil, true, byName["img76"] != nil, positive)
	must.Equal(t, positive, 51, byName["img76"] != nil)
	compared := 0
	for _, want := range readSet(t, "data/crc/test_bags.npz") {
		got := byName[want.Name]
		if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Boxes, want.Boxes) ||
			!slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Class, want.Class) {
			t.Errorf("%s differs from the stored bag", want.Name)
		}
		compared++
	}
	must.Equal(t, compared, 21)
	rows := readRows(t, "data/crc/patches27.csv.gz")
	labelled := 0
	for _, row := range rows[1:] {
		if row[4] == "0" {
			continue
		}
		bag := byName["img"+row[0]]
		label := labelAt(t, bag, row[1], row[2])
		epithelial := row[5] != "0"
		other := row[6] != "0" || row[7] != "0" || row[8] != "0"
		want := map[[2]bool]int{{false, false}: noNuclei, {true, false}: epithelialNuclei,
			{false, true}: otherNuclei, {true, true}: bothNuclei}[[2]bool{epithelial, other}]
		must.Equal(t, label, want)
		labelled++
	}
	must.Equal(t, labelled, 26170)
}

// TestStatisticsOfCRCArePublishedOnes measures all bags, as the paper does.
func TestStatisticsOfCRCArePublishedOnes(t *testing.T) {
	all := preprocess(t, split(t, open(t, "crc", "crc", Options{AllData: true}), 0))
	for c, want := range []struct{ mean, std float64 }{{.8035, .0858}, {.6499, .1079},
		{.8348, .0731}} {
		const rounding = 5e-5
		must.Equal(t, math.Abs(all.Mean[c]-want.mean) <= rounding, true, c, all.Mean[c], all.Std[c],
			want)
		must.Equal(t, math.Abs(all.Std[c]-want.std) <= rounding, true, c, all.Mean[c], all.Std[c],
			want)
	}
	train := preprocess(t, split(t, open(t, "crc", "crc", Options{}), 0))
	must.Equal(t, train.Mean[0] != all.Mean[0], true, train.Mean[0], all.Mean[0])
	must.Equal(t, math.Abs(train.Mean[0]-all.Mean[0]) <= .02, true, train.Mean[0], all.Mean[0])
}

// labelAt returns the label of the patch in a row and a column of the grid.
func labelAt(t *testing.T, bag *core.Bag, row, column string) int {
	t.Helper()
	var y, x int
	must.Get(fmt.Sscan(row, &y))(t)
	must.Get(fmt.Sscan(column, &x))(t)
	for i, b := range bag.Boxes {
		if b.Min.X == x*crcPatch && b.Min.Y == y*crcPatch {
			return bag.Labels[i]
		}
	}
	t.Fatalf("%s has no patch in row %d, column %d", bag.Name, y, x)
	return 0
}
