package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// mnistSource names the source for MissingError.
const mnistSource = "https://ossci-datasets.s3.amazonaws.com/mnist/ (or any mirror of MNIST's " +
	"four IDX files)"

// openMNIST reads 4-MNIST-Bags. Training bags contain training pictures of MNIST. Validation and
// test bags contain disjoint halves of its test pictures, which the seed chooses.
func openMNIST(f *folder, o Options) (*Set, error) {
	f.at("mnist", mnistSource)
	train, trainLabels, trainErr := f.idx("train")
	test, testLabels, testErr := f.idx("t10k")
	if err := cmp.Or(trainErr, testErr); err != nil {
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
		// Half of the test pictures validate, the other half tests.
		order := stream(seed, forSplit).Perm(test.Len())
		half := len(order) / 2
		validation, validationErr := newPool(order[:half], testLabels, test.Bag)
		testing, testingErr := newPool(order[half:], testLabels, test.Bag)
		if err := cmp.Or(validationErr, testingErr); err != nil {
			return nil, err
		}
		s := o.counts(counts{2500, 1000, 1000}).split(seed, trainPool, validation, testing,
			fourDigitsBag, ownClass)
		// Validation pictures of another repeat overlap with test pictures of this one, and they
		// decided when the training ended. So a model must come from the same repeat.
		s.Seen = seenPictures(trainPool, validation)
		return s, nil
	}
	return set, nil
}

// idx reads the pictures (n, 1, 28, 28) of one part of MNIST, "train" or "t10k", and their labels
// (n).
func (f *folder) idx(part string) (pictures *bagio.Array, labels []int, err error) {
	pictures, picturesErr := f.array(part + "-images-idx3-ubyte")
	words, wordsErr := f.array(part + "-labels-idx1-ubyte")
	if err := cmp.Or(picturesErr, wordsErr); err != nil {
		return nil, nil, err
	}
	labels, err = words.Ints()
	if err != nil {
		return nil, nil, err
	}
	if len(pictures.Shape) != 4 || pictures.Shape[2] != 28 || pictures.Shape[3] != 28 ||
		len(words.Shape) != 1 || len(labels) != pictures.Len() {
		return nil, nil, &core.BagError{Reason: fmt.Sprintf("MNIST's files %s-images and "+
			"%s-labels have the shapes %v and %v, but must have n pictures of 28 x 28 and n labels",
			part, part, pictures.Shape, words.Shape)}
	}
	return pictures, labels, nil
}

// array reads an IDX file, compressed or not, and appends its hash to f.hashes.
func (f *folder) array(name string) (*bagio.Array, error) {
	file, data, err := f.read(name+".gz", name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f.hashes = append(f.hashes, sum[:]...)
	return bagio.ReadIDX(file, data, bagio.Limits{Bytes: maxFile})
}

// ownClass returns the class of a one-hot target.
func ownClass(target []float32) []int { return []int{Example{Target: target}.Class()} }

// ascending returns 0 to n-1.
func ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
