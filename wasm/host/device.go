//go:build gpu

package host

import (
	"sync"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// opened is the program's graphics processor, which the first model opens.
var opened struct {
	mu     sync.Mutex
	device onnxbackend.Device
}

// device returns the device that is wanted, if there is one, and whether it is to compute all that it can. Where it is wanted if it
// pays, its absence is no error.
func (h *Host) device() (device onnxbackend.Device, always bool, err error) {
	always = h.config.Device == "gpu"
	if !always && h.config.Device != "auto" {
		return nil, false, nil
	}
	opened.mu.Lock() // while a browser opens it, others run
	defer opened.mu.Unlock()
	if opened.device == nil {
		device, err := gpu.Open(gpu.Options{})
		if err != nil && always {
			return nil, false, err
		}
		if err != nil || !always && device.Software() {
			return nil, false, nil
		}
		opened.device = device
	}
	return opened.device, always, nil
}

// unavailable reports whether an error says that there is no graphics processor.
func unavailable(err error) bool {
	_, ok := err.(*gpu.UnavailableError)
	return ok
}
