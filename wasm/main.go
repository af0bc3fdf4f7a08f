//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/bagscope/bagscope/core/codec"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/wasm/host"
	"github.com/hack-pad/safejs"
)

// version is set by the linker to the content of version.txt.
var version = "0.0.0"

// memoryLimit makes the garbage collector run more often before the 4 GiB of a 32-bit memory are
// used up.
const memoryLimit = 3 << 30

// garbage is the approximate number of bytes of garbage beside a large bag before a collection. A
// page never returns memory, so that Go's default, as much garbage as live memory, would double the
// memory of a bag of 0.4 GB.
const garbage = 64 << 20

// firstPace delays the first collection until eight times the usual 4 MiB are in use. An
// explanation of a small bag then needs no collection, and the browser need not compile the
// collector, which takes as long as three collections.
const firstPace = 800

// paced reports whether the first collection is over, or a slide or a large bag has set the rate of
// collections.
var paced bool

// collectLate delays the first collection; later collections have the usual rate.
func collectLate() {
	debug.SetGCPercent(firstPace)
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { collectUsually() })
}

// collectUsually sets Go's rate of collections, unless a large bag has set it. An open slide needs
// it: each tile leaves several times its size as garbage.
func collectUsually() {
	if !paced {
		paced = true
		debug.SetGCPercent(100)
	}
}

// collect sets the rate of collections before a message or a file of n bytes. Frequent collections
// are cheap, because tensors contain no pointers.
func collect(n int64) {
	if n < garbage/8 {
		return
	}
	paced = true
	runtime.GC() // frees a closed bag before the next one arrives
	debug.SetGCPercent(min(100, max(5, 100*garbage/int(n))))
}

// inbox is the memory for the next message from JavaScript.
var inbox []byte

// alloc allocates memory for a message of n bytes and returns its address. It neither blocks nor
// calls JavaScript.
//
//lint:ignore U1000 JavaScript calls it
//go:wasmexport alloc
func alloc(n int32) int32 {
	collect(int64(n))
	inbox = make([]byte, max(n, 1))
	return int32(uintptr(unsafe.Pointer(&inbox[0])))
}

func main() {
	debug.SetMemoryLimit(memoryLimit)
	collectLate()
	if err := start(); err != nil {
		panic(msg.Sprintf("bagscope cannot start: %v", err))
	}
	select {} // JavaScript calls receive from now on
}

// start connects the host to the global object bagscopePort, which JavaScript sets before it starts
// this program.
func start() error {
	port, err := safejs.Global().Get("bagscopePort")
	if err != nil {
		return err
	}
	codec.SetHost(decoder(port))
	b := eventLoop{port: port, turn: make(chan struct{}, 1), last: time.Now()}
	h := host.New(host.Config{Version: version, Post: poster(port), Yield: b.yield,
		Digest: digester(port), Device: deviceOf(port), Part: parts(port), Room: room,
		Expect: collect})
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

// poster returns a function that passes the address and the length of a message to JavaScript,
// which copies the message before it returns.
func poster(port safejs.Value) func([]byte) {
	return func(message []byte) {
		// An error means that the JavaScript side has ended, so that it cannot be reported.
		_, _ = port.Call("post", address(message), len(message))
	}
}

// address returns the place of bytes in this program's memory.
func address(b []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// deviceOf returns the device that JavaScript requests, or "" for the CPU.
func deviceOf(port safejs.Value) string {
	v, err := port.Get("device")
	if err != nil || v.Type() != safejs.TypeString {
		return ""
	}
	device, err := v.String()
	if err != nil {
		return ""
	}
	return device
}
