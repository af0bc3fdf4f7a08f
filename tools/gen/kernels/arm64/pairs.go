package main

import "fmt"

// pairs writes the functions of two elements, and the one that cuts elements to an interval.
func pairs() []*function {
	return []*function{pair("addNEON", fadd), pair("subNEON", fsub), pair("mulNEON", fmul),
		pair("divNEON", fdiv), clampRow()}
}

// pair writes the loop over n vectors. An operand that advances by 0 bytes serves all of them.
func pair(name string, o op) *function {
	f := begin(name,
		"(dst *float32, a *float32, b *float32, n int, stepA int, stepB int)",
		fmt.Sprintf("%s computes n times 4 values. n is at least 1; the steps are in bytes.", name))
	dst, a, b, n := f.param("dst"), f.param("a"), f.param("b"), f.param("n")
	stepA, stepB := f.param("stepA"), f.param("stepB")
	x, y := f.vec(), f.vec()
	f.label("loop")
	f.with(fmt.Sprintf("VLD1.P (%v)(%v), [V%%d.S4]", a, stepA), x)
	f.with(fmt.Sprintf("VLD1.P (%v)(%v), [V%%d.S4]", b, stepB), y)
	f.put(f.op(o, x, y), dst)
	f.repeat(n, "loop")
	f.ins("RET")
	return f
}

// clampRow writes the loop over n vectors that are cut to [low, high]. Values are replaced where
// they are less than low or greater than high, so that a NaN stays.
func clampRow() *function {
	f := begin("clampNEON", "(dst *float32, src *float32, n int, low float32, high float32)",
		"clampNEON computes n times 4 values. n is at least 1.")
	dst, src, n := f.param("dst"), f.param("src"), f.param("n")
	bound := func(name string) vec {
		v := f.vec()
		f.with("FMOVS "+f.params[name]+", F%d", v)
		return f.op(dup(0), v)
	}
	low, high := bound("low"), bound("high")
	f.label("loop")
	x := f.next(src)
	f.into(bit, x, low, f.op(fcmgt, low, x))
	f.into(bit, x, high, f.op(fcmgt, x, high))
	f.put(x, dst)
	f.repeat(n, "loop")
	f.ins("RET")
	return f
}
