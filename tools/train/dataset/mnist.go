package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

const mnistSource = "https://ossci-datasets.s3.amazonaws.com/mnist/ (or any mirror of MNIST's " +
	"four IDX files)"

// openMNIST is 4-MNIST-Bags: training bags hold MNIST's training pictures, validation and test bags
// disjoint halves of its test pictures, which the seed picks.
func openMNIST(f *folder, o Options) (*Set, error) {
	f.at("mnist", mnistSource)
	train, trainLabels, err := f.idx("train")
	if err != nil {
		return nil, err
	}
	test, testLabels, err := f.idx("t10k")
	if err != nil {
		return nil, err
	}
	trainPool, err := newPool(ascending(train.Len()), trainLabels, train.Bag)
	if err != nil {
		return nil, err
	}
	set := fourDigits("4-MNIST-Bags")
	sum := sha256.Sum256(f.hashes)
	set.Content = hex.EncodeToString(sum[:])
	set.split = func(seed uint64) (*Split, error) {
		order := stream(seed, forSplit).Perm(test.Len())
		half := len(order) / 2
		validation, err := newPool(order[:half], testLabels, test.Bag)
		if err != nil {
			return nil, err
		}
		testing, err := newPool(order[half:], testLabels, test.Bag)
		if err != nil {
			return nil, err
		}
		s := o.counts(counts{2500, 1000, 1000}).split(seed, trainPool, validation, testing,
			fourDigitsBag, ownClass)
		// What another repeat validates with is half of what this one tests on, and decided when
		// its training ended.
		s.Seen = seenPictures(trainPool, validation)
		return s, nil
	}
	return set, nil
}

// idx reads the pictures and the labels of one part of MNIST.
func (f *folder) idx(part string) (pictures *bagio.Array, label func(int) int, err error) {
	pictures, err = f.array(part + "-images-idx3-ubyte")
	if err != nil {
		return nil, nil, err
	}
	words, err := f.array(part + "-labels-idx1-ubyte")
	if err != nil {
		return nil, nil, err
	}
	labels, err := words.Ints()
	if err != nil {
		return nil, nil, err
	}
	if len(pictures.Shape) != 4 || pictures.Shape[2] != 28 || pictures.Shape[3] != 28 ||
		len(words.Shape) != 1 || len(labels) != pictures.Len() {
		return nil, nil, &core.BagError{Reason: fmt.Sprintf("MNIST's files %s-images and "+
			"%s-labels have the shapes %v and %v, but must have n pictures of 28 x 28 and n labels",
			part, part, pictures.Shape, words.Shape)}
	}
	return pictures, func(i int) int { return labels[i] }, nil
}

func (f *folder) array(name string) (*bagio.Array, error) {
	file, data, err := f.read(name+".gz", name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f.hashes = append(f.hashes, sum[:]...)
	return bagio.ReadIDX(file, data, bagio.Limits{Bytes: maxFile})
}

// ownClass is the class of a bag that is of one class.
func ownClass(target []float32) []int { return []int{Example{Target: target}.Class()} }

func ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
