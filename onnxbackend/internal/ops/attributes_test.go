package ops

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
)

// TestAttributesOfEveryVersion fails for a row whose versions attributes.txt does not list as the
// row does, from the last one in Oldest on.
func TestAttributesOfEveryVersion(t *testing.T) {
	for i := range table {
		r := &table[i]
		t.Run(r.Name, func(t *testing.T) {
			var listed []int
			for _, since := range r.attributes() {
				listed = append(listed, since.versions...)
			}
			want := r.Since
			for len(want) > 1 && want[1] <= Oldest {
				want = want[1:]
			}
			must.EqualSlices(t, listed, want)
		})
	}
}

// TestAttributesOfSchemas checks what is read from attributes.txt: kinds are known, a required
// attribute has no default, and each default lies in the attribute's range.
func TestAttributesOfSchemas(t *testing.T) {
	count := 0
	for line := range strings.Lines(attributesText) {
		if op := strings.Fields(line)[0]; op != "#" && byName[op] == nil {
			t.Errorf("attributes.txt lists %s, which is not in the table", op)
		}
	}
	for i := range table {
		for _, since := range table[i].attributes() {
			for _, a := range since.list {
				count++
				n := &Node{Node: compute.Node{Op: table[i].Name, Opset: since.versions[0]}}
				value := &decode.Attribute{Name: a.name, Kind: a.kind, String: a.initial}
				value.Int, _ = strconv.ParseInt(a.initial, 10, 64)
				if a.kind == 0 || a.required && a.initial != "" {
					t.Errorf("%s %d: %+v", n.Op, n.Opset, a)
				}
				if err := checkRange(n, value); a.initial != "" && err != nil {
					t.Errorf("%s %d: the default of %v", n.Op, n.Opset, err)
				}
			}
		}
	}
	must.Equal(t, count >= 300, true, count)
}

// TestRangesBelongToAttributes fails for a range that no attribute of the schemas has, and for one
// whose kind, texts or integers, is another.
func TestRangesBelongToAttributes(t *testing.T) {
	for _, r := range valueRanges {
		for _, name := range strings.Fields(r.names) {
			used := false
			for i := range table {
				for _, a := range table[i].attributesIn(Newest) {
					if name != a.name && name != table[i].Name+"."+a.name {
						continue
					}
					used = true
					must.Equal(t, a.kind == decode.KindString, r.texts != "", name)
				}
			}
			// These belong to old versions only.
			if old := strings.Fields("spatial TopK.k"); used == slices.Contains(old, name) {
				t.Errorf("range of %s: an operator of opset %d has it: %v", name, Newest, used)
			}
		}
	}
}

// TestAxesOfKnownRanks checks the ends of the range of axes, which depends on the operator.
func TestAxesOfKnownRanks(t *testing.T) {
	for _, c := range []struct {
		op, name       string
		opset, rank    int
		valid, invalid []int64
	}{
		{"Gather", "axis", 13, 2, []int64{-2, 1}, []int64{-3, 2}},
		{"Flatten", "axis", 13, 2, []int64{-2, 2}, []int64{-3, 3}},
		{"OneHot", "axis", 13, 2, []int64{-3, 2}, []int64{-4, 3}},
		{"ReduceMax", "axes", 13, 2, []int64{-2, 1}, []int64{-3, 2}},
		{"Transpose", "perm", 13, 1, []int64{0}, []int64{-1, 1}},
		// These count in the result, or name no axis if there is one scale.
		{"Unsqueeze", "axes", 11, 1, []int64{-2, 1}, nil},
		{"QuantizeLinear", "axis", 13, 1, []int64{1}, nil},
		{"DequantizeLinear", "axis", 13, 1, []int64{1}, nil},
	} {
		t.Run(c.op, func(t *testing.T) {
			check := func(axis int64) error {
				a := decode.Attribute{Name: c.name, Int: axis, Ints: []int64{axis}}
				n := &Node{Node: compute.Node{Op: c.op, Opset: c.opset,
					Attributes: []decode.Attribute{a}}}
				return byName[c.op].CheckAxes(n, c.rank)
			}
			for _, axis := range c.valid {
				must.Do(t, check(axis), axis, c.rank)
			}
			for _, axis := range c.invalid {
				must.Equal(t, check(axis) != nil, true, axis, c.rank)
			}
		})
	}
	// The default counts if the attribute is omitted; Compress has none.
	must.Fail(t, byName["Softmax"].CheckAxes(&Node{Node: compute.Node{Op: "Softmax", Opset: 11}},
		1))
	n := &Node{Node: compute.Node{Op: "Compress", Opset: 11}}
	must.Do(t, byName["Compress"].CheckAxes(n, 0), "Compress without an axis")
}
