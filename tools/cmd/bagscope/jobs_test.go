package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// childArguments is the variable of a process that is to be bagscope itself.
const childArguments = "BAGSCOPE_TEST_ARGUMENTS"

// childStatus is the variable with the file into which such a process writes its status before it
// ends.
const childStatus = "BAGSCOPE_TEST_STATUS"

// TestChild is no test but the program, in a process that can be killed.
func TestChild(t *testing.T) {
	args := os.Getenv(childArguments)
	if args == "" {
		t.Skip("it is run by TestJobsKilled")
	}
	ownProcess = func(ctx context.Context, flags ...string) (*exec.Cmd, error) {
		return child(ctx, append(strings.Split(args, "\n"), flags...)...), nil
	}
	code := program.Run(context.Background(), strings.Split(args, "\n"), os.Stdout, os.Stderr)
	if file := os.Getenv(childStatus); file != "" {
		status, _ := os.ReadFile("/proc/self/status")
		_ = os.WriteFile(file, status, 0o600)
	}
	os.Exit(code)
}

// child returns a process that is bagscope with some arguments.
func child(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestChild$")
	c.Env = append(os.Environ(), childArguments+"="+strings.Join(args, "\n"))
	return c
}

// life starts a server in a process of its own. Kill ends it as kill -9 does, at once and
// without a word.
func life(t *testing.T, data string, flags ...string) (url string, kill func()) {
	t.Helper()
	url, c := servingChild(t, append([]string{"--data", data}, flags...)...)
	return url, func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// servingChild starts bagscope serve with the digits' model in a process that ends with the test.
func servingChild(t *testing.T, flags ...string) (url string, c *exec.Cmd) {
	t.Helper()
	c = child(context.Background(), append([]string{"serve", "--listen", "127.0.0.1:0", "--models",
		filepath.Dir(exampleModel)}, flags...)...)
	log := must.Get(c.StderrPipe())(t)
	must.Do(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewScanner(log)
	var first struct{ Msg, Address string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil || first.Msg != "listening" {
		t.Fatalf("the log begins with %q", lines.Text())
	}
	go io.Copy(io.Discard, log)
	return strings.TrimSuffix(first.Address, "/"), c
}

// jobForm returns a cohort of the bundled bags.
func jobForm(t *testing.T, request string) (body []byte, kind string) {
	t.Helper()
	form, kind := form(t, exampleBags, request, false)
	return form.Bytes(), kind
}

// fetch returns the response of an address, or nil if the server was killed.
func fetch(url string) []byte {
	response, err := http.Get(url)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil
	}
	return body
}

// TestJobsKilled: a server is killed at random moments, while it takes jobs, and when it has
// answered some bags of a job. No job that it acknowledged is lost, no line of results that it told
// is lost or changed, every bag is answered once, and with the bytes of the command line.
func TestJobsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server many times")
	}
	data := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	kept := map[string]uint64{} // acknowledged jobs, and their seeds
	told := map[string][]byte{} // results that were read
	const lives, each, bags = 8, 2, 6
	cut := 0 // lives that ended in the midst of a job
	for n := range lives {
		url, kill := life(t, data, "--bag-attempts", "100") // no bag is to blame for what kills it
		moment := time.AfterFunc(time.Hour, kill)
		soon := time.Duration(random.IntN(400)) * time.Millisecond
		midway := n%2 == 1 // kill it when a job has got on and is not yet done, else after a while
		begun := map[string]int{}
		for id, lines := range told {
			begun[id] = bytes.Count(lines, []byte("\n"))
		}
		if n > 0 && !midway { // the first server acknowledges its jobs in any case
			moment.Reset(soon)
		}
		for i := range each {
			seed := uint64(n*each + i)
			body, kind := jobForm(t, fmt.Sprintf(
				`{"methods":["milli","random_shap"],"samples":4000,"repeats":true,"seed":%d}`,
				seed))
			response, err := http.Post(url+"/v1/jobs", kind, bytes.NewReader(body))
			if err != nil {
				break
			}
			var j struct{ ID string }
			if err := json.NewDecoder(response.Body).Decode(&j); err == nil &&
				response.StatusCode == http.StatusAccepted {
				kept[j.ID] = seed
			}
			response.Body.Close()
		}
		if n == 0 {
			moment.Reset(soon)
		}
		for alive := true; alive; {
			done := 0
			for id := range kept {
				lines := fetch(url + "/v1/jobs/" + id + "/results")
				if alive = lines != nil || fetch(url+"/healthz") != nil; !alive {
					break
				}
				if !bytes.HasPrefix(lines, told[id]) && lines != nil {
					t.Fatalf("life %d: results of %s that were told are lost or changed", n, id)
				}
				if lines != nil {
					told[id] = lines
				}
				answered := bytes.Count(lines, []byte("\n"))
				if answered == bags {
					done++
				} else if midway && answered > begun[id] {
					cut++
					kill()
				}
			}
			if midway && done == len(kept) {
				kill()
			}
			alive = alive && fetch(url+"/healthz") != nil
		}
		moment.Stop()
		kill()
	}
	must.Equal(t, len(kept) != 0, true, "no job was acknowledged")
	url, _ := life(t, data, "--bag-attempts", "100")
	must.Equal(t, cut != 0, true, "no server was killed in the midst of a job")
	for id, seed := range kept {
		var j struct {
			State               string
			Total, Done, Failed int
		}
		for end := time.Now().Add(patience); j.State != "done"; time.Sleep(
			10 * time.Millisecond) {
			if err := json.Unmarshal(fetch(url+"/v1/jobs/"+id), &j); err != nil ||
				time.Now().After(end) {
				t.Fatalf("job %s is lost or stands still: %v, %+v", id, err, j)
			}
		}
		lines := fetch(url + "/v1/jobs/" + id + "/results")
		must.Equal(t, bytes.HasPrefix(lines, told[id]), true, id)
		seen := map[int]bool{}
		for line := range bytes.Lines(lines) {
			var l struct {
				Index  int
				Result json.RawMessage
			}
			if err := json.Unmarshal(line, &l); err != nil || seen[l.Index] {
				t.Fatalf("%v, or bag %d is answered twice, in %.200s", err, l.Index, line)
			}
			seen[l.Index] = true
			want := succeed(t, "explain", "--model", exampleModel, "--bag", exampleBags, "--json",
				"--index", fmt.Sprint(l.Index),
				"--method", "milli,random_shap", "--samples", "4000", "--repeats", "--seed",
				fmt.Sprint(seed))
			must.Equal(t, (string(l.Result) + "\n"), want, id, l.Index)
		}
		if len(seen) != bags || j.Total != bags || j.Failed != 0 {
			t.Errorf("job %s: %d of %d bags are answered, %+v", id, len(seen), bags, j)
		}
	}
	t.Logf("%d jobs were acknowledged in %d lives, of which %d ended in the midst of a job",
		len(kept), lives, cut)
}

// sendJob sends a cohort of the bundled bags and returns the ID of its job.
func sendJob(t *testing.T, url, request string) (id string) {
	t.Helper()
	body, kind := jobForm(t, request)
	response := must.Get(http.Post(url+"/v1/jobs", kind, bytes.NewReader(body)))(t)
	defer response.Body.Close()
	var j struct{ ID string }
	must.Do(t, json.NewDecoder(response.Body).Decode(&j))
	must.Equal(t, response.StatusCode, http.StatusAccepted, response.Status)
	return j.ID
}

// waitFor waits for something that must come.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		must.Equal(t, time.Now().After(end), false, what)
	}
}
