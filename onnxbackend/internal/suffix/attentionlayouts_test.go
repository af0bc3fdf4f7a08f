package suffix_test

import (
	"testing"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// projections returns nodes that compute the queries, keys and values of the instances: (1, place,
// 4), or (1, head, place, width) if split names the shape that separates heads.
func projections(split string) (nodes []ot.Node) {
	nodes = append(nodes, ot.N("Unsqueeze", []string{"h", "axis0"}, []string{"x"}))
	for i, to := range []string{"q", "k", "v"} {
		w := []string{"W44", "V44", "U44"}[i]
		if split == "" {
			nodes = append(nodes, ot.N("MatMul", []string{"x", w}, []string{to}))
			continue
		}
		nodes = append(nodes, ot.N("MatMul", []string{"x", w}, []string{to + "x"}),
			ot.N("Reshape", []string{to + "x", split}, []string{to + "r"}),
			ot.N("Transpose", []string{to + "r"}, []string{to}, ot.Ints("perm", 0, 2, 1, 3)))
	}
	return nodes
}

// TestAttentionLayouts checks Attention over the instances in the layouts of exporters: that its
// coalitions run together, and have the scores of the whole graph.
func TestAttentionLayouts(t *testing.T) {
	qkv := []string{"q", "k", "v"}
	learned := []string{"query3", "k", "v"}
	mean := ot.N("ReduceMean", []string{"y", "one"}, []string{"p"}, ot.Int("keepdims", 0))
	heads := func(keys int64, more ...ot.Attribute) []ot.Attribute {
		return append(more, ot.Int("q_num_heads", 2), ot.Int("kv_num_heads", keys))
	}
	three := func(in []string, a ...ot.Attribute) []ot.Node {
		return append(projections(""), ot.N("Attention", in, []string{"y"}, a...), mean)
	}
	four := func(in []string, a ...ot.Attribute) []ot.Node {
		return append(projections("split"), ot.N("Attention", in, []string{"y4"}, a...),
			ot.N("Transpose", []string{"y4"}, []string{"yt"}, ot.Ints("perm", 0, 2, 1, 3)),
			ot.N("Reshape", []string{"yt", "join"}, []string{"y"}), mean)
	}
	grouped := func(query string) []ot.Node {
		return append(projections(""), ot.N("MatMul", []string{"k", "W42"}, []string{"k2"}),
			ot.N("MatMul", []string{"v", "W42"}, []string{"v2"}),
			ot.N("Attention", []string{query, "k2", "v2"}, []string{"y"}, heads(1)...), mean)
	}
	// unread lists the other outputs, which nothing reads, as exporters do.
	unread := func(query string, others ...string) []ot.Node {
		return append(projections(""), ot.N("Attention", []string{query, "k", "v"},
			append([]string{"y"}, others...), heads(2)...), mean)
	}
	scale, softcap := ot.Float("scale", 0.3), ot.Float("softcap", 0.3)
	const members, pooled = onnxbackend.StrategyMembers, "attention"
	for name, c := range map[string]struct {
		strategy string
		nodes    []ot.Node
	}{
		"3-D":                         {members, three(qkv, heads(2)...)},
		"3-D, scale":                  {members, three(qkv, heads(2, scale)...)},
		"3-D, grouped":                {members, grouped("q")},
		"3-D, softcap":                {members, three(qkv, heads(2, softcap)...)},
		"4-D":                         {members, four(qkv)},
		"4-D, scale":                  {members, four(qkv, scale)},
		"3-D, learned query":          {pooled, three(learned, heads(2)...)},
		"3-D, learned query, grouped": {pooled, grouped("query3")},
		"3-D, learned query, scale":   {pooled, three(learned, heads(2, scale)...)},
		"4-D, learned query":          {pooled, four([]string{"query4", "k", "v"})},
		"learned query, softcap":      {members, three(learned, heads(2, softcap)...)},
		"learned query, far scores": {pooled,
			three(learned, heads(2, ot.Float("scale", 90))...)},
		"learned query, causal": {members,
			three(learned, heads(2, ot.Int("is_causal", 1))...)},
		"unnamed outputs":                {members, unread("q", "", "", "")},
		"unread outputs":                 {members, unread("q", "keys", "values", "scores")},
		"learned query, unnamed outputs": {pooled, unread("query3", "", "", "")},
		"learned query, unread outputs":  {pooled, unread("query3", "keys", "values", "scores")},
		"query of the mean": {members, append(projections(""),
			ot.N("ReduceMean", []string{"q", "one"}, []string{"qm"}),
			ot.N("Attention", []string{"qm", "k", "v"}, []string{"y"}, heads(2)...), mean)},
		"induced points": {members, append(projections(""),
			ot.N("Attention", learned, []string{"i"}, heads(2)...),
			ot.N("Attention", []string{"q", "i", "i"}, []string{"y"}, heads(2)...), mean)},
		"learned query behind an encoder": {members, append(projections(""),
			ot.N("Attention", qkv, []string{"e"}, heads(2)...),
			ot.N("Attention", []string{"query3", "e", "e"}, []string{"y"}, heads(2)...), mean)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []int{1, 2, 7, 64} {
				m := attentionModel(k, 4, c.nodes...)
				m.Opset = 23
				m.Initializers = append(m.Initializers, ot.I("split", []int64{1, -1, 2, 2}, 4),
					ot.I("join", []int64{1, -1, 4}, 3),
					ot.F("W42", []float32{1, 0, -1, 2, .5, 1, 0, -2}, 4, 2),
					ot.F("query3", []float32{1, -1, .5, 2, 0, 1, -1, 1}, 1, 2, 4),
					ot.F("query4", []float32{1, -1, .5, 2, 0, 1, -1, 1}, 1, 2, 2, 2))
				bag, model := enginetest.SmallBag(k, 3), m.Bytes()
				b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
				if k > 1 && b.Strategy() != c.strategy {
					t.Errorf("k=%d: strategy %s, want %s (%s; %q)", k, b.Strategy(), c.strategy,
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				sameAlone(t, b)
			}
		})
	}
}
