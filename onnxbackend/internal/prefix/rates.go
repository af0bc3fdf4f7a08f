package prefix

import (
	"context"
	"sync"
	"time"

	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// rates measures how fast the device and the CPU encode instances of a bag: so many at a time on
// the device, and so many on each thread that the bag has enough of them for. The device's first
// run compiles kernels and uploads weights, and does not count. The error is the cause if ctx ends,
// or that of a run on the CPU.
func (e *Encoder) rates(
	ctx context.Context, bag signature.Fitted, onDevice, onThread int,
) (*offload.Rates, error) {
	onDevice, onThread = min(onDevice, bag.Len()), min(onThread, bag.Len())
	r := &offload.Rates{Instances: onDevice}
	for range 2 {
		start := e.Now()
		err := e.deviceOnce(ctx, bag.Part(0, onDevice))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			r.Device = 0
			break
		}
		r.Device = max(1, e.Now().Sub(start))
	}
	threads := max(1, min(e.Workers, bag.Len()/onThread))
	errs := make([]error, threads)
	var all sync.WaitGroup
	start := e.Now()
	for i := range threads {
		all.Go(func() {
			runner := e.NewRunner()
			defer runner.Close()
			errs[i] = e.RunOnCPU(ctx, runner, bag.Part(0, onThread))
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	r.CPU = float64(threads*onThread) / max(time.Nanosecond, e.Now().Sub(start)).Seconds()
	return r, nil
}

// deviceOnce runs the whole graph for a bag on the device, and frees the results. A lost device is
// not used any more.
func (e *Encoder) deviceOnce(ctx context.Context, bag signature.Fitted) error {
	r := e.NewRunner()
	defer r.Close()
	e.Device.Begin(r)
	err := e.once(ctx, r, bag, nil)
	e.Device.End(r, err)
	return err
}
