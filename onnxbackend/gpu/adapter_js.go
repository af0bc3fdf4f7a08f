//go:build gpu && js

package gpu

import (
	"fmt"
	"strings"

	"github.com/cogentcore/webgpu/wgpu"
	"github.com/hack-pad/safejs"
)

// An adapter is what a browser calls a graphics processor, opened. The binding tells no errors of a
// browser, so that it is asked here: errors are gathered in scopes, one for each list of commands.
type adapter struct {
	name          string
	software      bool
	device        *wgpu.Device
	queue         *wgpu.Queue
	deviceBinding int // bytes of a buffer that may be bound

	js       safejs.Value   // the device
	verdicts []safejs.Value // promises of errors, one for each list of commands that was submitted
	gone     *string        // why the device is lost
}

// openAdapter asks the browser for the adapter of the highest performance and for its device.
func openAdapter() (a adapter, l limits, err error) {
	missing := &UnavailableError{"this browser gives pages no graphics processor; use one with " +
		"WebGPU, on a page from https or from this machine, or use the CPU"}
	navigator, err := safejs.Global().Get("navigator")
	if err != nil {
		return a, l, missing
	}
	gpu, err := navigator.Get("gpu")
	if err != nil || gpu.IsUndefined() || gpu.IsNull() {
		return a, l, missing
	}
	found, err := settle(gpu.Call("requestAdapter",
		map[string]any{"powerPreference": "high-performance"}))
	if err != nil || found.IsUndefined() || found.IsNull() {
		return a, l, missing
	}
	a.name, a.software = describe(found)
	has, err := found.Get("limits")
	if err != nil {
		return a, l, err
	}
	want := map[string]any{}
	for _, name := range []string{"maxStorageBufferBindingSize", "maxBufferSize"} {
		want[name] = min(number(has, name), mostBound)
	}
	if a.js, err = settle(found.Call("requestDevice",
		map[string]any{"requiredLimits": want})); err != nil {
		return a, l, &UnavailableError{fmt.Sprintf("the adapter opens no device (%v); use the CPU",
			err)}
	}
	a.gone = new(string)
	if err := a.hear(); err != nil {
		return a, l, err
	}
	device := wgpu.NewDevice(safejs.Unsafe(a.js))
	a.device, a.queue = &device, device.GetQueue()
	got, err := a.js.Get("limits")
	if err != nil {
		return a, l, err
	}
	a.deviceBinding = number(got, "maxStorageBufferBindingSize")
	l = limits{
		groups:  number(got, "maxComputeWorkgroupsPerDimension"),
		binding: min(a.deviceBinding, number(got, "maxBufferSize")) / 5 * 4,
		align:   number(got, "minUniformBufferOffsetAlignment"),
	}
	return a, l, nil
}

// mostBound is how much of a buffer is asked for to be bound: an int of js/wasm's memory has 32
// bits.
const mostBound = 1 << 30

// describe returns what an adapter is called, and whether it is a program on the CPU.
func describe(found safejs.Value) (name string, software bool) {
	info, err := found.Get("info")
	if err != nil || info.IsUndefined() {
		return "a WebGPU adapter", false
	}
	var words []string
	for _, part := range []string{"vendor", "architecture", "device", "description"} {
		if v, err := info.Get(part); err == nil && v.Type() == safejs.TypeString {
			if s, _ := v.String(); s != "" {
				words = append(words, s)
			}
		}
	}
	for _, of := range []safejs.Value{info, found} { // it has moved from the one to the other
		if v, err := of.Get("isFallbackAdapter"); err == nil {
			yes, _ := v.Truthy()
			software = software || yes
		}
	}
	return "WebGPU adapter " + strings.Join(words, " "), software ||
		strings.Contains(strings.Join(words, " "), "swiftshader")
}

// hear has the browser tell when the device is lost.
func (a *adapter) hear() error {
	lost, err := a.js.Get("lost")
	if err != nil {
		return err
	}
	gone := a.gone
	tell, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		*gone = "the browser has taken it away"
		if message, err := args[0].Get("message"); err == nil {
			if s, _ := message.String(); s != "" {
				*gone = s
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = lost.Call("then", tell)
	return err
}

// watch begins to gather the errors of a list of commands.
func (a *adapter) watch() { _, _ = a.js.Call("pushErrorScope", "validation") }

// unwatch ends what watch began. What was gathered is looked at before anything is read.
func (a *adapter) unwatch() error {
	verdict, err := a.js.Call("popErrorScope")
	a.verdicts = append(a.verdicts, verdict)
	return err
}

// judge returns the first error of the commands that were submitted.
func (a *adapter) judge() error {
	verdicts := a.verdicts
	a.verdicts = nil
	for _, v := range verdicts {
		fault, err := settle(v, nil)
		if err != nil {
			return err
		}
		if fault.IsNull() || fault.IsUndefined() {
			continue
		}
		message, err := fault.Get("message")
		if err != nil {
			return err
		}
		s, _ := message.String()
		return fmt.Errorf("the browser refuses a command: %s", s)
	}
	return nil
}

// number returns a whole number of an object, 0 where it has none.
func number(of safejs.Value, name string) int {
	v, err := of.Get(name)
	if err != nil {
		return 0
	}
	f, err := v.Float()
	if err != nil {
		return 0
	}
	return int(f)
}

// endOf ends a pass.
func endOf(pass *wgpu.ComputePassEncoder) error {
	pass.End()
	return nil
}

// reasonOf says what a panic, an exception of JavaScript, was about.
func reasonOf(r any) string { return fmt.Sprint(r) }
