//go:build unix

package server

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// bagFolder returns a folder of bags with what must not be read beside its files, and files
// outside.
func bagFolder(t *testing.T) *os.Root {
	t.Helper()
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "bags"), filepath.Join(dir, "outside")
	bags := load(t, digitBags)
	for _, err := range []error{
		os.MkdirAll(filepath.Join(inside, "a", "folder.npz"), 0o755),
		os.MkdirAll(outside, 0o755),
		os.WriteFile(filepath.Join(inside, "a", "bags.npz"), bags, 0o600),
		os.WriteFile(filepath.Join(outside, "bags.npz"), bags, 0o600),
		os.WriteFile(filepath.Join(inside, "hidden.npz"), bags, 0o000),
		os.Symlink("a/bags.npz", filepath.Join(inside, "inner.npz")),
		os.Symlink("../outside/bags.npz", filepath.Join(inside, "outer.npz")),
		os.Symlink(filepath.Join(outside, "bags.npz"), filepath.Join(inside, "absolute.npz")),
		os.Symlink("../outside", filepath.Join(inside, "out")),
		os.Symlink("loop.npz", filepath.Join(inside, "loop.npz")),
		os.Symlink("/dev/zero", filepath.Join(inside, "zero.npz")),
		syscall.Mkfifo(filepath.Join(inside, "pipe.npz"), 0o600),
	} {
		must.Do(t, err)
	}
	root := must.Get(os.OpenRoot(inside))(t)
	t.Cleanup(func() { root.Close() })
	return root
}

// pathParts returns the form of a request about the bag at a path.
func pathParts(path, request string) []part {
	return []part{{name: "model", data: []byte("model")}, {name: "bag", data: []byte(path)},
		{name: "request", data: []byte(request)}}
}

// TestBagFolder reads bags by their paths below a folder, and nothing else.
func TestBagFolder(t *testing.T) {
	root := bagFolder(t)
	_, url := serve(t, Options{Bags: root})
	_, _, want := post(t, url+"/v1/predict", "", digitParts(t, `{"index":2}`)...)
	for _, path := range []string{"a/bags.npz", "inner.npz", "./a/../a/bags.npz"} {
		status, _, body := post(t, url+"/v1/predict", "", pathParts(path, `{"index":2}`)...)
		must.Equal(t, status, 200, path, body)
		must.Equal(t, strings.ReplaceAll(string(body), `"inner"`, `"bags"`), string(want), path,
			body)
	}
	const local = "must be relative to the folder of bags"
	const away = "cannot be read"
	for path, c := range map[string][2]string{
		"":                           {"request", local},
		"../outside/bags.npz":        {"request", local},
		"a/../../outside/bags.npz":   {"request", local},
		"/etc/passwd":                {"request", local},
		root.Name() + "/a/bags.npz":  {"request", local},
		`..\outside\bags.npz`:        {"request", local},
		"a/bags.npz\x00":             {"request", local},
		"outer.npz":                  {"request", away},
		"absolute.npz":               {"request", away},
		"out/bags.npz":               {"request", away},
		"loop.npz":                   {"request", away},
		"zero.npz":                   {"request", away},
		"pipe.npz":                   {"request", "a folder, pipe or device"},
		"a":                          {"request", "a folder, pipe or device"},
		"a/folder.npz":               {"request", "a folder, pipe or device"},
		"missing.npz":                {"unknown", "has no file"},
		"a/bags.npz/b":               {"request", away},
		strings.Repeat("a", 300):     {"request", away},
		strings.Repeat("a/", 20_000): {"limit", "4096"},
	} {
		status, kind, body := post(t, url+"/v1/predict", "", pathParts(path, "{}")...)
		wantProblem(t, path, status, kind, body, c[0], c[1])
		if strings.Contains(string(body), "outside/bags.npz\"") &&
			!strings.Contains(path, "outside") {
			t.Errorf("%q: the problem contains a path of the operator: %s", path, body)
		}
	}
	_, plain := serve(t, Options{})
	status, kind, body := post(t, plain+"/v1/predict", "", pathParts("a/bags.npz", "{}")...)
	wantProblem(t, "no folder", status, kind, body, "request", "--bags DIR")
	_, small := serve(t, Options{Bags: root, Limits: Limits{Unpacked: 100}})
	status, kind, body = post(t, small+"/v1/predict", "", pathParts("a/bags.npz", "{}")...)
	wantProblem(t, "a large file", status, kind, body, "limit", "100 bytes")
}

// TestBagFolderJobs explains the same bags by a form with paths, by JSON with paths, and sent.
func TestBagFolderJobs(t *testing.T) {
	root := bagFolder(t)
	_, url, _ := keeping(t, t.TempDir(), Options{Bags: root}, jobs.Limits{})
	request := `{"methods":["single"],"index":1}`
	sent := addJob(t, url, digitParts(t, request)...)
	byForm := addJob(t, url, pathParts("a/bags.npz", request)...)
	status, body := postJob(t, url,
		`{"models":["model"],"bags":[{"path":"a/bags.npz"}],"request":`+request+`}`)
	var byJSON jobs.Job
	must.Do(t, json.Unmarshal(body, &byJSON))
	must.Equal(t, status, http.StatusAccepted, body)
	var lines []string
	for _, j := range []string{sent.ID, byForm.ID, byJSON.ID} {
		if j := ended(t, url, j); j.Failed != 0 || j.Total != 1 {
			t.Errorf("%+v", j)
		}
		_, _, line := get(t, url+"/v1/jobs/"+j+"/results")
		lines = append(lines, strings.ReplaceAll(string(line), "a/bags.npz", "bags.npz"))
	}
	must.Equal(t, lines[0], lines[1], "the results differ:\n")
	must.Equal(t, lines[0], lines[2], "the results differ:\n")
	for body, says := range map[string]string{
		`[{"path":"../x.npz"}]`:                         "must be relative",
		`[{"path":"a/bags.npz","file":"b","data":""}]`:  "send one of both",
		`[{"path":"a/bags.npz","path":"a/bags.npz"}]`:   "occurs twice",
		`[{"Path":"a/bags.npz"}]`:                       "Path",
		`[{"path":["a"]}]`:                              "does not accept",
		`[{"file":"b.npz","data":"!"}]`:                 "base64",
		`[{"data":"AAAA"}]`:                             "no file name",
		`[{"path":"a/bags.npz"}, {"path":"/dev/zero"}]`: "must be relative",
	} {
		status, answer := postJob(t, url, `{"models":["model"],"bags":`+body+`}`)
		must.Equal(t, status, http.StatusBadRequest, body, answer)
		must.Contain(t, string(answer), says)
	}
}

// TestBagFolderChanges changes a file between the creation of a job and its bags: the job must not
// mix two files.
func TestBagFolderChanges(t *testing.T) {
	root := bagFolder(t)
	store := must.Get(jobs.Open(t.TempDir(), jobs.Limits{}))(t)
	defer store.Close()
	s := must.Get(New(Options{Bags: root, Jobs: store, Models: mustModels(t)}))(t)
	c := &cohort{upload: &upload{bags: []sentBag{{Below: true}}}, names: []string{"model"},
		request: json.RawMessage(`{"methods":["single"]}`)}
	c.upload.bags[0].Name = "a/bags.npz"
	n, err := s.job(t.Context(), c)
	if err != nil || len(n.Files) != 0 || len(n.Items) < 2 {
		t.Fatalf("%v; %d files and %d items", err, len(n.Files), len(n.Items))
	}
	o := &opened{server: s, spec: &jobSpec{}, memory: s.limits.part()}
	must.Do(t, json.Unmarshal(n.Spec, o.spec))
	must.Do(t, root.WriteFile("a/bags.npz", []byte("bag,f1\na,1\n"), 0o600))
	must.Fail(t, must.Err(o.set(t.Context(), 0, 0, nil)), "has changed since")
	must.Do(t, root.Remove("a/bags.npz"))
	o.bags, o.bagsErr = nil, nil
	must.Fail(t, must.Err(o.set(t.Context(), 0, 0, nil)), "has no file")
}

// TestChangedFile checks that a file below the folder that is written to while it is open is found,
// and that an error of reading it has no path of the operator.
func TestChangedFile(t *testing.T) {
	root := bagFolder(t)
	s, _ := serve(t, Options{Bags: root})
	f := must.Get(s.openBelow("a/bags.npz"))(t)
	if f.changed() {
		t.Error("an unchanged file counts as changed")
	}
	must.Do(t, root.WriteFile("a/bags.npz", []byte("other"), 0o600))
	if !f.changed() {
		t.Error("a changed file counts as unchanged")
	}
	f.Close()
	if _, err := f.ReadAt(make([]byte, 1), 0); err == nil ||
		strings.Contains(err.Error(), root.Name()) {
		t.Errorf("reading a closed file gives %v", err)
	}
}
