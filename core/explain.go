package core

import (
	"context"
)

// A Request asks for explanations of one bag.
type Request struct {
	Methods     []Method
	Classes     []int // classes to explain, nil for all
	SkipMissing bool  // a method that the model cannot serve is listed in the report instead of failing the request
	GameOptions
}

// Explain answers a request: every method, every class, over one pool of evaluations. Methods run in
// the order given. When it fails midway, because ctx ended or the budget is spent, the report holds
// the explanations that were finished, beside the error.
func Explain(ctx context.Context, ev Evaluator, req Request) (*Report, error) {
	g, err := NewGame(ev, req.GameOptions)
	if err != nil {
		return nil, err
	}
	return g.Explain(ctx, req)
}

// Explain answers a request in a game that already exists, so that metrics can go on in it. The
// request's GameOptions are not looked at.
func (g *Game) Explain(ctx context.Context, req Request) (*Report, error) {
	panic("written next")
}
