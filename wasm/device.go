//go:build js && wasm && gpu

package main

import "github.com/hack-pad/safejs"

// deviceOf returns which device JavaScript wants, "" for none.
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
