package draw_test

import (
	"bytes"
	"context"
	"fmt"
	"image"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/methods"
)

// explained returns a bag of four instances with their places, and its explanation for class 0.
func explained() (*core.Bag, *core.Report, error) {
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, 4)}
	for i := range 4 {
		bag.Boxes = append(bag.Boxes, image.Rect(10*i, 0, 10*i+10, 10))
	}
	report, err := core.Explain(context.Background(), coretest.Additive(2, -1, 0, .5),
		core.Request{Methods: []core.Method{methods.OneRemoved{}}, Classes: []int{0}})
	return bag, report, err
}

// Auto chooses the picture for a bag: bars for features, a strip of pictures, a map of patches, or
// an overlay over the picture that they were cut from.
func ExampleAuto() {
	bag, report, err := explained()
	if err != nil {
		fmt.Println(err)
		return
	}
	picture, err := draw.Auto(bag, nil, report, draw.Options{ClassNames: []string{"tumour"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := picture.EncodePNG(&file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d cells, %q\n", len(picture.Cells), file.Bytes()[1:4])
	// Output:
	// 4 cells, "PNG"
}

// ShadesOf returns the colours for a program that draws the patches itself.
func ExampleShadesOf() {
	bag, report, err := explained()
	if err != nil {
		fmt.Println(err)
		return
	}
	shades, err := draw.ShadesOf(bag, report, draw.Options{ClassNames: []string{"tumour"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(shades[0].Name, shades[0].Method, len(shades[0].Colours))
	fmt.Println(shades[0].Colours[0] == draw.Theme("", false)["support"])
	// Output:
	// tumour One Removed 4
	// true
}
