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

// A pace limits the time of a run.
type pace struct {
	rounds int
	warmUp time.Duration // time of a job before it is measured; browsers recompile hot code in it
	loopMS float64       // time of the sample of a loop
	// time of all rounds of a row; slower jobs get fewer rounds, loops half of it
	rowMS float64
}

var (
	// fullPace is the pace of figures for the README, quickPace that of -quick, which takes a
	// minute.
	fullPace  = pace{rounds: 7, warmUp: 300 * time.Millisecond, loopMS: 120, rowMS: 6000}
	quickPace = pace{rounds: 3, warmUp: 100 * time.Millisecond, loopMS: 40, rowMS: 800}
)

const (
	minMS     = 20 // least time of a measurement; it runs shorter jobs several times
	minSample = 3  // least number of coalitions of a loop's sample
)

// A bench is one run of the program.
type bench struct {
	engines *engines
	only    *regexp.Regexp
	pace    pace
	report  Report
}

// A measurement measures one engine in one job, for one row.
type measurement struct {
	row     Row
	child   *child
	request Request
	scale   float64 // time of the whole job divided by that of the request
	rounds  int
	ms      []float64 // times of the whole job in each round
}

// subject measures all jobs and engines of a subject. Each round runs all of them once, so that a
// change of the machine's load affects all alike.
func (b *bench) subject(ctx context.Context, s *Subject) error {
	fmt.Fprintln(os.Stderr, "measuring", s.ID)
	list, err := b.measurements(ctx, s)
	if err != nil {
		return err
	}
	for round := range b.pace.rounds {
		// A measurement that fails once is skipped in all further rounds, see fail.
		for _, c := range list {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if round >= c.rounds {
				continue
			}
			reply, err := c.child.call(c.request)
			if err != nil {
				b.fail(c, err)
				continue
			}
			c.ms = append(c.ms, reply.MS*c.scale)
		}
	}
	for _, c := range list {
		if len(c.ms) > 0 {
			c.row.setTimes(c.ms)
			b.report.Rows = append(b.report.Rows, c.row)
		}
	}
	return nil
}

// measurements returns the measurements of a subject after their warm-up.
func (b *bench) measurements(ctx context.Context, s *Subject) ([]*measurement, error) {
	var list []*measurement
	for _, task := range s.tasks {
		job := jobName(task, s.Model, s.Instances)
		if !b.only.MatchString(job) {
			continue
		}
		var z *core.Coalitions // coalitions that plain and onnxruntime evaluate in a loop
		// Engines without explanations evaluate the coalitions of the method one by one.
		if !s.withoutPeers && hasLoop(task) {
			var err error
			if z, err = coalitionsOf(ctx, s, task); err != nil {
				return nil, err
			}
		}
		for _, at := range runners(s, task) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c := &measurement{row: Row{Job: job, Task: task, Model: s.Model, Instances: s.Instances,
				Engine: at.engine, Target: at.target}}
			var err error
			if c.child, err = b.engines.at(at); err != nil {
				b.skip(err.Error())
			} else if err := b.calibrate(c, s, z); err != nil {
				b.fail(c, err)
			} else {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// fail ends a measurement and reports why.
func (b *bench) fail(c *measurement, err error) {
	c.rounds = 0
	b.skip(fmt.Sprintf("%s, %s, %s: %v", c.row.Job, c.row.Engine, c.row.Target, err))
}

// A runner is an engine on a target, native or in the browser.
type runner struct{ engine, target string }

// runners returns the engines that run a task.
func runners(s *Subject, task string) []runner {
	if s.withoutPeers || !hasLoop(task) {
		return []runner{{engineOurs, targetNative}, {engineOurs, targetBrowser}}
	}
	list := []runner{{engineOurs, targetNative}, {enginePlain, targetNative},
		{enginePeer, targetNative}}
	if inBrowser(task) {
		list = append(list, runner{engineOurs, targetBrowser}, runner{enginePlain, targetBrowser})
	}
	return append(list, runner{enginePeer, targetBrowser})
}

// hasLoop reports whether a task is compared with a loop over its coalitions. Consensus is compared
// with the forward pass instead, because it evaluates far more coalitions than a loop could.
func hasLoop(task string) bool { return task != taskConsensus }

// inBrowser reports whether the npm package offers a task. It does not evaluate plain coalitions.
func inBrowser(task string) bool { return task != taskCoalitions }

// calibrate warms a measurement up, and chooses its repeats and rounds from the time of the job.
func (b *bench) calibrate(c *measurement, s *Subject, z *core.Coalitions) error {
	c.scale = 1
	c.request = Request{Op: "measure", Engine: c.row.Engine, Task: c.row.Task, Subject: s,
		Repeat: 1}
	if c.row.Engine != engineOurs && c.row.Task != taskForward {
		return b.calibrateLoop(c, z)
	}
	ms, err := c.warmUp(b.pace.warmUp)
	if err != nil {
		return err
	}
	// Timers of browsers resolve only 0.1 ms, so short jobs run several times.
	c.request.Repeat = clamp(minMS/ms, 1, 100)
	c.rounds = clamp(b.pace.rowMS/(ms*float64(c.request.Repeat)), 1, b.pace.rounds)
	return nil
}

// calibrateLoop warms a loop up, and chooses the size of its sample and its rounds.
func (b *bench) calibrateLoop(c *measurement, z *core.Coalitions) error {
	c.request.Task, c.request.Sample = taskLoop, sample(z, minSample)
	ms, err := c.warmUp(b.pace.warmUp)
	if err != nil {
		return err
	}
	// The sample grows until it takes about loopMS, so that slow models do not take minutes.
	each := ms / float64(len(c.request.Sample))
	c.request.Sample = sample(z, clamp(b.pace.loopMS/each, minSample, z.Len()))
	n := len(c.request.Sample)
	c.row.Coalitions, c.row.Measured = z.Len(), n
	c.scale = float64(z.Len()) / float64(n)
	c.rounds = clamp(b.pace.rowMS/2/(each*float64(n)), 1, b.pace.rounds)
	return nil
}

// warmUp runs a measurement for the given time and returns the shortest time in milliseconds.
func (c *measurement) warmUp(while time.Duration) (float64, error) {
	best := math.Inf(1)
	for from := time.Now(); ; {
		reply, err := c.child.call(c.request)
		if err != nil {
			return 0, err
		}
		best = min(best, max(reply.MS, 1e-3))
		if time.Since(from) > while {
			return best, nil
		}
	}
}

// clamp rounds v down and limits it to lo..hi.
func clamp(v float64, lo, hi int) int { return int(min(max(v, float64(lo)), float64(hi))) }

// skip adds a sentence to the report's list of skipped jobs, once.
func (b *bench) skip(sentence string) {
	if slices.Contains(b.report.Skipped, sentence) {
		return
	}
	b.report.Skipped = append(b.report.Skipped, sentence)
	fmt.Fprintln(os.Stderr, "skipped:", sentence)
}
