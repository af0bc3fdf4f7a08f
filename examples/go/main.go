// Command go explains one bag of a file. For each class it prints the instances that support and
// refute it most:
//
//	go run ./examples/go MODEL.onnx BAGS [INDEX]
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

func main() {
	index := 0
	var err error
	if len(os.Args) == 4 {
		index, err = strconv.Atoi(os.Args[3])
	}
	if len(os.Args) < 3 || len(os.Args) > 4 || err != nil {
		fmt.Fprintln(os.Stderr, "usage: go run ./examples/go MODEL.onnx BAGS [INDEX]")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2], index); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run explains the bag with MILLI and prints the extremes of each class.
func run(ctx context.Context, w io.Writer, modelFile, bagFile string, index int) error {
	data, err := os.ReadFile(modelFile)
	if err != nil {
		return err
	}
	model, err := onnxbackend.Open(data, onnxbackend.Options{Name: filepath.Base(modelFile)})
	if err != nil {
		return err
	}
	bag, err := read(bagFile, index)
	if err != nil {
		return err
	}
	// Bind encodes the instances once. Each coalition then only needs their pooled encodings.
	bound, err := model.Bind(ctx, bag)
	if err != nil {
		return err
	}
	// These are the paper's settings for larger bags. core.Settings returns them by data set.
	milli := core.MILLI{Sampling: core.Sampling{Samples: 1000}, Alpha: .05, Beta: .01}
	report, err := core.Explain(ctx, bound, core.Request{
		Methods:     []core.Method{milli},
		GameOptions: core.GameOptions{Seed: 1},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, bag.Name)
	for _, e := range report.Explanations {
		most := slices.Index(e.Scores, slices.Max(e.Scores))
		least := slices.Index(e.Scores, slices.Min(e.Scores))
		fmt.Fprintf(w,
			"class %d, %.3f: most for it instance %d (%+.2f), most against it instance %d (%+.2f)\n",
			e.Class, report.Prediction[e.Class], most, e.Scores[most], least, e.Scores[least])
	}
	return nil
}

// read reads one bag of a file in any format of package bagio.
func read(file string, index int) (*core.Bag, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	// ZeroCopy avoids a copy of the values, because this program does not change data.
	set, err := bagio.Read(filepath.Base(file), data, bagio.Options{ZeroCopy: true})
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= set.Len() {
		return nil, fmt.Errorf("bag %d does not exist; %s has %d bags, numbered from 0", index,
			file, set.Len())
	}
	return set.Bag(index)
}
