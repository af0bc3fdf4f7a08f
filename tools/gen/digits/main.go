// Command digits draws digits that look handwritten, and writes bags of them by the recipe of
// 4-MNIST-Bags:
//
//	go run ./tools/gen/digits [-seed 1] [-bags 100 | -classes 0,1,2,3] bags.npz
//
// It uses no data set. Each digit consists of a few random strokes of a pen (package strokes), in
// the frame of MNIST. Equal flags give equal bytes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the random numbers")
	bags := flag.Int("bags", 100, "number of bags; their classes alternate")
	list := flag.String("classes", "", "classes of the bags instead, separated by commas")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: digits [flags] FILE.npz")
		flag.PrintDefaults()
	}
	flag.Parse()
	classes, err := parseClasses(*list, *bags)
	if err == nil && flag.NArg() != 1 {
		err = fmt.Errorf("name one file to write, such as bags.npz")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *seed, classes); err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

// write writes one bag for each class.
func write(file string, seed uint64, classes []int) error {
	var b bytes.Buffer
	if err := bagio.WriteSet(&b, newBags(seed, classes)...); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// parseClasses returns the class of each bag: those listed, or n in turn.
func parseClasses(list string, n int) ([]int, error) {
	if list == "" {
		if n < 1 {
			return nil, fmt.Errorf("-bags %d: at least one bag is needed", n)
		}
		classes := make([]int, n)
		for i := range classes {
			classes[i] = i % dataset.FourClasses
		}
		return classes, nil
	}
	var classes []int
	for word := range strings.SplitSeq(list, ",") {
		c, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || c < 0 || c >= dataset.FourClasses {
			return nil, fmt.Errorf("-classes: %q is not a class; use 0, 1, 2 or 3", word)
		}
		classes = append(classes, c)
	}
	return classes, nil
}
