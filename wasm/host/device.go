package host

import (
	"sync"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// opened is the program's graphics processor. The first model opens it.
var opened struct {
	mu     sync.Mutex
	device onnxbackend.Device
}

// device returns the device that Config.Device asks for, or nil, and whether the device computes all
// that it can. A device that is missing is an error only if Config.Device is "gpu".
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
