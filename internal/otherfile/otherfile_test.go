package otherfile

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestOf recognises the first bytes of files, as the programs that are named write them.
func TestOf(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"of PyTorch":      {"PK\x03\x04....m/data.pkl", "a file of PyTorch"},
		"of PyTorch 1.5":  {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "PyTorch"},
		"of openpyxl":     {"PK\x03\x04....docProps/app.xml....xl/workbook.xml", "Excel"},
		"of zarr 2":       {"PK\x03\x04....x/.zarray", "Zarr"},
		"of zarr 3":       {"PK\x03\x04....x/zarr.json", "Zarr"},
		"of numpy":        {"PK\x03\x04....arr_0.npy", "a file of arrays"},
		"another archive": {"PK\x03\x04....a.txt", "a zip archive"},
		"of pickle":       {"\x80\x04\x95\x1c\x00", "a Python pickle"},
		"of protocol 0":   {"cnumpy.core.multiarray\n_reconstruct\np0\n", "a Python pickle"},
		"a list, 0":       {"(lp0\nF1.0\n", "a Python pickle"},
		"of joblib":       {"x\x5e}\x93\xcf\x00", "zlib"},
		"of savemat":      {"MATLAB 5.0 MAT-file Platform: posix", "a MATLAB file of version 5"},
		"of MATLAB":       {"MATLAB 7.3 MAT-file, Platform: GLNXA64", "7.3"},
		"MINC 1":          {"CDF\x01\x00\x00\x00\x00ident\x00MINC Version 1", "a MINC volume"},
		"MINC 2":          {"\x89HDF\r\n\x1a\n\x00minc-2.0", "a MINC volume"},
		"of h5py":         {"\x89HDF\r\n\x1a\n\x00", "an HDF5 file"},
		"of saveRDS":      {"X\n\x00\x00\x00\x03\x00\x04\x03\x02", "data of R"},
		"of save":         {"RDX3\nX\n\x00\x00\x00\x03", "data of R"},
		"of Excel 97":     {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "an Office file"},
		"of pyarrow":      {"PAR1\x15\x04\x15\x80", "a Parquet file"},
		"of nibabel":      {strings.Repeat("\x00", 344) + "n+1\x00", "a NIfTI volume"},
		"a pair of NIfTI": {strings.Repeat("\x00", 344) + "ni1\x00", "the header of a NIfTI"},
		"of NIfTI 2":      {"\x1c\x02\x00\x00n+2\x00\r\n\x1a\n", "a NIfTI volume"},
		"of DICOM":        {strings.Repeat("\x00", 128) + "DICM\x02\x00", "a DICOM file"},
		"a pointer":       {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "LFS"},
		"a login":         {"\n<!DOCTYPE HTML>\n<html><title>Sign in</title>", "a web page"},
		"a page, no type": {"<HTML lang=en><head>", "a web page"},
		"a page in XML":   {`<?xml version="1.0"?><!DOCTYPE html><html>`, "a web page"},
		"of ASAP":         {`<?xml version="1.0"?><ASAP_Annotations>`, "XML"},
		"of onnx.printer": {"<\n   ir_version: 9,\n   opset_import: [\"\" : 17]\n>\ng (",
			"text form of ONNX"},
		"of protobuf": {"ir_version: 9\nproducer_name: \"x\"\ngraph {\n",
			"text form of protobuf"},
		"of protobuf, JSON": {"{\n  \"irVersion\": \"9\",\n  \"graph\": {", "JSON form"},
		"of Weka":           {"% of 1999\n\n@RELATION musk\n@attribute f real\n", "an ARFF file"},
		"of svm-scale":      {"+1 1:0.5 7:-1e-3\n-1 2:1\n", "LIBSVM"},
		"with a comment":    {"+1 1:0.5 # of 2026\n", "LIBSVM"},
		"of SVMrank":        {"# of 2026\n3 qid:1 1:1 2:1\n", "LIBSVM"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := Of([]byte(c.data)); f == nil || !strings.Contains(f.What, c.want) {
				t.Errorf("%+v, want %s", f, c.want)
			}
		})
	}
}

// TestOfTables finds nothing in tables whose first bytes are those of other files, in JSON and in
// ONNX files.
func TestOfTables(t *testing.T) {
	for _, data := range []string{
		"", "\n", "x^,f1\na,1\n", "bag,TFL3\na,1\n", "bag,ORTM\na,1\n", "PAR1,PAR2\n1,2\n",
		"GIF8,f1\n1,2\n", "RDX,f1\n1,2\n", "<id>,f1\na,1\n", "\nPlaceholder,f1\n1,2\n",
		"1,2\n3,4\n",
		"1 2 3\n", "1\n", "12:30,1\n", "c,f1\na,1\n", "@relations,f1\n", "(x),f1\n", "(lp0),f1\n",
		`{"classes": ["a", "b"]}`, `{"type": "FeatureCollection", "features": []}`,
		"\x08\x07\x12\x07pytorch:", "bag,f1\nversion https://git-lfs,1\n", "ir_version,f1\n1,2\n",
	} {
		must.Equal(t, Of([]byte(data)) == nil, true, data)
	}
}

// TestInZip recognises an archive by its members alone.
func TestInZip(t *testing.T) {
	must.Equal(t, InZip([]string{"[Content_Types].xml", "xl/workbook.xml"}).What, excel.What)
}

// TestTexts: each row has a name, and doors can put their words before and behind each text.
func TestTexts(t *testing.T) {
	for _, r := range rows {
		for _, text := range []string{r.What, r.Bag, r.Model} {
			if strings.HasSuffix(text, ".") || strings.HasPrefix(text, "it is") {
				t.Error(text)
			}
		}
		must.Equal(t, r.What != "", true, r)
	}
}
