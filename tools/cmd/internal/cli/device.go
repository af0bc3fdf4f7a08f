package cli

import (
	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
)

// A DeviceFlag selects the device that encodes bags and pools coalitions.
type DeviceFlag struct{ device string }

// Register adds the flag to a command.
func (f *DeviceFlag) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.device, "device", "auto", "where bags are encoded and coalitions "+
		"pooled: cpu, gpu, or auto, which uses a graphics processor if that is faster")
}

// Open returns the device, nil for the CPU, and whether the device must compute everything that
// it can. An empty name means the CPU, for commands without the flag.
func (f *DeviceFlag) Open() (device onnxbackend.Device, always bool, err error) {
	switch f.device {
	case "cpu", "":
		return nil, false, nil
	case "auto":
		device, err := gpu.Open(gpu.Options{})
		if err != nil || device.Software() { // the CPU is the only choice
			return nil, false, nil
		}
		return device, false, nil
	case "gpu":
		device, err := gpu.Open(gpu.Options{})
		return device, true, err
	}
	return nil, false, Usagef("--device %q is unknown; use cpu, gpu or auto", f.device)
}
