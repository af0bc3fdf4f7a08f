package ops

import (
	"slices"
	"testing"
)

// TestRows fails for a row that lacks a trait which its kind or another trait needs.
func TestRows(t *testing.T) {
	if len(byName) != len(table) {
		t.Errorf("%d names for %d rows: a name occurs twice", len(byName), len(table))
	}
	for i := range table {
		r := &table[i]
		t.Run(r.Name, func(t *testing.T) {
			for trait, there := range map[string]bool{
				"Kind":    r.Kind >= Elementwise && r.Kind <= Create,
				"Since":   len(r.Since) > 0 && slices.IsSorted(r.Since) && slices.Max(r.Since) <= Newest,
				"Arity":   (r.Max < 0 || r.Min <= r.Max) && r.Outputs != 0,
				"Axes":    r.Axes != nil,
				"New":     r.New != nil,
				"Reduces": r.Reduces != 0 || r.Kind != Reduce,
				"Pools":   r.Pools != nil || r.Reduces == 0,
				"Batch":   r.Batch != nil || !perElement(r.Kind),
				"Fact":    r.Fact != nil || !perElement(r.Kind),
				"Product": r.Product == nil || r.Kind == Linear,
				"Fuse":    r.Fuse == nil || r.Kind == Elementwise,
			} {
				if !there {
					t.Errorf("the row lacks %s, or it contradicts the row's kind", trait)
				}
			}
		})
	}
}

// perElement reports whether operators of a kind compute elements one by one, or combine those along
// named axes: all such operators can take a batch in one call and have a shape that can be inferred.
func perElement(k Kind) bool {
	return k == Elementwise || k == PassThrough || k == Broadcast || k == Reduce
}
