package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// featureTable returns a table of 12 instances of four features, each written by value, with
// further columns before them.
func featureTable(value func(float32) string, header string, before func(i int) string) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("bag," + header + "f1,f2,f3,f4\n")
	for i := range 12 {
		b.WriteString("a," + before(i))
		for f := range 4 {
			v := math.Float32frombits(math.Float32bits(float32(r.NormFloat64())) &^ 0xffff)
			b.WriteString(value(v))
			if f < 3 {
				b.WriteString(",")
			}
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// TestAsksBfloat16 follows both answers to the question about bits of bfloat16: one predicts as the
// numbers do.
func TestAsksBfloat16(t *testing.T) {
	none := func(int) string { return "" }
	scores := func(file []byte, flags ...string) string {
		var got struct {
			Classes []struct{ Raw float64 }
		}
		args := append(words("predict --json --model", fourModel, "--bag",
			writeTemp(t, "bag.csv", file)), flags...)
		clitest.Decode(t, succeed(t, args...), &got)
		return fmt.Sprint(got.Classes)
	}
	want := scores(featureTable(func(v float32) string { return fmt.Sprint(v) }, "", none))
	bits := featureTable(func(v float32) string {
		return fmt.Sprint(math.Float32bits(v) >> 16)
	}, "", none)
	text := refused(t, "predict", "--model", fourModel, "--bag", writeTemp(t, "bag.csv", bits))
	must.Contain(t, text,
		"state --dtype bfloat16 if they are bfloat16, or --dtype stored if they are integers")
	must.Equal(t, scores(bits, "--dtype", "bfloat16"), want)
	must.Equal(t, scores(bits, "--dtype", "stored") != want, true)
}

// TestAsksColumns follows both answers to the question about a column that counts rows, and states
// columns that the notes name.
func TestAsksColumns(t *testing.T) {
	file := writeTemp(t, "bag.csv", featureTable(func(v float32) string { return fmt.Sprint(v) },
		"time,site,", func(i int) string { return fmt.Sprintf("%d,%c,", 3*i, 'a'+i/6) }))
	predict := words("predict --model", fourModel, "--bag", file)
	text := refused(t, predict...)
	if !strings.Contains(text, "state --columns time=skip if they count rows, or --columns "+
		"time=feature if they are features") {
		t.Fatalf("the error is %q", text)
	}
	text = succeed(t, append(predict, "--columns", "time=skip")...)
	must.Contain(t, text, "(columns states others)")
	must.Equal(t, strings.Contains(text, "bag.csv 1"), false, text)
	if text = refused(t, append(predict, "--columns", "time=feature")...); !strings.Contains(text,
		"an instance has shape") {
		t.Errorf("the error is %q", text)
	}
	text = succeed(t, append(predict, "--bag-by", "site", "--columns", "time=skip")...)
	must.Contain(t, text, "bags are the values of site")
}

// TestAsksUnit follows the answers to the question about coordinates that are rows and columns.
func TestAsksUnit(t *testing.T) {
	file := writeTemp(t, "bag.csv", featureTable(func(v float32) string { return fmt.Sprint(v) },
		"x,y,patch_size,", func(i int) string { return fmt.Sprintf("%d,%d,256,", i%4, i/4) }))
	args := words("explain --method single --json --model", fourModel, "--bag", file)
	text := refused(t, args...)
	for unit, last := range map[string][4]int{"256": {768, 512, 1024, 768}, "um": {3, 2, 4, 3},
		"px": {3, 2, 259, 258}} {
		must.Contain(t, text, "--coords-unit "+unit+" if ")
		var got struct{ Boxes [][4]int }
		clitest.Decode(t, succeed(t, append(args, "--coords-unit", unit)...), &got)
		must.Equal(t, got.Boxes[11], last, unit)
	}
}

// TestEnlarged says that patches have finer pixels than the slide, and follows the advice.
func TestEnlarged(t *testing.T) {
	args := words("tiles --whole-slide --patch-size 16 --slide-mpp .5 --json", smallSlide, "--out",
		filepath.Join(t.TempDir(), "out.h5"), "--mpp")
	var got struct{ Notes []string }
	clitest.Decode(t, succeed(t, append(args, ".1")...), &got)
	must.Equal(t, len(got.Notes), 1, got.Notes)
	must.Equal(t, strings.Contains(got.Notes[0], "enlarged 5 times"), true, got.Notes)
	got.Notes = nil
	clitest.Decode(t, succeed(t, append(args, ".5")...), &got)
	must.Equal(t, len(got.Notes) <= 0, true, got.Notes)
}
