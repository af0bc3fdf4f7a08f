//go:build !amd64

package kernel

func detect() level { return portable }
