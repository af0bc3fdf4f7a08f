//go:build js && wasm

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/bagscope/bagscope/wasm/host"
	"github.com/hack-pad/safejs"
)

// version is set by the linker to the content of version.txt.
var version = "0.0.0"

// memoryLimit makes the collector work harder before the 4 GiB of a 32-bit memory are spent.
const memoryLimit = 3 << 30

// garbage is about how many bytes of it the collector lets lie beside a large bag. Memory that a page was given once
// stays with it, so that the default, as much garbage as there is live, would double what a bag of 0.4 GB takes.
const garbage = 64 << 20

// firstPace has the first collection wait until eight times the usual 4 MiB are in use. An explanation of a small bag
// needs none before that, and a browser compiles no collector for it: that takes as long as three collections.
const firstPace = 800

// paced is whether the collector goes at its own pace, or at that of a large bag.
var paced bool

// collectLate puts off the first collection, after which the collector goes at its usual pace.
func collectLate() {
	debug.SetGCPercent(firstPace)
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		if !paced {
			paced = true
			debug.SetGCPercent(100)
		}
	})
}

// collect sets the collector's pace when a message of n bytes comes. Collecting costs next to nothing here: tensors
// hold no pointers.
func collect(n int32) {
	if n < garbage/8 {
		return
	}
	paced = true
	runtime.GC() // a bag that was closed makes room for the next
	debug.SetGCPercent(min(100, max(5, 100*garbage/int(n))))
}

// inbox is the memory that JavaScript writes the next message to.
var inbox []byte

// alloc makes room for a message of n bytes and returns its address. It is the one call on the way of
// a message that allocates, and it neither blocks nor calls back.
//
//lint:ignore U1000 JavaScript calls it
//go:wasmexport alloc
func alloc(n int32) int32 {
	collect(n)
	inbox = make([]byte, max(n, 1))
	return int32(uintptr(unsafe.Pointer(&inbox[0])))
}

func main() {
	debug.SetMemoryLimit(memoryLimit)
	collectLate()
	if err := start(); err != nil {
		panic(fmt.Sprintf("bagscope cannot start: %v", err))
	}
	select {} // events do the rest
}

// start connects the host to the object bagscopePort, which JavaScript sets in the global scope just
// before it starts this program.
func start() error {
	port, err := safejs.Global().Get("bagscopePort")
	if err != nil {
		return err
	}
	b := breath{port: port, turn: make(chan struct{}, 1), last: time.Now()}
	h := host.New(host.Config{Version: version, Post: poster(port), Breathe: b.take, Digest: digester(port), Device: deviceOf(port)})
	receive, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		n, err := args[0].Int()
		if err != nil || n < 0 || n > len(inbox) {
			return nil
		}
		message := inbox[:n]
		inbox = nil
		b.last = time.Now()
		h.Receive(message)
		return nil
	})
	if err != nil {
		return err
	}
	wake, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		b.wake()
		return nil
	})
	if err != nil {
		return err
	}
	_, err = port.Call("started", receive, wake)
	return err
}

// poster returns a function that hands JavaScript the address and the length of a message, which it
// copies before it returns.
func poster(port safejs.Value) func([]byte) {
	return func(message []byte) {
		// An error here means that the other side is gone: there is nobody left to tell.
		_, _ = port.Call("post", int(uintptr(unsafe.Pointer(unsafe.SliceData(message)))), len(message))
	}
}
