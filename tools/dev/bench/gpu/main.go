// Gpu measures a graphics processor beside the CPU of the machine it runs on, and prints a table of
// both with their ratio:
//
//	go run -tags gpu ./tools/dev/bench/gpu [-only REGEXP] [-scale F] [-cpu N] [-rounds N]
//
// What is measured is the prediction of one bag, which encodes all its instances, with networks of
// random weights:
//
//	crc      the paper's network for colon tissue, 264 patches of 27 by 27
//	resnet   an encoder of the size of ResNet-18, 1,000 patches of 224 by 224
//	vectors  gated attention over 100,000 embeddings of 1,024 numbers
//
// and, of what an explanation does after that,
//
//	pool     1,024 coalitions of 100,000 embeddings, pooled by attention in front of a layer of 512
//	gram     the Gram matrix of a surrogate, of 8,000 coalitions of 4,000 instances
//
// The first run of a device compiles its kernels and uploads the weights, and is not counted.
// Device and CPU take turns, and a row is the median of its rounds. What would take the CPU minutes
// is measured on a part of the instances and scaled: a row says so. The device's scores of that
// part are compared with the CPU's.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// options are what the flags say.
type options struct {
	only   *regexp.Regexp
	scale  float64 // of the numbers of instances
	cpu    int     // most multiplications that the CPU is given, in billions
	rounds int
}

func main() {
	only := flag.String("only", "", "measure the cases whose name matches")
	scale := flag.Float64("scale", 1,
		"multiply the numbers of instances, for a device that is a program")
	cpu := flag.Int("cpu", 100, "billions of multiplications after which the CPU's time is scaled")
	rounds := flag.Int("rounds", 5, "rounds, of which the median counts")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err == nil {
		err = run(options{pattern, *scale, *cpu, *rounds})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/gpu:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	device, err := gpu.Open(gpu.Options{Memory: 4 << 30})
	if err != nil {
		return err
	}
	fmt.Printf("%s against %d threads of the CPU, %s/%s\n", device.Name(), runtime.GOMAXPROCS(0),
		runtime.GOOS, runtime.GOARCH)
	if device.Software() {
		fmt.Println(
			"This adapter is a program on the CPU: its figures say nothing of a graphics processor.")
	}
	fmt.Printf("\n%-8s  %9s  %10s  %10s  %6s  %s\n", "case", "instances", "CPU", "device", "ratio",
		"difference, and what was measured")
	list := []func() (row, error){}
	for _, c := range cases() {
		if o.only.MatchString(c.name) {
			list = append(list, func() (row, error) { return measure(c, device, o) })
		}
	}
	if o.only.MatchString("pool") {
		list = append(list, func() (row, error) { return measurePool(device, o) })
	}
	if o.only.MatchString("gram") {
		list = append(list, func() (row, error) { return measureGram(device, o) })
	}
	for _, f := range list {
		r, err := f()
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Println(r)
	}
	return nil
}

// A row is what was measured of a case.
type row struct {
	name        string
	instances   int
	part        int // instances that the CPU was given
	cpu, device time.Duration
	difference  float64 // of the scores, relative to the largest
	how         string
}

func (r row) String() string {
	how := r.how
	if r.part < r.instances {
		how = fmt.Sprintf("; the CPU's time is that of %d, scaled", r.part)
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }
	return fmt.Sprintf("%-8s  %9d  %10s  %10s  %6.1f  %.1e%s", r.name, r.instances, ms(r.cpu),
		ms(r.device), float64(r.cpu)/float64(r.device), r.difference, how)
}

// models opens a case's network for the CPU and for the device.
func (c benchCase) models(device onnxbackend.Device) (alone, far *onnxbackend.Model, err error) {
	file := c.model().Bytes()
	if alone, err = onnxbackend.Open(file, onnxbackend.Options{}); err != nil {
		return nil, nil, err
	}
	far, err = onnxbackend.Open(file, onnxbackend.Options{Device: device, DeviceAlways: true})
	return alone, far, err
}

func measure(c benchCase, device onnxbackend.Device, o options) (r row, err error) {
	r = row{name: c.name, instances: max(1, int(float64(c.instances)*o.scale))}
	alone, far, err := c.models(device)
	if err != nil {
		return r, err
	}
	r.part = min(r.instances, max(1, o.cpu*1_000_000_000/c.work))
	bag := c.bag(r.instances)
	few := part(bag, r.part)
	want, err := alone.Predict(context.Background(), few)
	if err != nil {
		return r, err
	}
	got, err := far.Predict(context.Background(), few)
	if err != nil {
		return r, err
	}
	r.difference = difference(got.Scores, want.Scores)
	var cpu, gpu []time.Duration
	for range o.rounds {
		took, err := timed(alone, few)
		if err != nil {
			return r, err
		}
		cpu = append(cpu, time.Duration(float64(took)*float64(r.instances)/float64(r.part)))
		if took, err = timed(far, bag); err != nil {
			return r, err
		}
		gpu = append(gpu, took)
	}
	r.cpu, r.device = median(cpu), median(gpu)
	return r, nil
}

// compare times what the CPU and the device do in turns, after each has done it once, and compares
// the numbers that they return.
func (r *row) compare(o options, alone, far func() ([]float64, error)) error {
	var took [2][]time.Duration
	var said [2][]float64
	for round := range o.rounds + 1 {
		for i, f := range []func() ([]float64, error){alone, far} {
			start := time.Now()
			numbers, err := f()
			if err != nil {
				return err
			}
			if said[i] = numbers; round > 0 {
				took[i] = append(took[i], time.Since(start))
			}
		}
	}
	r.cpu, r.device, r.difference = median(took[0]), median(took[1]), difference(said[1], said[0])
	return nil
}

func timed(m *onnxbackend.Model, bag *core.Bag) (time.Duration, error) {
	start := time.Now()
	_, err := m.Predict(context.Background(), bag)
	return time.Since(start), err
}

// part is the first k instances of a bag.
func part(bag *core.Bag, k int) *core.Bag {
	return &core.Bag{Shape: bag.Shape, Values: bag.Values[:k*bag.Stride()]}
}

func median(v []time.Duration) time.Duration {
	slices.Sort(v)
	return v[len(v)/2]
}

func difference(got, want []float64) float64 {
	scale, worst := 1e-30, 0.0
	for i, v := range want {
		scale, worst = max(scale, math.Abs(v)), max(worst, math.Abs(got[i]-v))
	}
	return worst / scale
}
