package engine

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/host"
)

// Serve answers the messages of in on out until in or ctx ends. It does not wait for running
// requests, because nobody receives their answers. An input that does not consist of messages is an
// error.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	h := host.New(host.Config{Version: version, Post: newFrameWriter(out).post,
		System: files{make(chan struct{}, 1)}, Program: ask.Python})
	ended := make(chan error, 1)
	go func() { ended <- receive(h, in) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// receive passes messages to the host until in ends.
func receive(h *host.Host, in io.Reader) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		message, err := readFrame(r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		h.Receive(message)
	}
}
