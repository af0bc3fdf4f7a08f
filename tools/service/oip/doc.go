// Package oip speaks the Open Inference Protocol, version 2 (KServe's "predict protocol", Triton's HTTP API), with the
// extension of binary tensors: the words that both sides use, and a model that runs elsewhere.
//
//	Open ──► Metadata, card ──► Model ── Bind ──► Bound
//	                                                │ coalitions of one size, side by side where the input has an axis of bags
//	                                                ▼
//	                              slots ── tries ── POST /v2/models/NAME/infer
//
// A [Model] is a core.Model: any server of the protocol (Triton, KServe, MLServer, bagscope serve) can be explained, and a
// model that no browser could hold too. What the server does not say, such as the classes' names, a model card says; where
// instances lie and which output has the class scores is decided as for a model file, by signature.Served. Every evaluation
// of a coalition is a request, or a part of one.
//
// # Trust
//
// The server is believed in what it computes, and in nothing else: shapes and sizes of its answers are checked, their bytes
// are bounded, and it leads to no other host. Whether coalitions may stand side by side is tried on the first bag against
// one by one; where the answers differ, or the server refuses, each goes alone.
package oip
