//go:build gpu

package host

import (
	"sync"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// opened is the graphics processor, which the first model opens.
type opened struct {
	deviceMu sync.Mutex
	device   onnxbackend.Device
}

// addDevice adds the device that is wanted to a model's options. Where it is wanted if it pays, its absence is no error.
func (h *Host) addDevice(o *onnxbackend.Options) error {
	always := h.config.Device == "gpu"
	if !always && h.config.Device != "auto" {
		return nil
	}
	h.deviceMu.Lock() // while a browser opens it, others run
	defer h.deviceMu.Unlock()
	if h.device == nil {
		device, err := gpu.Open(gpu.Options{})
		if err != nil && always {
			return err
		}
		if err != nil || !always && device.Software() {
			return nil
		}
		h.device = device
	}
	o.Device, o.DeviceAlways = h.device, always
	return nil
}

// unavailable reports whether an error says that there is no graphics processor.
func unavailable(err error) bool {
	_, ok := err.(*gpu.UnavailableError)
	return ok
}
