package workshare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// record is a scheduler that writes down who did what.
type record struct {
	mu   sync.Mutex
	done []string // (task)
}

func (r *record) by(i int, who string) Result {
	return func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.done[i] != "" {
			return fmt.Errorf("task %d is settled twice", i)
		}
		r.done[i] = who
		return nil
	}
}

// count returns how many tasks somebody has done.
func (r *record) count(who string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, by := range r.done {
		if by == who {
			n++
		}
	}
	return n
}

// until waits for the end of ctx as computations do, which ask now and then.
func until(ctx context.Context) error {
	for ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

func TestScheduler(t *testing.T) {
	const n = 20
	type doer func(ctx context.Context, r *record) error
	at := func(context.Context, *record) error { return nil }
	never := func(ctx context.Context, _ *record) error { return until(ctx) }
	// slow lets the helpers do all but what the local places took first.
	slow := func(ctx context.Context, r *record) error {
		for ctx.Err() == nil && r.count("helper") < n-2 {
			time.Sleep(time.Millisecond)
		}
		return nil
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		local, remote doer
		want          string // who does everything; "" for either
		most          string // who does all but a task of each local place
		err           error
	}{
		"both":          {local: at, remote: at},
		"a mute helper": {local: at, remote: never, want: "local"},
		"a dead helper": {local: at,
			remote: func(context.Context, *record) error { return broken }, want: "local"},
		"a local place that is slow": {local: slow, remote: at, most: "helper"},
		"a local fault": {local: func(context.Context, *record) error { return broken },
			remote: never, err: broken},
		"a local panic": {local: func(context.Context, *record) error { panic("fault") },
			remote: never, err: errors.New("fault")},
	} {
		t.Run(name, func(t *testing.T) {
			r := record{done: make([]string, n)}
			s := Scheduler{
				Local: func(ctx context.Context, i int) (Result, error) {
					return r.by(i, "local"), c.local(ctx, &r)
				},
				Remote: func(ctx context.Context, _, i int) (Result, error) {
					return r.by(i, "helper"), c.remote(ctx, &r)
				},
			}
			err := s.Run(context.Background(), n, 2, 2)
			must.Equal(t, fmt.Sprint(err), fmt.Sprint(c.err), c.err)
			if err == nil && (slices.Contains(r.done, "") || c.want != "" &&
				slices.ContainsFunc(r.done, func(who string) bool { return who != c.want })) {
				t.Errorf("tasks were done by %q", r.done)
			}
			if others := slices.DeleteFunc(slices.Clone(r.done),
				func(who string) bool { return who == c.most }); c.most != "" && len(others) > 2 {
				t.Errorf("tasks were done by %q", r.done)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	nobody := func(ctx context.Context, _ int) (Result, error) {
		cancel(broken)
		return nil, until(ctx)
	}
	s := Scheduler{Local: nobody, Remote: func(ctx context.Context, _, i int) (Result, error) {
		return nobody(ctx, i)
	}}
	must.Is(t, s.Run(ctx, n, 2, 2), broken, "a cancelled scheduler says")
}
