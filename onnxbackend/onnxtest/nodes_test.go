package onnxtest_test

import (
	"reflect"
	"testing"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNodes compares nodes of a text with the same nodes as calls, and rejects other texts.
func TestNodes(t *testing.T) {
	got := ot.Nodes(`h = MatMul(bag, W)
		p, i = TopK<axis=-1>(h, , k); c = Constant<value_floats=[0.5, 2.0]>()

		, r = Resize<mode="li->x, y", scales=[1, 2], alpha=3.0>(p)`)
	want := []ot.Node{
		ot.N("MatMul", []string{"bag", "W"}, []string{"h"}),
		ot.N("TopK", []string{"h", "", "k"}, []string{"p", "i"}, ot.Int("axis", -1)),
		ot.N("Constant", nil, []string{"c"}, ot.Floats("value_floats", .5, 2)),
		ot.N("Resize", []string{"p"}, []string{"", "r"}, ot.Text("mode", "li->x, y"),
			ot.Ints("scales", 1, 2), ot.Float("alpha", 3)),
	}
	must.Equal(t, reflect.DeepEqual(got, want), true, got, want)
	for _, text := range []string{"h", "h = MatMul", "MatMul(bag, W)", "h = Mat Mul(bag)",
		"h = Cast<to>(bag)", "h = Cast<to=x>(bag)", "h = Cast<to=[1>(bag)", "h = Cast<to=>(bag)"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", text)
				}
			}()
			ot.Nodes(text)
		}()
	}
}
