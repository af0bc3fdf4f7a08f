// Command machine writes the example of bags of vectors: the values of two sensors of a machine
// during a day, and a network with known weights that classifies its condition:
//
//	go run ./tools/gen/machine examples/machine
//
// Bags come from a seeded generator (bags.go). The network is not trained; its few weights are
// chosen by hand and have a meaning each (model.go).
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/core/bagio"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: machine FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "machine:", err)
		os.Exit(1)
	}
}

// write writes bags.npz and model.onnx to a folder.
func write(folder string) error {
	const seed = 5
	var set bytes.Buffer
	if err := bagio.WriteSet(&set, newBags(seed)...); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "bags.npz"), set.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "model.onnx"), model(), 0o644)
}
