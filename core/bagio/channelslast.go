package bagio

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// channelsFirst returns an array of pictures (k, row, column, channel) transposed to (k, channel,
// row, column) if instances of the shape (channel, row, column) need that, with 1 or 3 channels. It
// returns a itself for all other arrays.
func (a *Array) channelsFirst(shape []int, l Limits) (*Array, error) {
	if len(a.Shape) != 4 || len(shape) != 3 || a.Shape[3] != shape[0] ||
		shape[0] != 1 && shape[0] != 3 {
		return a, nil
	}
	if _, fits := reshape(a.Shape[1:], shape); fits {
		return a, nil
	}
	first := []int{a.Shape[0], a.Shape[3], a.Shape[1], a.Shape[2]}
	if _, fits := reshape(first[1:], shape); !fits {
		return a, nil
	}
	if err := l.reserve(a.file, int64(len(a.data))); err != nil {
		return nil, err
	}
	data := make([]byte, 0, len(a.data))
	pixel := a.Shape[3] * a.dtype.size
	for picture := range slices.Chunk(a.data, max(1, a.Shape[1]*a.Shape[2]*pixel)) {
		for c := 0; c < pixel; c += a.dtype.size {
			for at := c; at < len(picture); at += pixel {
				data = append(data, picture[at:at+a.dtype.size]...)
			}
		}
	}
	return &Array{Shape: first, dtype: a.dtype, data: data, file: a.file, start: -1}, nil
}

// pixelNotes says what was assumed of an array of pictures, which was stored as another array or as
// itself.
func (a *Array) pixelNotes(stored *Array) (notes []string) {
	if len(stored.Shape) == len(a.Shape) && !slices.Equal(stored.Shape, a.Shape) {
		notes = append(notes, msg.Sprintf("The array of shape %s has its channels last; the model "+
			"takes them first.", shapeText(stored.Shape)))
	}
	if len(a.Shape) == 4 && a.dtype.kind == 'u' && a.dtype.size == 2 {
		notes = append(notes, "The pixels have 16 bits and go into the model as they are: the "+
			"preprocessing of a model card applies to unsigned bytes. Divided by 256, they are "+
			"such bytes.")
	}
	if stored.unnamed {
		notes = append(notes, "The values have a type of two bytes without a name, as NumPy and "+
			"HDF5 keep bfloat16, and are read as bfloat16.")
	}
	return notes
}

// otherChannels returns how to save an array of pictures with the three channels that instances of
// a model have, or an empty text.
func otherChannels(shape, instance []int) string {
	if len(instance) != 3 || instance[0] != 3 {
		return ""
	}
	high, wide := instance[1], instance[2]
	way := ""
	switch {
	case slices.Equal(shape, instance): // one picture
		way = "numpy.load('FILE')[None]"
	case slices.Equal(shape, []int{high, wide, 3}):
		way = "numpy.load('FILE')[None].transpose(0, 3, 1, 2)"
	case slices.Equal(shape[1:], []int{high, wide, 4}):
		way = "numpy.load('FILE')[..., :3]"
	case slices.Equal(shape[1:], []int{4, high, wide}):
		way = "numpy.load('FILE')[:, :3]"
	case slices.Equal(shape[1:], []int{high, wide}):
		way = "numpy.load('FILE')[:, None].repeat(3, 1)"
	default:
		return ""
	}
	return "; NumPy writes such pictures: python3 -c \"import numpy; numpy.save('rgb.npy', " + way +
		")\""
}
