package patches_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
)

// A brightness is an encoder with one feature: the mean of the pixels. onnxbackend.OpenEncoder
// opens one of an ONNX file.
type brightness struct{}

func (brightness) BatchSize([]int, int64) int { return 64 }

func (brightness) Encode(_ context.Context, bag *core.Bag) (*core.Bag, error) {
	out := &core.Bag{Name: bag.Name, Shape: []int{1}, Boxes: bag.Boxes, Slide: bag.Slide}
	for i := range bag.Len() {
		sum := float32(0)
		for _, v := range bag.Instance(i) {
			sum += v
		}
		out.Values = append(out.Values, sum/float32(bag.Stride()))
	}
	return out, nil
}

// The patches of a slide become a bag of features.
func Example() {
	ctx := context.Background()
	file, err := os.ReadFile("../slide/testdata/pyramid.ome.tif")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := slide.Open("pyramid.ome.tif", bytes.NewReader(file), int64(len(file)))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := patches.Open(ctx, "pyramid", s, patches.Options{WholeSlide: true,
		GridOptions: slide.GridOptions{PatchSize: 32}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag, err := p.Features(ctx, brightness{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Len() == bag.Len(), bag.Shape, bag.Boxes[1])
	// Output:
	// true [1] (32,0)-(64,32)
}
