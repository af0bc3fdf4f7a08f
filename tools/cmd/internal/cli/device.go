package cli

import (
	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// A deviceFlag says where bags are encoded and their coalitions pooled.
type DeviceFlag struct{ device string }

func (f *DeviceFlag) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.device, "device", "auto", "where bags are encoded and coalitions pooled: cpu, gpu, or auto, which takes a graphics processor where it pays")
}

// open returns the device, nil for the CPU alone, and whether it is to compute all that it can. Without a name it is the CPU:
// commands that have no such flag take it.
func (f *DeviceFlag) Open() (device onnxbackend.Device, always bool, err error) {
	switch f.device {
	case "cpu", "":
		return nil, false, nil
	case "auto":
		device, err := gpu.Open(gpu.Options{})
		if err != nil || device.Software() { // there is nothing to choose from
			return nil, false, nil
		}
		return device, false, nil
	case "gpu":
		device, err := gpu.Open(gpu.Options{})
		return device, true, err
	}
	return nil, false, Usagef("--device %q is neither cpu, gpu nor auto", f.device)
}
