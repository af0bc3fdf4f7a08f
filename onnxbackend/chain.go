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

// chain puts the graph that the card's key "via" names before that of file, and takes over what the
// card in that file says of its input. It returns the SHA-256 of that file and a note on what was
// joined, nil without the key.
func chain(
	file *decode.Model, card *signature.Card, external ExternalData, l Limits,
) (sum []byte, notes []string, err error) {
	if card.Via == "" {
		return nil, nil, nil
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
	if before.Via != "" {
		return nil, nil, fault.Formatf("model card", "key \"via\": %q has a card with this key "+
			"itself; join the two files before", card.Via)
	}
	note, err := file.Chain(via, card.Via, card.ViaOutput)
	if err != nil {
		return nil, nil, err
	}
	card.TakeInput(before)
	return hash[:], []string{note}, nil
}
