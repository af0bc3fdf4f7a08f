package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// archived writes a series of slices with valid UIDs and with all identifying attributes beside
// them.
func archived(t *testing.T, slices int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range slices {
		p := dicomtest.Slice(1, i+1, -2*float64(i))
		p.Width, p.Height, p.Pixels = 28, 28, make([]byte, 2*28*28)
		for at := 0; at < len(p.Pixels) && i%2 == 0; at += 2 {
			p.Pixels[at] = byte(at * (i + 3) / 7) // the others are empty
		}
		place := p.More
		p.More = func(w *dicomtest.Writer) {
			w.Text(0x0008_0016, "UI", "1.2.840.10008.5.1.4.1.1.2\x00")
			w.Text(0x0008_0018, "UI", fmt.Sprintf("2.25.80%d\x00", i))
			w.Text(0x0020_000d, "UI", "2.25.70")
			w.Text(0x0020_0052, "UI", "2.25.60")
			w.Text(dicomtest.Intercept, "DS", "0")
			place(w)
			w.Text(0x0028_0030, "DS", `0.5\0.5`)
			dicomtest.Identified(w)
		}
		must.Do(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), p.File(), 0o644))
	}
	return folder
}

// TestDICOMFiles writes a map and a report of a series: both refer to its slices and to its study,
// and hold no identifying value until a file of the study gives them.
func TestDICOMFiles(t *testing.T) {
	folder := archived(t, 5)
	out := t.TempDir()
	seg, sr := filepath.Join(out, "map.dcm"), filepath.Join(out, "report.dcm")
	args := []string{"explain", "--method", "single", "--model", exampleModel, "--bag", folder,
		"--dicom-seg", seg, "--dicom-sr", sr}
	succeed(t, args...)
	for _, path := range []string{seg, sr} {
		data := must.Get(os.ReadFile(path))(t)
		for _, uid := range []string{"2.25.80", "2.25.70", "1.2.840.10008.5.1.4.1.1.2"} {
			if !bytes.Contains(data, []byte(uid)) {
				t.Errorf("%s does not refer to %s", filepath.Base(path), uid)
			}
		}
		must.Equal(t, bytes.Contains(data, []byte(dicomtest.Marker)), false, filepath.Base(path))
	}
	data := must.Get(os.ReadFile(seg))(t)
	f := must.Get(dicom.Open("map.dcm", bytes.NewReader(data), int64(len(data)),
		dicom.Options{}))(t)
	if f.Width != 28 || f.Height != 28 || f.Frames < 1 || f.Modality != "SEG" {
		t.Errorf("a map of %d frames of %d x %d pixels, %s", f.Frames, f.Width, f.Height,
			f.Modality)
	}
	succeed(t, append(args, "--identifiers", filepath.Join(folder, "0"))...)
	for _, path := range []string{seg, sr} {
		if !bytes.Contains(must.Get(os.ReadFile(path))(t), []byte(dicomtest.Marker+"^00100010")) {
			t.Errorf("%s lacks the name of the patient", filepath.Base(path))
		}
	}
}

// TestDICOMFilesRefused: what cannot be written is an error before the work, and no file is there.
func TestDICOMFilesRefused(t *testing.T) {
	folder := archived(t, 3)
	other := dicomtest.Grey(dicomtest.Explicit)
	other.More = func(w *dicomtest.Writer) { w.Text(0x0020_000d, "UI", "2.25.71") }
	stranger := filepath.Join(t.TempDir(), "other.dcm")
	must.Do(t, os.WriteFile(stranger, other.File(), 0o644))
	seg := filepath.Join(t.TempDir(), "map.dcm")
	for name, c := range map[string]struct {
		args []string
		part string
	}{
		"no pictures of DICOM": {[]string{"--bag", exampleBags, "--dicom-seg", seg},
			"not slices or patches of DICOM files"},
		"another study": {[]string{"--bag", folder, "--dicom-seg", seg, "--identifiers", stranger},
			"another study"},
		"identifiers alone": {[]string{"--bag", folder, "--identifiers", stranger},
			"--identifiers needs --dicom-seg or --dicom-sr"},
		"two methods": {[]string{"--bag", folder, "--dicom-seg", seg, "--method", "one_removed"},
			"--dicom-seg draws one method"},
		"another ending": {[]string{"--bag", folder, "--dicom-sr", "map.png"}, ".dcm"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, text := bagscope(t, append([]string{"explain", "--method", "single",
				"--model", exampleModel}, c.args...)...)
			must.Equal(t, code != 0, true, code, text)
			must.Equal(t, strings.Contains(text, c.part), true, code, text)
			must.Fail(t, must.Err(os.Stat(seg)))
		})
	}
}
