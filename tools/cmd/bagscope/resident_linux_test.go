package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// resident returns the memory of a process in MB (1e6 bytes): its present or, for VmHWM, its
// largest resident set.
func resident(t *testing.T, pid int, key string) float64 {
	t.Helper()
	return residentIn(t, fmt.Sprintf("/proc/%d/status", pid), key)
}

// residentIn is resident for a copy of the status.
func residentIn(t *testing.T, file, key string) float64 {
	t.Helper()
	data := must.Get(os.ReadFile(file))(t)
	for line := range strings.Lines(string(data)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, key+": %f kB", &kib); n == 1 {
			return kib * 1024 / 1e6
		}
	}
	t.Fatalf("no %s in the status of the process", key)
	return 0
}

// forgetPeak makes the present resident set the largest one.
func forgetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Log(err) // peaks are then those of all cases before
	}
}

// A hostileRequest is a request that takes hundreds of megabytes if memory has no bound.
type hostileRequest struct {
	path, kind string
	body       []byte
	fits       bool // it may also succeed
}

// hostileRequests returns requests by what they send.
func hostileRequests(t *testing.T) map[string]hostileRequest {
	t.Helper()
	requests := map[string]hostileRequest{}
	form := func(model, bag string, modelData, bagData []byte, request string) hostileRequest {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		if modelData == nil {
			w.WriteField("model", model)
		} else if part, err := w.CreateFormFile("model", model); err == nil {
			part.Write(modelData)
		}
		if part, err := w.CreateFormFile("bag", bag); err == nil {
			part.Write(bagData)
		}
		w.WriteField("request", request)
		w.Close()
		return hostileRequest{path: "/v1/explain", kind: w.FormDataContentType(),
			body: body.Bytes()}
	}
	const request = `{"methods":["single"],"patch_size":28}`
	small := []byte("bag,f1,f2\na,1,2\na,3,4\n")
	result := form("c.onnx", "b.npy", manyClasses(), numbered(100_000), request)
	result.fits = true
	requests["result of 50 MB"] = result
	requests["model"] = form("c.onnx", "b.csv", constantModel(1<<28), small, request)
	within := form("c.onnx", "b.csv", constantModel(20<<20), small, request)
	within.fits = true
	requests["model within the limit"] = within
	for name, data := range hostileBags(t) {
		requests[name] = form("model", name, nil, data, request)
	}
	requests["request"] = form("model", "b.csv", nil, small,
		`{"methods":[`+strings.Repeat(`"a",`, 200_000)+`"a"]}`)
	jobs := func(body string) hostileRequest {
		return hostileRequest{path: "/v1/jobs", kind: "application/json", body: []byte(body),
			fits: true}
	}
	requests["base64 job"] = jobs(`{"models":["model"],"bags":[{"file":"a.npy","data":"` +
		base64.StdEncoding.EncodeToString(make([]byte, 60<<20)) + `"}]}`)
	requests["nested job"] = jobs(strings.Repeat("[", 60<<20))
	requests["many bags"] = jobs(`{"models":["model"],"bags":[` +
		strings.Repeat(`{},`, 10<<20) + `{}]}`)
	requests["inference"] = hostileRequest{path: "/v2/models/model/infer", fits: true,
		kind: "application/json", body: []byte(`{"inputs":[{"name":"bag","datatype":"FP32",` +
			`"shape":[30000,1,28,28],"data":[` + strings.Repeat("0,", 30000*784-1) + `0]}]}`)}
	var parts bytes.Buffer
	w := multipart.NewWriter(&parts)
	for range 90_000 {
		w.CreateFormFile("bag", strings.Repeat("n", 100)+".csv")
	}
	w.Close()
	requests["many parts"] = hostileRequest{path: "/v1/jobs", kind: w.FormDataContentType(),
		body: parts.Bytes(), fits: true}
	return requests
}

// sent posts a request and returns the status of the response.
func sent(url string, r hostileRequest) (int, error) {
	response, err := http.Post(url+r.path, r.kind, bytes.NewReader(r.body))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

const (
	// programMB is what the process may take beside --memory: see the server's README.
	programMB = 64.
	// keptMB is what the server may take more than at rest after five seconds.
	keptMB = 25.
)

// TestResidentMemoryOfServer sends hostile requests, each by several clients at a time, beside an
// honest one. The resident set must stay below --memory and what the program takes, and be back at
// that of rest within five seconds.
func TestResidentMemoryOfServer(t *testing.T) {
	const limit = 200.
	url, c := servingChild(t, "--memory", fmt.Sprint(limit), "--concurrency", "4", "--data",
		t.TempDir())
	body, kind := form(t, exampleBags, `{"methods":["single"]}`, false)
	honest := hostileRequest{path: "/v1/explain", kind: kind, body: body.Bytes()}
	if status, err := sent(url, honest); status != http.StatusOK {
		t.Fatal(status, err)
	}
	rest := resident(t, c.Process.Pid, "VmRSS")
	requests := hostileRequests(t)
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		t.Run(name, func(t *testing.T) {
			forgetPeak(t, c.Process.Pid)
			var clients sync.WaitGroup
			var statuses [3]int
			for i := range statuses {
				clients.Go(func() {
					r := requests[name]
					status, err := sent(url, r)
					statuses[i] = status
					// A connection can break where the server answers before it has read the body.
					if r.fits && (err != nil || status < 500) {
						return
					}
					if err != nil || status/100 != 4 && status != http.StatusServiceUnavailable {
						t.Errorf("a hostile request gets %d, %v", status, err)
					}
				})
			}
			for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
				status, err := sent(url, honest)
				if status == http.StatusOK {
					break
				}
				must.Do(t, err, status)
				must.Equal(t, status, http.StatusServiceUnavailable)
				must.Equal(t, time.Now().After(end), false, status)
			}
			clients.Wait()
			peak := resident(t, c.Process.Pid, "VmHWM")
			must.Equal(t, peak <= limit+programMB, true, peak, limit, programMB)
			now, end := 0., time.Now().Add(patience)
			for time.Now().Before(end) {
				if now = resident(t, c.Process.Pid, "VmRSS"); now <= rest+keptMB {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Logf("| %s | %d KB | %v | %.0f MB | %.0f MB | (at rest %.0f MB)", name,
				len(requests[name].body)/1000, statuses, peak, now, rest)
			must.Equal(t, now <= rest+keptMB, true, now, patience, rest)
		})
	}
}

// peakOf runs bagscope with some arguments and returns the largest resident set in MB, and what it
// printed.
func peakOf(t *testing.T, args ...string) (peak float64, text string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	// The resource usage of a process also counts what its parent held when it began.
	status := filepath.Join(t.TempDir(), "status")
	c.Env = append(os.Environ(), childArguments+"="+strings.Join(args, "\n"),
		childStatus+"="+status)
	out, _ := c.CombinedOutput()
	return residentIn(t, status, "VmHWM"), string(out)
}

// TestResidentMemoryOfCommands gives hostile files to the commands under --memory.
func TestResidentMemoryOfCommands(t *testing.T) {
	const limit = 64.
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		must.Do(t, os.WriteFile(path, data, 0o600))
		return path
	}
	base, _ := peakOf(t, "version")
	sparse := func(name string, begin []byte) string {
		path := write(name, begin)
		must.Do(t, os.Truncate(path, 10e9))
		return path
	}
	sparse("weights", nil)
	external := write("external.onnx", externalModel(1<<28))
	small := write("a.csv", []byte("bag,f1,f2\na,1,2\na,3,4\n"))
	model := write("c.onnx", constantModel(1<<28))
	cases := map[string]string{
		"predict model":          "predict --model " + model + " --bag " + small,
		"explain model":          "explain --model " + model + " --bag " + small,
		"evaluate model":         "evaluate --model " + model + " --bags " + small,
		"inspect model":          "inspect --model " + model,
		"plan of model":          "inspect --stage plan --model " + model,
		"graph of model":         "inspect --stage graph --json --model " + model,
		"explain endless device": "explain --model " + exampleModel + " --bag /dev/zero",
		"predict endless model":  "predict --model /dev/zero --bag " + small,
		"predict endless card":   "predict --card /dev/zero --model " + model + " --bag " + small,
		"explain endless regions": "explain --region /dev/zero --model " + model +
			" --bag " + small,
		"inspect bag bomb.npy.gz": "inspect --stage plan --model " + exampleModel +
			" --bag bomb.npy.gz",
		"evaluate bag bomb.npy.gz": "evaluate --model " + exampleModel + " --bags bomb.npy.gz",
	}
	cases["predict external tensor"] = "predict --model " + external + " --bag " + small
	cases["predict sparse model"] = "predict --model " + sparse("sparse.onnx", nil) +
		" --bag " + small
	for name, begin := range map[string]string{"sparse.npy": "\x93NUMPY\x01\x00",
		"sparse.csv": "bag,f1\n", "sparse.tif": "II*\x00", "sparse.h5": "\x89HDF\r\n\x1a\n",
		"sparse.pt": "PK\x03\x04"} {
		sparse(name, []byte(begin))
		cases["predict "+name] = "predict --model " + exampleModel + " --bag " + name
	}
	for name, data := range hostileBags(t) {
		write(name, data)
		cases["predict "+name] = "predict --patch-size 28 --model " + exampleModel +
			" --bag " + name
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			args := strings.Fields(cases[name])
			if last := args[len(args)-1]; strings.Contains(last, ".") && filepath.Dir(last) == "." {
				args[len(args)-1] = filepath.Join(folder, last)
			}
			peak, text := peakOf(t, append(args, "--memory", fmt.Sprint(limit))...)
			t.Logf("| %s | %.0f MB | (at rest %.0f MB) %.120s", name, peak, base, text)
			// Only what needs no memory for the model succeeds. Other commands fail by their file.
			succeeds := name == "inspect model" || name == "graph of model"
			refused := strings.HasPrefix(text, "bagscope: ") &&
				(strings.Contains(text, "only 64 MB are allowed") ||
					slices.ContainsFunc(args, func(arg string) bool {
						return filepath.Ext(arg) != "" && strings.Contains(text, filepath.Base(arg))
					}))
			must.Equal(t, refused != succeeds, true, refused, text)
			must.Equal(t, peak <= limit+programMB, true, text, peak, limit, programMB)
		})
	}
}
