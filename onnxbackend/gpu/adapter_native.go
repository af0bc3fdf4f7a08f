//go:build gpu && !js

package gpu

import (
	"fmt"
	"strings"

	"github.com/cogentcore/webgpu/wgpu"
)

// An adapter is an opened graphics processor of the system.
type adapter struct {
	name          string
	software      bool
	device        *wgpu.Device
	queue         *wgpu.Queue
	deviceBinding int // bytes of a buffer that may be bound

	marks   *marks
	mapping status // result of the mapping that is read
	stages  []*stage
}

// openAdapter opens the adapter of the highest performance, with the largest bindings that it
// supports.
func openAdapter() (a adapter, l limits, err error) {
	wgpu.SetLogLevel(wgpu.LogLevelError)
	// A descriptor of the binding has an uninitialized field, which may crash wgpu; nil is safe.
	instance := wgpu.CreateInstance(nil)
	defer instance.Release()
	found, err := instance.RequestAdapter(&wgpu.RequestAdapterOptions{
		PowerPreference: wgpu.PowerPreferenceHighPerformance})
	if err != nil {
		return a, l, &UnavailableError{"this machine has no adapter for Vulkan, Metal or " +
			"Direct3D 12; install its driver, or in Debian mesa-vulkan-drivers and libvulkan1 " +
			"for one that is a program, or use the CPU"}
	}
	defer found.Release()
	has, want := found.GetLimits().Limits, wgpu.DefaultLimits()
	want.MaxStorageBufferBindingSize, want.MaxBufferSize = min(has.MaxStorageBufferBindingSize,
		mostBound), min(has.MaxBufferSize, mostBound)
	if a.device, err = found.RequestDevice(&wgpu.DeviceDescriptor{
		RequiredLimits: &wgpu.RequiredLimits{Limits: want}}); err != nil {
		return a, l, &UnavailableError{fmt.Sprintf("the adapter opens no device (%v); use the CPU",
			err)}
	}
	a.queue = a.device.GetQueue()
	a.marks, a.mapping = &marks{reached: newCounter()}, newStatus()
	info := found.GetInfo()
	a.name, a.software = nameOf(info), info.AdapterType == wgpu.AdapterTypeCPU
	got := a.device.GetLimits().Limits
	a.deviceBinding = int(got.MaxStorageBufferBindingSize)
	l = limits{groups: int(got.MaxComputeWorkgroupsPerDimension),
		binding: min(a.deviceBinding, int(got.MaxBufferSize)) / 5 * 4,
		align:   int(got.MinUniformBufferOffsetAlignment)}
	return a, l, nil
}

// mostBound is the largest binding to request, in bytes: indices in kernels have 32 bits.
const mostBound = 1 << 31

// nameOf returns the name of an adapter. Some drivers have a number as the name, but a description.
func nameOf(i wgpu.AdapterInfo) string {
	name := i.Name
	if name == "" || strings.HasPrefix(name, "0x") {
		name = i.DriverDescription
	}
	return fmt.Sprintf("%s (%v)", name, i.BackendType)
}

// pushErrors and popErrors do nothing: the binding returns errors itself.
func (a *adapter) pushErrors() {}

func (a *adapter) popErrors() error { return nil }

// endOf ends a pass.
func endOf(pass *wgpu.ComputePassEncoder) error { return pass.End() }
