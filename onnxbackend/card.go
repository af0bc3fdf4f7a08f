package onnxbackend

import "github.com/bagscope/bagscope/onnxbackend/signature"

// What a model card states. README.md lists the keys.
type (
	// Card is a merged model card.
	Card = signature.Card
	// CardInput says what one of several inputs takes.
	CardInput = signature.CardInput
	// Answer is what a card states about scores that are not those of classes alone.
	Answer = signature.Answer
	// Curve is the survival curve of a head of hazards.
	Curve = signature.Curve
	// Preprocess maps raw pixels to the model's input.
	Preprocess = signature.Preprocess
	// Patch says how pictures are cut into instances.
	Patch = signature.Patch
)

// Roles of inputs.
const (
	RoleCount     = signature.RoleCount
	RoleInstances = signature.RoleInstances
)
