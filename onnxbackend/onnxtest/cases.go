package onnxtest

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
)

// nodeTests is the folder of the official ONNX node tests in the onnx package of PyPI.
const nodeTests = "onnx/backend/test/data/"

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
		name, isNode := strings.CutPrefix(f.Name, nodeTests)
		parts := strings.SplitN(name, "/", 3)
		if !isNode || parts[0] != "node" || len(parts) < 3 || f.FileInfo().IsDir() {
			continue
		}
		data, err := content(f)
		if err != nil {
			return nil, err
		}
		test := parts[0] + "/" + parts[1]
		if cases[test] == nil {
			cases[test] = map[string][]byte{}
		}
		cases[test][parts[2]] = data
	}
	return cases, nil
}

func content(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
