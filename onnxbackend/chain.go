package onnxbackend

import (
	"crypto/sha256"
	"errors"
	"io/fs"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// mostChained bounds the files of a chain, which could name each other in a circle.
const mostChained = 8

// chain puts the graph that the card's key "via" names before that of file, and takes over what the
// card in that file says of its input. That card may name a file before it: most is how many may
// come before file. It returns the SHA-256 of these files, one after the other, and a note on each
// joint, nil without the key.
func chain(
	file *decode.Model, card *signature.Card, external ExternalData, l Limits, most int,
) (sum []byte, notes []string, err error) {
	if card.Via == "" {
		return nil, nil, nil
	}
	if most == 0 {
		return nil, nil, fault.Formatf("model card", "key \"via\": more than %d files come one "+
			"before the other, or they name each other in a circle; join some of them before",
			mostChained)
	}
	if external == nil {
		return nil, nil, &fault.Missing{Files: []string{card.Via}, Via: true}
	}
	data, err := external(card.Via, 0, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &fault.Missing{Files: []string{card.Via}, Via: true}
	}
	if err != nil {
		return nil, nil, err
	}
	if len(data) > l.ModelBytes {
		return nil, nil, &fault.Limit{What: "bytes of a model file", Wanted: uint64(len(data)),
			Limit: uint64(l.ModelBytes), Setting: "modelBytes"}
	}
	// The bytes are those of the caller until it is asked for tensors in other files.
	hash := sha256.Sum256(data)
	via, err := decode.DecodeParts(data, external, l.decode())
	if err != nil {
		return nil, nil, msg.Errorf("%q, which comes before the model: %w", card.Via, err)
	}
	before := &signature.Card{}
	if err := readInside(before, via, "model card in the file "+msg.Quoted(card.Via)); err != nil {
		return nil, nil, err
	}
	sum, notes, err = chain(via, before, external, l, most-1)
	if err != nil {
		return nil, nil, err
	}
	note, err := file.Chain(via, card.Via, card.ViaOutput)
	if err != nil {
		return nil, nil, err
	}
	card.TakeInput(before)
	return append(hash[:], sum...), append(notes, note), nil
}
