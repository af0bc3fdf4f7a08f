package core

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// fourRelated returns relations of four instances, dense and as edges, of which two are repeated.
func fourRelated() (dense, edges *Relations) {
	dense = &Relations{Dense: []float32{1, 2, 0, 0, 0, 3, 4, 0, 5, 0, 0, 6, 0, 0, 7, 8}}
	edges = &Relations{Edges: []Edge{{3, 3, 8}, {0, 0, 1}, {0, 1, 2}, {1, 1, 3}, {1, 2, 3},
		{1, 2, 1}, {2, 0, 5}, {2, 3, 6}, {3, 2, 7}}}
	return dense, edges
}

// matrix returns the relations of k instances as a matrix.
func (r *Relations) matrix(k int) []float32 {
	m := make([]float32, k*k)
	r.WriteMatrix(m, k)
	return m
}

func TestSelectRelations(t *testing.T) {
	dense, edges := fourRelated()
	must.EqualSlices(t, dense.matrix(4), edges.matrix(4), "edges and matrix differ")
	for _, list := range [][]int{{}, {2}, {3, 0}, {0, 1, 2, 3}, {2, 1, 3}, {1, 2, 1, 2}} {
		var want []float32
		for _, i := range list {
			for _, j := range list {
				want = append(want, dense.Dense[i*4+j])
			}
		}
		for name, r := range map[string]*Relations{"dense": dense, "edges": edges} {
			must.EqualSlices(t, r.Select(4, list).matrix(len(list)), want, name, list)
		}
	}
	var none *Relations
	must.Equal(t, none.Select(4, []int{1}) == nil, true, "a bag without relations got some")
}

func TestValidateRelations(t *testing.T) {
	nan := float32(math.NaN())
	bag := &Bag{Shape: []int{1}, Values: []float32{1, 2}}
	for says, r := range map[string]*Relations{
		"3 values, and 2 instances have 4 pairs": {Dense: make([]float32, 3)},
		"leave one of both out":                  {Dense: make([]float32, 4), Edges: []Edge{}},
		"instances 0 and 1 is NaN":               {Dense: []float32{0, nan, 0, 0}},
		"edge 0 joins instances 0 and 2":         {Edges: []Edge{{0, 2, 1}}},
		"joins instances -1 and 0":               {Edges: []Edge{{-1, 0, 1}}},
		"edge 1 has the weight NaN":              {Edges: []Edge{{0, 0, 1}, {0, 0, nan}}},
	} {
		bag.Relations = r
		must.Fail(t, bag.Validate(), says)
	}
	bag.Relations = &Relations{Edges: []Edge{{0, 1, 1}}}
	must.Do(t, bag.Validate())
	one := bag.Hash("")
	bag.Relations = &Relations{Edges: []Edge{{1, 0, 1}}}
	must.Equal(t, bag.Hash("") != one, true, "bags of different relations have one hash")
}
