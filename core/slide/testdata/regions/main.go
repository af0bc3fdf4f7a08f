// Command regions writes pixels of a slide for compare.py: it reads lines "level x y width height"
// from its input, in pixels of the level, and writes the regions as red, green and blue.
package main

import (
	"bufio"
	"fmt"
	"image"
	"os"

	"github.com/bagscope/bagscope/core/slide"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "regions:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	s, err := slide.Open(name, file, info.Size())
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var level, x, y, width, height int
		if _, err := fmt.Sscan(lines.Text(), &level, &x, &y, &width, &height); err != nil {
			return err
		}
		m, err := s.Region(level, image.Rect(x, y, x+width, y+height))
		if err != nil {
			return err
		}
		for i := 0; i < len(m.Pix); i += 4 {
			out.Write(m.Pix[i : i+3])
		}
	}
	return out.Flush()
}
