package bagio

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestReadPrefersContentToEnding(t *testing.T) {
	for name, data := range map[string][]byte{
		"bag.csv": testdata(t, "bag.npy"), "bag.npy": testdata(t, "stored.npz"),
		"bag.npz": gzipped(t, testdata(t, "bag.npy")),
		"bag.txt": []byte("bag,f1\n1,2\n"), "bag": []byte("bag,f1\n1,2\n"),
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, must.Err(Read(name, data, Options{})), name)
		})
	}
}

func TestReadAdvisesOnUnsupportedFormats(t *testing.T) {
	model := func(name string) string {
		return name + ": it is an ONNX model or called like one; " +
			"open it as the model, and features or a picture as the bag"
	}
	for _, c := range []struct{ name, data, want string }{
		{"x.gif", "GIF89a\x01\x00\x01\x00", "x.gif: it is a GIF picture; save it as PNG"},
		{"x.xml", `<IMAGE_PROPERTIES WIDTH="733" />`, "x.xml: it is the description of a " +
			"Zoomify picture, which is not read; libvips writes a Deep Zoom picture, slide.dzi, " +
			"of the slide: vips dzsave SLIDE slide"},
		{"x.h5", "\x89HDF\r\n\x1a\n",
			"x.h5, byte 8: a field of 1 bytes does not fit " +
				"in the 0 bytes that are left of its structure"},
		{"x.pkl", "\x80\x04\x95", "x.pkl: it is a Python pickle, such as joblib.dump writes, " +
			"which can run any program, so that bagscope never loads it; load it in Python if " +
			"you trust it, and save its features with numpy.save"},
		{"x.npy", "bag,f1\n1,2\n", "x.npy: it does not begin like a .npy file"},
		{"x.png", "not a picture", "x.png: it does not begin like a .png file"},
		{"x.bin", "\x01\x00\x02", "x.bin: its format is not known; bags are read from " +
			FormatList("and") + " files, and models from ONNX files"},
		{"x.bin", "\x00\x01\x08\x01\x00\x00\x00\x01\x05", "x.bin: its format is not known; bags " +
			"are read from " + FormatList("and") + " files, and models from ONNX files"},
		{"x.npy", "version https://git-lfs.github.com/spec/v1\n",
			"x.npy: it is a pointer of Git LFS instead of the file; run git lfs pull"},
		{"x.csv", "<!DOCTYPE html>", "x.csv: it is a web page; if it was downloaded, the address " +
			"returned a page, such as that of a login, instead of the file"},
		{"x.nii", strings.Repeat("\x00", 344) + "n+1\x00", "x.nii: it does not begin like a " +
			".nii file"},
		{"x.hdr", strings.Repeat("\x00", 344) + "ni1\x00", "x.hdr: it is the header of a NIfTI " +
			"volume whose voxels are in another file; nibabel writes both into one: python3 -c " +
			"\"import nibabel; nibabel.save(nibabel.load('FILE'), 'volume.nii.gz')\""},
		{"x.npz", emptyZip(t, "xl/workbook.xml"), "x.npz: it is a table of Excel; pandas writes " +
			"it as CSV: python3 -c \"import pandas; " +
			"pandas.read_excel('FILE').to_csv('bag.csv', index=False)\""},
		{"x.zip", emptyZip(t, "readme.txt"), "x.zip: it is a zip archive; unpack it and open " +
			"the file of features in it"},
		{"x.onnx", "", "x.onnx: it is empty"},
		{"x.onnx", "\x08\x07\x12", model("x.onnx")},
		{"x.bin", "\x08\x07\x12\x07pytorch", model("x.bin")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(c.name, []byte(c.data), Options{})
			wantError(t, err, c.want)
		})
	}
}

// emptyZip returns an archive of empty members.
func emptyZip(t *testing.T, members ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range members {
		must.Get(w.Create(name))(t)
	}
	must.Do(t, w.Close())
	return b.String()
}

// TestFormats checks that every ending belongs to one format, that a file whose content does not
// match its ending is rejected, and that the READMEs name every format.
func TestFormats(t *testing.T) {
	owner := map[string]string{}
	for _, f := range Formats() {
		for _, ending := range f.Endings {
			if owner[ending] != "" {
				t.Errorf("%s and %s both have the ending %s", owner[ending], f.Name, ending)
			}
			owner[ending] = f.Name
			if f.begins == nil {
				continue
			}
			_, err := Read("x"+ending, []byte("bag,f1\n1,2\n"), Options{})
			wantError(t, err, "x"+ending+": it does not begin like a "+ending+" file")
		}
		for _, readme := range []string{"../../README.md", "../../wasm/npm/README.md"} {
			text := must.Get(os.ReadFile(readme))(t)
			if !strings.Contains(string(text), f.Name) {
				t.Errorf("%s does not name %s", readme, f.Name)
			}
		}
	}
}

// TestFormatList checks that texts name every format once, in the order of the list.
func TestFormatList(t *testing.T) {
	rest := FormatList("or")
	for i, f := range Formats() {
		before, after, found := strings.Cut(rest, f.Name)
		want := ", "
		switch i {
		case 0:
			want = ""
		case len(Formats()) - 1:
			want = " or "
		}
		must.Equal(t, found, true, FormatList("or"), before, f.Name, want)
		must.Equal(t, before, want, FormatList("or"), f.Name)
		rest = after
	}
	must.Equal(t, rest, "", FormatList("or"))
}
