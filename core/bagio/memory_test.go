package bagio

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// zeros returns an .npy file of (n, 64) zeros of a type.
func zeros(descr string, n, size int) []byte {
	header := fmt.Sprintf("%-117s\n", fmt.Sprintf(
		"{'descr': '%s', 'fortran_order': False, 'shape': (%d, 64), }", descr, n))
	return append([]byte("\x93NUMPY\x01\x00\x76\x00"+header), make([]byte, 64*n*size)...)
}

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write(data))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

// torchTensor is a pickle's tensor (1, 1) of the storage "0" of one float32.
const torchTensor = "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n" +
	"FloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00K\x01K\x01\x86K\x01K\x01" +
	"\x86\x89NtR."

// legacyTensor returns a file from before PyTorch 1.6 with that tensor, behind other opcodes.
func legacyTensor(t *testing.T, opcodes string) []byte {
	t.Helper()
	return []byte(torchLegacy[0] + "\x80\x02M\xe9\x03." + "\x80\x02}." + "\x80\x02" + opcodes +
		torchTensor + "\x80\x02]X\x01\x00\x00\x000a." +
		"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80?")
}

// TestMemoryOfFiles reads files that unpack to more than a bound of 1 MB, and below it.
func TestMemoryOfFiles(t *testing.T) {
	picture := func(side int) []byte {
		var b bytes.Buffer
		must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))))
		return b.Bytes()
	}
	headed := func(header string) []byte {
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		return append(file, make([]byte, 8)...)
	}
	lying := packed(t, zeros("<f4", 8192, 4)) // it states that it unpacks to 16 bytes
	copy(lying[len(lying)-4:], []byte{16, 0, 0, 0})
	for _, c := range []struct {
		name         string
		small, large []byte
	}{
		{"a.npy.gz", packed(t, zeros("<f4", 1024, 4)), packed(t, zeros("<f4", 8192, 4))},
		{"size.npy.gz", packed(t, zeros("<f4", 1024, 4)), lying},
		{"a.npy", zeros("|u1", 1024, 1), zeros("|u1", 8192, 1)},
		{"a.png", picture(64), picture(1024)},
		{"a.csv", []byte("bag,f1\n" + strings.Repeat("a,1\n", 100)),
			[]byte("bag,f1\n" + strings.Repeat("a,1\n", 20_000))},
		{"a.csv", []byte("bag,f1\na,1\n"),
			[]byte("bag,f1\n" + strings.Repeat("a", 2<<20) + ",1\n")},
		{"a.csv", []byte("bag,f1\na,1\n"), []byte("bag" + strings.Repeat(",f", 1<<17) + "\n")},
		{"a.safetensors", headed(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`),
			headed(`{"a":[` + strings.Repeat("1,", 5000) + `1]}`)},
		{"legacy.pt", legacyTensor(t, ""), legacyTensor(t, strings.Repeat("]0", 20_000))},
		{"zip.pt", torchArchive(t, "\x80\x02"+torchTensor),
			torchArchive(t, "\x80\x02"+strings.Repeat("]0", 20_000)+torchTensor)},
	} {
		read := func(data []byte) (int64, error) {
			m := quota.NewMemory(1 << 20)
			o := Options{Limits: Limits{Memory: m}, Patch: PatchOptions{Size: 16}}
			set, err := Read(c.name, bytes.Clone(data), o)
			if err == nil {
				_, err = set.Bag(0)
			}
			return m.Peak(), err
		}
		if peak, err := read(c.small); err != nil || peak == 0 {
			t.Errorf("%s: %v; %d bytes were reserved", c.name, err, peak)
		}
		var refused *quota.MemoryError
		must.Equal(t, errors.As(must.Err(read(c.large)), &refused), true, c.name)
	}
}

// TestMemoryOfTurnedArrays: an array whose last axis has the instances is copied, others are used
// where they are.
func TestMemoryOfTurnedArrays(t *testing.T) {
	data := zeros("<f4", 3000, 4) // 768 kB
	for name, o := range map[string]Options{"as it is": {},
		"turned": {Layout: []int{3000, -1}, Axis: 1, InstanceShape: []int{3000}}} {
		o.Limits.Memory = quota.NewMemory(1 << 19)
		set, err := Read("a.npy", bytes.Clone(data), o)
		must.Equal(t, errors.As(err, new(*quota.MemoryError)), name == "turned", name, set, err)
		o.Limits.Memory = quota.NewMemory(1 << 20)
		must.Get(Read("a.npy", bytes.Clone(data), o))(t)
	}
}

// fourComponents returns a JPEG picture of 1024 x 1024 pixels of four colours, whose coefficients
// are zero. frame is the marker of a baseline (0xc0) or progressive (0xc2) picture.
func fourComponents(frame byte) []byte {
	out := append([]byte("\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"+
		"\xff\xdb\x00\x43\x00"), bytes.Repeat([]byte{1}, 64)...)
	out = append(out, 0xff, frame)
	out = append(out, "\x00\x14\x08\x04\x00\x04\x00\x04"+
		"\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"...)
	for _, class := range []string{"\x00", "\x10"} { // tables of one code, of one bit
		out = append(out, "\xff\xc4\x00\x14"+class+"\x01"+strings.Repeat("\x00", 16)...)
	}
	out = append(out, "\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00"...)
	last := byte(63) // coefficient of the scan
	if frame == 0xc2 {
		last = 0
	}
	out = append(append(out, last, 0), make([]byte, 1<<15)...)
	return append(out, "\xff\xd9"...)
}

// TestMemoryOfPictures decodes pictures, which takes no more than is reserved.
func TestMemoryOfPictures(t *testing.T) {
	var grey, white bytes.Buffer
	side := image.Rect(0, 0, 1024, 1024)
	must.Do(t, errors.Join(jpeg.Encode(&grey, image.NewGray(side), nil), png.Encode(&white,
		image.NewNRGBA64(side))))
	for name, data := range map[string][]byte{"grey JPEG": grey.Bytes(),
		"PNG of 16 bits": white.Bytes(), "JPEG of four colours": fourComponents(0xc0),
		"progressive JPEG of four colours": fourComponents(0xc2)} {
		t.Run(name, func(t *testing.T) {
			p := must.Get(openPicture(inMemory("a", data), Limits{}.withDefaults()))(t)
			before := allocated()
			m := must.Get(p.decode())(t)
			onWhite(m)
			const beside = 1 << 18 // tables and buffers
			if n := int64(allocated() - before); n > p.bytes+beside {
				t.Errorf("%d bytes are allocated, %d reserved", n, p.bytes)
			}
		})
	}
}

// TestBagsInMemory checks that a bag is reserved in the Memory of the context.
func TestBagsInMemory(t *testing.T) {
	set := must.Get(Read("a.npy", zeros("|u1", 1024, 1), Options{}))(t)
	m := quota.NewMemory(1 << 20)
	must.Do(t, must.Err(set.BagIn(quota.WithMemory(context.Background(), m), 0)), m.Held())
	must.Equal(t, m.Held(), 4*64*1024)
}

// TestUnpackedSizes unpacks data around the sizes of buffers, whatever size is stated.
func TestUnpackedSizes(t *testing.T) {
	for _, n := range []int{0, 1, leastBuffer - 1, leastBuffer, leastBuffer + 1, 3 * leastBuffer} {
		data := bytes.Repeat([]byte{7}, n)
		for _, stated := range []int64{0, int64(n), 10 * leastBuffer} {
			m := quota.NewMemory(1 << 30)
			l := Limits{Bytes: 3 * leastBuffer, Memory: m}
			got, err := unpacked("a", io.MultiReader(bytes.NewReader(data)), stated,
				Options{Limits: l})
			if err != nil || !bytes.Equal(got, data) || m.Held() < int64(n) {
				t.Errorf("%d bytes, %d stated: %v", n, stated, err)
			}
			l.Bytes = int64(n - 1)
			var limit *LimitError
			_, err = unpacked("a", bytes.NewReader(data), stated, Options{Limits: l})
			if n > 1 && !errors.As(err, &limit) {
				t.Errorf("%d bytes, one more than the limit: %v", n, err)
			}
		}
	}
}
