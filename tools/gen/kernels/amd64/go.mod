module github.com/bagscope/bagscope/tools/gen/kernels/amd64

go 1.26.0

toolchain go1.26.10

require github.com/mmcloughlin/avo v0.6.0

require (
	github.com/bagscope/bagscope v0.0.0
	golang.org/x/mod v0.29.0 // indirect
	golang.org/x/sync v0.17.0 // indirect
	golang.org/x/tools v0.38.0 // indirect
)

replace github.com/bagscope/bagscope => ../../../..
