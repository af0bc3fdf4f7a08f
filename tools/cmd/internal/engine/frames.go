package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
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
		return fmt.Errorf("the input ends inside a message: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// A frameWriter writes messages. It is safe for concurrent use.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// post writes a message. An error means that the client has ended, which the reader also notices.
func (f *frameWriter) post(message []byte) {
	frame := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+min(len(message), 1<<16)),
		uint32(len(message)))
	// A short message and its length are one write, so that the client wakes up once.
	if len(message) <= 1<<16 {
		frame, message = append(frame, message...), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.w.Write(frame); err == nil && len(message) > 0 {
		_, _ = f.w.Write(message)
	}
}
