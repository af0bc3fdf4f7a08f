package asm

// Func is a function under construction: parameters, then locals, then statements in order.
type Func struct {
	name    string
	index   uint32
	params  []ValueType
	results []ValueType
	locals  []ValueType
	code    []byte
}

// Param declares the next parameter, an i32.
func (f *Func) Param() *I32Var {
	if len(f.locals) > 0 || len(f.code) > 0 {
		panic("asm: a parameter of " + f.name + " after its body began")
	}
	f.params = append(f.params, TypeI32)
	return &I32Var{I32{get(len(f.params) - 1)}, f, len(f.params) - 1}
}

// VectorParam declares the next parameter, a v128.
func (f *Func) VectorParam() *V128Var {
	v := f.Param()
	f.params[v.index] = TypeV128
	return &V128Var{V128{v.code}, f, v.index}
}

// I32 declares a local of 32 bits, zero at first.
func (f *Func) I32() *I32Var {
	index := f.local(TypeI32)
	return &I32Var{I32{get(index)}, f, index}
}

// V128 declares a local vector, zero at first.
func (f *Func) V128() *V128Var {
	index := f.local(TypeV128)
	return &V128Var{V128{get(index)}, f, index}
}

// V128s declares n local vectors.
func (f *Func) V128s(n int) []*V128Var {
	vs := make([]*V128Var, n)
	for i := range vs {
		vs[i] = f.V128()
	}
	return vs
}

func (f *Func) local(t ValueType) int {
	f.locals = append(f.locals, t)
	return len(f.params) + len(f.locals) - 1
}

func get(index int) []byte { return unsigned([]byte{opLocalGet}, uint32(index)) }

// body encodes locals and code, with the end that closes them.
func (f *Func) body() []byte {
	var runs [][]byte
	for i := 0; i < len(f.locals); {
		j := i
		for j < len(f.locals) && f.locals[j] == f.locals[i] {
			j++
		}
		runs = append(runs, append(unsigned(nil, uint32(j-i)), byte(f.locals[i])))
		i = j
	}
	b := unsigned(nil, uint32(len(runs)))
	for _, r := range runs {
		b = append(b, r...)
	}
	return append(append(b, f.code...), opEnd)
}

// I32Var is a local or parameter of 32 bits; as an expression it is its value.
type I32Var struct {
	I32
	f     *Func
	index int
}

// Set assigns x.
func (v *I32Var) Set(x I32) { v.f.set(v.index, x.code) }

// Add adds a constant in place.
func (v *I32Var) Add(n int32) { v.Set(v.Plus(Const(n))) }

// V128Var is a local vector; as an expression it is its value.
type V128Var struct {
	V128
	f     *Func
	index int
}

// Set assigns x.
func (v *V128Var) Set(x V128) { v.f.set(v.index, x.code) }

func (f *Func) set(index int, code []byte) {
	f.code = unsigned(append(append(f.code, code...), opLocalSet), uint32(index))
}
