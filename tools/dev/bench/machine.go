package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// A Machine describes the hardware and the versions of a run.
type Machine struct {
	CPU         string
	Cores       int
	System      string
	Go          string
	Node        string
	Chromium    string
	ORT         string
	LoadAverage string // load before the run; high loads distort times
}

// describeMachine reads the description of this machine. Unknown values are "".
func describeMachine(chromium, ort string) Machine {
	loads, _ := os.ReadFile("/proc/loadavg") // loads of the last 1, 5 and 15 minutes
	load, _, _ := strings.Cut(string(loads), " ")
	return Machine{
		CPU: field("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Node: output("node", "--version"), Chromium: output(chromium, "--version"), ORT: ort,
		LoadAverage: load,
	}
}

// String returns one line for the table.
func (m Machine) String() string {
	const unknown = "unknown"
	return fmt.Sprintf("%s, %d cores (load %s before the run), %s, %s, Node %s, %s, onnxruntime %s",
		cmp.Or(m.CPU, unknown), m.Cores, cmp.Or(m.LoadAverage, unknown), m.System, m.Go,
		cmp.Or(m.Node, unknown), cmp.Or(m.Chromium, unknown), cmp.Or(m.ORT, unknown))
}

// field returns the first value of a name in a file with lines "name : value", or "".
func field(file, name string) string {
	text, _ := os.ReadFile(file) // other systems than Linux lack /proc
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// peakOf returns the largest resident set of a process in bytes so far, or 0 if it is unknown.
func peakOf(pid string) int64 {
	// VmHWM is "123456 kB".
	kilobytes, _, _ := strings.Cut(field("/proc/"+pid+"/status", "VmHWM"), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n * 1024
}

// output returns the output of a program without surrounding space, or "" if it fails.
func output(program string, args ...string) string {
	if program == "" {
		return ""
	}
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
