module github.com/bagscope/bagscope/tools/gen/kernels/arm64

go 1.26.0

toolchain go1.26.10

require (
	github.com/bagscope/bagscope v0.0.0
	golang.org/x/arch v0.32.0
)

replace github.com/bagscope/bagscope => ../../../..
