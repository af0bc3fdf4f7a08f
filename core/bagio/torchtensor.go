package bagio

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/pickle"
)

// torchTypes are the data types of tensors, by the name of their storage class and of torch.dtype.
var torchTypes = map[pickle.Name]dtype{
	"torch.DoubleStorage": {kind: 'f', size: 8}, "torch.float64": {kind: 'f', size: 8},
	"torch.FloatStorage": {kind: 'f', size: 4}, "torch.float32": {kind: 'f', size: 4},
	"torch.HalfStorage": {kind: 'f', size: 2}, "torch.float16": {kind: 'f', size: 2},
	"torch.BFloat16Storage": bfloat16, "torch.bfloat16": bfloat16,
	"torch.LongStorage": {kind: 'i', size: 8}, "torch.int64": {kind: 'i', size: 8},
	"torch.IntStorage": {kind: 'i', size: 4}, "torch.int32": {kind: 'i', size: 4},
	"torch.ShortStorage": {kind: 'i', size: 2}, "torch.int16": {kind: 'i', size: 2},
	"torch.CharStorage": {kind: 'i', size: 1}, "torch.int8": {kind: 'i', size: 1},
	"torch.ByteStorage": {kind: 'u', size: 1}, "torch.uint8": {kind: 'u', size: 1},
	"torch.uint16": {kind: 'u', size: 2}, "torch.uint32": {kind: 'u', size: 4},
	"torch.uint64":      {kind: 'u', size: 8},
	"torch.BoolStorage": {kind: 'b', size: 1}, "torch.bool": {kind: 'b', size: 1},
}

// visitBytes is what arrays keeps of a value, at most, beside its name.
const visitBytes = 500

// plainData are functions and classes of data beside tensors, which are ignored: by their names, or
// by those of their modules.
var plainData = []pickle.Name{"builtins.set", "builtins.frozenset", "builtins.complex",
	"builtins.bytes", "builtins.bytearray", "builtins.range", "builtins.slice", "__builtin__.set",
	"__builtin__.frozenset", "__builtin__.complex", "__builtin__.bytes", "__builtin__.bytearray",
	"__builtin__.xrange", "__builtin__.slice", "_codecs.encode", "collections.Counter", "datetime.",
	"pathlib.", "torch.Size", "torch.device", "numpy.dtype", "numpy.core.multiarray.scalar",
	"numpy._core.multiarray.scalar"}

// isPlain reports whether a function or class is one of plainData.
func isPlain(f pickle.Name) bool {
	return slices.ContainsFunc(plainData, func(known pickle.Name) bool {
		return f == known || strings.HasSuffix(string(known), ".") &&
			strings.HasPrefix(string(f), string(known))
	})
}

// isDict reports whether a call makes a dict.
func isDict(call *pickle.Call) bool {
	return call.Function == "collections.OrderedDict" ||
		call.Function == "collections.defaultdict"
}

// arrays returns the tensors of a file, by the keys and indices that lead to them. Numbers and text
// in dicts are attributes, and lists of tensors are joined. Calls of other functions are rejected
// by their name: nothing in a file is executed.
func (t *torchFile) arrays(root any) (*namedArrays, error) {
	n := &namedArrays{file: t.file, attributes: attributes{}}
	var lists []tensorList
	err := eachValue(t.file, root, func(name string, v any) error {
		// The same value can occur in many places, each with its name.
		if err := t.limits.reserve(t.file, visitBytes+int64(len(name))); err != nil {
			return err
		}
		switch v := v.(type) {
		case *pickle.Call:
			if isDict(v) || name != "" && isPlain(v.Function) {
				return nil
			}
			a, err := t.tensor(name, v)
			n.arrays = append(n.arrays, a)
			return err
		case pickle.Name:
			if _, ok := torchTypes[v]; ok && name != "" {
				return nil
			}
			return t.refuse(name, v)
		case pickle.Reference:
			return bad(t.file, "%s is a storage without a tensor", orRoot(name))
		case int64:
			n.attributes[lastOf(name)] = float64(v)
		case float64, string:
			n.attributes[lastOf(name)] = v
		case *pickle.List:
			if isTensorList(v) {
				lists = append(lists, tensorList{name, len(n.arrays), len(v.Items)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return n, t.join(n, lists)
}

func (t *torchFile) refuse(name string, f pickle.Name) error {
	return bad(t.file,
		"%s is made by the Python function or class %s, which bagscope does not run; "+
			"save tensors, or dicts and lists of tensors", orRoot(name), f)
}

func orRoot(name string) string {
	if name == "" {
		return "its content"
	}
	return name
}

// lastOf returns the last part of a name, in its own memory.
func lastOf(name string) string {
	return strings.Clone(name[strings.LastIndexByte(name, '/')+1:])
}

// tensor returns the tensor that a call makes: torch._utils._rebuild_tensor(storage, offset, size,
// stride), _rebuild_tensor_v2 and v3 with more, or _rebuild_parameter(tensor, ...).
func (t *torchFile) tensor(name string, call *pickle.Call) (namedArray, error) {
	what, short := t.file, name
	if name != "" {
		what += "/" + name
	} else {
		name = "features" // a tensor without a name is the bag
	}
	call = unwrapped(call)
	switch call.Function {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct",
		"numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer":
		// Its refusal is an error of the file only if it is part of the bag.
		return namedArray{name, nil, func() (*Array, error) {
			return nil, t.refuse(short, call.Function)
		}}, nil
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2",
		"torch._utils._rebuild_tensor_v3":
		if len(call.Args) >= 4 {
			break
		}
		fallthrough
	default:
		return namedArray{}, t.refuse(short, call.Function)
	}
	v, err := t.view(what, call)
	if err != nil {
		return namedArray{}, err
	}
	return namedArray{name, v.shape, func() (*Array, error) { return t.read(v) }}, nil
}

// unwrapped returns the call that makes the tensor of a parameter, or of a tensor with attributes:
// torch._tensor._rebuild_from_type_v2(function, class, arguments, attributes).
func unwrapped(call *pickle.Call) *pickle.Call {
	// Each wraps at most once.
	if call.Function == "torch._tensor._rebuild_from_type_v2" && len(call.Args) >= 3 {
		function, named := call.Args[0].(pickle.Name)
		class, _ := call.Args[1].(pickle.Name)
		args, ok := call.Args[2].(pickle.Tuple)
		if ok && named && (class == "torch.Tensor" || class == "torch.nn.parameter.Parameter") {
			call = &pickle.Call{Function: function, Args: args}
		}
	}
	switch call.Function {
	case "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state":
		if inner, ok := first(call.Args).(*pickle.Call); ok {
			call = inner
		}
	}
	return call
}

func first(args pickle.Tuple) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// A tensorView is a tensor: which elements of a storage it has.
type tensorView struct {
	what    string // name in messages
	storage storage
	offset  int // place of its first element, in elements
	shape   []int
	strides []int // counted in elements
	count   int   // number of its elements
}

// A storage is an array of elements beside the pickle.
type storage struct {
	key   string
	other string // the data type if it is not supported
	dtype dtype
	count int // number of its elements; -1 if the pickle does not state it
}

// view checks the arguments of a call that makes a tensor.
func (t *torchFile) view(what string, call *pickle.Call) (*tensorView, error) {
	s, err := storageOf(what, call.Args[0])
	if err != nil {
		return nil, err
	}
	if call.Function == "torch._utils._rebuild_tensor_v3" && len(call.Args) > 6 {
		kind, _ := call.Args[6].(pickle.Name)
		if s = (storage{key: s.key, dtype: torchTypes[kind], count: -1}); s.dtype.size == 0 {
			s.other = typeName(kind)
		}
	}
	if isLazyView(call) {
		return nil, bad(what, "it is a negated or conjugated view; save its resolve_neg() or "+
			"resolve_conj()")
	}
	v := &tensorView{what: what, storage: s}
	var ok [3]bool
	v.offset, ok[0] = natural(call.Args[1])
	v.shape, ok[1] = naturals(call.Args[2])
	v.strides, ok[2] = naturals(call.Args[3])
	if ok != [3]bool{true, true, true} || len(v.shape) != len(v.strides) {
		return nil, bad(what, "its shape, strides or offset are not numbers of elements")
	}
	if len(v.shape) > maxRank {
		return nil, bad(what, "it has %d axes; at most %d are supported", len(v.shape), maxRank)
	}
	if v.count, err = t.limits.elements(what, v.shape); err != nil {
		return nil, err
	}
	// Strides of zero repeat elements: a small file can claim a large tensor.
	return v, t.limits.bytes(what, int64(v.count*s.dtype.size))
}

// storageOf reads a persistent ID: ("storage", class, key, location, number of elements), in legacy
// files with a view of another storage.
func storageOf(what string, v any) (storage, error) {
	ref, _ := v.(pickle.Reference)
	id, _ := ref.ID.(pickle.Tuple)
	if len(id) < 5 || id[0] != any("storage") {
		return storage{}, bad(what, "it does not refer to a storage")
	}
	class, _ := id[1].(pickle.Name)
	key, ok := id[2].(string)
	count, counted := natural(id[4])
	if !ok || !counted {
		return storage{}, bad(what, "its storage has no key or no size")
	}
	if len(id) > 5 && id[5] != nil {
		return storage{}, bad(what, "its storage is a view of another one, as PyTorch wrote them "+
			"before version 0.4; load it and save it again")
	}
	if class == "torch.storage.UntypedStorage" {
		return storage{key: key, dtype: dtype{kind: 'u', size: 1}, count: -1}, nil
	}
	kind, ok := torchTypes[class]
	if !ok {
		return storage{key: key, other: typeName(class)}, nil
	}
	return storage{key: key, dtype: kind, count: count}, nil
}

// typeName returns the name of an unsupported data type for messages; it is never empty.
func typeName(n pickle.Name) string {
	return cmp.Or(strings.TrimPrefix(string(n), "torch."), "without a name")
}

// isLazyView reports whether a tensor is stored with another sign than its own: its metadata, the
// last argument of _rebuild_tensor_v2, then say so.
func isLazyView(call *pickle.Call) bool {
	bits, ok := call.Args[len(call.Args)-1].(*pickle.Dict)
	return ok && len(call.Args) > 6 &&
		(bits.Get("neg") == any(true) || bits.Get("conj") == any(true))
}

func natural(v any) (int, bool) {
	n, ok := v.(int64)
	return int(n), ok && n >= 0 && n < min(1<<48, math.MaxInt)
}

func naturals(v any) ([]int, bool) {
	if call, ok := v.(*pickle.Call); ok && call.Function == "torch.Size" {
		v = first(call.Args)
	}
	items, ok := v.(pickle.Tuple)
	out := make([]int, len(items))
	for i := range items {
		n, natural := natural(items[i])
		ok = ok && natural
		out[i] = n
	}
	return out, ok
}

// read returns the elements of a tensor, row-major. They share the memory of a file in memory if
// the tensor is contiguous.
func (t *torchFile) read(v *tensorView) (*Array, error) {
	if other := v.storage.other; other != "" {
		return nil, bad(v.what, "its data type %s is not supported", other)
	}
	data, err := t.data(v.storage.key)
	if err != nil {
		return nil, err
	}
	size := v.storage.dtype.size
	entries := int(data.size) / size
	// The last element must lie in the storage. No product overflows: v.shape has at most
	// Limits.Elements elements, and strides are below 2^48.
	last := v.offset
	for d, n := range v.shape {
		if step := v.strides[d]; v.count > 0 && n > 1 && step > entries/(n-1) {
			return nil, bad(v.what, "its strides lead out of its storage")
		} else if n > 1 {
			last += (n - 1) * step
		}
	}
	if v.count > 0 && last >= entries {
		return nil, bad(v.what, "it has element %d of a storage of %d", last, entries)
	}
	a := &Array{Shape: v.shape, dtype: v.storage.dtype, file: v.what, start: -1}
	a.dtype.big = t.big && size > 1
	copies := 0 // bytes that are not those of the file
	if !v.contiguous() {
		copies = v.count * size
	}
	if a.dtype.kind == bfloat16.kind {
		copies += 4 * v.count
	}
	if err := t.limits.reserve(v.what, int64(copies)); err != nil {
		return nil, err
	}
	if v.contiguous() {
		a.data, err = data.take(v.offset*size*min(v.count, 1), v.count*size, t.limits)
	} else {
		a.data, err = v.gather(data, size, t.limits)
	}
	if err != nil {
		return nil, err
	}
	return a.withoutBfloat16(), nil
}

// contiguous reports whether the elements lie in the storage in row-major order.
func (v *tensorView) contiguous() bool {
	want := 1
	for d := len(v.shape) - 1; d >= 0; d-- {
		if v.shape[d] > 1 && v.strides[d] != want {
			return false
		}
		want *= v.shape[d]
	}
	return true
}

// gather copies the elements in row-major order.
func (v *tensorView) gather(from *span, size int, l Limits) ([]byte, error) {
	data, err := from.take(0, int(from.size), l)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, v.count*size)
	index := make([]int, len(v.shape))
	at := v.offset
	for range v.count {
		out = append(out, data[at*size:][:size]...)
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			at += v.strides[d]
			if index[d] < v.shape[d] {
				break
			}
			at -= index[d] * v.strides[d]
			index[d] = 0
		}
	}
	return out, nil
}
