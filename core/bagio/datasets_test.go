package bagio

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// TestPatchesOfCRC checks the figures in the description of the CRC data set: 264.34 patches for
// each bag, which is 26,170 for 99 bags; the hundredth picture has none.
func TestPatchesOfCRC(t *testing.T) {
	stored := must.Get(Read("test_bags.npz", testfile.ReadRestricted(t, "data/crc/test_bags.npz"),
		Options{}))(t)
	names := stored.Names()
	o := Options{Patch: PatchOptions{Size: 27, Background: 230}}
	patches, compared := 0, 0
	for i := 1; i <= 100; i++ {
		name := fmt.Sprintf("img%d", i)
		set, err := Read(name+".png", testfile.ReadRestricted(t, "data/crc/images/"+name+".png"), o)
		if i == 76 {
			var fault *core.BagError
			must.Equal(t, errors.As(err, &fault), true, name, err)
			must.Equal(t, strings.HasPrefix(fault.Reason, "no patch is darker than 230"), true,
				name, err)
			continue
		}
		must.Do(t, err)
		bag := must.Get(set.Bag(0))(t)
		patches += bag.Len()
		if at := slices.Index(names, name); at >= 0 {
			want := must.Get(stored.Bag(at))(t)
			must.EqualSlices(t, bag.Shape, want.Shape, name)
			must.EqualSlices(t, bag.Values, want.Values, name)
			must.EqualSlices(t, bag.Boxes, want.Boxes, name)
			must.Equal(t, bag.Raw, true, name)
			must.Equal(t, want.Raw, true, name)
			compared++
		}
	}
	must.Equal(t, compared, 21, patches)
	must.Equal(t, patches, 26170, compared)
}

// TestReadDataSetTables checks the figures in the descriptions of the data sets.
func TestReadDataSetTables(t *testing.T) {
	for _, c := range []struct {
		file                      string
		bags, instances, features int
		positive                  int // bags of class 1
	}{
		{"musk_tef/musk1.csv.gz", 92, 476, 166, 47},
		{"musk_tef/musk2.csv.gz", 102, 6598, 166, 39},
		{"musk_tef/tiger.csv.gz", 200, 1220, 230, 100},
		{"musk_tef/elephant.csv.gz", 200, 1391, 230, 100},
		{"musk_tef/fox.csv.gz", 200, 1320, 230, 100},
		{"sival/sival_bags.csv.gz", 1499, 47355, 30, 60},
	} {
		t.Run(c.file, func(t *testing.T) {
			set := must.Get(Read(c.file, testfile.ReadRestricted(t, "data/"+c.file), Options{}))(t)
			instances, positive := 0, 0
			for i := range set.Len() {
				bag := must.Get(set.Bag(i))(t)
				instances += bag.Len()
				must.EqualSlices(t, bag.Shape, []int{c.features}, i, bag.Raw, bag.Class)
				must.Equal(t, bag.Raw, false, i, bag.Shape, bag.Raw, bag.Class)
				must.Equal(t, len(bag.Class), 1, i, bag.Shape, bag.Raw, bag.Class)
				if bag.Class[0] == 1 {
					positive++
				}
			}
			must.Equal(t, set.Len(), c.bags, instances, positive, c.instances, c.positive)
			must.Equal(t, instances, c.instances, set.Len(), positive, c.bags, c.positive)
			must.Equal(t, positive, c.positive, set.Len(), instances, c.bags, c.instances)
		})
	}
}

func TestReadMNISTFiles(t *testing.T) {
	images := must.Get(ReadIDX("t10k-images-idx3-ubyte.gz", testfile.ReadRestricted(t,
		"data/mnist/t10k-images-idx3-ubyte.gz"), Limits{}))(t)
	array := must.Get(ReadIDX("t10k-labels-idx1-ubyte.gz", testfile.ReadRestricted(t,
		"data/mnist/t10k-labels-idx1-ubyte.gz"), Limits{}))(t)
	labels := must.Get(array.Ints())(t)
	must.Equal(t, images.Len(), 10000, labels[:5])
	must.EqualSlices(t, labels[:5], []int{7, 2, 1, 0, 4}, images.Len())
	bag := must.Get(images.Bag("three", []int{0, 9999, 5}))(t)
	if !slices.Equal(bag.Shape, []int{1, 28, 28}) || !bag.Raw || bag.Len() != 3 {
		t.Errorf("shape %v, raw %v, %d instances", bag.Shape, bag.Raw, bag.Len())
	}
}

// TestMeanOfMNIST checks the published mean and standard deviation of MNIST's training pixels,
// .1307 and .3081.
func TestMeanOfMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 47 MB")
	}
	set := must.Get(Read("train-images-idx3-ubyte.gz", testfile.ReadRestricted(t,
		"data/mnist/train-images-idx3-ubyte.gz"), Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	var sum, squares float64
	for _, v := range bag.Values {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(bag.Values))
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	const rounding = 5e-5 // half a unit in the last place of the published figures
	must.Equal(t, math.Abs(mean/255-.1307) <= rounding, true, mean/255, deviation/255)
	must.Equal(t, math.Abs(deviation/255-.3081) <= rounding, true, mean/255, deviation/255)
}

// TestReadDropsBatchAxis checks bags of the shape (1, instance, feature), which belong to models
// with a batch axis.
func TestReadDropsBatchAxis(t *testing.T) {
	for _, k := range []int{1, 5, 30, 63} {
		name := fmt.Sprintf("bag_%d.npy", k)
		set := must.Get(Read(name, testfile.Read(t, "models/zoo/abmil_batch_first/"+name),
			Options{InstanceShape: []int{96}}))(t)
		bag := must.Get(set.Bag(0))(t)
		must.Equal(t, bag.Len(), k, name, bag.Shape)
		must.EqualSlices(t, bag.Shape, []int{96}, name, bag.Len())
	}
}
