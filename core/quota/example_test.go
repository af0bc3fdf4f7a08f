package quota_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/bagscope/bagscope/core/quota"
)

// A server gives each request a part of its memory. Readers and models that get the context reserve
// there before they allocate.
func ExampleMemory() {
	server := quota.NewMemory(100 << 20)
	request := server.Part(10 << 20)
	ctx := quota.WithMemory(context.Background(), request)

	err := quota.MemoryOf(ctx).Reserve(64<<20, "the values of a bag")
	fmt.Println(errors.As(err, new(*quota.MemoryError)))
	err = quota.MemoryOf(ctx).Reserve(8<<20, "the values of a bag")
	fmt.Println(err, server.Held()>>20)
	request.Close()
	fmt.Println(server.Held())
	// Output:
	// true
	// <nil> 8
	// 0
}
