package dataset

import (
	"slices"
	"strconv"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestSplitsEqualScikitLearn compares with the results of scikit-learn's train_test_split for bags
// of these classes in this order. In the third case, classes tie for the odd bag of the second
// division.
func TestSplitsEqualScikitLearn(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts parts
		seed  uint64
		bags  int
		class func(bag int) int
		train int
		first []int // training bags
		val   []int // the first validation bags
		test  []int
	}{
		{"tiger", seventy, Seeds[0], 200, halves(100), 140, []int{29, 98, 52, 20, 50, 90},
			[]int{105, 125, 182, 193, 170, 120},
			[]int{83, 41, 174, 106, 17, 0, 146, 115, 65, 97, 161, 54, 121, 147, 116, 178, 87, 9, 51,
				180, 30, 4, 107, 183, 48, 21, 94, 192, 102, 165}},
		{"musk1", seventy, Seeds[9], 92, halves(47), 64, []int{3, 61, 29, 11, 45, 21},
			[]int{9, 27, 68, 0, 73, 48},
			[]int{31, 71, 32, 7, 76, 82, 19, 51, 66, 34, 4, 18, 67, 58}},
		{"like crc", sixty, Seeds[1], 99, func(i int) int { return i * i % 97 % 2 }, 59,
			[]int{35, 34, 25, 3, 64, 56}, []int{89, 60, 65, 31, 43, 9},
			[]int{29, 96, 5, 36, 82, 42, 53, 20, 68, 13, 49, 2, 40, 46, 11, 16, 22, 80, 32, 84}},
		{"five classes", eighty, Seeds[7], 60, func(i int) int { return i * i % 97 % 5 }, 48,
			[]int{28, 35, 31, 55, 25, 11}, []int{42, 40, 36, 56, 39, 51},
			[]int{48, 20, 26, 4, 37, 29}},
	} {
		var examples []Example
		for i := range c.bags {
			examples = append(examples, Example{Name: strconv.Itoa(i),
				Target: oneHot(5, c.class(i))})
		}
		s := c.parts.divide(examples, c.seed)
		if got := numbersOf(t, s.Train); len(got) != c.train || !slices.Equal(got[:6], c.first) {
			t.Errorf("%s: the training bags are %v", c.name, got)
		}
		must.EqualSlices(t, numbersOf(t, s.Validation)[:6], c.val, c.name)
		must.EqualSlices(t, numbersOf(t, s.Test), c.test, c.name)
	}
}

// halves is class 1 for the first n bags and class 0 for the others.
func halves(n int) func(int) int {
	return func(i int) int {
		if i < n {
			return 1
		}
		return 0
	}
}

func numbersOf(t *testing.T, examples []Example) []int {
	t.Helper()
	var out []int
	for _, e := range examples {
		n := must.Get(strconv.Atoi(e.Name))(t)
		out = append(out, n)
	}
	return out
}

// TestTwisterEqualsNumPy compares with RandomState(868).permutation(16).
func TestTwisterEqualsNumPy(t *testing.T) {
	want := []int{15, 8, 2, 0, 4, 13, 6, 10, 7, 12, 14, 9, 5, 11, 1, 3}
	must.EqualSlices(t, newTwister(868).permutation(16), want)
}

// TestDivideFewBags divides fewer bags than there are parts and classes.
func TestDivideFewBags(t *testing.T) {
	for n := range 4 {
		var examples []Example
		for i := range n {
			examples = append(examples, Example{Name: strconv.Itoa(i), Target: oneHot(2, i%2)})
		}
		s := seventy.divide(examples, 1)
		must.Equal(t, (len(s.Train) + len(s.Validation) + len(s.Test)), n)
	}
}
