// Tissue draws stained tissue with labelled nuclei and writes bags of its patches:
//
//	go run ./tools/tissue [-seed 1] [-bags 100] [-picture slide.png] bags.npz
//
// No picture of real tissue is in it: package stain says how a slide is drawn. Equal flags give equal bytes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"os"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/tissue/stain"
)

func main() {
	seed := flag.Uint64("seed", 1, "of all randomness")
	bags := flag.Int("bags", 100, "number of bags; negative and positive ones take turns")
	picture := flag.String("picture", "", "a PNG file for the last slide")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: tissue [flags] FILE.npz")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *bags < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *picture, *seed, *bags); err != nil {
		fmt.Fprintln(os.Stderr, "tissue:", err)
		os.Exit(1)
	}
}

func write(file, picture string, seed uint64, n int) error {
	var bags []*core.Bag
	for i := range n {
		slide := stain.Numbered(seed, i)
		bag, err := slide.Bag(fmt.Sprintf("slide %d", i))
		if err != nil {
			return err
		}
		bags = append(bags, bag)
		if i == n-1 && picture != "" {
			if err := writePicture(picture, slide); err != nil {
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
