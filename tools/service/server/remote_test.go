package server

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// TestRemote: a server explains a model that another has, in requests and in jobs; when that one
// fails it says so, and not where it is.
func TestRemote(t *testing.T) {
	_, behind := serve(t, Options{})
	to := must.Get(url.Parse(behind))(t)
	var fails atomic.Bool
	pass := httputil.NewSingleHostReverseProxy(to)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails.Load() {
			http.Error(w, `{"error":"out of memory"}`, http.StatusInternalServerError)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	defer gateway.Close()
	m := must.Get(oip.Open(t.Context(), "oip+"+gateway.URL+"/model",
		oip.Options{Backoff: time.Millisecond}))(t)
	models := must.Get((*Models)(nil).With(m))(t)
	must.Fail(t, must.Err(models.With(m)))
	_, url, _ := keeping(t, t.TempDir(), Options{Models: models}, jobs.Limits{})
	parts := digitParts(t, `{"index":3,"methods":["single"]}`)
	status, _, explained := post(t, url+"/v1/explain", "", parts...)
	must.Equal(t, status, http.StatusOK, explained)
	must.Equal(t, strings.Contains(string(explained), "runs on a server"), true, status, explained)
	if status, _, body := get(t, url+"/v2/models/model"); status != http.StatusOK ||
		!strings.Contains(string(body), "an 8 and a 9") {
		t.Errorf("%d %s", status, body)
	}
	j := ended(t, url, addJob(t, url, parts...).ID)
	must.Equal(t, string(results(t, url, j.ID)[0].Result)+"\n", string(explained), explained)
	fails.Store(true)
	status, kind, body := post(t, url+"/v1/explain", "", parts...)
	wantProblem(t, "it fails", status, kind, body, "elsewhere", "out of memory")
	must.Equal(t, strings.Contains(string(body), gateway.URL[7:]), false, body)
	j = ended(t, url, addJob(t, url, parts...).ID)
	if l := results(t, url, j.ID)[0]; l.Problem == nil || l.Problem.Kind != "elsewhere" {
		t.Errorf("%+v", l)
	}
}
