package decode

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func bitsFloat(v uint32) float32 { return math.Float32frombits(v) }

// proto is a TensorProto whose numbers are not read yet.
type proto struct {
	at       int
	name     string
	dims     []int
	typ      tensor.Type
	typed    message // the whole, where typed number fields are read from again
	hasTyped bool
	raw      []byte
	hasRaw   bool
	external bool
	place    place // of external data
}

// tensor reads a TensorProto and returns it with its name.
func (d *decoder) tensor(f field) (*tensor.Tensor, string, error) {
	p, err := tensorProto(f)
	if err != nil {
		return nil, "", err
	}
	what := "tensor " + strconv.Quote(p.name)
	run := p.typ.Runtime()
	if run.Size() == 0 {
		return nil, "", fault.Unsupportedf(what, "its elements are of %v, which this engine does "+
			"not hold; convert it to float32 or an integer type", p.typ)
	}
	n, ok := tensor.Count(p.dims)
	if !ok {
		return nil, "", &fault.Format{Offset: p.at, What: what,
			Reason: fmt.Sprintf("a tensor of shape %v cannot exist", p.dims)}
	}
	if n > d.limits.Elements {
		return nil, "", &fault.Limit{What: "elements of a tensor", Wanted: uint64(n),
			Limit: uint64(d.limits.Elements)}
	}
	if d.bytes += tensor.WordsFor(run, n) * 8; d.bytes > d.limits.Bytes {
		return nil, "", &fault.Limit{What: "bytes of a run", Wanted: uint64(d.bytes),
			Limit: uint64(d.limits.Bytes)}
	}
	per := max(1, 8/p.typ.Bits()) // elements in a byte of the file
	units := (n + per - 1) / per
	if p.external {
		if err := d.fetch(p, what, int64(units)*int64(fileSize(p.typ))); err != nil {
			return nil, "", err
		}
		if !p.hasRaw { // and the model will not be opened
			return tensor.New(run, 0), p.name, nil
		}
	}
	if have := p.count(); have != units {
		return nil, "", &fault.Format{Offset: p.at, What: what,
			Reason: fmt.Sprintf("shape %v wants %d elements of %v, the file holds %d", p.dims, n,
				p.typ, have)}
	}
	t := tensor.New(run, p.dims...)
	if run != p.typ {
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

// unpack reads elements of less than a byte, the first in the lowest bits.
func (p *proto) unpack(t *tensor.Tensor, per int) error {
	packed := p.raw
	if !p.hasRaw {
		bytes := tensor.New(tensor.Uint8, p.count())
		q := *p
		q.typ = tensor.Uint8
		if err := q.fill(bytes); err != nil {
			return err
		}
		packed = tensor.Of[uint8](bytes)
	}
	for i, dst := 0, tensor.Of[uint8](t); i < len(dst); i++ {
		dst[i] = tensor.Cut(t.Type, packed[i/per]>>(i%per*t.Type.Bits()))
	}
	return nil
}

func tensorProto(f field) (*proto, error) {
	p := &proto{at: f.at}
	s, err := f.sub("tensor")
	if err != nil {
		return nil, err
	}
	err = s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.varints(func(v uint64) error {
				if len(p.dims) >= maxDims || int64(v) < 0 || v > 1<<48 {
					return f.fault(f.at, "its shape is beyond any memory")
				}
				p.dims = append(p.dims, int(v))
				return nil
			})
		case 2:
			var t int64
			err := f.int64(&t)
			p.typ = tensor.Type(t)
			return err
		case 4, 5, 7, 10, 11:
			p.typed, p.hasTyped = s, true
		case 8:
			return f.text(&p.name)
		case 9:
			p.raw, p.hasRaw = f.body, true
			return f.want(protowire.BytesType)
		case 13:
			p.external = true
			return p.place.entry(f)
		case 14:
			p.external = p.external || f.value == 1
		}
		return nil
	})
	return p, err
}

// fileSize is the bytes of an element in raw data, or of those that share one.
func fileSize(t tensor.Type) int { return max(1, t.Bits()/8) }

// number of the typed field that holds elements of each type.
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

// count returns how many elements the file holds, without reading them into memory.
func (p *proto) count() int {
	if p.hasRaw {
		if len(p.raw)%fileSize(p.typ) != 0 {
			return -1
		}
		return len(p.raw) / fileSize(p.typ)
	}
	n := 0
	_ = p.numbers(func(f field) error { // the message was read to its end before
		switch {
		case f.wire != protowire.BytesType:
			n++
		case f.number == 4:
			n += len(f.body) / 4
		case f.number == 10:
			n += len(f.body) / 8
		default:
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

// numbers hands on the typed fields that hold the tensor's elements, in file order. They are not
// kept: a file may give each element a field of its own, which takes twenty times its five bytes.
func (p *proto) numbers(each func(field) error) error {
	number := fieldOf(p.typ)
	return p.typed.each(func(f field) error {
		if f.number != number {
			return nil
		}
		return each(f)
	})
}

// fill reads the typed fields.
func (p *proto) fill(t *tensor.Tensor) error {
	i := 0
	return p.numbers(func(f field) error {
		switch f.number {
		case 4:
			dst := tensor.Of[float32](t)
			return f.fixed32s(func(v uint32) error { return put(f, dst, &i, bitsFloat(v)) })
		case 10:
			dst := tensor.Of[float64](t)
			return f.fixed64s(func(v uint64) error {
				return put(f, dst, &i,
					math.Float64frombits(v))
			})
		}
		return f.varints(func(v uint64) error { return putInt(f, t, p.typ, &i, v) })
	})
}

func put[T tensor.Number](f field, dst []T, i *int, v T) error {
	if *i >= len(dst) {
		return f.fault(f.at, "it holds more elements than its shape")
	}
	dst[*i] = v
	*i++
	return nil
}

func putInt(f field, t *tensor.Tensor, typ tensor.Type, i *int, v uint64) error {
	switch typ {
	case tensor.Float16:
		return put(f, tensor.Of[float32](t), i, tensor.FromFloat16(uint16(v)))
	case tensor.BFloat16:
		return put(f, tensor.Of[float32](t), i, tensor.FromBFloat16(uint16(v)))
	case tensor.Bool:
		return put(f, tensor.Of[uint8](t), i, truth(v != 0))
	}
	switch t.Type.Size() {
	case 1:
		return put(f, tensor.Of[uint8](t), i, uint8(v))
	case 2:
		return put(f, tensor.Of[uint16](t), i, uint16(v))
	case 4:
		return put(f, tensor.Of[uint32](t), i, uint32(v))
	}
	return put(f, tensor.Of[uint64](t), i, v)
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// fillRaw reads raw little-endian data whose size has been checked.
func fillRaw(t *tensor.Tensor, typ tensor.Type, raw []byte) {
	switch typ {
	case tensor.Float16:
		for i, dst := 0, tensor.Of[float32](t); i < len(dst); i++ {
			dst[i] = tensor.FromFloat16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		return
	case tensor.BFloat16:
		for i, dst := 0, tensor.Of[float32](t); i < len(dst); i++ {
			dst[i] = tensor.FromBFloat16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		return
	case tensor.Bool:
		for i, dst := 0, tensor.Of[uint8](t); i < len(dst); i++ {
			dst[i] = truth(raw[i] != 0)
		}
		return
	}
	switch typ.Size() {
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

// Tensor reads a TensorProto that stands alone.
func Tensor(data []byte, l Limits) (*tensor.Tensor, error) {
	d := &decoder{limits: l}
	t, _, err := d.tensor(field{message: message{what: "tensor"}, wire: protowire.BytesType,
		body: data})
	if err == nil {
		err = d.complete()
	}
	return t, err
}
