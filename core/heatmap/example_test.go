package heatmap_test

import (
	"bytes"
	"context"
	"fmt"
	"image"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	coredraw "github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/core/methods"
)

// A map lies over the slide that the patches come from. WriteOME writes it for QuPath, WriteZIP for
// viewers of Deep Zoom pictures.
func ExampleNew() {
	ctx := context.Background()
	bag := &core.Bag{Name: "slide", Shape: []int{1}, Values: make([]float32, 4),
		Slide: &core.Slide{Width: 512, Height: 512, MPP: .5}}
	for i := range 4 {
		bag.Boxes = append(bag.Boxes, image.Rect(0, 0, 256, 256).Add(image.Pt(i%2*256, i/2*256)))
	}
	report, err := core.Explain(ctx, coretest.Additive(2, -1, 0, .5),
		core.Request{Methods: []core.Method{methods.OneRemoved{}}, Classes: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := heatmap.New(bag, report,
		heatmap.Options{Options: coredraw.Options{ClassNames: []string{"tumour"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := m.WriteOME(ctx, &file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Width, m.Height, m.Microns, m.Classes[0].Name, file.Len() > 0)
	// Output:
	// 32 32 8 tumour true
}
