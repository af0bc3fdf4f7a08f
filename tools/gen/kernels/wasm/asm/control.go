package asm

// If runs then where cond is not zero, else the other (which may be nil).
func (f *Func) If(cond I32, then, otherwise func()) {
	f.code = append(append(f.code, cond.code...), opIf, blockEmpty)
	then()
	if otherwise != nil {
		f.code = append(f.code, opElse)
		otherwise()
	}
	f.code = append(f.code, opEnd)
}

// Repeat runs body once and then again while again is not zero.
func (f *Func) Repeat(body func(), again func() I32) {
	f.code = append(f.code, opLoop, blockEmpty)
	body()
	f.code = append(append(f.code, again().code...), opBrIf, 0, opEnd)
}

// While runs body as long as cond, evaluated anew before each round, is not zero.
func (f *Func) While(cond I32, body func()) {
	f.If(cond, func() { f.Repeat(body, func() I32 { return cond }) }, nil)
}

// Argument is an expression of any type.
type Argument interface{ bytes() []byte }

// Call runs g, which has no result.
func (f *Func) Call(g *Func, args ...Argument) { f.code = append(f.code, call(g, 0, args)...) }

// CallV128 is the value of g, which returns one vector.
func CallV128(g *Func, args ...Argument) V128 { return V128{call(g, 1, args)} }

func call(g *Func, results int, args []Argument) []byte {
	if len(args) != len(g.params) || len(g.results) != results {
		panic("asm: a call of " + g.name + " that does not fit its type")
	}
	var code []byte
	for _, a := range args {
		code = append(code, a.bytes()...)
	}
	return unsigned(append(code, opCall), g.index)
}

// Return leaves v as the result of the function.
func (f *Func) Return(v Argument) { f.code = append(f.code, v.bytes()...) }
