package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// jobList is the JSON of GET /v1/jobs.
type jobList struct {
	Jobs []*jobs.Job `json:"jobs"`
}

// withJobs wraps a handler of jobs. It returns a problem if the server has no store.
func (s *Server) withJobs(
	answer func(w http.ResponseWriter, r *http.Request) error,
) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.Jobs == nil {
			return problem("no-jobs", "this server does not accept jobs; start it with --data DIR")
		}
		return answer(w, r)
	}
}

// addJob handles POST /v1/jobs. It responds after the job is on disk.
func (s *Server) addJob(w http.ResponseWriter, r *http.Request) error {
	if err := s.Jobs.Room(0, 0); err != nil {
		return err // the body is not read
	}
	c, err := s.receiveCohort(w, r)
	if err != nil {
		return err
	}
	return s.compute(r, func(ctx context.Context) error {
		n, err := s.job(ctx, c)
		if err = settled(ctx, err); err != nil {
			return err
		}
		m, writing := quota.MemoryOf(ctx), n.Writing()
		if err := m.Reserve(writing, "storing the job"); err != nil {
			return err
		}
		j, err := s.Jobs.Add(n)
		m.Release(writing)
		if err != nil {
			return err
		}
		data, err := encode(j)
		if err != nil {
			return err
		}
		// Relative to /v1/jobs, so that it stays below the prefix of a proxy.
		w.Header().Set("Location", "jobs/"+j.ID)
		return s.sendStatus(w, http.StatusAccepted, "application/json", data)
	})
}

// listJobs handles GET /v1/jobs.
func (s *Server) listJobs(w http.ResponseWriter, _ *http.Request) error {
	list, err := s.Jobs.List()
	if err != nil {
		return err
	}
	return s.sendJSON(w, jobList{ask.List(list)})
}

// showJob handles GET /v1/jobs/ID. It sends the state of the job or, to a client that accepts
// events, its progress until it ends.
func (s *Server) showJob(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	j, err := s.Jobs.Get(id)
	if err != nil {
		return err
	}
	if !acceptsEvents(r) {
		return s.sendJSON(w, j)
	}
	_, done, err := s.watch(r)
	if err != nil {
		return err
	}
	defer done()
	e := &events{server: s, w: w, wanted: true}
	defer e.end()
	show := e.begin()
	for {
		changed := s.Jobs.Changed() // must precede Get, so that no change between them is missed
		if j, err = s.Jobs.Get(id); err != nil {
			return e.fail(err)
		}
		show(j.Done, j.Total)
		if j.State.Ended() {
			if err := e.result(j); err != nil {
				return e.fail(err)
			}
			return nil
		}
		select {
		case <-changed:
		case <-s.stopped:
			return e.fail(errStopping)
		case <-r.Context().Done():
			return e.fail(context.Cause(r.Context()))
		}
		// Many bags can finish between two events. Read the record only as often as progress is
		// sent.
		select {
		case <-time.After(progressEvery):
		case <-r.Context().Done():
		}
	}
}

// endJob handles DELETE /v1/jobs/ID. It cancels a running job, and removes a finished job with its
// results.
func (s *Server) endJob(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	j, err := s.Jobs.Get(id)
	if err != nil {
		return err
	}
	end := s.Jobs.Cancel
	if j.State.Ended() {
		end = s.Jobs.Remove
	}
	if j, err = end(id); err != nil {
		return err
	}
	return s.sendJSON(w, j)
}

// jsonLines is the content type of results: one JSON object per line.
const jsonLines = "application/x-ndjson"

// resultBytes is the number of result bytes that are read at a time. No transaction stays open
// while a client reads them.
const resultBytes = 1 << 20

// jobResults handles GET /v1/jobs/ID/results. It sends the available results, one line per bag, in
// the order of completion.
func (s *Server) jobResults(w http.ResponseWriter, r *http.Request) error {
	after := 0
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.Atoi(text); err != nil || after < 0 {
			return problem("request", "after=%s is not a number of lines to skip",
				strings.ToValidUTF8(text, "?"))
		}
	}
	m, done, err := s.watch(r)
	if err != nil {
		return err
	}
	defer done()
	id := r.PathValue("id")
	// The first read is before the status, so that an unknown job is a problem.
	reserve := reserveIn(m, "results of the job")
	lines, next, err := s.Jobs.Results(reserve, id, after, resultBytes)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonLines)
	w.WriteHeader(http.StatusOK)
	for len(lines) > 0 {
		for _, line := range lines {
			s.extendWriteDeadline(w)
			if _, err := w.Write(line); err != nil {
				return nil // the client has disconnected
			}
		}
		m.Close()
		if lines, next, err = s.Jobs.Results(reserve, id, next, resultBytes); err != nil {
			s.Log.Error("store", "error", err.Error())
			panic(http.ErrAbortHandler) // the response must not look complete
		}
	}
	return nil
}
