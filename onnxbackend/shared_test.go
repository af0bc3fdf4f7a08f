package onnxbackend

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
)

// sharedPath returns a path below the shared folder, and skips the test when it is absent.
func sharedPath(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("BAGSCOPE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not at hand", path)
	}
	return path
}

func readShared(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(sharedPath(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

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
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))))
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

func openShared(t testing.TB, o Options, parts ...string) *Model {
	t.Helper()
	m, err := Open(readShared(t, parts...), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
