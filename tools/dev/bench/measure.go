package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/bagscope/bagscope/core"
)

// The pace of a run: how long each thing may take.
type pace struct {
	rounds int
	warm   time.Duration // of a job before it counts: browsers compile hot code anew meanwhile
	loopMS float64       // of a loop's sample
	// of all rounds of a row; a slower job gets fewer rounds, a loop half the time
	cellMS float64
}

var (
	thorough = pace{rounds: 7, warm: 300 * time.Millisecond, loopMS: 120, cellMS: 6000}
	hasty    = pace{rounds: 3, warm: 100 * time.Millisecond, loopMS: 40, cellMS: 800}
)

const (
	leastMS = 20 // of a measurement: shorter jobs run several times in it
	leastOf = 3  // coalitions of a loop's sample
)

// A bench is one run of the program.
type bench struct {
	engines *engines
	only    *regexp.Regexp
	pace    pace
	report  Report
}

// A cell is what becomes a row: one engine at one job.
type cell struct {
	row    Row
	child  *child
	ask    Request
	scale  float64 // from what is measured to the whole job
	rounds int
	ms     []float64
}

// subject measures all jobs of a subject, in turns.
func (b *bench) subject(ctx context.Context, s *Subject) error {
	fmt.Fprintln(os.Stderr, "measuring", s.ID)
	cells, err := b.cells(ctx, s)
	if err != nil {
		return err
	}
	for round := range b.pace.rounds {
		for _, c := range cells {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if round >= c.rounds {
				continue
			}
			reply, err := c.child.ask(c.ask)
			if err != nil {
				b.fail(c, err)
				continue
			}
			c.ms = append(c.ms, reply.MS*c.scale)
		}
	}
	for _, c := range cells {
		if len(c.ms) > 0 {
			c.row.setTimes(c.ms)
			b.report.Rows = append(b.report.Rows, c.row)
		}
	}
	return nil
}

// cells returns what is measured with a subject, warm.
func (b *bench) cells(ctx context.Context, s *Subject) ([]*cell, error) {
	var cells []*cell
	for _, task := range s.tasks {
		job := jobName(task, s.Model, s.Instances)
		if !b.only.MatchString(job) {
			continue
		}
		var z *core.Coalitions // of the others' loops
		if !s.alone && hasLoop(task) {
			var err error
			if z, err = loopOf(ctx, s, task); err != nil {
				return nil, err
			}
		}
		for _, at := range columnsOf(s, task) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c := &cell{row: Row{Job: job, Task: task, Model: s.Model, Instances: s.Instances,
				Engine: at.engine, Target: at.target}}
			var err error
			if c.child, err = b.engines.at(at); err != nil {
				b.skip(err.Error())
			} else if err := b.warm(c, s, z); err != nil {
				b.fail(c, err)
			} else {
				cells = append(cells, c)
			}
		}
	}
	return cells, nil
}

// fail gives up a row.
func (b *bench) fail(c *cell, err error) {
	c.rounds = 0
	b.skip(fmt.Sprintf("%s, %s, %s: %v", c.row.Job, c.row.Engine, c.row.Target, err))
}

// A seat is an engine on a target.
type seat struct{ engine, target string }

// columnsOf lists who can do a task.
func columnsOf(s *Subject, task string) []seat {
	if s.alone || !hasLoop(task) {
		return []seat{{engineOurs, targetNative}, {engineOurs, targetBrowser}}
	}
	list := []seat{{engineOurs, targetNative}, {enginePlain, targetNative},
		{enginePeer, targetNative}}
	if inBrowser(task) {
		list = append(list, seat{engineOurs, targetBrowser}, seat{enginePlain, targetBrowser})
	}
	return append(list, seat{enginePeer, targetBrowser})
}

// hasLoop reports whether a task is compared with a loop over the coalitions that it evaluates.
// Consensus evaluates others, and far more, where a model has no masked form: its bound is the
// forward pass.
func hasLoop(task string) bool { return task != taskConsensus }

// inBrowser tells which tasks the npm package does: all but the part of one.
func inBrowser(task string) bool { return task != taskCoalitions }

// warm runs a cell until it is warm and settles how it is measured.
func (b *bench) warm(c *cell, s *Subject, z *core.Coalitions) error {
	c.scale = 1
	c.ask = Request{Op: "measure", Engine: c.row.Engine, Task: c.row.Task, Subject: s, Repeat: 1}
	if c.row.Engine != engineOurs && c.row.Task != taskForward {
		return b.warmLoop(c, z)
	}
	ms, err := c.heat(b.pace.warm)
	if err != nil {
		return err
	}
	c.ask.Repeat = clamp(leastMS/ms, 1, 100)
	c.rounds = clamp(b.pace.cellMS/(ms*float64(c.ask.Repeat)), 1, b.pace.rounds)
	return nil
}

// warmLoop settles how many coalitions of a loop are measured.
func (b *bench) warmLoop(c *cell, z *core.Coalitions) error {
	c.ask.Task, c.ask.Sample = taskLoop, sample(z, leastOf)
	ms, err := c.heat(b.pace.warm)
	if err != nil {
		return err
	}
	each := ms / float64(len(c.ask.Sample))
	c.ask.Sample = sample(z, clamp(b.pace.loopMS/each, leastOf, z.Len()))
	n := len(c.ask.Sample)
	c.row.Coalitions, c.row.Measured = z.Len(), n
	c.scale = float64(z.Len()) / float64(n)
	c.rounds = clamp(b.pace.cellMS/2/(each*float64(n)), 1, b.pace.rounds)
	return nil
}

// heat runs a cell for a while and returns its fastest time.
func (c *cell) heat(while time.Duration) (float64, error) {
	best := math.Inf(1)
	for from := time.Now(); ; {
		reply, err := c.child.ask(c.ask)
		if err != nil {
			return 0, err
		}
		best = math.Min(best, math.Max(reply.MS, 1e-3))
		if time.Since(from) > while {
			return best, nil
		}
	}
}

// clamp rounds v down into lo..hi.
func clamp(v float64, lo, hi int) int {
	return int(math.Min(math.Max(v, float64(lo)),
		float64(hi)))
}

// skip notes, once, what is left out.
func (b *bench) skip(sentence string) {
	if slices.Contains(b.report.Skipped, sentence) {
		return
	}
	b.report.Skipped = append(b.report.Skipped, sentence)
	fmt.Fprintln(os.Stderr, "left out:", sentence)
}
