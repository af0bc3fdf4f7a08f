package bagio

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/msg/msgtest"
)

// giant is a token of 8 MB that escapes make four times as long.
var giant = strings.Repeat("\x01", 8<<20)

// most returns the beginning of giant in n bytes.
func most(n int) string { return giant[:n] }

// npyOf returns an array file of version 2, whose header can have 4 GB.
func npyOf(header string) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(npyMagic+"\x02\x00"), uint32(len(header)))
	return append(out, header...)
}

// jsonOf returns a safetensors file with a header and four bytes of values.
func jsonOf(header string) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(out, header+"\x00\x00\x80?"...)
}

// hostileQuotes returns files whose errors, notes or warnings quote a giant token, by file name.
func hostileQuotes(t *testing.T) map[string][]byte {
	t.Helper()
	const table = "bag,label,instance_label,x,y,patch_size,f1\n"
	row := func(column int, cell string) []byte {
		cells := strings.Split("a,1,1,0,0,8,2", ",")
		cells[column] = cell
		return []byte(table + strings.Join(cells, ",") + "\n")
	}
	header := func(descr, more string) []byte {
		return npyOf("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1, 1)" + more +
			"}")
	}
	tensor := `{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}`
	escaped := strings.ReplaceAll(most(1<<19), "\x01", `\u0001`)
	name := strings.Repeat("\x1b", 1<<16-10)
	files := map[string][]byte{
		"id.csv":         []byte("bag,label,f1\n" + giant + ",1,2\n" + giant + ",0,2\n"),
		"class.csv":      row(1, giant),
		"label.csv":      row(2, giant),
		"place.csv":      row(3, giant),
		"side.csv":       row(5, giant),
		"cell.csv":       row(6, giant),
		"digits.csv":     row(6, "1"+strings.Repeat("0", 8<<20)),
		"field.csv":      []byte("bag,f" + giant + "\na,b\n"),
		"first.csv":      []byte("f" + strings.Repeat("1", 8<<20) + ",f2\na,1\n"),
		"skipped.csv":    []byte("bag,f1" + strings.Repeat(",flag", 9000) + "\na,x\n"),
		"broken.csv":     []byte("bag,f1\n" + giant + `"` + giant + `,1` + "\n"),
		"descr.npy":      header(giant, ""),
		"key.npy":        header("<f4", ", '"+giant+"': 1"),
		"kind.npy":       header("<f4", strings.Repeat(", 1", 1<<20)),
		"structured.npy": header("|V"+strings.Repeat("9", 1<<20), ""),
		"key.safetensors": jsonOf(`{"` + escaped + `":` + tensor +
			`,"` + escaped + `":` + tensor + `}`),
		"name.safetensors": jsonOf(`{"` + escaped + `":` + tensor +
			`,"b` + escaped + `":` + tensor + `}`),
		"dtype.safetensors": jsonOf(`{"features":{"dtype":"` + escaped +
			`","shape":[1,1],"data_offsets":[0,4]}}`),
		"shape.safetensors": jsonOf(`{"a":{"dtype":"F32","shape":["` + escaped +
			`"],"data_offsets":[0,4]}}`),
		"length.safetensors": jsonOf(`{"a":{"dtype":"F32","shape":[` + strings.Repeat("9", 1<<21) +
			`],"data_offsets":[0,4]}}`),
		"text.safetensors": jsonOf(`{"a":` + most(1<<21)),
		"names.npz": npz(t, floats(name, 1, 1, 1), floats("b"+name, 1, 1, 1),
			floats("c"+name, 1, 1, 1)),
		"twice.npz": npz(t, floats(name, 1, 1, 1), floats(name, 1, 1, 1)),
		"ignored.npz": npz(t, floats("instances", 1, 1, 1), floats(name, 1, 1, 1),
			array("offsets", []int64{0, 1}, 2)),
		"group.h5": bytes.ReplaceAll(hdf5Sample(t, "coords_plain.h5"),
			[]byte("coords"), []byte("\x1boords")),
		"none.xyz": []byte(giant),
		"tile.dzi": []byte(`<Image Format="` + giant + `"/>`),
	}
	for opcode, program := range map[string]string{
		"int": "I" + most(4<<20-9) + "\n.", "long": "L" + most(4<<20-9) + "\n.",
		"float": "F" + most(4<<20-9) + "\n.", "memo": "Np" + most(4<<20-9) + "\n.",
		"recall": "g" + most(4<<20-9) + "\n.",
		"global": "c" + most(1<<20) + "\n" + most(1<<20) + "\n.",
		"called": "c" + most(1<<20) + "\n" + most(1<<20) + "\n)R.",
		"key": "}X\x00\x00\x10\x00" + most(1<<20) +
			"c" + most(1<<20) + "\n" + most(1<<20) + "\n)Rs.",
		"reference": "(X\x07\x00\x00\x00storagectorch\n" + most(1<<20) + "\n" +
			"X\x00\x00\x10\x00" + most(1<<20) + "X\x03\x00\x00\x00cpuK\x01tQ.",
	} {
		files[opcode+".pt"] = torchArchive(t, "\x80\x02"+program)
		files[opcode+" legacy.pt"] = []byte(torchLegacy[0] + "\x80\x02M\xe9\x03." + "\x80\x02}." +
			"\x80\x02" + program)
	}
	return files
}

// TestErrorsAreShort: whatever a file, its name or an option holds, an error has at most 4 kB and
// no control characters, as have notes.
func TestErrorsAreShort(t *testing.T) {
	examine := func(t *testing.T, name string, data []byte, o Options) error {
		set, err := Read(name, data, o)
		for i := 0; err == nil && i < set.Len(); i++ {
			_, err = set.Bag(i)
		}
		if err != nil {
			msgtest.Short(t, err.Error())
			return err
		}
		for _, note := range set.Notes() {
			msgtest.Short(t, note)
		}
		return nil
	}
	for name, data := range hostileQuotes(t) {
		t.Run(name, func(t *testing.T) {
			err := examine(t, name, data, Options{Name: "bag"})
			t.Logf("%.300v", err)
			if err == nil && name != "skipped.csv" && name != "ignored.npz" && name != "group.h5" {
				t.Error("it is read")
			}
			examine(t, giant+name, data, Options{})
		})
	}
	_, err := ReadRaw(giant, Raw{Type: giant, Shape: []int{1, 1}}, Options{})
	msgtest.Short(t, err.Error())
	for name, data := range samples(t) {
		for what, o := range map[string]Options{
			"an array": {Array: giant}, "a name": {Name: giant},
		} {
			t.Run(name+" with "+what, func(t *testing.T) { examine(t, name, data, o) })
		}
		t.Run("half of "+name, func(t *testing.T) {
			examine(t, giant+name, data[:len(data)/2], Options{})
		})
	}
}
