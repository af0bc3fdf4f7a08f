package main

import "fmt"

// flat writes the convolution of one map over neighbouring places.
func flat() []*function { return []*function{depthRow()} }

// depthRow writes the loop over vectors of places. Sixteen vectors at a time hide the latency of
// their chains of additions; the rest goes in eights, fours, twos and ones.
func depthRow() *function {
	f := begin("depthRowNEON", "(dst *float32, src *float32, vectors int, from *int32, k int, "+
		"weights *float32, bias *float32, relu bool)",
		"depthRowNEON computes vectors times 4 places of one map from k taps. k is at least 1.",
		"bias may be nil.")
	t := depthArgs{f, f.param("dst"), f.param("src"), f.param("vectors"), f.param("from"),
		f.param("k"), f.param("weights"), f.param("bias"), f.gp()}
	f.ins("MOVBU %s, %v", f.params["relu"], t.relu)
	for n := 16; n > 0; n /= 2 {
		f.scoped(func() { t.body(n) })
	}
	f.ins("RET")
	return f
}

// depthArgs are the parameters in registers.
type depthArgs struct {
	*function
	dst, src, count, from, k, weights, bias, relu gp
}

// body writes the loop over n vectors at a time.
func (t depthArgs) body(n int) {
	name := fmt.Sprintf("v%d", n)
	t.label(name)
	t.ins("CMP $%d, %v", n, t.count)
	t.jump("BLT", name+"end")
	acc := t.zeros(n)
	from, weights, left, where := t.copyOf(t.from), t.copyOf(t.weights), t.copyOf(t.k), t.gp()
	t.label(name + "tap")
	t.ins("MOVW.P 4(%v), %v", from, where)
	t.ins("ADD %v<<2, %v, %v", where, t.src, where)
	weight := t.scalar(weights)
	for i := 0; i < n; i += quad {
		for j, x := range t.loads(min(quad, n-i), where, i*vectorBytes) {
			t.into(fmla(0), acc[i+j], x, weight)
		}
	}
	t.repeat(left, name+"tap")
	// Adding a bias of zero would turn -0 into 0.
	t.jump(fmt.Sprintf("CBZ %v,", t.bias), name+"nobias")
	t.ins("MOVD %v, %v", t.bias, where)
	b := t.spread(where)
	for _, v := range acc {
		t.into(fadd, v, v, b)
	}
	t.label(name + "nobias")
	t.jump(fmt.Sprintf("CBZ %v,", t.relu), name+"store")
	t.function.relu(acc)
	t.label(name + "store")
	t.stores(acc, t.dst, 0)
	t.ins("ADD $%d, %v", n*vectorBytes, t.dst)
	t.ins("ADD $%d, %v", n*vectorBytes, t.src)
	t.ins("SUB $%d, %v", n, t.count)
	t.jump("B", name)
	t.label(name + "end")
}
