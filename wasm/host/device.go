package host

import (
	"sync"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// opened holds the program's graphics processor, which the first model opens.
var opened struct {
	mu     sync.Mutex
	device onnxbackend.Device
}

// device returns the device for Config.Device, or nil, and whether to use it for everything that it
// can compute. A missing device is an error only if Config.Device is "gpu".
func (h *Host) device() (device onnxbackend.Device, always bool, err error) {
	always = h.config.Device == "gpu"
	if !always && h.config.Device != "auto" {
		return nil, false, nil
	}
	opened.mu.Lock() // other goroutines run while the browser opens the device
	defer opened.mu.Unlock()
	// A failed attempt is repeated when the next model is opened.
	if opened.device == nil {
		device, err := gpu.Open(gpu.Options{})
		if err != nil && always {
			return nil, false, err
		}
		// A software device is slower than the CPU kernels.
		if err != nil || !always && device.Software() {
			return nil, false, nil
		}
		opened.device = device
	}
	return opened.device, always, nil
}
