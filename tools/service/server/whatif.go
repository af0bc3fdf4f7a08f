package server

import (
	"context"
	"net/http"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// donor selects the bag in the uploaded files whose instances a what-if may add.
type donor struct {
	Index *int `json:"donor_index"` // number of the bag, from 0
}

// whatIf returns the handler of POST /v1/NAME of a what-if.
func (s *Server) whatIf(row ask.WhatIf) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		var from source
		var added donor
		q := row.New()
		to := []any{&from, &q.Ask, q.Options}
		if row.Donor {
			to = append(to, &added)
		}
		u, err := s.receiveRequest(w, r, to...)
		defer u.close()
		if err != nil {
			return err
		}
		q.Budget, q.Workers = bounded(q.Budget, s.limits.Budget), s.limits.Workers
		return s.respond(w, r, func(ctx context.Context, e *events) (any, error) {
			in, err := s.open(ctx, u, from)
			if err != nil {
				return nil, err
			}
			if u.seen["concepts"] {
				err := in.NameFile(ctx, u.concepts.Name, u.concepts.Data,
					onnxbackend.Options{Limits: s.limits.models(u.memory)})
				if err != nil {
					return nil, err
				}
			}
			p := e.begin()
			if added.Index != nil {
				if in.Donor, err = in.Set.BagIn(ctx, *added.Index); err != nil {
					return nil, err
				}
			}
			return q.Answer(ctx, in, p)
		})
	}
}
