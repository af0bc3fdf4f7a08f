//go:build js && wasm

package main

import (
	"runtime"

	"github.com/bagscope/bagscope/core/codec"
	"github.com/hack-pad/safejs"
)

// decoder returns the host of the module of JPEG 2000, which JavaScript runs. The goroutine sleeps
// while the module is fetched.
func decoder(port safejs.Value) codec.Host {
	type answer struct{ problem, reason string }
	return func(stream, dst []byte, memory int64, steps uint32) (codec.Problem, string) {
		defer runtime.KeepAlive(stream)
		defer runtime.KeepAlive(dst)
		result := make(chan answer, 1)
		done, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
			problem, err := args[0].String()
			if err != nil {
				problem = "unavailable"
			}
			reason, _ := args[1].String() // "" if it is none
			result <- answer{problem, reason}
			return nil
		})
		if err != nil {
			return "unavailable", err.Error()
		}
		defer done.Release()
		if _, err := port.Call("decode", address(stream), len(stream), address(dst), len(dst),
			memory, int64(steps), done); err != nil {
			return "unavailable", err.Error()
		}
		a := <-result
		return codec.Problem(a.problem), a.reason
	}
}
