// Tissue draws stained tissue with labelled nuclei and writes bags of its patches:
//
//	go run ./tools/gen/tissue [-seed 1] [-bags 100 | -slides 4,7] [-crop x,y,width,height] [-picture slide.png] bags.npz
//
// No picture of real tissue is in it: package stain says how a slide is drawn. Equal flags give
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
	bags := flag.Int("bags", 100, "number of bags; negative and positive ones take turns")
	list := flag.String("slides", "",
		"numbers of the slides instead, separated by commas; the odd ones are positive")
	crop := flag.String("crop", "",
		"the part of each slide that is taken, as x,y,width,height; default all")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: tissue [flags] FILE.npz")
		flag.PrintDefaults()
	}
	flag.Parse()
	slides, err := numbers(*list)
	for i := 0; *list == "" && i < *bags; i++ {
		slides = append(slides, i)
	}
	if err == nil {
		o.slides = slides
		o.part, err = rectangle(*crop)
	}
	if err != nil || flag.NArg() != 1 || len(slides) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, "tissue:", err)
		os.Exit(1)
	}
}

type options struct {
	seed    uint64
	slides  []int
	part    image.Rectangle // of a slide
	picture string          // the file for the last slide, or ""
}

// numbers reads whole numbers from 0 on, separated by commas; none of an empty text.
func numbers(list string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(list, ",") {
		if list == "" {
			break
		}
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 31)
		if err != nil {
			return nil, err
		}
		all = append(all, int(n))
	}
	return all, nil
}

// rectangle reads x,y,width,height; an empty text is a whole slide.
func rectangle(text string) (image.Rectangle, error) {
	all, err := numbers(text)
	switch {
	case err == nil && text == "":
		return image.Rect(0, 0, stain.Side, stain.Side), nil
	case err == nil && len(all) != 4:
		err = fmt.Errorf("-crop takes four numbers")
	}
	if err != nil {
		return image.Rectangle{}, err
	}
	return image.Rect(all[0], all[1], all[0]+all[2], all[1]+all[3]), nil
}

func write(file string, o options) error {
	var bags []*core.Bag
	for i, number := range o.slides {
		slide := stain.Numbered(o.seed, number).Crop(o.part)
		bag, err := slide.Bag(fmt.Sprintf("slide %d", number))
		if err != nil {
			return err
		}
		bags = append(bags, bag)
		if i == len(o.slides)-1 && o.picture != "" {
			if err := writePicture(o.picture, slide); err != nil {
				return err
			}
		}
	}
	var b bytes.Buffer
	if err := bagio.WriteSet(&b, bags...); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func writePicture(file string, slide *stain.Slide) error {
	var b bytes.Buffer
	if err := png.Encode(&b, slide.Picture); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
