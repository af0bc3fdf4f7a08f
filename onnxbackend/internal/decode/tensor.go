package decode

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// proto is a TensorProto without its elements. They are read in a second pass over the message,
// after its shape and type are checked: the fields may come in any order, and no memory may be
// allocated for a shape that the data do not fill.
type proto struct {
	at       int
	name     string
	dims     []int
	typ      tensor.Type
	typed    message // the whole message if it has typed fields of elements
	hasTyped bool
	raw      []byte
	hasRaw   bool
	external bool
	place    place // position of external data
}

// tensor reads a TensorProto and returns it with its name. It checks type, shape, limits and the
// number of elements in the file, in this order, before it allocates the tensor.
func (d *decoder) tensor(f field) (*tensor.Tensor, string, error) {
	p, err := tensorProto(f)
	if err != nil {
		return nil, "", err
	}
	return d.tensorOf(p)
}

// tensorOf returns the tensor of a message that was read, and its name.
func (d *decoder) tensorOf(p *proto) (*tensor.Tensor, string, error) {
	what := "tensor " + msg.Quoted(p.name)
	// Strings and complex numbers have no size, also if the tensor is never read.
	run := p.typ.Runtime()
	if run.Size() == 0 {
		return nil, p.name, fault.Unsupportedf(what, "its elements are of %v, which this engine "+
			"does not hold; convert it to float32 or an integer type", p.typ)
	}
	n, ok := tensor.Count(p.dims)
	if !ok {
		return nil, "", &fault.Format{Offset: p.at, What: what,
			Reason: msg.Sprintf("a tensor of shape %v cannot exist", p.dims)}
	}
	// Limits are checked before the data: a file of a few bytes may declare any shape.
	if n > d.limits.Elements {
		return nil, "", &fault.Limit{What: "elements of a tensor", Wanted: uint64(n),
			Limit: uint64(d.limits.Elements), Setting: "elements"}
	}
	if d.bytes += tensor.WordsFor(run, n) * 8; d.bytes > d.limits.Bytes {
		return nil, "", &fault.Limit{What: "bytes of a run", Wanted: uint64(d.bytes),
			Limit: uint64(d.limits.Bytes), Setting: "runBytes"}
	}
	per := max(1, 8/p.typ.Bits()) // elements in a byte of the file
	units := (n + per - 1) / per  // elements of the file: whole ones or bytes of several
	if p.external {
		// The tensor is a copy of these bytes.
		size := int64(units) * int64(fileSize(p.typ))
		if err := d.limits.Memory.Reserve(size, "a tensor beside the model"); err != nil {
			return nil, "", err
		}
		defer d.limits.Memory.Release(size)
		if err := d.fetch(p, what, size); err != nil {
			return nil, "", err
		}
		if !p.hasRaw { // the file is missing: complete fails at the end of the model
			return tensor.New(run, 0), p.name, nil
		}
	}
	if rest := len(p.raw) % fileSize(p.typ); rest != 0 {
		return nil, "", &fault.Format{Offset: p.at, What: what, Reason: msg.Sprintf("its raw data "+
			"of %d bytes end within an element of %v", len(p.raw), p.typ)}
	}
	// Then the file must hold as many elements as the shape has.
	if have := p.count(); have != units {
		return nil, "", &fault.Format{Offset: p.at, What: what,
			Reason: msg.Sprintf("shape %v needs %d elements of %v, but the file holds %d", p.dims,
				n,
				p.typ, have)}
	}
	words := int64(tensor.WordsFor(run, n))
	if err := d.limits.Memory.Reserve(8*words, "the tensors of the model"); err != nil {
		return nil, "", err
	}
	t := tensor.New(run, p.dims...)
	if run != p.typ { // operators round to the 16-bit type of the file
		t.Half = p.typ
	}
	if per > 1 {
		return t, p.name, p.unpack(t, per)
	}
	if p.hasRaw {
		fillRaw(t, p.typ, p.raw)
		return t, p.name, nil
	}
	return t, p.name, p.fill(t)
}

// unpack reads elements of 4 or 2 bits, the first one in the lowest bits of a byte.
func (p *proto) unpack(t *tensor.Tensor, per int) error {
	packed := p.raw
	if !p.hasRaw {
		// Field int32_data has one number for each byte.
		bytes := tensor.New(tensor.Uint8, p.count())
		q := *p
		q.typ = tensor.Uint8
		if err := q.fill(bytes); err != nil {
			return err
		}
		packed = tensor.Of[uint8](bytes)
	}
	for i, dst := 0, tensor.Of[uint8](t); i < len(dst); i++ {
		dst[i] = tensor.LowBits(t.Type, packed[i/per]>>(i%per*t.Type.Bits()))
	}
	return nil
}

// tensorProto reads all of a TensorProto but its typed fields.
func tensorProto(f field) (*proto, error) {
	p := &proto{at: f.at}
	typed := func(f field) error {
		p.typed, p.hasTyped = f.message, true
		return nil
	}
	err := f.fields("tensor",
		rule{1, func(f field) error {
			return f.numbers(protowire.VarintType, func(v uint64) error {
				if len(p.dims) >= maxDims || int64(v) < 0 || v > min(1<<48, math.MaxInt) {
					return f.fault(f.at, "its shape exceeds any memory")
				}
				p.dims = append(p.dims, int(v))
				return nil
			})
		}},
		rule{2, integer(&p.typ)},
		rule{4, typed}, rule{5, typed}, rule{7, typed}, rule{10, typed}, rule{11, typed},
		rule{8, text(&p.name)},
		rule{9, func(f field) error {
			p.raw, p.hasRaw = f.body, true
			return f.check(protowire.BytesType)
		}},
		rule{13, func(f field) error {
			p.external = true
			return p.place.entry(f)
		}},
		rule{14, func(f field) error {
			p.external = p.external || f.value == 1
			return nil
		}})
	return p, err
}

// fileSize returns the bytes of an element in raw data. Elements of less than a byte share one.
func fileSize(t tensor.Type) int { return max(1, t.Bits()/8) }

// fieldOf returns the number of the typed field that holds elements of a type. Field 5, int32_data,
// holds all types that have no field of their own.
func fieldOf(t tensor.Type) protowire.Number {
	switch t {
	case tensor.Float32:
		return 4
	case tensor.Int64:
		return 7
	case tensor.Float64:
		return 10
	case tensor.Uint32, tensor.Uint64:
		return 11
	}
	return 5
}

// count returns how many elements the file holds. It does not store them: a file that declares few
// elements and holds many costs no memory.
func (p *proto) count() int {
	if p.hasRaw {
		return len(p.raw) / fileSize(p.typ)
	}
	n := 0
	_ = p.typedFields(func(f field) error { // tensorProto has read the message without an error
		switch {
		case f.wire != protowire.BytesType:
			n++
		case f.number == 4:
			n += len(f.body) / 4
		case f.number == 10:
			n += len(f.body) / 8
		default: // varints: each ends with a byte whose highest bit is 0
			for _, b := range f.body {
				if b < 0x80 {
					n++
				}
			}
		}
		return nil
	})
	return n
}

// typedFields calls f for the fields that hold the tensor's elements, in file order. The fields are
// not stored: a file may give each element a field of its own, which takes twenty times its five
// bytes.
func (p *proto) typedFields(f reader) error {
	return p.typed.read([]rule{{fieldOf(p.typ), f}})
}

// fill reads the elements from typed fields into t.
func (p *proto) fill(t *tensor.Tensor) error {
	i, n := 0, t.Len()
	wire := map[protowire.Number]protowire.Type{4: protowire.Fixed32Type,
		10: protowire.Fixed64Type}[fieldOf(p.typ)] // else varints, whose wire type is 0
	put := putterOf(t, p.typ)
	return p.typedFields(func(f field) error {
		return f.numbers(wire, func(v uint64) error {
			if i >= n {
				return f.fault(f.at, "it holds more elements than its shape")
			}
			put(i, v)
			i++
			return nil
		})
	})
}

// widenHalf has the conversions of the 16-bit floats, which the engine stores as float32.
var widenHalf = map[tensor.Type]func(uint16) float32{
	tensor.Float16: tensor.FromFloat16, tensor.BFloat16: tensor.FromBFloat16,
}

// putterOf returns a function that stores element i of a tensor, given the number in a typed field.
// Typed fields of 16-bit floats hold their bits.
func putterOf(t *tensor.Tensor, file tensor.Type) func(i int, v uint64) {
	if widen := widenHalf[file]; widen != nil {
		dst := tensor.Of[float32](t)
		return func(i int, v uint64) { dst[i] = widen(uint16(v)) }
	}
	if file == tensor.Bool {
		dst := tensor.Of[uint8](t)
		return func(i int, v uint64) { dst[i] = uint8(min(v, 1)) }
	}
	switch t.Type.Size() {
	case 1:
		return putter[uint8](t)
	case 2:
		return putter[uint16](t)
	case 4:
		return putter[uint32](t)
	}
	return putter[uint64](t)
}

// putter stores the lowest bits of a number as they are. They are the element: floats and doubles
// come as their bits, and negative integers in two's complement.
func putter[T uint8 | uint16 | uint32 | uint64](t *tensor.Tensor) func(i int, v uint64) {
	dst := tensor.Of[T](t)
	return func(i int, v uint64) { dst[i] = T(v) }
}

// fillRaw reads raw data, which are little-endian. Their size has been checked.
func fillRaw(t *tensor.Tensor, file tensor.Type, raw []byte) {
	if widen := widenHalf[file]; widen != nil {
		for i, dst := 0, tensor.Of[float32](t); i < len(dst); i++ {
			dst[i] = widen(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		return
	}
	if file == tensor.Bool { // any byte but 0 is true
		for i, dst := 0, tensor.Of[uint8](t); i < len(dst); i++ {
			dst[i] = min(raw[i], 1)
		}
		return
	}
	// The byte order is explicit, since memory may be big-endian.
	switch file.Size() {
	case 1:
		copy(tensor.Of[uint8](t), raw)
	case 2:
		for i, dst := 0, tensor.Of[uint16](t); i < len(dst); i++ {
			dst[i] = binary.LittleEndian.Uint16(raw[2*i:])
		}
	case 4:
		for i, dst := 0, tensor.Of[uint32](t); i < len(dst); i++ {
			dst[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
	case 8:
		for i, dst := 0, tensor.Of[uint64](t); i < len(dst); i++ {
			dst[i] = binary.LittleEndian.Uint64(raw[8*i:])
		}
	}
}

// Tensor reads a TensorProto that is not part of a model, such as the .pb files of ONNX's own
// tests.
func Tensor(data []byte, l Limits) (*tensor.Tensor, error) {
	d := &decoder{limits: l, kept: &kept{limits: l}}
	t, _, err := d.tensor(field{message: message{what: "tensor", kept: d.kept},
		wire: protowire.BytesType, body: data})
	if err == nil {
		err = d.complete()
	}
	return t, err
}
