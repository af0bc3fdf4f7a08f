package server

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// TestRecorded replays, byte for byte, what tritonclient 2.73.0 (Python, tritonclient.http) sends:
// metadata, ready, and the first two digits of the bundled bags as UINT8, in binary with all
// outputs in binary, and as JSON with one output as JSON.
func TestRecorded(t *testing.T) {
	_, url := serve(t, Options{})
	replay := func(name string) (head http.Header, body []byte) {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		must.Do(t, err)
		defer c.Close()
		c.SetDeadline(time.Now().Add(patience))
		must.Get(c.Write(load(t, filepath.Join("testdata", name))))(t)
		response := must.Get(http.ReadResponse(bufio.NewReader(c), nil))(t)
		defer response.Body.Close()
		if body, err = io.ReadAll(response.Body); err != nil || response.StatusCode != 200 {
			t.Fatalf("%s: %s %v %s", name, response.Status, err, body)
		}
		return response.Header, body
	}
	if _, body := replay("triton_ready.http"); !bytes.Contains(body, []byte(`"ready":true`)) {
		t.Errorf("ready: %s", body)
	}
	var model oip.Metadata
	if _, body := replay("triton_metadata.http"); json.Unmarshal(body, &model) != nil ||
		model.Name != "model" || len(model.Inputs) != 1 {
		t.Errorf("metadata: %s", body)
	}
	var plain, packed oip.Response
	if _, body := replay("triton_json.http"); json.Unmarshal(body, &plain) != nil ||
		plain.ID != "r1" || len(plain.Outputs) != 1 {
		t.Fatalf("JSON: %s", body)
	}
	var want []float32
	must.Do(t, json.Unmarshal(plain.Outputs[0].Data, &want))
	must.Equal(t, len(want), 4)
	head, body := replay("triton_binary.http")
	n, err := strconv.Atoi(head.Get(oip.BinaryHeader))
	if err != nil || n > len(body) || json.Unmarshal(body[:n], &packed) != nil ||
		len(packed.Outputs) != 2 || packed.Outputs[0].Name != "logits" {
		t.Fatalf("binary: %v %s", head, body)
	}
	var got []float32
	for i := range 4 {
		got = append(got, math.Float32frombits(binary.LittleEndian.Uint32(body[n+4*i:])))
	}
	must.EqualSlices(t, got, want)
}
