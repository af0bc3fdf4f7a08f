package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
)

// TestInspectBag says without a model what files hold, and shows none of their identifying values.
func TestInspectBag(t *testing.T) {
	gap := digitSlices(t, 6)
	must.Do(t, os.Remove(filepath.Join(gap, "se0", "3")))
	must.Do(t, os.CopyFS(filepath.Join(gap, "again"), os.DirFS(filepath.Join(gap, "se0"))))
	must.Do(t, os.WriteFile(filepath.Join(gap, "readme"), nil, 0o644))
	pictures := t.TempDir()
	for i := range 3 {
		must.Do(t, os.WriteFile(filepath.Join(pictures, fmt.Sprint(dicomtest.Marker, i, ".png")),
			pngBytes(t, 28, 14), 0o644))
	}
	one := digitSlices(t, 1)
	for _, c := range []struct {
		args string // after --bag
		want []string
	}{
		{gap, []string{"found         CT series\nbags          1\ninstances     10 slices\n",
			"shape         1 x 28 x 28 numbers\n", "from feet to head, 2 mm apart.",
			"the widest gap is 4 mm", "at the position of another one: 5",
			"not DICOM files, which are left out: 1"}},
		{filepath.Join(one, "se0", "0"), []string{"CT picture", "28 x 28 pixels",
			"--patch-size or the model"}},
		{filepath.Join(one, "se0", "0") + " --patch-size 14", []string{"CT picture", "4 patches"}},
		{pictures, []string{"found         pictures", "3 instances", "1 x 14 x 28 pixels"}},
		{writeTemp(t, "a.png", pngBytes(t, 40, 30)), []string{"found         picture\n",
			"shape         30 x 40 pixels"}},
		{exampleBags, []string{"found         .npz\nbags          6\n", "28 to 33 instances",
			"class         3 (bags: 3)", "labels        of instances"}},
		{writeTemp(t, "t.csv", []byte("bag,f1,f2\na,0,1\nb,2,3\nb,4,5\n")), []string{
			"found         table\nbags          2\n", "1 to 2 instances"}},
		{filepath.FromSlash("../../../examples/slide/CMU-1-Small-Region.svs"), []string{
			"found         Aperio slide\n", "level         0: ",
			"0.499 µm", "a picture of the glass"}},
	} {
		name, _, _ := strings.Cut(c.args, " ")
		t.Run(filepath.Base(name), func(t *testing.T) {
			text := succeed(t, append([]string{"inspect", "--bag"}, strings.Fields(c.args)...)...)
			must.Contain(t, text, c.want...)
			must.Equal(t, strings.Contains(text, dicomtest.Marker), false, text)
		})
	}
}

// TestInspectBagChoices follows each choice between several series.
func TestInspectBagChoices(t *testing.T) {
	on := []string{"inspect", "--bag", digitSlices(t, 2, 4)}
	must.Contain(t, succeed(t, on...), "found         it holds 2 series",
		"--series 2    if the bag is the CT series of 4 slices of 28 x 28 pixels")
	var f inspection.Found
	clitest.Decode(t, succeed(t, append(on, "--json")...), &f)
	must.Equal(t, len(f.Choices), 3, f)
	for i, n := range []int{2, 4, 6} {
		c := f.Choices[i]
		clitest.Decode(t, succeed(t, append(slices.Clone(on), "--json", "--"+c.Option,
			c.Value)...), &f)
		must.Equal(t, f.Instances, [2]int{n, n}, c)
	}
}

// TestInspectBagFails ends with an error for files that hold no bag, and needs a model for a stage.
func TestInspectBagFails(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{t.TempDir(), cli.ExitFailed, "no DICOM or NIfTI file"},
		{filepath.Join(t.TempDir(), "none"), cli.ExitFailed, "does not exist"},
		{exampleModel, cli.ExitFailed, "ONNX model"},
		{exampleBags + " --index 7", cli.ExitUsage, "--index needs --model"},
		{writeTemp(t, "a.png", pngBytes(t, 40, 30)) + " --patch-size -3", cli.ExitUsage,
			"must be at least 1"},
		{exampleBags + " --stage plan", cli.ExitUsage, "--model is missing"},
	} {
		code, _, text := bagscope(t, append([]string{"inspect", "--bag"},
			strings.Fields(c.args)...)...)
		must.Equal(t, code, c.code, text)
		must.Contain(t, text, c.want)
	}
}
