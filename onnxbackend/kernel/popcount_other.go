//go:build !amd64

package kernel

func andCount(a, b []uint64) int { return andCountPortable(a, b) }
