package onnxbackend

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/must"
)

// TestFolds leaves out the files that cards name, and reads no card that is damaged or too large.
func TestFolds(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	folder := fstest.MapFS{"b.onnx": file(""), "a.onnx": file(""), "of.onnx": file(""),
		"before.onnx": file(""), "below/c.onnx": file(""), "d.onnx.txt": file(""),
		"a.bagscope.json": file(`{"encoder": "of.onnx"}`),
		"b.bagscope.json": file(`{"via": "before.onnx"}`),
		"x.bagscope.json": file(`{"via": "a.onnx"`),
		"y.bagscope.json": file(`{"via": "b.onnx"}` + strings.Repeat(" ", MaxCard))}
	must.EqualSlices(t, must.Get(Folds(folder))(t), []string{"a.onnx", "b.onnx"})
	must.Fail(t, must.Err(Folds(must.Get(folder.Sub("none"))(t))))
}
