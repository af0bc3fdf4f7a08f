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
	taskShipped          = "shipped"
	taskMemory           = "memory"
)

// encoded is the suffix of tasks that begin with an encoded bag.
const encoded = "_encoded"

// A Row is one line of the table: the time, bytes or memory of one engine in one job.
type Row struct {
	Job       string `json:"job"` // task, model and size of the bag
	Task      string `json:"task"`
	Model     string `json:"model,omitempty"`
	Instances int    `json:"instances,omitempty"`
	Engine    string `json:"engine"`
	Target    string `json:"target"`

	// Times of the whole job in milliseconds, over Rounds rounds.
	MedianMS float64 `json:"median_ms,omitempty"`
	MinMS    float64 `json:"min_ms,omitempty"`
	MaxMS    float64 `json:"max_ms,omitempty"`
	Rounds   int     `json:"rounds,omitempty"`

	// Coalitions is the number of coalitions of a loop, Measured that of its sample.
	Coalitions int `json:"coalitions,omitempty"`
	Measured   int `json:"measured,omitempty"`

	// InstanceUS is the median of consensus_encoded for one instance in microseconds. Growth is its
	// ratio to that of the model's smallest bag.
	InstanceUS float64  `json:"instance_us,omitempty"`
	Growth     *float64 `json:"growth,omitempty"`

	Bytes     *Shipped `json:"bytes,omitempty"`
	PeakBytes int64    `json:"peak_bytes,omitempty"`

	// RatioToPeer is the median divided by that of onnxruntime in the same job on the same target,
	// RatioToForward the median divided by its forward pass of the full bag. Shipped bytes are
	// compared as brotli, memory by its peak.
	RatioToPeer    *float64 `json:"ratio_to_peer"`
	RatioToForward *float64 `json:"ratio_to_forward,omitempty"`

	Note string `json:"note,omitempty"`
}

// Shipped holds the sizes of files in bytes: uncompressed, and compressed as hosts send them.
type Shipped struct {
	Raw    int64 `json:"raw"`
	Gzip   int64 `json:"gzip"`
	Brotli int64 `json:"brotli"`
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
	switch {
	case r.Bytes != nil:
		return float64(r.Bytes.Brotli)
	case r.PeakBytes > 0:
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
	compareSizes(rows)
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

// compareSizes sets the cost of an instance in bags of different sizes.
func compareSizes(rows []Row) {
	type key struct{ model, target string }
	// The first pass finds the smallest bag of each model, the second one compares with it.
	smallest := map[key]Row{}
	for i := range rows {
		r := &rows[i]
		if r.Task != taskConsensusEncoded {
			continue
		}
		r.InstanceUS = 1000 * r.MedianMS / float64(r.Instances)
		at := key{r.Model, r.Target}
		if s, ok := smallest[at]; !ok || r.Instances < s.Instances {
			smallest[at] = *r
		}
	}
	for i := range rows {
		r := &rows[i]
		if s := smallest[key{r.Model, r.Target}]; r.InstanceUS > 0 && r.Instances > s.Instances {
			r.Growth = ratio(r.InstanceUS, s.InstanceUS)
		}
	}
}
