package server

import (
	"context"
	"net/http"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// The requests of /v1/sets, /v1/pairs, /v1/whatif, /v1/groups, /v1/inside and /v1/check.
type (
	setsRequest struct {
		source
		ask.Ask
		ask.SetsOptions
	}
	pairsRequest struct {
		source
		ask.Ask
		ask.PairsOptions
	}
	turnRequest struct {
		source
		ask.Ask
		ask.TurnOptions
		// DonorIndex is the index of the bag in the same file whose instances may be added.
		DonorIndex *int `json:"donor_index"`
	}
	groupsRequest struct {
		source
		ask.Ask
	}
	insideRequest struct {
		source
		ask.Ask
		ask.InsideOptions
	}
	checkRequest struct {
		source
		ask.Ask
		ask.CheckOptions
	}
)

// sets handles POST /v1/sets.
func (s *Server) sets(w http.ResponseWriter, r *http.Request) error {
	var q setsRequest
	return s.ask(w, r, &q, &q.source, &q.Ask,
		func(ctx context.Context, in *ask.Input, p progress) (any, error) {
			return q.Ask.Sets(ctx, in, q.SetsOptions, p)
		})
}

// pairs handles POST /v1/pairs.
func (s *Server) pairs(w http.ResponseWriter, r *http.Request) error {
	var q pairsRequest
	return s.ask(w, r, &q, &q.source, &q.Ask,
		func(ctx context.Context, in *ask.Input, p progress) (any, error) {
			return q.Ask.Pairs(ctx, in, q.PairsOptions, p)
		})
}

// whatif handles POST /v1/whatif.
func (s *Server) whatif(w http.ResponseWriter, r *http.Request) error {
	var q turnRequest
	return s.ask(w, r, &q, &q.source, &q.Ask,
		func(ctx context.Context, in *ask.Input, p progress) (any, error) {
			var donor *core.Bag
			if q.DonorIndex != nil {
				var err error
				if donor, err = in.Set.BagIn(ctx, *q.DonorIndex); err != nil {
					return nil, err
				}
			}
			return q.Ask.Turn(ctx, in, ask.Additions{Donor: donor}, q.TurnOptions, p)
		})
}

// groups handles POST /v1/groups.
func (s *Server) groups(w http.ResponseWriter, r *http.Request) error {
	var q groupsRequest
	return s.ask(w, r, &q, &q.source, &q.Ask,
		func(ctx context.Context, in *ask.Input, p progress) (any, error) {
			return q.Ask.Groups(ctx, in, p)
		})
}

// inside handles POST /v1/inside.
func (s *Server) inside(w http.ResponseWriter, r *http.Request) error {
	var q insideRequest
	return s.ask(w, r, &q, &q.source, &q.Ask,
		func(ctx context.Context, in *ask.Input, p progress) (any, error) {
			return q.Ask.Inside(ctx, in, q.InsideOptions, p)
		})
}

// check handles POST /v1/check.
func (s *Server) check(w http.ResponseWriter, r *http.Request) error {
	var q checkRequest
	return s.ask(w, r, &q, &q.source, &q.Ask,
		func(ctx context.Context, in *ask.Input, p progress) (any, error) {
			return q.Ask.Check(ctx, in, q.CheckOptions, p)
		})
}

// ask handles a question: it decodes the request into q, which holds from and limits, and sends
// what answer returns.
func (s *Server) ask(
	w http.ResponseWriter, r *http.Request, q any, from *source, limits *ask.Ask,
	answer func(ctx context.Context, in *ask.Input, p progress) (any, error),
) error {
	u, err := s.receiveRequest(w, r, q)
	if err != nil {
		return err
	}
	limits.Budget, limits.Workers = bounded(limits.Budget, s.limits.Budget), s.limits.Workers
	return s.respond(w, r, func(ctx context.Context, begin func() progress) (any, error) {
		in, err := s.open(ctx, u, *from)
		if err != nil {
			return nil, err
		}
		return answer(ctx, in, begin())
	})
}
