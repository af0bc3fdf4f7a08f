//go:build js && wasm

package main

import "github.com/hack-pad/safejs"

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
