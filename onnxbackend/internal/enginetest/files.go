package enginetest

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
)

var (
	npyType  = regexp.MustCompile(`'descr': '([^']*)'`)
	npyShape = regexp.MustCompile(`'shape': \(([^)]*)\)`)
)

// ParseNpy reads a little-endian .npy of float32, int64 or uint8.
func ParseNpy(t testing.TB, data []byte) (shape []int, values []float64) {
	t.Helper()
	size, start := int(binary.LittleEndian.Uint16(data[8:])), 10
	header := string(data[start : start+size])
	body := data[start+size:]
	n := 1
	for _, f := range strings.Split(npyShape.FindStringSubmatch(header)[1], ",") {
		if f = strings.TrimSpace(f); f != "" {
			d, _ := strconv.Atoi(f)
			shape = append(shape, d)
			n *= d
		}
	}
	typ := npyType.FindStringSubmatch(header)[1]
	for i := range n {
		switch typ {
		case "<f4":
			values = append(values, float64(math.Float32frombits(
				binary.LittleEndian.Uint32(body[4*i:]))))
		case "<i8":
			values = append(values, float64(int64(binary.LittleEndian.Uint64(body[8*i:]))))
		case "|u1":
			values = append(values, float64(body[i]))
		default:
			t.Fatalf("npy type %s", typ)
		}
	}
	return shape, values
}

// NpyBag returns the bag in a (k, ...) or (1, k, ...) array, with the instances along an axis.
func NpyBag(t testing.TB, data []byte, axis int) *core.Bag {
	shape, values := ParseNpy(t, data)
	b := &core.Bag{Name: "bag", Shape: shape[axis+1:]}
	for _, v := range values {
		b.Values = append(b.Values, float32(v))
	}
	return b
}

// OpenTestFile opens a model below the repository's folder testdata.
func OpenTestFile(t testing.TB, o onnxbackend.Options, name string) *onnxbackend.Model {
	t.Helper()
	return OpenRepositoryFile(t, o, "testdata/"+name)
}

// RepositoryFile returns the path of a file or folder of the repository.
func RepositoryFile(t testing.TB, name string) string {
	t.Helper()
	return testfile.Path(t, "../"+name)
}

func readRepositoryFile(t testing.TB, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(RepositoryFile(t, name)))(t)
}

// OpenRepositoryFile opens a model of the repository.
func OpenRepositoryFile(t testing.TB, o onnxbackend.Options, name string) *onnxbackend.Model {
	t.Helper()
	return Open(t, readRepositoryFile(t, name), o)
}

// EachZooBag calls f in a subtest for every model of testdata/models/zoo and each of its bags. dir
// is the model's folder, and size is in the names of the files that belong to the bag.
func EachZooBag(
	t *testing.T, f func(t *testing.T, m *onnxbackend.Model, dir, size string, bag *core.Bag),
) {
	dirs := must.Get(os.ReadDir(testfile.Path(t, "models/zoo")))(t)
	for _, d := range dirs {
		m := OpenTestFile(t, onnxbackend.Options{}, "models/zoo/"+d.Name()+"/model.onnx")
		files, _ := filepath.Glob(testfile.Path(t, "models/zoo/"+d.Name()) + "/bag_*.npy")
		if len(files) == 0 {
			t.Fatalf("%s has no bags", d.Name())
		}
		for _, file := range files {
			size := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "bag_"), ".npy")
			t.Run(d.Name()+"/"+size, func(t *testing.T) {
				data := must.Get(os.ReadFile(file))(t)
				f(t, m, filepath.Dir(file), size, NpyBag(t, data, m.Info().InstanceAxis))
			})
		}
	}
}
