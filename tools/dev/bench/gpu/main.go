// Command gpu measures a graphics processor beside the CPU of this machine, and prints a table of
// both with their ratio:
//
//	go run -tags gpu ./tools/dev/bench/gpu [-only REGEXP] [-scale F] [-cpu N] [-rounds N]
//
// It measures the prediction of one bag, which encodes all its instances, with networks of random
// weights:
//
//	crc      the paper's network for colon tissue, 264 patches of 27 by 27
//	resnet   an encoder of the size of ResNet-18, 1,000 patches of 224 by 224
//	vectors  gated attention over 100,000 embeddings of 1,024 numbers
//
// It also measures two steps of an explanation:
//
//	pool     1,024 coalitions of 100,000 embeddings, pooled by attention before a layer of 512
//	gram     the Gram matrix of a surrogate for 8,000 coalitions of 4,000 instances
//
// The first run of a device compiles its kernels and uploads the weights, and does not count.
// Device and CPU alternate, and a row is the median of its rounds. Work that would take the CPU
// minutes is measured on a part of the instances and scaled; the row states it. The program
// compares the scores of that part between device and CPU.
package main

import (
	"cmp"
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

// options are the values of the flags.
type options struct {
	only   *regexp.Regexp
	scale  float64 // factor of the numbers of instances
	cpu    int     // limit of the multiplications on the CPU, in billions
	rounds int
}

func main() {
	only := flag.String("only", "", "measure the cases whose name matches")
	scale := flag.Float64("scale", 1,
		"factor of the numbers of instances, for slow software devices")
	cpu := flag.Int("cpu", 100, "billions of multiplications after which the CPU's time is scaled")
	rounds := flag.Int("rounds", 5, "number of rounds; a row is their median")
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

// run measures the cases that the options select, and prints a line for each.
func run(o options) error {
	device, err := gpu.Open(gpu.Options{Memory: 4 << 30})
	if err != nil {
		return err
	}
	fmt.Printf("%s against %d threads of the CPU, %s/%s\n", device.Name(), runtime.GOMAXPROCS(0),
		runtime.GOOS, runtime.GOARCH)
	if device.Software() {
		fmt.Println(
			"This device is software on the CPU; its figures do not apply to a graphics processor.")
	}
	fmt.Printf("\n%-8s  %9s  %10s  %10s  %6s  %s\n", "case", "instances", "CPU", "device", "ratio",
		"difference, and what was measured")
	list := []job{{"pool", measurePool}, {"gram", measureGram}}
	for _, c := range slices.Backward(cases()) {
		list = slices.Insert(list, 0, job{c.name, c.measure})
	}
	for _, j := range list {
		if !o.only.MatchString(j.name) {
			continue
		}
		r, err := j.measure(device, o)
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		fmt.Println(r)
	}
	return nil
}

// A job is a named measurement.
type job struct {
	name    string
	measure func(device onnxbackend.Device, o options) (row, error)
}

// A row is the result of a job.
type row struct {
	name        string
	instances   int
	part        int // number of instances on the CPU
	cpu, device time.Duration
	difference  float64 // largest difference of the scores, relative to the largest score
	how         string  // remark about the work
}

// String returns a line of the table.
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
func (c benchCase) models(device onnxbackend.Device) (cpu, gpu *onnxbackend.Model, err error) {
	file := c.model().Bytes()
	cpu, cpuErr := onnxbackend.Open(file, onnxbackend.Options{})
	gpu, gpuErr := onnxbackend.Open(file, onnxbackend.Options{Device: device, DeviceAlways: true})
	return cpu, gpu, cmp.Or(cpuErr, gpuErr)
}

// measure predicts a bag on the device, and as many of its instances on the CPU as the options
// allow.
func (c benchCase) measure(device onnxbackend.Device, o options) (row, error) {
	r := row{name: c.name, instances: max(1, int(float64(c.instances)*o.scale))}
	r.part = min(r.instances, max(1, o.cpu*1_000_000_000/c.work))
	cpu, gpu, err := c.models(device)
	if err != nil {
		return r, err
	}
	predict := func(m *onnxbackend.Model, bag *core.Bag) func() ([]float64, error) {
		return func() ([]float64, error) {
			p, err := m.Predict(context.Background(), bag)
			if err != nil {
				return nil, err
			}
			return p.Scores, nil
		}
	}
	bag := c.bag(r.instances)
	few := part(bag, r.part)
	if err := r.compare(o, predict(cpu, few), predict(gpu, bag)); err != nil {
		return r, err
	}
	r.cpu = time.Duration(float64(r.cpu) * float64(r.instances) / float64(r.part))
	// Scores are comparable only if both predict the same bag.
	want, wantErr := predict(cpu, few)()
	got, gotErr := predict(gpu, few)()
	if err := cmp.Or(wantErr, gotErr); err != nil {
		return r, err
	}
	r.difference = difference(got, want)
	return r, nil
}

// compare measures the times of cpu and gpu in turns, after one run of each that does not count,
// and the difference of the numbers that they return.
func (r *row) compare(o options, cpu, gpu func() ([]float64, error)) error {
	var times [2][]time.Duration
	var numbers [2][]float64
	for round := range o.rounds + 1 {
		for i, f := range []func() ([]float64, error){cpu, gpu} {
			start := time.Now()
			var err error
			if numbers[i], err = f(); err != nil {
				return err
			}
			if round > 0 {
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	r.cpu, r.device = median(times[0]), median(times[1])
	r.difference = difference(numbers[1], numbers[0])
	return nil
}

// part returns the first k instances of a bag.
func part(bag *core.Bag, k int) *core.Bag {
	return &core.Bag{Shape: bag.Shape, Values: bag.Values[:k*bag.Stride()]}
}

// median returns the median, and sorts v.
func median(v []time.Duration) time.Duration {
	slices.Sort(v)
	return v[len(v)/2]
}

// difference returns the largest difference, relative to the largest wanted number.
func difference(got, want []float64) float64 {
	scale, worst := 1e-30, 0.0
	for i, v := range want {
		scale, worst = max(scale, math.Abs(v)), max(worst, math.Abs(got[i]-v))
	}
	return worst / scale
}
