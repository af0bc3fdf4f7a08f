package bagio

import (
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

// arrays returns the tensors of a file, by the keys and indices that lead to them. Numbers and text
// in dicts are attributes. Calls of other functions are rejected by their name: nothing in a file
// is executed.
func (t *torchFile) arrays(root any) (*namedArrays, error) {
	n := &namedArrays{file: t.file, attributes: attributes{}}
	err := eachValue(t.file, root, func(name string, v any) error {
		// The same value can occur in many places, each with its name.
		if err := t.limits.reserve(t.file, visitBytes+int64(len(name))); err != nil {
			return err
		}
		switch v := v.(type) {
		case *pickle.Call:
			if v.Function == "collections.OrderedDict" {
				return nil
			}
			a, err := t.tensor(name, v)
			n.arrays = append(n.arrays, a)
			return err
		case pickle.Name:
			return t.refuse(name, v)
		case pickle.Reference:
			return bad(t.file, "%s is a storage without a tensor", orRoot(name))
		case int64:
			n.attributes[lastOf(name)] = float64(v)
		case float64, string:
			n.attributes[lastOf(name)] = v
		}
		return nil
	})
	return n, err
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
	args := call.Args
	switch call.Function {
	case "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state":
		if inner, ok := first(args).(*pickle.Call); ok && inner.Function != call.Function {
			return t.tensor(name, inner)
		}
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2",
		"torch._utils._rebuild_tensor_v3":
		if len(args) >= 4 {
			break
		}
		fallthrough
	default:
		return namedArray{}, t.refuse(name, call.Function)
	}
	if len(args) < 4 {
		return namedArray{}, t.refuse(name, call.Function)
	}
	what := t.file
	if name != "" {
		what += "/" + name
	}
	v, err := t.view(what, call)
	if err != nil {
		return namedArray{}, err
	}
	if name == "" {
		name = "features" // a tensor without a name is the bag
	}
	return namedArray{name, v.shape, func() (*Array, error) { return t.read(v) }}, nil
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
		if s.dtype = torchTypes[kind]; s.dtype.size == 0 {
			return nil, bad(what, "its data type %s is not supported", kind)
		}
		s.count = -1
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
		return storage{key, dtype{kind: 'u', size: 1}, -1}, nil
	}
	kind, ok := torchTypes[class]
	if !ok {
		return storage{}, bad(what, "its data type %s is not supported",
			strings.TrimPrefix(string(class), "torch."))
	}
	return storage{key, kind, count}, nil
}

func natural(v any) (int, bool) {
	n, ok := v.(int64)
	return int(n), ok && n >= 0 && n < 1<<48
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

// read returns the elements of a tensor, row-major. They share the file's memory if the tensor is
// contiguous.
func (t *torchFile) read(v *tensorView) (*Array, error) {
	data, err := t.data(v.storage.key)
	if err != nil {
		return nil, err
	}
	size := v.storage.dtype.size
	// The last element must lie in the storage. No product overflows: v.shape has at most
	// Limits.Elements elements, and strides are below 2^48.
	last := v.offset
	for d, n := range v.shape {
		if step := v.strides[d]; n > 1 && step > (len(data)/size)/(n-1) {
			return nil, bad(v.what, "its strides lead out of its storage")
		} else if n > 1 {
			last += (n - 1) * step
		}
	}
	if v.count > 0 && last >= len(data)/size {
		return nil, bad(v.what, "it has element %d of a storage of %d", last, len(data)/size)
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
		a.data = data[v.offset*size*min(v.count, 1):][:v.count*size]
	} else {
		a.data = v.gather(data, size)
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
func (v *tensorView) gather(data []byte, size int) []byte {
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
	return out
}
