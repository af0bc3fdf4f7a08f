package main

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func smallReport() *Report {
	r := &Report{
		Machine: Machine{CPU: "Abacus", Cores: 2, System: "linux/amd64", Go: "go1.26", Node: "v20",
			ORT: "1.30.0", LoadAverage: "0.1"},
		Rows: []Row{
			timed(taskForward, 5, enginePeer, targetBrowser, 2, 4, 3),
			timed(taskMILLI, 5, engineOurs, targetBrowser, 0.75),
			timed(taskMILLI, 5, enginePeer, targetBrowser, 12_345, 20_000, 11_000),
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

| job           | engine      | target   | median   | range         | rounds | / peer | / forward | remarks                          |
| ------------- | ----------- | -------- | -------- | ------------- | ------ | ------ | --------- | -------------------------------- |
| forward m k=5 | onnxruntime | chromium | 3.00 ms  | 2.00 - 4.00   | 3      |        |           |                                  |
| milli m k=5   | bagscope    | chromium | 0.750 ms | 0.750 - 0.750 | 1      | 0.000x | 0.250x    |                                  |
| milli m k=5   | onnxruntime | chromium | 12.3 s   | 11000 - 20000 | 3      |        | 4115x     | scaled from 10 of 155 coalitions |
| memory m k=5  | bagscope    | native   | 5.00 MB  |               |        |        |           | after MILLI                      |

Skipped: crc: a file is not at hand
`

func TestTable(t *testing.T) {
	must.Equal(t, smallReport().table(), smallTable, "the table is\n")
}

func TestSignificantDigits(t *testing.T) {
	for v, want := range map[float64]string{0.0414: "0.041", 1: "1.00", 9.876: "9.88",
		43.21: "43.2", 940.4: "940"} {
		must.Equal(t, significant(v), want, v)
	}
}
