package bagio_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// An array of NumPy is one bag, with the instances first.
func ExampleRead_numPy() {
	var file bytes.Buffer
	if err := bagio.WriteNpy(&file, []int{3, 2}, []float32{1, 2, 3, 4, 5, 6}); err != nil {
		fmt.Println(err)
		return
	}
	set, err := bagio.Read("bag.npy", file.Bytes(), bagio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag, err := set.Bag(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bag.Len(), "instances of shape", bag.Shape, bag.Instance(2))
	// Output:
	// 3 instances of shape [2] [5 6]
}

// A picture is cut into patches, each an instance with its place. Background leaves out patches
// that are nearly white.
func ExampleRead_picture() {
	tissue := image.NewGray(image.Rect(0, 0, 8, 4))
	for x := range 8 {
		for y := range 4 {
			tissue.SetGray(x, y, color.Gray{Y: uint8(250 * min(1, x/4))})
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, tissue); err != nil {
		fmt.Println(err)
		return
	}
	set, err := bagio.Read("tissue.png", file.Bytes(),
		bagio.Options{Patch: bagio.PatchOptions{Size: 2, Channels: 1, Background: 240}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag, err := set.Bag(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bag.Len(), "patches, the last at", bag.Boxes[bag.Len()-1])
	// Output:
	// 4 patches, the last at (2,2)-(4,4)
}

// WriteSet writes bags as .npz, with their labels; Read reads it again.
func ExampleWriteSet() {
	bags := []*core.Bag{
		{Name: "a", Shape: []int{1}, Values: []float32{1, 2, 3}, Class: []int{1}},
		{Name: "b", Shape: []int{1}, Values: []float32{4}, Class: []int{0}},
	}
	var file bytes.Buffer
	if err := bagio.WriteSet(&file, bags...); err != nil {
		fmt.Println(err)
		return
	}
	set, err := bagio.Read("bags.npz", file.Bytes(), bagio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Names())
	// Output:
	// [a b]
}

// A folder of pictures of one size is one bag, with an instance for each picture.
func ExampleReadFolder() {
	folder := fstest.MapFS{}
	for _, name := range []string{"1.png", "10.png", "2.png"} {
		var file bytes.Buffer
		if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
			fmt.Println(err)
			return
		}
		folder[name] = &fstest.MapFile{Data: file.Bytes()}
	}
	set, err := bagio.ReadFolder(folder, bagio.Options{Name: "digits"})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag, err := set.Bag(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bag.Name, bag.Len(), bag.Shape)
	// Output:
	// digits 3 [1 3 4]
}

// An array in memory is a bag, too. Labels of instances are for metrics only.
func ExampleReadRaw() {
	set, err := bagio.ReadRaw("features", bagio.Raw{Type: "<f4", Shape: []int{2, 2},
		Data: bagio.Float32Bytes([]float32{1, 2, 3, 4}), Labels: []int{0, 1}}, bagio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag, err := set.Bag(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bag.Values, bag.Labels)
	// Output:
	// [1 2 3 4] [0 1]
}

// Limits bound what a file may take, before memory is allocated.
func ExampleLimitError() {
	var file bytes.Buffer
	if err := bagio.WriteNpy(&file, []int{1000, 8}, make([]float32, 8000)); err != nil {
		fmt.Println(err)
		return
	}
	_, err := bagio.Read("bag.npy", file.Bytes(),
		bagio.Options{Limits: bagio.Limits{Elements: 100}})
	var limit *bagio.LimitError
	if errors.As(err, &limit) {
		fmt.Println(limit.File, limit.Setting, limit.Limit)
	}
	// Output:
	// bag.npy elements 100
}
