package onnxtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"slices"
	"strings"
)

// Cases reads an archive (.tar.gz) of the official ONNX node tests: the files of each test by the test's name, such as
// "node/test_relu", and their path inside of it: model.onnx, test_data_set_0/input_0.pb and so on.
func Cases(archive []byte) (map[string]map[string][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	cases := map[string]map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return cases, nil
		}
		if err != nil {
			return nil, err
		}
		parts := strings.Split(path.Clean(h.Name), "/")
		at := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "test_") && !strings.HasPrefix(p, "test_data_set") })
		if h.Typeflag != tar.TypeReg || at < 1 || at+1 >= len(parts) {
			continue
		}
		name := parts[at-1] + "/" + parts[at]
		if cases[name] == nil {
			cases[name] = map[string][]byte{}
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		cases[name][strings.Join(parts[at+1:], "/")] = data
	}
}
