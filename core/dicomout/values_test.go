package dicomout

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPacked unpacks rows of runs and of random bytes by the reader of package dicom.
func TestPacked(t *testing.T) {
	const width, height = 700, 40
	r := rand.New(rand.NewPCG(1, 2))
	pix := make([]byte, width*height)
	for i := range pix {
		switch i / width % 3 {
		case 0:
			pix[i] = 7
		case 1:
			pix[i] = byte(r.IntN(256))
		default:
			pix[i] = byte(r.IntN(2))
		}
	}
	d := &dataset{}
	d.text(photometric, "MONOCHROME2")
	d.short(samples, 1)
	d.text(frames, "2")
	d.short(rows, height)
	d.short(columns, width)
	d.short(allocated, 8)
	d.short(stored, 8)
	d.short(highBit, 7)
	d.short(representation, 0)
	var b bytes.Buffer
	zeros := make([]byte, len(pix))
	must.Do(t, write(&b, segmentationClass, "2.25.7", d,
		[][]byte{packed(zeros, width), packed(pix, width)}))
	f := must.Get(dicom.Open("f.dcm", bytes.NewReader(b.Bytes()), int64(b.Len()),
		dicom.Options{}))(t)
	for i, want := range [][]byte{zeros, pix} {
		values := make([]float32, len(pix))
		must.Get(f.Frame(i))(t).Values(values)
		for j, v := range values {
			if byte(v) != want[j] {
				t.Fatalf("frame %d, pixel %d: %v, want %d", i, j, v, want[j])
			}
		}
	}
}

// TestSize: a map of 600 slices of 512 x 512 pixels takes 5 MB instead of 157 MB.
func TestSize(t *testing.T) {
	must.Equal(t, len(packed(make([]byte, 512*512), 512)), 64+512*8)
}

// TestLab compares colours with CIELab for D50, by www.brucelindbloom.com.
func TestLab(t *testing.T) {
	for name, c := range map[string]struct {
		of   color.RGBA
		want [3]float64
	}{
		"white": {color.RGBA{255, 255, 255, 255}, [3]float64{100, 0, 0}},
		"black": {color.RGBA{0, 0, 0, 255}, [3]float64{0, 0, 0}},
		"red":   {color.RGBA{255, 0, 0, 255}, [3]float64{54.29, 80.81, 69.89}},
		"green": {color.RGBA{0, 255, 0, 255}, [3]float64{87.82, -79.29, 80.99}},
		"blue":  {color.RGBA{0, 0, 255, 255}, [3]float64{29.57, 68.30, -112.03}},
	} {
		t.Run(name, func(t *testing.T) {
			lab := labOf(c.of)
			got := [3]float64{float64(lab[0]) / 655.35, float64(lab[1])/257 - 128,
				float64(lab[2])/257 - 128}
			for i := range got {
				if !(math.Abs(got[i]-c.want[i]) <= 0.03) { // three digits of the source are rounded
					t.Errorf("%v, want %v", got, c.want)
				}
			}
		})
	}
}

// TestDecimal: numbers have at most 16 characters and lose at most the digits behind the tenth.
func TestDecimal(t *testing.T) {
	for _, v := range []float64{0, 1, -1.0 / 3, math.Pi * 1e-300, -math.MaxFloat64, 1e22} {
		text := decimal(v)
		got := must.Get(strconv.ParseFloat(text, 64))(t)
		must.Equal(t, len(text) <= 16, true, v, text)
		must.Equal(t, math.Abs(got-v) <= 1e-8*math.Abs(v), true, v, text)
	}
}

// TestWithin: texts are cut by characters, and separate no values.
func TestWithin(t *testing.T) {
	must.Equal(t, within("a\\b\n\xffβγ", 6), "a/b ?β")
}

// opened returns the text of a file without identifiers that a map or a report of a bag is.
func opened(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, write(&b))
	return b.String()
}

// TestIdentifiers: identifiers of the study are copied in UTF-8, those of another one are refused.
func TestIdentifiers(t *testing.T) {
	o := named
	o.Identifiers = []dicom.Identifier{{Tag: 0x0010_0010, VR: "PN", Value: "Müller^Eva"},
		{Tag: 0x0010_0020, VR: "LO", Value: "P-1"}}
	o.Study = "2.25.1"
	for kind, write := range map[string]func(*bytes.Buffer) error{
		"seg": func(b *bytes.Buffer) error { return Segmentation(b, volume(), scores(), o) },
		"sr":  func(b *bytes.Buffer) error { return Report(b, volume(), scores(), o) },
	} {
		text := opened(t, write)
		must.Equal(t, strings.Contains(text, "Müller^Eva"), true, kind)
		must.Equal(t, strings.Contains(text, "P-1"), true, kind)
	}
	o.Study = "2.25.99"
	var wrong *core.BagError
	must.As(t, Report(&bytes.Buffer{}, volume(), scores(), o), &wrong)
	must.Contain(t, wrong.Reason, "another study")
}

// TestNothingStandsOut: a map is one frame of zeros, and a report has no group.
func TestNothingStandsOut(t *testing.T) {
	none := scores()
	none.Explanations[0].Evident = make([]bool, 5)
	for name, bag := range bags {
		t.Run(name, func(t *testing.T) {
			file := opened(t, func(b *bytes.Buffer) error {
				return Segmentation(b, bag(), none, named)
			})
			f := must.Get(dicom.Open("f.dcm", strings.NewReader(file), int64(len(file)),
				dicom.Options{}))(t)
			values := make([]float32, f.Width*f.Height)
			must.Get(f.Frame(0))(t).Values(values)
			for _, v := range values {
				must.Equal(t, v, 0, "a pixel is")
			}
			must.Equal(t, f.Frames, 1)
			report := opened(t, func(b *bytes.Buffer) error {
				return Report(b, bag(), none, named)
			})
			must.Equal(t, strings.Contains(report, "Measurement Group"), false,
				"a group of an instance that does not stand out")
		})
	}
}

// TestTop: a report has the instances with the largest scores.
func TestTop(t *testing.T) {
	o := named
	o.Top = 1
	report := opened(t, func(b *bytes.Buffer) error { return Report(b, volume(), scores(), o) })
	must.Equal(t, strings.Count(report, "Measurement Group"), 1, "not the strongest instance alone")
	must.Contain(t, report, "instance 3")
}

// TestPositions: scores of a bag without some instances lie on their own slices.
func TestPositions(t *testing.T) {
	o, few := named, scores()
	e := &few.Explanations[0]
	e.Scores, e.StdErr, e.Evident = []float64{1, -2}, nil, nil
	o.Instances = []int{2, 4}
	report := opened(t, func(b *bytes.Buffer) error { return Report(b, volume(), few, o) })
	if strings.Count(report, "Measurement Group") != 2 || !strings.Contains(report, "2.25.102") ||
		!strings.Contains(report, "2.25.104") || strings.Contains(report, "2.25.100") {
		t.Error("other slices")
	}
}

// TestUIDs: equal explanations have equal UIDs; another time, score or purpose has others.
func TestUIDs(t *testing.T) {
	uid := func(change func(*core.Report, *Options), purpose string) string {
		o, r := named, scores()
		change(r, &o)
		return must.Get(newExplained(volume(), r, o))(t).of(purpose)
	}
	same := func(*core.Report, *Options) {}
	first := uid(same, "SEG")
	must.Equal(t, first, uid(same, "SEG"), "equal content has another UID")
	for name, other := range map[string]string{
		"purpose": uid(same, "SR"),
		"score": uid(func(r *core.Report, _ *Options) {
			r.Explanations[0].Scores[2] += 1e-9
		}, "SEG"),
		"time": uid(func(_ *core.Report, o *Options) { o.Time = o.Time.Add(1) }, "SEG"),
	} {
		must.Equal(t, other != first, true, name)
	}
	must.Equal(t, strings.HasPrefix(first, "2.25."), true, first)
	must.Equal(t, len(first) <= 64, true, first)
}

// TestRefused returns typed errors for what cannot be written.
func TestRefused(t *testing.T) {
	bare := &core.Bag{Name: "b", Shape: []int{1}, Values: make([]float32, 5)}
	unnamed := volume()
	unnamed.Origin.Images[3].UID = ""
	var bagError *core.BagError
	var setting *core.SettingError
	for name, c := range map[string]struct {
		bag  *core.Bag
		o    Options
		want any
		part string
	}{
		"no DICOM files": {bare, named, &bagError, "not slices or patches of DICOM files"},
		"no UID":         {unnamed, named, &bagError, "do not state the UIDs"},
		"class":          {volume(), Options{Class: 0}, &setting, "does not explain class 0"},
		"colours":        {volume(), Options{Class: 1, Colours: "red"}, &setting, "red"},
		"top":            {volume(), Options{Class: 1, Top: -1}, &setting, "must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Segmentation(&bytes.Buffer{}, c.bag, scores(), c.o)
			must.Equal(t, errors.As(err, c.want), true, err)
			must.Contain(t, err.Error(), c.part)
			if other := Report(&bytes.Buffer{}, c.bag, scores(), c.o); other == nil ||
				other.Error() != err.Error() {
				t.Errorf("a report returns %v", other)
			}
		})
	}
}
