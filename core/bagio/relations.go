package bagio

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Names of the arrays that hold relations of the instances of a file: a matrix (k, k), the ends of
// edges (2, edges) as in PyTorch Geometric, or (edges, 2), and the weights of edges (edges), by
// default 1.
var (
	matrixNames = []string{"adj", "adjacency", "adj_matrix", "adjacency_matrix"}
	edgeNames   = []string{"edge_index", "edges"}
	weightNames = []string{"edge_weight", "edge_weights", "edge_attr"}
)

// holdsRelations reports whether an array is called as relations are.
func holdsRelations(name string) bool {
	last := strings.ToLower(path.Base(name))
	return slices.Contains(matrixNames, last) || slices.Contains(edgeNames, last) ||
		slices.Contains(weightNames, last)
}

// addRelations reads the relations that lie beside the array of instances, and returns the arrays
// that it has read.
func (s *Set) addRelations(
	n *namedArrays, beside *namedArray, l Limits,
) (used []*namedArray, err error) {
	var found [3]*namedArray
	for i, names := range [...][]string{matrixNames, edgeNames, weightNames} {
		if found[i], err = n.beside(beside, names); err != nil {
			return nil, err
		}
	}
	matrix, ends, weights := found[0], found[1], found[2]
	switch {
	case matrix != nil && ends != nil:
		return nil, bad(n.file, "it holds a matrix %s and the edges %s of its instances; remove "+
			"one of both", matrix.name, ends.name)
	case matrix != nil:
		s.relations, err = s.readMatrix(n.file, matrix, l)
	case ends != nil:
		s.relations, err = s.readEdges(n.file, ends, weights, l)
	default:
		return nil, nil // weights without edges are arrays of another meaning
	}
	if err != nil {
		return nil, err
	}
	return found[:], s.checkBags(n.file)
}

// readMatrix reads a matrix (k, k), or (1, k, k).
func (s *Set) readMatrix(file string, a *namedArray, l Limits) (*core.Relations, error) {
	k := s.array.Len()
	if !slices.Equal(withoutOnes(a.shape), withoutOnes([]int{k, k})) {
		return nil, bad(file, "%s has shape %s; %d instances need shape (%[4]d, %[4]d)", a.name,
			shapeText(a.shape), k, k)
	}
	if int64(k) > l.Elements/int64(k) {
		return nil, &LimitError{file, msg.Sprintf("the matrix %s of %d instances is too large; "+
			"store its edges as edge_index (2, edges) and edge_weight (edges)", a.name, k),
			"Elements", l.Elements}
	}
	values, err := s.floatsOf(file, a, k*k, l)
	return &core.Relations{Dense: values}, err
}

// floatsOf reads n numbers.
func (s *Set) floatsOf(file string, a *namedArray, n int, l Limits) ([]float32, error) {
	array, err := a.read()
	if err != nil {
		return nil, err
	}
	if product(array.Shape) != n {
		return nil, bad(file, "%s has shape %s; it needs %d values", a.name,
			shapeText(array.Shape), n)
	}
	if err := l.reserve(file, 4*int64(n)); err != nil {
		return nil, err
	}
	if err := array.numbers(); err != nil {
		return nil, err
	}
	values := make([]float32, n)
	if at := array.floats(values, 0); at >= 0 {
		return nil, bad(file, "value %s of %s, counted from 0, is not a finite 32-bit number; "+
			"replace it", indexText(array.Shape, at), a.name)
	}
	return values, nil
}

// edgeBytes is the memory of an edge, with its two numbers while they are read.
const edgeBytes = 12 + 16

// readEdges reads edges and their weights, which may be nil.
func (s *Set) readEdges(
	file string, ends, weights *namedArray, l Limits,
) (*core.Relations, error) {
	array, err := ends.read()
	if err != nil {
		return nil, err
	}
	shape := array.Shape
	if len(shape) == 3 && shape[0] == 1 {
		shape = shape[1:]
	}
	if len(shape) != 2 || shape[0] != 2 && shape[1] != 2 {
		return nil, bad(file, "%s has shape %s; edges need shape (2, edges)", ends.name,
			shapeText(array.Shape))
	}
	n := product(shape) / 2
	if err := l.reserve(file, edgeBytes*int64(n)); err != nil {
		return nil, err
	}
	numbers, err := array.Ints()
	if err != nil {
		return nil, err
	}
	r := &core.Relations{Edges: make([]core.Edge, n)}
	k := s.array.Len()
	for e := range r.Edges {
		from, to := numbers[e], numbers[(n+e)%len(numbers)]
		if shape[0] != 2 { // (edges, 2)
			from, to = numbers[2*e], numbers[2*e+1]
		}
		if min(from, to) < 0 || max(from, to) >= min(k, math.MaxInt32) {
			return nil, bad(file, "edge %d of %s joins instances %d and %d, and there are %d, "+
				"counted from 0", e, ends.name, from, to, k)
		}
		r.Edges[e] = core.Edge{From: int32(from), To: int32(to), Weight: 1}
	}
	if weights == nil {
		return r, nil
	}
	values, err := s.floatsOf(file, weights, n, l)
	for e, w := range values {
		r.Edges[e].Weight = w
	}
	return r, err
}

// checkBags rejects a matrix over several bags, and edges that lead from one bag to another.
func (s *Set) checkBags(file string) error {
	if len(s.offsets) == 2 {
		return nil
	}
	if s.relations.Dense != nil {
		return bad(file, "it holds %d bags and one matrix of relations; store edges as edge_index "+
			"(2, edges), whose numbers count the instances of all bags", len(s.offsets)-1)
	}
	for n, e := range s.relations.Edges {
		if s.bagOf(int(e.From)) != s.bagOf(int(e.To)) {
			return bad(file, "edge %d joins instance %d of bag %d and instance %d of bag %d", n,
				e.From, s.bagOf(int(e.From)), e.To, s.bagOf(int(e.To)))
		}
	}
	return nil
}

// bagOf returns the number of the bag of an instance.
func (s *Set) bagOf(instance int) int {
	b, _ := slices.BinarySearch(s.offsets, instance+1)
	return b - 1
}

// relate gives a bag of instances from up to to its relations: those of the file, or those that are
// built from the places of its instances.
func (s *Set) relate(b *core.Bag, from, to int) (err error) {
	switch {
	case s.adjacency != nil:
		b.Relations, err = s.adjacency.Relations(b)
	case s.relations != nil && len(s.offsets) == 2:
		b.Relations = s.relations
	case s.relations != nil:
		instances := make([]int, to-from)
		for i := range instances {
			instances[i] = from + i
		}
		b.Relations = s.relations.Select(s.array.Len(), instances)
	}
	return err
}
