package crowd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Memory holds values from a server's /metrics. Resident and Heap are in bytes.
type Memory struct {
	Resident   float64 // resident memory of the process
	Heap       float64 // heap in use
	Goroutines float64
}

// memory reads /metrics.
func (r *run) memory(ctx context.Context) (m Memory, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+"/metrics", nil)
	if err != nil {
		return m, err
	}
	status, body, err := r.do(request)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("/metrics returned status %d", status)
	}
	if err != nil {
		return m, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); {
		// A line is the name of a metric and its value; other lines have other names.
		name, value, _ := strings.Cut(lines.Text(), " ")
		to := map[string]*float64{"process_resident_memory_bytes": &m.Resident,
			"go_memstats_heap_inuse_bytes": &m.Heap, "go_goroutines": &m.Goroutines}[name]
		if to != nil {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}
