package asm

// If runs then if cond is not zero, else otherwise, which may be nil.
func (f *Func) If(cond I32, then, otherwise func()) {
	f.code = append(append(f.code, cond.code...), opIf, blockEmpty)
	then()
	if otherwise != nil {
		f.code = append(f.code, opElse)
		otherwise()
	}
	f.code = append(f.code, opEnd)
}

// Repeat runs body once, and again while again is not zero.
func (f *Func) Repeat(body func(), again func() I32) {
	f.code = append(f.code, opLoop, blockEmpty)
	body()
	f.code = append(append(f.code, again().code...), opBrIf, 0, opEnd)
}

// While runs body while cond, evaluated before each round, is not zero.
func (f *Func) While(cond I32, body func()) {
	f.If(cond, func() { f.Repeat(body, func() I32 { return cond }) }, nil)
}

// Argument is an expression of any type.
type Argument interface{ bytes() []byte }

// Call runs g, which has no result.
func (f *Func) Call(g *Func, args ...Argument) { f.code = append(f.code, call(g, 0, args)...) }

// CallV128 is the result of g, which must return one vector.
func CallV128(g *Func, args ...Argument) V128 { return V128{call(g, 1, args)} }

// call returns the instructions of a call. It panics if arguments or results do not match.
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

// Return makes v the result of the function. It must be the last statement.
func (f *Func) Return(v Argument) { f.code = append(f.code, v.bytes()...) }
