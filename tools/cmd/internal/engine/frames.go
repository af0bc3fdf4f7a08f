package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/bagscope/bagscope/internal/msg"
)

// maxMessage bounds a message. Larger arrays and models are named by their files.
const maxMessage = 1 << 30

// allocateAtOnce bounds the memory that a length alone allocates. The memory of longer messages
// grows with the bytes that arrive.
const allocateAtOnce = 1 << 20

// A frameError reports a stream that does not consist of messages. Nothing after it can be read.
type frameError struct{ length uint32 }

// Error returns the length and the bounds.
func (e *frameError) Error() string {
	return fmt.Sprintf("the input announces a message of %d bytes, and messages have 1 to %d; is "+
		"the other side a bagscope client?", e.length, maxMessage)
}

// readFrame returns the next message in memory of its own. It returns io.EOF if the stream ends
// before a message, io.ErrUnexpectedEOF if it ends inside one, and a *frameError for a length out
// of range.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if n, err := io.ReadFull(r, head[:]); err != nil && n > 0 {
		return nil, inside(err)
	} else if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 || n > maxMessage {
		return nil, &frameError{n}
	}
	if n <= allocateAtOnce {
		message := make([]byte, n)
		if _, err := io.ReadFull(r, message); err != nil {
			return nil, inside(err)
		}
		return message, nil
	}
	var message bytes.Buffer
	message.Grow(allocateAtOnce)
	if _, err := io.CopyN(&message, r, int64(n)); err != nil {
		return nil, inside(err)
	}
	return message.Bytes(), nil
}

// inside returns the error for a stream that ends inside a message, and other errors unchanged.
func inside(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return msg.Errorf("the input ends inside a message: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// copyBelow is the length in bytes below which a message is copied, so that post does not wait.
const copyBelow = 1 << 16

// A frameWriter writes messages in the order of the calls of post. Its goroutine writes them,
// because the goroutine that reads requests also posts short answers: if it waited for a client
// that sends and does not read, both would wait forever.
type frameWriter struct {
	mu     sync.Mutex
	queue  []frame
	queued chan struct{} // has a token if the queue may not be empty
}

// A frame is a part of the output.
type frame struct {
	data    []byte
	written chan struct{} // closed after data was written; nil if nobody waits
}

// newFrameWriter returns a writer to w. It drops messages after the first error, which means that
// the client has ended; the reader notices that too.
func newFrameWriter(w io.Writer) *frameWriter {
	f := &frameWriter{queued: make(chan struct{}, 1)}
	go func() {
		var err error
		for range f.queued {
			for _, part := range f.take() {
				if err == nil {
					_, err = w.Write(part.data)
				}
				if part.written != nil {
					close(part.written)
				}
			}
		}
	}()
	return f
}

// take returns the queue and empties it.
func (f *frameWriter) take() []frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	queue := f.queue
	f.queue = nil
	return queue
}

// post writes a message. It waits for the writing of a long one, whose bytes are not copied.
func (f *frameWriter) post(message []byte) {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+min(len(message), copyBelow)),
		uint32(len(message)))
	if len(message) < copyBelow {
		f.add(frame{append(head, message...), nil})
		return
	}
	long := frame{message, make(chan struct{})}
	f.add(frame{head, nil}, long)
	<-long.written
}

// add appends parts to the queue.
func (f *frameWriter) add(parts ...frame) {
	f.mu.Lock()
	f.queue = append(f.queue, parts...)
	f.mu.Unlock()
	select {
	case f.queued <- struct{}{}:
	default: // the token is there already
	}
}
