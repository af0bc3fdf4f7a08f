//go:build js && wasm && !gpu

package main

import "github.com/hack-pad/safejs"

// deviceOf returns nothing: the small program knows no device.
func deviceOf(safejs.Value) string { return "" }
