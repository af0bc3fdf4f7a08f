package whatif

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/internal/must"
)

// encodedPictures encode the pictures of a bag to two features: the sums of weighted values of the
// even and of the odd places.
type encodedPictures struct {
	bag     *core.Bag
	weights []float64
	reads   *int // pictures that were read
	fails   error
}

func (p encodedPictures) Shape() []int { return p.bag.Shape }

func (p encodedPictures) Read(_ context.Context, instances []int) (*core.Bag, error) {
	*p.reads += len(instances)
	return p.bag.Select(instances), p.fails
}

func (p encodedPictures) Encode(_ context.Context, _ int, pictures *core.Bag) (*core.Bag, error) {
	out := &core.Bag{Shape: []int{2}, Values: make([]float32, 2*pictures.Len())}
	for i := range pictures.Len() {
		for at, v := range pictures.Instance(i) {
			out.Values[2*i+at%2] += float32(p.weights[at]) * v
		}
	}
	return out, nil
}

// encodedBag returns a bag of the features of pictures.
func encodedBag(t *testing.T, pictures *core.Bag, weights []float64) (*core.Bag, encodedPictures) {
	from := encodedPictures{bag: pictures, weights: weights, reads: new(int)}
	bag := must.Get(from.Encode(t.Context(), 0, pictures))(t)
	bag.Name, bag.Pictures = pictures.Name, from
	return bag, from
}

// TestBandsOfFeatures compares the bands of features with those of the pictures that they were
// encoded from, of one instance and of several together, and of a part of the bag.
func TestBandsOfFeatures(t *testing.T) {
	pictures, weights := pictureBag(false)
	bag, _ := encodedBag(t, pictures, weights)
	sums, whole := weighted{weights: []float64{1, 1}}, weighted{weights: weights}
	for _, power := range []int{1, 2} {
		sums.power, whole.power = power, power
		for _, how := range HiddenKinds() {
			for _, some := range [][]int{{0, 1, 2}, {2, 0}} {
				for strongest := range 4 {
					q := InsideQuestion{Instance: 1, Strongest: strongest, Groups: PartsBands,
						Hidden: how}
					got := mapInside(t, sums, bag.Select(some), q, 1)
					want := mapInside(t, whole, pictures.Select(some), q, 1)
					must.EqualSlices(t, got.Instances, want.Instances, q)
					must.Equal(t, len(got.Instances), max(1, min(strongest, len(some))), q)
					must.Equal(t, len(got.Scores), 2)
					// Features are float32, and scores differences of hundreds or their squares.
					scale := 1e-2 + 1e-5*max(want.Whole, -want.Whole)
					for c := range want.Scores {
						coretest.Near(t, "score", got.Scores[c], want.Scores[c], scale)
					}
					coretest.Near(t, "whole", got.Whole, want.Whole, scale)
				}
			}
		}
	}
}

// TestBandsOfSeveral has an additive model: the bands of several instances together are the sums of
// those of each. The strongest are those with the largest scores alone.
func TestBandsOfSeveral(t *testing.T) {
	bag, weights := pictureBag(false)
	m := weighted{weights: weights}
	alone, each := make([]float64, 3), make([]*InsideMap, 3)
	for i := range each {
		each[i] = mapInside(t, m, bag, InsideQuestion{Instance: i, Groups: PartsBands}, 1)
		for at, v := range bag.Instance(i) {
			alone[i] += weights[at] * float64(v)
		}
	}
	got := mapInside(t, m, bag, InsideQuestion{Strongest: 2, Groups: PartsBands}, 1)
	least := slices.Index(alone, slices.Min(alone))
	must.Equal(t, len(got.Instances), 2)
	must.Equal(t, got.Instances[0], slices.Index(alone, slices.Max(alone)))
	must.Equal(t, slices.Contains(got.Instances, least), false)
	for c, v := range got.Scores {
		coretest.Near(t, "score", v,
			each[got.Instances[0]].Scores[c]+each[got.Instances[1]].Scores[c], 1e-3)
	}
}

// TestPicturesAreReadOneByOne bounds what is read: each picture once for the mean, and each of the
// question for the unchanged and hidden values and for all sets of bands together.
func TestPicturesAreReadOneByOne(t *testing.T) {
	pictures, weights := pictureBag(false)
	bag, from := encodedBag(t, pictures, weights)
	ev := must.Get(weighted{weights: []float64{1, 1}}.Bind(t.Context(), bag))(t)
	last, total := 0, 0
	g := must.Get(core.NewGame(ev, core.GameOptions{Progress: func(done, of int) {
		last, total = done, of
	}}))(t)
	q := InsideQuestion{Strongest: 2, Groups: PartsBands}
	first := must.Get(q.Answer(t.Context(), g, weighted{weights: []float64{1, 1}}, bag))(t)
	must.Equal(t, *from.reads, 3+2*2)
	must.Equal(t, last, total)
	must.Equal(t, total, 3*2) // three sets of visible bands in two instances
	q.Strongest = 9
	found := must.Get(q.Answer(t.Context(), g, weighted{weights: []float64{1, 1}}, bag))(t)
	must.EqualSlices(t, found.Instances[:2], first.Instances, "all are in their order, too")
	q.Strongest = 2
	from.fails = errors.New("the slide is gone")
	bag.Pictures = from
	_, err := q.Answer(t.Context(), g, weighted{weights: []float64{1, 1}}, bag)
	must.Is(t, err, from.fails)
}
