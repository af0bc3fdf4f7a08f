//go:build gpu && js

package gpu

import (
	"fmt"
	"strings"

	"github.com/cogentcore/webgpu/wgpu"
	"github.com/hack-pad/safejs"
)

// An adapter is an opened graphics processor of the browser. The binding does not return the errors
// of a browser. They are gathered here in error scopes, one for each submitted list of commands.
type adapter struct {
	name          string
	software      bool
	device        *wgpu.Device
	queue         *wgpu.Queue
	deviceBinding int // bytes of a buffer that may be bound

	js     safejs.Value   // the device
	scopes []safejs.Value // promises of errors, one for each submitted list of commands
	gone   *string        // reason why the device is lost, "" while it is not
}

// openAdapter requests the adapter of the highest performance and its device from the browser.
func openAdapter() (a adapter, l limits, err error) {
	found, err := requestAdapter()
	if err != nil || found.IsUndefined() || found.IsNull() {
		return a, l, &UnavailableError{"this browser has no graphics processor for pages; use a " +
			"browser with WebGPU, on a page from https or from this machine, or use the CPU"}
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
	if a.js, err = resolve(found.Call("requestDevice",
		map[string]any{"requiredLimits": want})); err != nil {
		return a, l, &UnavailableError{fmt.Sprintf("the adapter opens no device (%v); use the CPU",
			err)}
	}
	a.gone = new(string)
	if err := a.watchLoss(); err != nil {
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

// requestAdapter returns the browser's adapter. The result is undefined or null, or there is an
// error, if the browser does not support WebGPU or has no adapter.
func requestAdapter() (safejs.Value, error) {
	navigator, err := safejs.Global().Get("navigator")
	if err != nil {
		return navigator, err
	}
	gpu, err := navigator.Get("gpu")
	if err != nil || gpu.IsUndefined() || gpu.IsNull() {
		return gpu, err
	}
	return resolve(gpu.Call("requestAdapter",
		map[string]any{"powerPreference": "high-performance"}))
}

// mostBound is the largest binding to request, in bytes: addresses in the memory of js/wasm have 32
// bits.
const mostBound = 1 << 30

// describe returns the name of an adapter, and whether it is software on the CPU.
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
	for _, of := range []safejs.Value{info, found} { // older browsers have the property in found
		if v, err := of.Get("isFallbackAdapter"); err == nil {
			yes, _ := v.Truthy()
			software = software || yes
		}
	}
	return "WebGPU adapter " + strings.Join(words, " "), software ||
		strings.Contains(strings.Join(words, " "), "swiftshader")
}

// watchLoss sets gone when the browser resolves the device's promise of its loss. The callback is
// never released, since the promise may resolve at any time.
func (a *adapter) watchLoss() error {
	lost, err := a.js.Get("lost")
	if err != nil {
		return err
	}
	gone := a.gone
	callback, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		*gone = messageOf(args[0], "the browser has removed it")
		return nil
	})
	if err != nil {
		return err
	}
	_, err = lost.Call("then", callback)
	return err
}

// pushErrors begins the error scope of a list of commands.
func (a *adapter) pushErrors() { _, _ = a.js.Call("pushErrorScope", "validation") }

// popErrors ends the error scope. Its errors come later, by a promise that firstError waits for.
func (a *adapter) popErrors() error {
	scope, err := a.js.Call("popErrorScope")
	a.scopes = append(a.scopes, scope)
	return err
}

// firstError returns the first error of the commands submitted since its last call.
func (a *adapter) firstError() error {
	scopes := a.scopes
	a.scopes = nil
	for _, scope := range scopes {
		fault, err := resolve(scope, nil)
		if err != nil {
			return err
		}
		if !fault.IsNull() && !fault.IsUndefined() {
			return fmt.Errorf("the browser rejects a command: %s", messageOf(fault, "no reason"))
		}
	}
	return nil
}

// number returns an integer property of an object, or 0 if it has none.
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
