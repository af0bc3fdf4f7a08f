// Command slide measures bagscope on a synthetic slide of 100,000 x 80,000 pixels, whose tumour is
// known:
//
//	go build -o build/bagscope ./tools/cmd/bagscope
//	go run ./tools/dev/bench/slide -dir build/slide [-width 100000] [-height 80000]
//	make bench-slide
//
// It draws tissue (package stain), enlarges it fourfold with vips to a pyramid of JPEG tiles, and
// writes the patches with nuclei of glands as annotations. Then it runs `bagscope tiles`, `explain
// --map` and `evaluate` with the model of examples/tissue, and prints for each the time, the
// processor time of all threads, and the largest resident set of the process; for evaluate also
// NDCG@n of the map and of a random one. It needs Linux, vips and, at full size, 5 GB of disk.
// Files that are there already are not written again.
//
// With -page, it measures the site's page in Chromium instead: page.mjs.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	factor  = 4   // pixels of the slide across that a drawn pixel becomes
	microns = .25 // that a pixel of the slide covers
	model   = "examples/tissue/model.onnx"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder for the slide and all results")
	flag.IntVar(&o.width, "width", 100_000, "pixels of the slide")
	flag.IntVar(&o.height, "height", 80_000, "pixels of the slide")
	flag.BoolVar(&o.page, "page", false, "measure the site's page; CHROMIUM names the browser")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds of -page")
	flag.Parse()
	if o.dir == "" || o.width < factor || o.height < factor {
		flag.Usage()
		os.Exit(2)
	}
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/slide:", err)
		os.Exit(1)
	}
}

// options are the values of the flags.
type options struct {
	dir                   string
	width, height, rounds int
	page                  bool
}

func (o options) file(name string) string { return filepath.Join(o.dir, name) }

func (o options) run() error {
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	if err := o.draw(); err != nil {
		return err
	}
	fmt.Printf("%d x %d pixels, %d processors\n\n", o.width, o.height, runtime.NumCPU())
	if o.page {
		return o.measurePage()
	}
	fmt.Printf("| step | time | processor time | largest resident " +
		"set |\n| --- | --- | --- | --- |\n")
	mpp := fmt.Sprint("--mpp=", microns*factor)
	slide := o.file("slide.tif")
	if _, err := measure("tiles, places alone", "tiles", slide, mpp, "--patch-size=27",
		"--out", o.file("places.h5")); err != nil {
		return err
	}
	if _, err := measure("explain --map", "explain", "--model", model, "--bag", slide, mpp,
		"--method", "consensus", "--class", "a gland", "--map", o.file("map.ome.tif"),
		"--json"); err != nil {
		return err
	}
	judged, err := measure("evaluate --annotations", "evaluate", "--model", model, "--bags", slide,
		mpp, "--method", "consensus", "--class", "a gland", "--annotations",
		o.file("truth.geojson"), "--metrics=ndcg", "--json")
	if err != nil {
		return err
	}
	var indented any
	if err := json.Unmarshal(judged, &indented); err != nil {
		return err
	}
	text, err := json.MarshalIndent(indented, "", "  ")
	fmt.Printf("\n%s\n", text)
	return err
}

// draw writes the slide and its truth.
func (o options) draw() error {
	slide := o.file("slide.tif")
	if _, err := os.Stat(slide); err == nil {
		return nil
	}
	d := drawing{o.width / factor, o.height / factor, 5}
	small, err := os.Create(o.file("drawn.ppm"))
	if err != nil {
		return err
	}
	defer os.Remove(small.Name())
	truth, err := d.write(small)
	if err = cmp.Or(err, small.Close()); err != nil {
		return err
	}
	if err := os.WriteFile(o.file("truth.geojson"), annotations(truth, factor), 0o644); err != nil {
		return err
	}
	part := o.file("slide.part.tif")
	// The resolution is in pixels a millimetre.
	save := fmt.Sprintf("%s[tile,tile-width=256,tile-height=256,pyramid,compression=jpeg,Q=85,"+
		"bigtiff,resunit=cm,xres=%v,yres=%v]", part, 1000/microns, 1000/microns)
	vips := exec.Command("vips", "resize", small.Name(), save, fmt.Sprint(factor),
		"--kernel=linear")
	vips.Stdout, vips.Stderr = os.Stderr, os.Stderr
	if err := vips.Run(); err != nil {
		return fmt.Errorf("vips: %w", err)
	}
	return os.Rename(part, slide)
}

// measurePage measures the built site's page.
func (o options) measurePage() error {
	slide, err := filepath.Abs(o.file("slide.tif"))
	if err != nil {
		return err
	}
	c := exec.Command("node", "tools/dev/bench/slide/page.mjs", slide, fmt.Sprint(o.rounds))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// measure runs the command, prints a row and returns its output.
func measure(step string, args ...string) ([]byte, error) {
	c := exec.Command("build/bagscope", args...)
	c.Stderr = os.Stderr
	began := time.Now()
	out, err := c.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w", step, err)
	}
	took := time.Since(began)
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	worked := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	fmt.Printf("| %s | %.1f s | %.1f s | %d MB |\n", step, took.Seconds(), worked.Seconds(),
		usage.Maxrss>>10)
	return out, nil
}
