package main

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// coldStart measures from a navigation with empty caches: for bagscope to the first explanation
// that the site computed and drew, for onnxruntime-web to the first prediction of a page with the
// same network.
func (b *bench) coldStart(ctx context.Context) error {
	if !b.only.MatchString(taskCold) {
		return nil
	}
	all, after := map[string][]float64{}, map[string][]float64{}
	for range b.pace.rounds {
		for _, engine := range []string{engineOurs, enginePeer} {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			reply, err := b.askBrowser(Request{Op: "cold", Engine: engine})
			if err != nil {
				b.skip(taskCold + ", " + engine + ": " + err.Error())
				return nil
			}
			all[engine], after[engine] = append(all[engine], reply.MS), append(after[engine],
				reply.After)
		}
	}
	for _, t := range []struct {
		task string
		ms   map[string][]float64
	}{{taskCold, all}, {taskAfterBytes, after}} {
		for _, engine := range []string{engineOurs, enginePeer} {
			row := Row{Job: t.task, Task: t.task, Engine: engine, Target: targetBrowser,
				Note: "to an explanation drawn"}
			if engine == enginePeer {
				row.Note = "to one prediction"
			}
			row.setTimes(t.ms[engine])
			b.report.Rows = append(b.report.Rows, row)
		}
	}
	return nil
}

// shipped weighs what a page has to load.
func (b *bench) shipped() {
	if !b.only.MatchString(taskShipped) {
		return
	}
	for _, engine := range []string{engineOurs, enginePeer} {
		reply, err := b.askBrowser(Request{Op: "shipped", Engine: engine})
		if err != nil {
			b.skip(taskShipped + ", " + engine + ": " + err.Error())
			continue
		}
		b.report.Rows = append(b.report.Rows, Row{
			Job: taskShipped, Task: taskShipped, Engine: engine, Target: targetBrowser,
			Bytes: reply.Shipped, Note: "wasm and JavaScript",
		})
	}
}

func (b *bench) askBrowser(r Request) (Reply, error) {
	c, err := b.engines.at(seat{engineOurs, targetBrowser})
	if err != nil {
		return Reply{}, err
	}
	return c.ask(r)
}

// memory runs MILLI, or a few coalitions of its loop, in fresh processes and asks how large they
// grew.
func (b *bench) memory(ctx context.Context, s *Subject) error {
	job := jobName(taskMemory, s.Model, s.Instances)
	if !b.only.MatchString(job) || !slices.Contains(s.tasks, taskMILLI) {
		return nil
	}
	list := []string{engineOurs}
	var z *core.Coalitions
	if !s.alone {
		list = append(list, enginePeer)
		var err error
		if z, err = loopOf(ctx, s, taskMILLI); err != nil {
			return err
		}
	}
	for _, target := range []string{targetNative, targetBrowser} {
		for _, engine := range list {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			row := Row{Job: job, Task: taskMemory, Model: s.Model, Instances: s.Instances,
				Engine: engine, Target: target}
			requests := []Request{{Op: "measure", Engine: engine, Task: taskMILLI, Subject: s,
				Repeat: 1}}
			row.Note = "after MILLI"
			if engine == enginePeer {
				requests[0].Task, requests[0].Sample = taskLoop, sample(z, leastOf)
				requests = append([]Request{{Op: "measure", Engine: engine, Task: taskForward,
					Subject: s, Repeat: 1}}, requests...)
				row.Note = "after a forward pass and a few coalitions"
			}
			var err error
			if row.PeakBytes, err = b.peak(seat{engine, target}, requests); err != nil {
				b.skip(job + ", " + engine + ", " + target + ": " + err.Error())
				continue
			}
			b.report.Rows = append(b.report.Rows, row)
		}
	}
	return nil
}

// peak returns how large a fresh process of an engine grows over some requests.
func (b *bench) peak(at seat, requests []Request) (int64, error) {
	c, err := b.engines.place.launch(at)
	if err != nil {
		return 0, err
	}
	defer c.close()
	for _, r := range requests {
		if _, err := c.ask(r); err != nil {
			return 0, err
		}
	}
	reply, err := c.ask(Request{Op: "peak"})
	if err == nil && reply.Bytes == 0 {
		err = errors.New("this system does not tell how large a process grew")
	}
	return reply.Bytes, err
}
