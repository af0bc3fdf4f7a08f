package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// childrenOf returns the processes that a process has started.
func childrenOf(t *testing.T, pid int) (list []int) {
	t.Helper()
	files := must.Get(filepath.Glob("/proc/[0-9]*/stat"))(t)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// The name in parentheses can contain anything: the state and the parent follow it.
		_, after, _ := bytes.Cut(data, []byte(") "))
		var state string
		var parent int
		if _, err := fmt.Sscan(string(after), &state, &parent); err != nil || parent != pid {
			continue
		}
		if own, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && state != "Z" {
			list = append(list, own)
		}
	}
	return list
}

// TestDeadlyBagOfJob: five servers are killed from outside during a bag, which does not fail it.
// Then the process of the bag is killed whenever it runs, as the system does where memory ends: the
// bag fails after three times, the server goes on, and so do the jobs behind the bag. The process
// of a bag ends with its server.
func TestDeadlyBagOfJob(t *testing.T) {
	data := t.TempDir()
	flags := []string{"--data", data, "--concurrency", "1", "--budget", "100000000"}
	url, c := servingChild(t, flags...)
	deadly := sendJob(t, url, `{"index":0,"methods":["all"],"samples":900000,"repeats":true}`)
	behind := sendJob(t, url, `{"index":1,"methods":["milli"],"samples":20}`)
	job := func(id string) string { return string(fetch(url + "/v1/jobs/" + id)) }
	works := func() bool {
		return bytes.Contains(fetch(url+"/metrics"), []byte("\nbagscope_working 1\n")) &&
			strings.Contains(job(deadly), `"state":"running"`)
	}
	var process int // of the bag
	started := func() bool {
		list := childrenOf(t, c.Process.Pid)
		if len(list) != 1 || list[0] == process {
			return false
		}
		score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", list[0]))
		if err != nil || string(score) != "1000\n" {
			return false // it has not begun to receive the bag
		}
		process = list[0]
		return true
	}
	for n := range 5 {
		waitFor(t, "the bag is computed", works)
		if n > 0 {
			waitFor(t, "it has a process of its own", started)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		if n > 0 {
			waitFor(t, "the process ends with the server", func() bool {
				return syscall.Kill(process, 0) != nil
			})
		}
		url, c = servingChild(t, flags...)
	}
	must.Contain(t, job(deadly), `"failed":0`)
	// A process that is killed before it has the bag does not count.
	done := func() bool { return strings.Contains(job(deadly), `"state":"done"`) }
	for !done() {
		waitFor(t, "the bag has a process or fails", func() bool {
			return started() && syscall.Kill(process, syscall.SIGKILL) == nil || done()
		})
	}
	for _, id := range []string{deadly, behind} {
		waitFor(t, "the job ends", func() bool {
			return strings.Contains(job(id), `"state":"done"`)
		})
	}
	if got := fetch(url + "/v1/jobs/" + deadly + "/results"); !bytes.Contains(got,
		[]byte(`"kind":"crashed"`)) || !bytes.Contains(got,
		[]byte("a process that computed only this bag stopped 3 times")) ||
		!bytes.Contains(got, []byte(`"file":"bags.npz"`)) {
		t.Errorf("%.500s", got)
	}
	if got := fetch(url + "/v1/jobs/" + behind + "/results"); !bytes.Contains(got,
		[]byte(`"result"`)) {
		t.Errorf("%.500s", got)
	}
	if response, err := http.Get(url + "/healthz"); err != nil || response.Body.Close() != nil ||
		c.ProcessState != nil {
		t.Errorf("the server ended: %v", err)
	}
}
