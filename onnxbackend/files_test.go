package onnxbackend

import (
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/testfile"
)

var (
	npyType  = regexp.MustCompile(`'descr': '([^']*)'`)
	npyShape = regexp.MustCompile(`'shape': \(([^)]*)\)`)
)

// parseNpy reads a little-endian .npy of float32, int64 or uint8.
func parseNpy(t testing.TB, data []byte) (shape []int, values []float64) {
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

// npyBag makes a bag of a (k, ...) or (1, k, ...) array.
func npyBag(t testing.TB, data []byte, axis int) *core.Bag {
	shape, values := parseNpy(t, data)
	b := &core.Bag{Name: "bag", Shape: shape[axis+1:]}
	for _, v := range values {
		b.Values = append(b.Values, float32(v))
	}
	return b
}

// openTestFile opens a model below the folder testdata at the root of the repository.
func openTestFile(t testing.TB, o Options, name string) *Model {
	t.Helper()
	return openRepositoryFile(t, o, "testdata/"+name)
}

// The networks of the tissue example have the architectures of the paper's networks for colon
// cancer.
const tissueAttention, tissueInstances = "model.onnx", "networks/mi-net-instance.onnx"

// openTissue opens a network of the tissue example.
func openTissue(t testing.TB, o Options, name string) *Model {
	t.Helper()
	return openRepositoryFile(t, o, "examples/tissue/"+name)
}

// digitBags and tissueBags are the bag sets of the examples: patches of raw pixels.
func digitBags(t testing.TB) []byte {
	t.Helper()
	return readFile(t, repositoryFile(t, "examples/digits/bags.npz"))
}

func tissueBags(t testing.TB) []byte {
	t.Helper()
	return readFile(t, repositoryFile(t, "examples/tissue/bags.npz"))
}

// repositoryFile returns the path of a file or folder of the repository.
func repositoryFile(t testing.TB, name string) string {
	t.Helper()
	return testfile.Path(t, "../"+name)
}

// openRepositoryFile opens a model of the repository.
func openRepositoryFile(t testing.TB, o Options, name string) *Model {
	t.Helper()
	data, err := os.ReadFile(repositoryFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, data, o)
}
