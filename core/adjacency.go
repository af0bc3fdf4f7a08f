package core

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// An Adjacency says how relations are built from the places of patches. Distances are in sides of a
// patch. METHODS section 8 has the formulas. Its text is a rule for neighbours and up to three
// words:
//
//	grid4  grid8    the patches above, below and beside, with grid8 also along the diagonals
//	knn(n)          the n nearest patches; ties go to the first
//	radius(r)       the patches at most at distance r
//
//	gaussian(s)     weights exp(-d² / 2s²) of the distance d; without a word, weights are 1
//	exponential(s)  weights exp(-d / s)
//	features        weights exp(-|x_i - x_j| / m) of the m values of both instances
//	loops           each instance is joined with itself, by weight 1
//	row             weights are divided by the sum of their row
//	symmetric       weights are divided by the roots of the sums of their row and of the column's
//
// "radius(1.5) symmetric" is torchmil's default, "radius(1.5) features symmetric" its choice
// adj_with_dist, and "knn(8)" is PatchGCN's graph.
type Adjacency struct {
	Neighbours string  // grid4, grid8, knn or radius
	Reach      float64 // n of knn, r of radius, else 0
	Weights    string  // "", gaussian, exponential or features
	Scale      float64 // s of gaussian and exponential, else 0
	Loops      bool
	Normalised string // "", row or symmetric
}

// mostNeighbours bounds n of knn.
const mostNeighbours = 1 << 10

// ParseAdjacency reads the text of an Adjacency, whose words are separated by spaces or commas. It
// returns a *SettingError if a word is unknown or contradicts another.
func ParseAdjacency(text string) (*Adjacency, error) {
	a := &Adjacency{}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	for _, word := range words {
		name, number, err := numbered(word)
		if err != nil {
			return nil, err
		}
		var dst *string
		switch name {
		case "grid4", "grid8", "knn", "radius":
			dst, a.Reach = &a.Neighbours, number
		case "gaussian", "exponential", "features":
			dst, a.Scale = &a.Weights, number
		case "row", "symmetric":
			dst = &a.Normalised
		case "loops":
			a.Loops = true
			continue
		default:
			return nil, wrongAdjacency("%q is none of grid4, grid8, knn(n), radius(r), "+
				"gaussian(s), exponential(s), features, loops, row and symmetric", word)
		}
		if *dst != "" {
			return nil, wrongAdjacency("%q contradicts %q; leave one of them out", name, *dst)
		}
		*dst = name
	}
	if a.Neighbours == "" {
		return nil, wrongAdjacency("%q does not say which patches are neighbours; begin with "+
			"grid4, grid8, knn(n) or radius(r)", text)
	}
	if n := a.Reach; a.Neighbours == "knn" && (n != math.Trunc(n) || n > mostNeighbours) {
		return nil, wrongAdjacency("knn(%v) needs a whole number up to %d", n, mostNeighbours)
	}
	return a, nil
}

// takesNumber lists the words with a number in brackets.
var takesNumber = []string{"knn", "radius", "gaussian", "exponential"}

// numbered splits a word such as knn(8) into its name and its number, 0 for other words.
func numbered(word string) (name string, number float64, err error) {
	name, rest, has := strings.Cut(word, "(")
	if takes := slices.Contains(takesNumber, name); takes != has {
		if takes {
			return "", 0, wrongAdjacency("%s needs a number in brackets, such as %[1]s(2)", name)
		}
		return "", 0, wrongAdjacency("%q takes no number in brackets", word)
	}
	if !has {
		return name, 0, nil
	}
	text, closed := strings.CutSuffix(rest, ")")
	number, err = strconv.ParseFloat(text, 64)
	if err != nil || !closed || !(number > 0) || math.IsInf(number, 1) {
		return "", 0, wrongAdjacency("%q needs a number above 0 in brackets", word)
	}
	return name, number, nil
}

// wrongAdjacency returns a *SettingError.
func wrongAdjacency(reason string, args ...any) error {
	return &SettingError{Setting: "adjacency", Reason: msg.Sprintf(reason, args...)}
}

// String returns the text that ParseAdjacency reads.
func (a *Adjacency) String() string {
	words := []string{a.Neighbours}
	if a.Reach > 0 {
		words[0] += "(" + strconv.FormatFloat(a.Reach, 'g', -1, 64) + ")"
	}
	if a.Weights != "" {
		words = append(words, a.Weights)
	}
	if a.Scale > 0 {
		words[1] += "(" + strconv.FormatFloat(a.Scale, 'g', -1, 64) + ")"
	}
	if a.Loops {
		words = append(words, "loops")
	}
	if a.Normalised != "" {
		words = append(words, a.Normalised)
	}
	return strings.Join(words, " ")
}

// Relations returns the relations of a bag's instances as edges, from each instance to its
// neighbours in their order. They are built once, for the whole bag. It returns a *BagError if the
// bag has no places, if a grid has none, or if there are too many edges.
func (a *Adjacency) Relations(b *Bag) (*Relations, error) {
	if len(b.Boxes) != b.Len() {
		return nil, &BagError{b.Name, msg.Sprintf("its instances have no places, and the "+
			"adjacency %q is built from them; read a file with coordinates", a)}
	}
	p, err := placesOf(b, strings.HasPrefix(a.Neighbours, "grid"))
	if err != nil {
		return nil, err
	}
	r := &Relations{Edges: []Edge{}}
	for i := range p.x {
		near, err := p.near(i, a)
		if err != nil {
			return nil, err
		}
		if a.Loops && len(near) <= mostNear {
			near = append(near, neighbour{i, 0})
		}
		slices.SortFunc(near, func(x, y neighbour) int { return x.i - y.i })
		if len(near) > mostNear || len(r.Edges)+len(near) > mostEdges {
			return nil, &BagError{b.Name, msg.Sprintf("the adjacency %q has more than %d "+
				"neighbours of one patch or %d edges; choose a smaller reach, and check whether "+
				"many patches lie at one place", a, mostNear, mostEdges)}
		}
		for _, n := range near {
			r.Edges = append(r.Edges, Edge{int32(i), int32(n.i), a.weight(b, i, n)})
		}
	}
	a.normalise(r.Edges, b.Len())
	return r, nil
}

// Bounds of what is built: neighbours of one patch, and edges of a bag, which take 0.2 GB.
const (
	mostNear  = 1 << 12
	mostEdges = 1 << 24
)

// weight returns the weight of instance i and a neighbour.
func (a *Adjacency) weight(b *Bag, i int, n neighbour) float32 {
	if n.i == i {
		return 1
	}
	switch a.Weights {
	case "gaussian":
		return float32(math.Exp(-n.squared / (2 * a.Scale * a.Scale)))
	case "exponential":
		return float32(math.Exp(-math.Sqrt(n.squared) / a.Scale))
	case "features":
		sum := 0.0
		y := b.Instance(n.i)
		for f, x := range b.Instance(i) {
			d := float64(x) - float64(y[f])
			sum += d * d
		}
		return float32(math.Exp(-math.Sqrt(sum) / float64(b.Stride())))
	}
	return 1
}

// normalise divides the weights of edges among k instances by the sums of their rows.
func (a *Adjacency) normalise(edges []Edge, k int) {
	if a.Normalised == "" {
		return
	}
	sums := make([]float64, k)
	for _, e := range edges {
		sums[e.From] += float64(e.Weight)
	}
	for i := range edges {
		e := &edges[i]
		by := sums[e.From]
		if a.Normalised == "symmetric" {
			by = math.Sqrt(by) * math.Sqrt(sums[e.To])
		}
		if by > 0 { // a row without weights stays 0
			e.Weight = float32(float64(e.Weight) / by)
		} else {
			e.Weight = 0
		}
	}
}
