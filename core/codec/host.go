//go:build js

package codec

import (
	"context"
	"encoding/binary"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Host runs the module outside of this program, which is WebAssembly itself. It decodes stream by
// an instance with at most memory bytes, in at most steps steps, and writes the words of the result
// to dst, the text at the place of the error, and the samples, see shim.c. Otherwise it returns a
// problem and its reason in words.
type Host func(stream, dst []byte, memory int64, steps uint32) (problem Problem, reason string)

// A Problem is why a [Host] has written no result.
type Problem string

// Problems of a [Host]. Each other word means that the module cannot be loaded.
const (
	NoProblem Problem = ""
	NoMemory  Problem = "memory"  // the instance has too little memory
	Trapped   Problem = "trapped" // the module stopped
)

var host Host

// SetHost sets the host of the module, before the first stream is decoded.
func SetHost(h Host) { host = h }

// decode returns the samples of a stream with this header.
func decode(_ context.Context, h Header, stream []byte) ([]byte, error) {
	const head = 4*words + messageBytes
	if host == nil {
		return nil, &UnavailableError{"this program has no decoder of JPEG 2000"}
	}
	dst := make([]byte, head+h.sampleBytes())
	problem, reason := host(stream, dst, h.decoderBytes(len(stream)), h.steps(len(stream)))
	switch problem {
	case NoProblem:
	case NoMemory:
		return nil, errMemory()
	case Trapped:
		return nil, stopped(msg.Errorf("%s", msg.Text(reason)))
	default:
		return nil, &UnavailableError{reason}
	}
	var result [words]uint32
	for k := range result {
		result[k] = binary.LittleEndian.Uint32(dst[4*k:])
	}
	if err := check(result, dst[4*words:head], h); err != nil {
		return nil, err
	}
	return dst[head:], nil
}
