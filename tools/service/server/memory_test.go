package server

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// TestMemoryBusy lets others hold the memory: a request is told to try again, and the bags of a job
// wait. Both succeed afterwards with nothing reserved but the registered models.
func TestMemoryBusy(t *testing.T) {
	limits := Limits{Memory: 300}.WithMemory()
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: limits}, jobs.Limits{})
	models := limits.Held.Held()
	if models == 0 {
		t.Error("registered models are not counted")
	}
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
	if j := ended(t, url, j); j.Failed != 0 || j.Done != j.Total {
		t.Errorf("%+v", j)
	}
	// Idle machines of the registered model keep a small part.
	until(t, "the memory is released", func() bool { return limits.Held.Held() < models+20e6 })
	if s.limits.Held != limits.Held {
		t.Error("the server counts elsewhere")
	}
}
