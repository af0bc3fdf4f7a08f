package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/otherfile"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestFollowedFiles follows the commands for files of other programs, which these write: what the
// command makes of the file is read, and predicted as the array that it was made from.
func TestFollowedFiles(t *testing.T) {
	book := advice.Of(t)
	linear := meanOf(0, []any{"k", 3}, []any{3}, ot.N("MatMul", []string{"m", "W"}, []string{"y"}))
	const array = "[[1., 2, 3], [5, 0, -1], [2, 2, .5], [7, 1, 4], [0, 0, 9]]"
	want := func(t *testing.T) string {
		bag := writeTemp(t, "bag.csv", []byte("bag,f,f,f\na,1,2,3\na,5,0,-1\na,2,2,.5\na,7,1,4\n"+
			"a,0,0,9\n"))
		return succeed(t, "predict", "--json", "--model", writeTemp(t, "m.onnx", linear.Bytes()),
			"--bag", bag)
	}
	for name, c := range map[string]struct {
		program, file, result string
		names                 []string
	}{
		"Excel": {"import pandas, openpyxl; t = pandas.DataFrame(ARRAY, columns=['f1', 'f2', " +
			"'f3']); t.insert(0, 'bag', 'a'); t.to_excel('FILE', index=False)", "a.xlsx",
			"bag.csv", nil},
		"Parquet": {"import pandas, pyarrow; t = pandas.DataFrame(ARRAY, columns=['f1', 'f2', " +
			"'f3']); t.insert(0, 'bag', 'a'); t.to_parquet('FILE', index=False, " +
			"compression='brotli')", "a.parquet", "bag.parquet", nil},
		"HDF5 of pandas": {"import pandas, tables; t = pandas.DataFrame(ARRAY, columns=['f1', " +
			"'f2', 'f3']); t.insert(0, 'bag', 'a'); t.to_hdf('FILE', key='t')", "a.h5", "bag.csv",
			nil},
		"blocks of SciPy": {"import numpy, scipy.sparse as s; s.save_npz('FILE', " +
			"s.bsr_matrix(numpy.array(ARRAY)))", "a.npz", "bag.npz", nil},
		"objects of NumPy": {"import numpy; o = numpy.empty(1, object); o[0] = " +
			"numpy.array(ARRAY); numpy.save('FILE', o)", "a.npy", "bags.npz", nil},
		"objects in an archive": {"import numpy; o = numpy.empty(1, object); o[0] = " +
			"numpy.array(ARRAY); numpy.savez('FILE', bags=o)", "a.npz", "bags.npz", nil},
		"numbers without names": {"import numpy; numpy.savetxt('FILE', ARRAY)", "a.txt",
			"bag.npy", nil},
		"stream of Arrow": {"import pyarrow as p; t = p.table([['a'] * 5] + list(zip(*ARRAY)), " +
			"names=['bag', 'f1', 'f2', 'f3']); w = p.ipc.new_stream('FILE', t.schema); " +
			"w.write(t); w.close()", "a.arrow", "bag.feather", nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inPython(t, book, dir, strings.NewReplacer("FILE", c.file, "ARRAY", array).Replace(
				c.program))
			model := writeTemp(t, "m.onnx", linear.Bytes())
			text := refused(t, "predict", "--model", model, "--bag", filepath.Join(dir, c.file))
			book.Follow(t, dir, c.file, text, c.names...)
			got := succeed(t, "predict", "--json", "--model", model, "--bag",
				filepath.Join(dir, c.result))
			must.Equal(t, scores(t, got), scores(t, want(t)), got)
		})
	}
	const features = "numpy.array(" + array + ", 'f4')"
	for name, program := range map[string]string{
		"blosc2": "import hdf5plugin; h5py.File('FILE', 'w').create_dataset('features', data=a, " +
			"**hdf5plugin.Blosc2())",
		"virtual": "h5py.File('b.h5', 'w')['x'] = a; v = h5py.VirtualLayout(a.shape, 'f4'); " +
			"v[:] = h5py.VirtualSource('b.h5', 'x', a.shape); " +
			"h5py.File('FILE', 'w').create_virtual_dataset('features', v)",
		"external": "a.tofile('b.bin'); h5py.File('FILE', 'w').create_dataset('features', " +
			"a.shape, 'f4', external=[('b.bin', 0, a.nbytes)])",
		"link": "h5py.File('b.h5', 'w')['x'] = a; h5py.File('FILE', 'w')['features'] = " +
			"h5py.ExternalLink('b.h5', 'x')",
	} {
		t.Run("HDF5/"+name, func(t *testing.T) {
			dir := t.TempDir()
			inPython(t, book, dir, "import h5py, numpy; a = "+features+"; "+
				strings.ReplaceAll(program, "FILE", "a.h5"))
			model := writeTemp(t, "m.onnx", linear.Bytes())
			text := refused(t, "predict", "--model", model, "--bag", filepath.Join(dir, "a.h5"))
			book.Follow(t, dir, "a.h5", text, "NAME", "features")
			got := succeed(t, "predict", "--json", "--model", model, "--bag",
				filepath.Join(dir, "bag.h5"))
			must.Equal(t, scores(t, got), scores(t, want(t)), got)
		})
	}
	t.Run("Zarr/codec", func(t *testing.T) {
		dir := t.TempDir()
		inPython(t, book, dir, "import zarr, numpy; a = "+features+"; "+
			"zarr.open_group('a.zarr', mode='w').create_array('features', data=a, "+
			"filters=[zarr.codecs.TransposeCodec(order=(1, 0))])")
		model := writeTemp(t, "m.onnx", linear.Bytes())
		text := refused(t, "predict", "--model", model, "--bag", filepath.Join(dir, "a.zarr"))
		book.Follow(t, dir, "a.zarr", text)
		got := succeed(t, "predict", "--json", "--model", model, "--bag",
			filepath.Join(dir, "bag.zarr"))
		must.Equal(t, scores(t, got), scores(t, want(t)), got)
	})
	t.Run("Zarr/picture", func(t *testing.T) {
		dir := t.TempDir()
		inPython(t, book, dir, "import zarr, numpy, tifffile; g = zarr.open_group('a.zarr', "+
			"mode='w', zarr_format=2, attributes={'multiscales': [{'datasets': [{'path': '0'}]}]})"+
			"; g.create_array('0', data=numpy.arange(64 * 64 * 5).reshape(1, 5, 1, 64, 64)"+
			".astype('u2'))")
		tiles := words("tiles --whole-slide --mpp 0 --patch-size 16 --out", filepath.Join(dir,
			"o.h5"))
		text := refused(t, append(tiles, filepath.Join(dir, "a.zarr"))...)
		book.Follow(t, dir, "a.zarr", text)
		succeed(t, append(tiles, filepath.Join(dir, "slide.tif"))...)
	})
	t.Run("Zarr/document", func(t *testing.T) {
		dir := t.TempDir()
		inPython(t, book, dir, "import zarr, numpy; g = zarr.open_group('a.zarr', mode='w', "+
			"zarr_format=2, attributes={'multiscales': [{'datasets': [{'path': '0'}]}]}); "+
			"g.create_array('0', data=numpy.arange(28 * 28).reshape(1, 1, 1, 28, 28).astype('u1'))")
		on := []string{"inspect", "--model", exampleModel, "--bag"}
		text := refused(t, append(on, filepath.Join(dir, "a.zarr", ".zattrs"))...)
		book.Follow(t, dir, "", text, "FOLDER", "a.zarr")
		succeed(t, append(on, filepath.Join(dir, "slide.zarr.zip"))...)
	})
	// Pages refuse these, and the command reads them.
	for name, c := range map[string]struct{ program, file, begins string }{
		"Parquet in a page": {"t.to_parquet('a.parquet')", "a.parquet", "PAR1\x15\x04"},
		"Feather in a page": {"t.to_feather('a.feather')", "a.feather", "ARROW1\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inPython(t, book, dir, "import pandas, pyarrow; t = pandas.DataFrame("+array+
				", columns=['f1', 'f2', 'f3']); t.insert(0, 'bag', 'a'); "+c.program)
			book.Follow(t, dir, c.file, otherfile.Of([]byte(c.begins)).Bag)
			model := writeTemp(t, "m.onnx", linear.Bytes())
			for _, file := range []string{"bag.csv", c.file} {
				got := succeed(t, "predict", "--json", "--model", model, "--bag",
					filepath.Join(dir, file))
				must.Equal(t, scores(t, got), scores(t, want(t)), file, got)
			}
		})
	}
	for name, c := range map[string]struct{ program, file, result string }{
		"NIfTI in two files": {"nibabel.save(nibabel.Nifti1Pair(a, None), 'FILE')", "a.hdr",
			"volume.nii.gz"},
		"complex NIfTI": {"nibabel.save(nibabel.Nifti1Image(a * 1j, None), 'FILE')", "a.nii",
			"magnitude.nii.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inPython(t, book, dir, "import nibabel, numpy; a = numpy.arange(28 * 28 * 5.)"+
				".reshape(28, 28, 5); "+strings.ReplaceAll(c.program, "FILE", c.file))
			on := []string{"inspect", "--model", exampleModel, "--bag"}
			text := refused(t, append(on, filepath.Join(dir, c.file))...)
			book.Follow(t, dir, c.file, text)
			got := succeed(t, append(on, filepath.Join(dir, c.result))...)
			must.Contain(t, got, "5 instances")
		})
	}
	for name, format := range map[string]string{"text": "onnxtxt", "protobuf's text": "textproto",
		"JSON": "json"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(dir, "m.onnx"), linear.Bytes(), 0o600))
			inPython(t, book, dir, "import onnx; onnx.save(onnx.load('m.onnx'), 'a.txt', "+
				"format='"+format+"'); import os; os.remove('m.onnx')")
			text := refused(t, "inspect", "--model", filepath.Join(dir, "a.txt"))
			book.Follow(t, dir, "a.txt", text)
			succeed(t, "inspect", "--model", filepath.Join(dir, "model.onnx"))
		})
	}
	for _, compression := range []string{"jpeg2000", "jpegxl"} {
		t.Run(compression, func(t *testing.T) {
			dir := t.TempDir()
			inPython(t, book, dir, "import imagecodecs, tifffile, numpy; "+
				"tifffile.imwrite('a.tif', numpy.arange(64*64*3).reshape(64, 64, 3)"+
				".astype('u1'), photometric='rgb', "+
				"compression='"+compression+"')")
			tiles := words("tiles --whole-slide --mpp 0 --patch-size 16 --out", filepath.Join(dir,
				"o.h5"))
			text := refused(t, append(tiles, filepath.Join(dir, "a.tif"))...)
			book.Follow(t, dir, "a.tif", text)
			succeed(t, append(tiles, filepath.Join(dir, "slide.tif"))...)
		})
	}
	t.Run("Zoomify", func(t *testing.T) {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "slide.svs"), repeatedPlain(64), 0o600))
		text := refused(t, "predict", "--model", exampleModel, "--bag", writeTemp(t,
			"ImageProperties.xml", []byte(`<IMAGE_PROPERTIES WIDTH="64" HEIGHT="64"/>`)))
		book.Follow(t, dir, "", text, "SLIDE", "slide.svs")
		succeed(t, "tiles", filepath.Join(dir, "slide.dzi"), "--mpp", "0", "--patch-size", "16",
			"--whole-slide", "--out", filepath.Join(dir, "o.h5"))
	})
	t.Run("Git LFS", func(t *testing.T) {
		dir := t.TempDir()
		if exec.CommandContext(t.Context(), "git", "lfs", "version").Run() != nil {
			book.Skip(t, "this machine cannot run git lfs")
		}
		for _, key := range []string{"HOME", "XDG_CONFIG_HOME"} { // no settings of this machine
			t.Setenv(key, dir)
		}
		const alias = "git -c user.name=a -c user.email=a@example.org"
		must.Do(t, os.WriteFile(filepath.Join(dir, "m.onnx"), linear.Bytes(), 0o600))
		shell(t, dir, "mkdir from && mv m.onnx from && cd from && git init -q && git lfs install "+
			"--local && git lfs track '*.onnx' && git add . && "+alias+" commit -qm model")
		shell(t, dir, "GIT_LFS_SKIP_SMUDGE=1 git clone -q from to && cd to && git lfs install "+
			"--local --skip-smudge")
		model := filepath.Join(dir, "to", "m.onnx")
		text := refused(t, "inspect", "--model", model)
		book.Read(t, text, "git lfs")
		shell(t, filepath.Join(dir, "to"), regexp.MustCompile("git lfs [a-z]+").FindString(text))
		succeed(t, "inspect", "--model", model)
	})
	t.Run("gzip", func(t *testing.T) {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "model.onnx"), linear.Bytes(), 0o600))
		shell(t, dir, "gzip model.onnx")
		text := refused(t, "inspect", "--model", filepath.Join(dir, "model.onnx.gz"))
		book.Read(t, text, "gunzip")
		shell(t, dir, "gunzip model.onnx.gz")
		succeed(t, "inspect", "--model", filepath.Join(dir, "model.onnx"))
	})
}

// inPython runs a program in a folder. It skips the test if Python or a module is absent.
func inPython(t *testing.T, book *advice.Book, folder, program string) {
	imports, _, _ := strings.Cut(program, ";")
	if c := exec.CommandContext(t.Context(), "python3", "-c", imports); c.Run() != nil {
		book.Skip(t, "this machine cannot run "+c.String())
	}
	c := exec.CommandContext(t.Context(), "python3", "-c", program)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// shell runs a command in a folder.
func shell(t *testing.T, folder, command string) {
	c := exec.CommandContext(t.Context(), "sh", "-eu", "-c", command)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// scores returns the scores of a prediction in JSON.
func scores(t *testing.T, text string) [3]float64 {
	var p prediction
	clitest.Decode(t, text, &p)
	var out [3]float64
	for i, c := range p.Classes {
		out[i] = float64(c.Score)
	}
	return out
}
