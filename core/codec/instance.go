//go:build !js

package codec

import (
	"context"
	_ "embed"
	"errors"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// module is written by tools/dev/codec/build.sh.
//
//go:embed codec.wasm
var module []byte

// A compiled is the module in machine code, and the instances that wait for the next stream.
type compiled struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	mu      sync.Mutex
	idle    []*instance
}

// compile compiles the module when the first stream is decoded.
var compile = sync.OnceValues(func() (*compiled, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(mostMemory/pageBytes))
	code, err := r.CompileModule(ctx, module)
	return &compiled{runtime: r, code: code}, err
})

// An instance decodes one stream at a time in a memory of its own.
type instance struct {
	module       api.Module
	take, decode api.Function
}

// keptBytes bounds the memory of an instance that is kept for the next stream.
const keptBytes = 32 << 20

// get returns an instance that is idle, or a new one.
func (c *compiled) get(ctx context.Context) (*instance, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		i := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return i, nil
	}
	c.mu.Unlock()
	m, err := c.runtime.InstantiateModule(ctx, c.code,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	return &instance{m, m.ExportedFunction("take"), m.ExportedFunction("decode")}, nil
}

// put keeps an instance, at most one for each thread.
func (c *compiled) put(i *instance) {
	c.mu.Lock()
	keep := len(c.idle) < runtime.GOMAXPROCS(0) && i.module.Memory().Size() <= keptBytes
	if keep {
		c.idle = append(c.idle, i)
	}
	c.mu.Unlock()
	if !keep {
		i.end()
	}
}

// end frees the memory of an instance.
func (i *instance) end() { _ = i.module.Close(context.Background()) }

// decode returns the samples of a stream with this header.
func decode(ctx context.Context, h Header, stream []byte) ([]byte, error) {
	c, err := compile()
	if err != nil {
		return nil, err
	}
	i, err := c.get(ctx)
	if err != nil {
		return nil, stopped(err)
	}
	data, err := i.run(ctx, h, stream)
	if e := (*FormatError)(nil); err == nil || errors.As(err, &e) && e.Err == nil {
		c.put(i)
	} else {
		i.end()
	}
	return data, err
}

// run decodes a stream. Errors of the module itself have a cause; the instance is then spent.
func (i *instance) run(ctx context.Context, h Header, stream []byte) ([]byte, error) {
	got, err := i.take.Call(ctx, uint64(len(stream)), uint64(h.decoderBytes(len(stream))),
		uint64(h.steps(len(stream))))
	if err != nil {
		return nil, stopped(err)
	}
	memory := i.module.Memory()
	if got[0] == 0 || !memory.Write(uint32(got[0]), stream) {
		return nil, errMemory()
	}
	if got, err = i.decode.Call(ctx, uint64(len(stream))); err != nil {
		return nil, stopped(err)
	}
	return readResult(memory, uint32(got[0]), h)
}

// readResult copies the samples that the module decoded.
func readResult(memory api.Memory, at uint32, h Header) ([]byte, error) {
	var result [words]uint32
	for k := range result {
		v, ok := memory.ReadUint32Le(at + 4*uint32(k))
		if !ok {
			return nil, &FormatError{"its decoder failed", errResult}
		}
		result[k] = v
	}
	from := min(result[wordMessage], memory.Size())
	text, _ := memory.Read(from, min(messageBytes, memory.Size()-from))
	if err := check(result, text, h); err != nil {
		return nil, err
	}
	view, ok := memory.Read(result[wordSamples], uint32(h.sampleBytes()))
	if !ok {
		return nil, &FormatError{"its decoder failed", errResult}
	}
	return append(make([]byte, 0, len(view)), view...), nil
}

var errResult = errors.New("the result lies outside of the memory")
