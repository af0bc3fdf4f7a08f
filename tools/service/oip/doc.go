// Package oip implements the Open Inference Protocol, version 2 (KServe's "predict protocol",
// Triton's HTTP API), with the extension of binary tensors. It holds the types that client and
// server share, and a model on a server.
//
//	Open ──► Metadata, card ──► Model ── Bind ──► Bound
//	                                                │ coalitions of one size, in one request
//	                                                │ if the input has a batch axis
//	                                                ▼
//	                              slots ── tries ── POST /v2/models/NAME/infer
//
// A [Model] is a core.Model. It can be on any server of the protocol: Triton, KServe, MLServer or
// bagscope serve. It can be too large for a browser. A model card supplies the properties that
// the server does not return, such as class names. signature.Served determines the instance axis
// and the output with the class scores, as for a model file. Every evaluation of a coalition is a
// request, or a part of one.
//
// # Trust
//
// The client trusts the computed numbers and nothing else: it checks the shapes and sizes of
// responses, bounds their bytes and does not follow redirects to other hosts. With the first bag
// it tests whether several coalitions in one request have the same scores as in separate
// requests. If the scores differ, or the server rejects the request, every coalition has its
// own request.
package oip
