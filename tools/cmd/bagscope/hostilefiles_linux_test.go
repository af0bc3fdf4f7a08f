package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// Files of at most some megabytes that claim or unpack to hundreds.

// claimed is the number of a digit's instances in hostile bags: .4 GB as float32.
const claimed = 130_000

// constantModel returns a model of a few hundred bytes whose runs fill a tensor of n float32.
func constantModel(n int64) []byte {
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 2)}, Outputs: []ot.Value{ot.In("y", 2)},
		Initializers: []ot.Tensor{ot.I("shape", []int64{n}, 1)},
		Nodes: ot.Nodes(`c = ConstantOfShape(shape); m = ReduceMax<keepdims=0>(c)
			q = ReduceMax<axes=[0], keepdims=0>(x); y = Add(q, m)`),
	}.Bytes()
}

// externalModel returns a model with n float32 near the end of a file "weights" of 10 GB.
func externalModel(n int) []byte {
	weights := ot.F("w", nil, n)
	weights.File, weights.Place = "weights", map[string]string{"offset": "8000000000"}
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 2)}, Outputs: []ot.Value{ot.In("y", 2)},
		Initializers: []ot.Tensor{weights},
		Nodes: ot.Nodes(`m = ReduceMax<keepdims=0>(w); q = ReduceMax<axes=[0], keepdims=0>(x)
			y = Add(q, m)`),
	}.Bytes()
}

// manyClasses returns a model of 20 classes, whose scores are multiples of a bag's largest value.
func manyClasses() []byte {
	weights := make([]float32, 20)
	for i := range weights {
		weights[i] = 1 / float32(i+3)
	}
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 1)}, Outputs: []ot.Value{ot.In("y", 20)},
		Initializers: []ot.Tensor{ot.F("w", weights, 20)},
		Nodes:        ot.Nodes(`m = ReduceMax<axes=[0], keepdims=0>(x); y = Mul(m, w)`),
	}.Bytes()
}

// numbered returns an .npy file of k instances of one number each, all different.
func numbered(k int) []byte {
	out := fmt.Appendf(nil, "\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf(
		"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1), }", k))
	for i := range k {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(1/float32(i+1)))
	}
	return out
}

// writeZeros writes an .npy file of k instances of a digit's 784 zeros, float32.
func writeZeros(t *testing.T, to io.Writer, k int) {
	t.Helper()
	_, err := fmt.Fprintf(to, "\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf(
		"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1, 28, 28), }", k))
	block := make([]byte, 4*784*100)
	for range k / 100 {
		if err == nil {
			_, err = to.Write(block)
		}
	}
	must.Do(t, err)
}

// hostileBags returns bags by their file names.
func hostileBags(t *testing.T) map[string][]byte {
	t.Helper()
	const features = "bag,f1\n"
	lists := "(" + strings.Repeat("]", 200_000) + "e"
	return map[string][]byte{
		"bomb.npy.gz": gzipped(t, func(w io.Writer) { writeZeros(t, w, claimed) }),
		"bomb.npz":    zipped(t, "instances.npy", func(w io.Writer) { writeZeros(t, w, claimed) }),
		"bomb.pt":     zipped(t, "a/data.pkl", func(w io.Writer) { io.WriteString(w, expanded) }),
		"pickle.pt": []byte(legacyTorch +
			strings.Repeat("\x80\x02]"+strings.Repeat(lists, 20)+".", 3)),
		"bomb.h5":    hugeDataspace(t, claimed),
		"bomb.png":   bombPNG(t),
		"bomb.tif":   bombTIFF(t),
		"bits.tif":   bombPackBits(),
		"bomb.webp":  bombWebP(),
		"codes.webp": codesWebP(),
		"scans.jpg":  bombScans(t),
		"line.csv":   []byte(features + strings.Repeat("a", 30<<20) + ",1\n"),
		"line.csv.gz": gzipped(t, func(w io.Writer) {
			io.WriteString(w, features+strings.Repeat("a", 200<<20))
		}),
		"cell.csv.gz": gzipped(t, func(w io.Writer) {
			io.WriteString(w, features+"a,"+strings.Repeat("\x01", 6<<20))
		}),
		"id.csv.gz": gzipped(t, func(w io.Writer) {
			io.WriteString(w, features+strings.Repeat("\x01", 6<<20)+",1")
		}),
		"columns.csv": []byte("bag" + strings.Repeat(",f", 1<<20-2) + "\n"),
		"big.safetensors": append(binary.LittleEndian.AppendUint64(nil, 8<<20),
			strings.Repeat(`{"a":`, 8<<20/5+1)...),
	}
}

// expanded is the pickle of a tensor of claimed rows that are all the same element.
var expanded = "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n" +
	"FloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00J" +
	string(binary.LittleEndian.AppendUint32(nil, claimed)) + "M\x10\x03\x86K\x00K\x00\x86\x89NtR."

// legacyTorch is the beginning of a file from before PyTorch 1.6, with its version.
const legacyTorch = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03."

func gzipped(t *testing.T, write func(w io.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	write(z)
	must.Do(t, z.Close())
	return b.Bytes()
}

// zipped returns an archive with the members of a .pt file's tensor 0, and one more.
func zipped(t *testing.T, name string, write func(w io.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for name, write := range map[string]func(w io.Writer){
		name: write, "a/data/0": func(w io.Writer) { io.WriteString(w, "\x00\x00\x80?") },
	} {
		w := must.Get(archive.Create(name))(t)
		write(w)
	}
	must.Do(t, archive.Close())
	return b.Bytes()
}

// hugeDataspace returns an HDF5 file of chunked features (12, 8) and coordinates (12, 2) that
// claims (k, 784) and (k, 2): chunks that do not exist are zeros.
func hugeDataspace(t *testing.T, k uint64) []byte {
	t.Helper()
	files := must.Get(zip.OpenReader(testfile.Path(t,
		"../core/bagio/internal/hdf5/testdata/files.zip")))(t)
	defer files.Close()
	f := must.Get(files.Open("clam.h5"))(t)
	data := must.Get(io.ReadAll(f))(t)
	sides := func(rows, columns, most uint64) []byte {
		b := binary.LittleEndian.AppendUint64(nil, rows)
		b = binary.LittleEndian.AppendUint64(b, columns)
		b = binary.LittleEndian.AppendUint64(b, 1<<64-1) // most rows: no limit
		return binary.LittleEndian.AppendUint64(b, most)
	}
	out := bytes.Replace(data, sides(12, 8, 8), sides(k, 784, 784), 1)
	all := bytes.Replace(out, sides(12, 2, 2), sides(k, 2, 2), 1)
	if bytes.Equal(out, data) || bytes.Equal(all, out) {
		t.Fatal("the features or the coordinates have another shape")
	}
	return all
}

// black is a picture of 64 megapixels with one bit or byte each.
func black() image.Image {
	return image.NewPaletted(image.Rect(0, 0, 8000, 8000), color.Palette{color.Black, color.White})
}

func bombPNG(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, black()))
	return b.Bytes()
}

func bombTIFF(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, tiff.Encode(&b, black(), &tiff.Options{Compression: tiff.Deflate}))
	return b.Bytes()
}

// bombScans returns a JPEG picture whose 4,000 scans would each take the time of the whole.
func bombScans(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 512, 512)), nil))
	data := b.Bytes()
	scan := data[bytes.Index(data, []byte("\xff\xda")) : len(data)-2]
	return append(data[:len(data)-2:len(data)-2], append(bytes.Repeat(scan, 3999), 0xff, 0xd9)...)
}

// bombPackBits returns a TIFF picture of 32 x 32 pixels in a strip of PackBits that would unpack to
// 512 MB.
func bombPackBits() []byte {
	strip := bytes.Repeat([]byte{0x81, 0}, 4<<20)
	out := append([]byte("II*\x00"), 8, 0, 0, 0, 8, 0)
	for _, tag := range [][2]uint32{{256, 32}, {257, 32}, {258, 8}, {259, 32773}, {262, 1},
		{273, 8 + 2 + 8*12 + 4}, {278, 32}, {279, uint32(len(strip))}} {
		out = binary.LittleEndian.AppendUint16(out, uint16(tag[0]))
		out = append(out, 4, 0, 1, 0, 0, 0) // one number of 32 bits
		out = binary.LittleEndian.AppendUint32(out, tag[1])
	}
	return append(append(out, 0, 0, 0, 0), strip...)
}

// bombWebP returns a lossless picture of 8000 x 8000 equal pixels: codes of one symbol take no
// bits.
func bombWebP() []byte {
	body := binary.LittleEndian.AppendUint32([]byte{0x2f}, 7999|7999<<14)
	body = append(body, 0x88, 0x88, 0x08, 0, 0, 0, 0) // five codes of one symbol
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(12+len(body)))
	out = binary.LittleEndian.AppendUint32(append(out, "WEBPVP8L"...), uint32(len(body)))
	return append(out, body...)
}
