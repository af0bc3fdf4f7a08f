package onnxbackend_test

import (
	"testing"

	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// The networks of the tissue example have the architectures of the paper's networks for colon
// cancer.
const tissueAttention, tissueInstances = "model.onnx", "networks/mi-net-instance.onnx"

// openTissue opens a network of the tissue example.
func openTissue(t testing.TB, o Options, name string) *Model {
	t.Helper()
	return enginetest.OpenRepositoryFile(t, o, "examples/tissue/"+name)
}

// digitBags and tissueBags are the bag sets of the examples: patches of raw pixels.
func digitBags(t testing.TB) []byte {
	t.Helper()
	return readFile(t, enginetest.RepositoryFile(t, "examples/digits/bags.npz"))
}

func tissueBags(t testing.TB) []byte {
	t.Helper()
	return readFile(t, enginetest.RepositoryFile(t, "examples/tissue/bags.npz"))
}
