package main

import (
	"encoding/json"
	"testing"
)

func smallReport() *Report {
	r := &Report{
		Machine: Machine{CPU: "Abacus", Cores: 2, System: "linux/amd64", Go: "go1.26", Node: "v20",
			ORT: "1.30.0", LoadAverage: "0.1"},
		Rows: []Row{
			timed(taskForward, 5, enginePeer, targetBrowser, 2, 4, 3),
			timed(taskMILLI, 5, engineOurs, targetBrowser, 0.75),
			timed(taskMILLI, 5, enginePeer, targetBrowser, 12_345, 20_000, 11_000),
			{Job: taskShipped, Task: taskShipped, Engine: engineOurs, Target: targetBrowser,
				Bytes: &Shipped{3_000_000, 2_000_000, 1_234_000}},
			{Job: "memory m k=5", Task: taskMemory, Engine: engineOurs, Target: targetNative,
				PeakBytes: 5_000_000, Note: "after MILLI"},
		},
		Skipped: []string{"crc: a file is not at hand"},
	}
	r.Rows[2].Coalitions, r.Rows[2].Measured = 155, 10
	compare(r.Rows)
	return r
}

const smallTable = `Abacus, 2 cores (load 0.1 before the run), linux/amd64, go1.26, Node v20, unknown, onnxruntime 1.30.0

| job           | engine      | target   | median         | range                     | rounds | / peer | / forward | remarks                          |
| ------------- | ----------- | -------- | -------------- | ------------------------- | ------ | ------ | --------- | -------------------------------- |
| forward m k=5 | onnxruntime | chromium | 3.00 ms        | 2.00 - 4.00               | 3      |        |           |                                  |
| milli m k=5   | bagscope    | chromium | 0.750 ms       | 0.750 - 0.750             | 1      | 0.000x | 0.250x    |                                  |
| milli m k=5   | onnxruntime | chromium | 12.3 s         | 11000 - 20000             | 3      |        | 4115x     | scaled from 10 of 155 coalitions |
| shipped       | bagscope    | chromium | 1.23 MB brotli | 3.00 MB raw, 2.00 MB gzip |        |        |           |                                  |
| memory m k=5  | bagscope    | native   | 5.00 MB        |                           |        |        |           | after MILLI                      |

Skipped: crc: a file is not at hand
`

func TestTable(t *testing.T) {
	if got := smallReport().table(); got != smallTable {
		t.Errorf("the table is\n%s", got)
	}
}

// TestJSONNames checks the names that other programs read.
func TestJSONNames(t *testing.T) {
	text, err := json.Marshal(smallReport())
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Machine map[string]any
		Rows    []map[string]any
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	ours := out.Rows[1]
	for name, want := range map[string]any{
		"job": "milli m k=5", "task": "milli", "model": "m", "instances": 5.,
		"engine": "bagscope", "target": "chromium", "median_ms": 0.75, "rounds": 1.,
		"ratio_to_peer": 0.75 / 12_345, "ratio_to_forward": 0.25,
	} {
		if ours[name] != want {
			t.Errorf("%s is %v, want %v", name, ours[name], want)
		}
	}
	if v, ok := out.Rows[0]["ratio_to_peer"]; !ok || v != nil {
		t.Errorf("the peer's own ratio is %v, want null", v)
	}
	if bytes, ok := out.Rows[3]["bytes"].(map[string]any); !ok || bytes["brotli"] != 1_234_000. {
		t.Errorf("shipped bytes are %v", out.Rows[3]["bytes"])
	}
	if out.Machine["cpu"] != "Abacus" {
		t.Errorf("the machine is %v", out.Machine)
	}
}

func TestSignificantDigits(t *testing.T) {
	for v, want := range map[float64]string{0.0414: "0.041", 1: "1.00", 9.876: "9.88",
		43.21: "43.2", 940.4: "940"} {
		if got := significant(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}
