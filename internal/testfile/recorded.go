package testfile

import (
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"
)

// Recorded compares the results of many cases with those of a committed file, which has the name
// and a checksum of each. It writes the file first if update is true. A result that changes ends
// the test, which prints it. Such a file shows that code behaves as before, for far more cases than
// anybody can judge; other tests say what is right.
func Recorded(t *testing.T, file string, update bool, names, results []string) {
	t.Helper()
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = fmt.Sprintf("%s %08x", name, crc32.ChecksumIEEE([]byte(results[i])))
	}
	text := strings.Join(lines, "\n") + "\n"
	if update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(data), "\n")
	for i, line := range lines {
		if i >= len(want) || want[i] != line {
			t.Fatalf("%s: the result is another one than in %s, which -update writes: %.3000s",
				names[i], file, results[i])
		}
	}
	if len(want) != len(lines)+1 {
		t.Errorf("%s has %d lines, want %d; write it with -update", file, len(want)-1, len(lines))
	}
}
