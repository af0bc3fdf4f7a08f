package testfile

import (
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"
)

// inLine is the number of checksums in a line of a recorded file.
const inLine = 10

// Recorded compares the results of many cases with a committed file of their checksums. It writes
// the file first if update is true. A result that changes ends the test, which prints it. Such a
// file shows that code behaves as before, for far more cases than anybody can judge; other tests
// say what is right.
func Recorded(t *testing.T, file string, update bool, names, results []string) {
	t.Helper()
	var text strings.Builder
	sums := make([]string, len(results))
	for i, result := range results {
		sums[i] = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(result)))
		text.WriteString(sums[i])
		if i%inLine == inLine-1 || i == len(results)-1 {
			text.WriteByte('\n')
		} else {
			text.WriteByte(' ')
		}
	}
	if update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(data))
	for i, sum := range sums {
		if i >= len(want) || want[i] != sum {
			t.Fatalf("%s: the result is another one than in %s, which -update writes: %.3000s",
				names[i], file, results[i])
		}
	}
	if len(want) != len(sums) {
		t.Errorf("%s has %d results, want %d; write it with -update", file, len(want), len(sums))
	}
}
