// Command tissue draws stained tissue with labelled nuclei and writes bags of its patches:
//
//	go run ./tools/gen/tissue [-seed 1] -slides 4,7 [-crop x,y,width,height] \
//	    [-picture slide.png] bags.npz
//
// It uses no picture of real tissue; package stain describes how it draws a slide. Equal flags give
// equal bytes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/gen/tissue/stain"
)

func main() {
	o := options{}
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the random numbers")
	flag.StringVar(&o.picture, "picture", "", "a PNG file for the last slide")
	list := flag.String("slides", "",
		"numbers of the slides, separated by commas; the odd ones are positive")
	crop := flag.String("crop", "",
		"part of each slide, as x,y,width,height; default all")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: tissue [flags] FILE.npz")
		flag.PrintDefaults()
	}
	flag.Parse()
	slides, err := numbers(*list)
	if err == nil {
		o.slides = slides
		o.part, err = rectangle(*crop)
	}
	if err != nil || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, "tissue:", err)
		os.Exit(1)
	}
}

// options are the values of the flags.
type options struct {
	seed    uint64
	slides  []int           // numbers of the slides
	part    image.Rectangle // part of each slide
	picture string          // PNG file for the last slide, or ""
}

// numbers parses one or more numbers of at least 0, separated by commas.
func numbers(list string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 31)
		if err != nil {
			return nil, err
		}
		all = append(all, int(n))
	}
	return all, nil
}

// rectangle parses x,y,width,height. An empty text means a whole slide.
func rectangle(text string) (image.Rectangle, error) {
	if text == "" {
		return image.Rect(0, 0, stain.Side, stain.Side), nil
	}
	all, err := numbers(text)
	if err == nil && len(all) != 4 {
		err = fmt.Errorf("-crop needs four numbers, got %d", len(all))
	}
	if err != nil {
		return image.Rectangle{}, err
	}
	return image.Rect(all[0], all[1], all[0]+all[2], all[1]+all[3]), nil
}

// write draws the slides and writes their bags, and the picture if the options name one.
func write(file string, o options) error {
	var bags []*core.Bag
	var slide *stain.Slide
	for _, number := range o.slides {
		slide = stain.Numbered(o.seed, number).Crop(o.part)
		bag, err := slide.Bag(fmt.Sprintf("slide %d", number))
		if err != nil {
			return err
		}
		bags = append(bags, bag)
	}
	var b bytes.Buffer
	if err := bagio.WriteSet(&b, bags...); err != nil {
		return err
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil || o.picture == "" {
		return err
	}
	b.Reset()
	if err := png.Encode(&b, slide.Picture); err != nil {
		return err
	}
	return os.WriteFile(o.picture, b.Bytes(), 0o644)
}
