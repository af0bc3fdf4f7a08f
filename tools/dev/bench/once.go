package main

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// coldStart measures the time from a navigation with empty caches. For bagscope it ends when the
// site has computed and drawn its first explanation, for onnxruntime-web at the first prediction of
// a page with the same network.
func (b *bench) coldStart(ctx context.Context) error {
	if !b.only.MatchString(taskCold) {
		return nil
	}
	all, after := map[string][]float64{}, map[string][]float64{}
	for range b.pace.rounds {
		// Both engines alternate, because the load of the machine changes.
		for _, engine := range []string{engineOurs, enginePeer} {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			reply, err := b.callBrowser(Request{Op: "cold", Engine: engine})
			if err != nil {
				b.skip(taskCold + ", " + engine + ": " + err.Error())
				return nil
			}
			all[engine] = append(all[engine], reply.MS)
			after[engine] = append(after[engine], reply.After)
		}
	}
	add := func(task, engine, note string, ms []float64) {
		row := Row{Job: task, Task: task, Engine: engine, Target: targetBrowser, Note: note}
		row.setTimes(ms)
		b.report.Rows = append(b.report.Rows, row)
	}
	add(taskCold, engineOurs, "to an explanation drawn", all[engineOurs])
	add(taskCold, enginePeer, "to one prediction", all[enginePeer])
	add(taskAfterBytes, engineOurs, "to an explanation drawn", after[engineOurs])
	add(taskAfterBytes, enginePeer, "to one prediction", after[enginePeer])
	return nil
}

// callBrowser sends a request to the process of the browser.
func (b *bench) callBrowser(r Request) (Reply, error) {
	c, err := b.engines.at(runner{engineOurs, targetBrowser})
	if err != nil {
		return Reply{}, err
	}
	return c.call(r)
}

// memory measures the largest resident set of a new process for each engine: after MILLI for
// bagscope, and after a forward pass and a few coalitions of MILLI's loop for ONNX Runtime.
func (b *bench) memory(ctx context.Context, s *Subject) error {
	job := jobName(taskMemory, s.Model, s.Instances)
	if !b.only.MatchString(job) || !slices.Contains(s.tasks, taskMILLI) {
		return nil
	}
	list := []string{engineOurs}
	var z *core.Coalitions
	if !s.withoutPeers {
		list = append(list, enginePeer)
		var err error
		if z, err = coalitionsOf(ctx, s, taskMILLI); err != nil {
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
			request := Request{Op: "measure", Engine: engine, Task: taskMILLI, Subject: s,
				Repeat: 1}
			requests := []Request{request}
			row.Note = "after MILLI"
			if engine == enginePeer {
				forward, loop := request, request
				forward.Task = taskForward
				loop.Task, loop.Sample = taskLoop, sample(z, minSample)
				requests = []Request{forward, loop}
				row.Note = "after a forward pass and a few coalitions"
			}
			var err error
			if row.PeakBytes, err = b.peak(runner{engine, target}, requests); err != nil {
				b.skip(job + ", " + engine + ", " + target + ": " + err.Error())
				continue
			}
			b.report.Rows = append(b.report.Rows, row)
		}
	}
	return nil
}

// peak returns the largest resident set of a new process of an engine after some requests, in
// bytes.
func (b *bench) peak(at runner, requests []Request) (int64, error) {
	c, err := b.engines.paths.launch(at)
	if err != nil {
		return 0, err
	}
	defer c.close()
	for _, r := range requests {
		if _, err := c.call(r); err != nil {
			return 0, err
		}
	}
	reply, err := c.call(Request{Op: "peak"})
	if err == nil && reply.Bytes == 0 {
		err = errors.New("this system does not report the largest resident set of a process")
	}
	return reply.Bytes, err
}
