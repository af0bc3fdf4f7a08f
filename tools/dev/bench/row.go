package main

import (
	"fmt"
	"slices"
)

// The engines.
const (
	engineOurs  = "bagscope"
	enginePlain = "plain"
	enginePeer  = "onnxruntime"
)

// The targets.
const (
	targetNative  = "native"
	targetBrowser = "chromium"
)

// The tasks. A job is a task on a bag.
const (
	taskForward          = "forward"
	taskConsensus        = "consensus"
	taskMILLI            = "milli"
	taskMILLIExplained   = "milli_explained"
	taskEncode           = "encode"
	taskConsensusEncoded = "consensus_encoded"
	taskMILLIEncoded     = "milli_encoded"
	taskSHAP             = "random_shap"
	taskCoalitions       = "coalitions"
	taskAOPCR            = "aopc_r"
	taskCold             = "cold_start"
	taskAfterBytes       = "cold_start_after_bytes"
	taskMemory           = "memory"
)

// encoded is the suffix of tasks that begin with an encoded bag.
const encoded = "_encoded"

// A Row is one line of the table: the time or memory of one engine in one job.
type Row struct {
	Job       string // task, model and size of the bag
	Task      string
	Model     string
	Instances int
	Engine    string
	Target    string

	// Times of the whole job in milliseconds, over Rounds rounds.
	MedianMS float64
	MinMS    float64
	MaxMS    float64
	Rounds   int

	// Coalitions is the number of coalitions of a loop, Measured that of its sample.
	Coalitions int
	Measured   int

	PeakBytes int64

	// RatioToPeer is the median divided by that of onnxruntime in the same job on the same target,
	// RatioToForward the median divided by its forward pass of the full bag. Memory is compared by
	// its peak.
	RatioToPeer    *float64
	RatioToForward *float64

	Note string
}

// jobName returns the name of a job, such as "milli crc k=264".
func jobName(task, model string, instances int) string {
	if model == "" {
		return task
	}
	if instances == 0 {
		return task + " " + model
	}
	return fmt.Sprintf("%s %s k=%d", task, model, instances)
}

// measured returns the value by which a row is compared.
func (r Row) measured() float64 {
	if r.PeakBytes > 0 {
		return float64(r.PeakBytes)
	}
	return r.MedianMS
}

// setTimes sets the times of a row from those of its rounds, unless there are none.
func (r *Row) setTimes(ms []float64) {
	if len(ms) == 0 {
		return
	}
	r.MedianMS, r.MinMS, r.MaxMS, r.Rounds = median(ms), slices.Min(ms), slices.Max(ms), len(ms)
}

// compare sets the ratios of all rows. The peer's own rows have no RatioToPeer.
func compare(rows []Row) {
	// Rows of the peer come in any order, so they are collected first.
	type key struct{ job, target string }
	peer := map[key]Row{}
	for _, r := range rows {
		if r.Engine == enginePeer {
			peer[key{r.Job, r.Target}] = r
		}
	}
	for i := range rows {
		r := &rows[i]
		if p, ok := peer[key{r.Job, r.Target}]; ok && r.Engine != enginePeer {
			r.RatioToPeer = ratio(r.measured(), p.measured())
		}
		if r.Task == taskForward || r.MedianMS == 0 {
			continue
		}
		if f, ok := peer[key{jobName(taskForward, r.Model, r.Instances), r.Target}]; ok {
			r.RatioToForward = ratio(r.MedianMS, f.MedianMS)
		}
	}
}
