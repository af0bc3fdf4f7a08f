package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// A Machine describes where the figures come from.
type Machine struct {
	CPU         string `json:"cpu"`
	Cores       int    `json:"cores"`
	System      string `json:"system"`
	Go          string `json:"go"`
	Node        string `json:"node"`
	Chromium    string `json:"chromium"`
	ORT         string `json:"onnxruntime"`
	LoadAverage string `json:"load_average"` // before the run: a busy machine measures badly
}

func describeMachine(chromium, ort string) Machine {
	return Machine{
		CPU: field("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Node: output("node", "--version"), Chromium: output(chromium, "--version"), ORT: ort,
		LoadAverage: firstWord("/proc/loadavg"),
	}
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores (load %s before the run), %s, %s, Node %s, %s, onnxruntime %s",
		unknown(m.CPU), m.Cores, unknown(m.LoadAverage), m.System, m.Go, unknown(m.Node),
		unknown(m.Chromium), unknown(m.ORT))
}

func unknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// field returns the first value of a name in a file of lines "name : value", "" when there is none.
func field(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// peakOf returns the largest resident set that a process had, 0 where the system does not tell.
func peakOf(pid string) int64 {
	kilobytes, _, _ := strings.Cut(field("/proc/"+pid+"/status", "VmHWM"), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n * 1024
}

func firstWord(file string) string {
	text, err := os.ReadFile(file)
	if words := strings.Fields(string(text)); err == nil && len(words) > 0 {
		return words[0]
	}
	return ""
}

// output returns what a program prints, "" when it cannot run.
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
