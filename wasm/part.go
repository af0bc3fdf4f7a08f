//go:build js && wasm

package main

import (
	"io"
	"runtime"
	"sync"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/hack-pad/safejs"
)

// A part is a file that JavaScript keeps. Large reads go into the memory of the caller; small ones
// are answered from blocks, because a call of JavaScript takes a fraction of a millisecond.
type part struct {
	port   safejs.Value
	number int
	size   int64

	mu     sync.Mutex
	side   int64   // bytes of a block
	blocks []block // kept
	next   int     // the block that is replaced next
}

// A block is a stretch of a file.
type block struct {
	at    int64
	bytes []byte // nil if the block is unused
}

// A file that is read whole is read at a few places by turns: the headers, an index and values of
// HDF5. A slide is read at many places, of 10 to 100 KB each. A small file is one of hundreds of a
// series, each of which keeps its blocks: those of its header.
const (
	wholeBytes, wholeBlocks = 1 << 20, 4
	slideBytes, slideBlocks = 1 << 17, 32
	smallBytes, smallBlocks = 1 << 14, 2

	small = 4 * wholeBytes
)

// parts returns a function that opens a file that JavaScript keeps.
func parts(port safejs.Value) func(number int, size int64, whole bool) io.ReaderAt {
	return func(number int, size int64, whole bool) io.ReaderAt {
		p := &part{port: port, number: number, size: size}
		if whole && size < small {
			p.side, p.blocks = smallBytes, make([]block, smallBlocks)
		} else if whole {
			collect(size)
			p.side, p.blocks = wholeBytes, make([]block, wholeBlocks)
		} else {
			collectUsually()
			p.side, p.blocks = slideBytes, make([]block, slideBlocks)
		}
		return p
	}
}

// ReadAt implements io.ReaderAt.
func (p *part) ReadAt(dst []byte, at int64) (int, error) {
	if at < 0 || at >= p.size {
		return 0, io.EOF
	}
	var end error
	if int64(len(dst)) > p.size-at {
		dst, end = dst[:p.size-at], io.EOF
	}
	if int64(len(dst)) > p.side {
		if err := p.read(dst, at); err != nil {
			return 0, err
		}
		return len(dst), end
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := 0; n < len(dst); {
		b, err := p.block(at + int64(n))
		if err != nil {
			return n, err
		}
		n += copy(dst[n:], b.bytes[at+int64(n)-b.at:])
	}
	return len(dst), end
}

// block returns the block that holds a byte.
func (p *part) block(at int64) (*block, error) {
	begin := at - at%p.side
	for i := range p.blocks {
		if b := &p.blocks[i]; b.bytes != nil && b.at == begin {
			return b, nil
		}
	}
	b := &p.blocks[p.next]
	bytes := b.bytes[:0]
	if bytes == nil {
		bytes = make([]byte, 0, p.side)
	}
	b.bytes = nil // it holds nothing if the read fails
	bytes = bytes[:min(p.side, p.size-begin)]
	if err := p.read(bytes, begin); err != nil {
		return nil, err
	}
	b.at, b.bytes = begin, bytes
	p.next = (p.next + 1) % len(p.blocks)
	return b, nil
}

// read fills dst. The goroutine sleeps meanwhile, so that other requests are answered.
func (p *part) read(dst []byte, at int64) error {
	defer runtime.KeepAlive(dst)
	fault := make(chan string, 1)
	done, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		reason, err := args[0].String()
		if err != nil {
			reason = err.Error()
		}
		fault <- reason
		return nil
	})
	if err != nil {
		return err
	}
	defer done.Release()
	if _, err := p.port.Call("read", p.number, at, address(dst), len(dst), done); err != nil {
		return err
	}
	if reason := <-fault; reason != "" {
		return msg.Errorf("%s", msg.Text(reason))
	}
	return nil
}

const (
	// addressable is the memory of a 32-bit program.
	addressable = 4 << 30
	// spare is kept for the program's stacks, its code's data and what a request needs beside a
	// bag.
	spare = 256 << 20
)

// room returns the bytes that can still be allocated for a file.
func room() int64 {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > addressable/4 {
		runtime.GC()
		runtime.ReadMemStats(&m)
	}
	return max(0, addressable-spare-int64(m.HeapAlloc))
}
