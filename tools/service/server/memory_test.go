package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// TestMemoryBusy lets others hold the memory: a request is told to try again, and the bags of a job
// wait. Both succeed afterwards with nothing reserved but the registered models.
func TestMemoryBusy(t *testing.T) {
	limits := Limits{Memory: 300}.WithMemory()
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: limits}, jobs.Limits{})
	models := limits.Held.Held()
	must.Equal(t, models != 0, true, "registered models are not counted")
	request := `{"methods":["single"]}`
	j := func() string {
		other := limits.part()
		defer other.Close()
		const upload = 2e6 // enough to receive the job, too little to run it
		must.Do(t, other.Reserve(300e6-limits.Held.Held()-upload, "another request"))
		j := addJob(t, url, digitParts(t, request)...)
		// The upload gives its memory back in parts, each of which is taken before a request.
		until(t, "a request finds no memory", func() bool {
			if free := 300e6 - limits.Held.Held(); free > 1e4 {
				_ = other.Reserve(free-1e4, "another request") // fails if others were faster
			}
			body, kind := form(t, digitParts(t, request)...)
			response := must.Get(http.Post(url+"/v1/explain", kind, bytes.NewReader(body)))(t)
			defer response.Body.Close()
			return response.StatusCode == http.StatusServiceUnavailable &&
				response.Header.Get("Retry-After") != ""
		})
		return j.ID
	}()
	if status, _, body := post(t, url+"/v1/explain", "", digitParts(t, request)...); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if now := ended(t, url, j); now.Failed != 0 || now.Done != now.Total {
		t.Errorf("%+v; the problem of the first bag is %+v", now, results(t, url, j)[0].Problem)
	}
	// Idle machines of the registered model keep a small part.
	until(t, "the memory is released", func() bool { return limits.Held.Held() < models+20e6 })
	must.Equal(t, s.limits.Held, limits.Held, "the server counts elsewhere")
}

// TestRequestOfJobFindsNoMemory: a job whose request cannot be read because others hold the memory
// is opened again later, and its bags have no result.
func TestRequestOfJobFindsNoMemory(t *testing.T) {
	limits := Limits{Memory: 300}.WithMemory()
	s, _ := serve(t, Options{Limits: limits})
	spec := must.Get(json.Marshal(jobSpec{Request: []byte(`{"methods":["single"]}`)}))(t)
	for _, free := range []int64{0, specShare * int64(len(spec)), 1e6} {
		// What the start of the server gives back meanwhile is free, too: then it is tried again.
		until(t, fmt.Sprintf("the request with %d free bytes", free), func() bool {
			other := limits.part()
			defer other.Close()
			if other.Reserve(300e6-limits.Held.Held()-free, "another request") != nil {
				return false
			}
			o, err := s.openSpec("job", spec, nil, nil)
			defer o.close()
			if err == nil && o.planErr != nil {
				t.Errorf("%d bytes are free: the request fails: %v", free, o.planErr)
			}
			return errors.As(err, new(*quota.MemoryBusyError)) == (free < 1e6)
		})
	}
}
