package onnxtest

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"strings"
)

// nodeTests is the folder of the official ONNX node tests in the onnx package of PyPI.
const nodeTests = "onnx/backend/test/data/node/"

// Cases reads the official ONNX node tests from a wheel of the onnx package, which is a zip
// archive. It returns the files of each test by the name of the test, such as "node/test_relu". A
// file has its path within the test: model.onnx, test_data_set_0/input_0.pb and so on.
func Cases(wheel []byte) (map[string]map[string][]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		return nil, err
	}
	cases := map[string]map[string][]byte{}
	for _, f := range archive.File {
		path, isTest := strings.CutPrefix(f.Name, nodeTests)
		name, file, isFile := strings.Cut(path, "/")
		if !isTest || !isFile || f.FileInfo().IsDir() {
			continue
		}
		data, err := fs.ReadFile(archive, f.Name)
		if err != nil {
			return nil, err
		}
		test := "node/" + name
		if cases[test] == nil {
			cases[test] = map[string][]byte{}
		}
		cases[test][file] = data
	}
	return cases, nil
}
