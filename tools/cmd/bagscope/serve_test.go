package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// serving runs bagscope serve until the test ends and returns its address.
func serving(t *testing.T, args ...string) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	log, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- program.Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...),
			io.Discard, write)
		write.Close()
	}()
	lines := bufio.NewScanner(log)
	var first struct{ Msg, Address string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil || first.Msg != "listening" {
		t.Fatalf("the log begins with %q", lines.Text())
	}
	go io.Copy(io.Discard, log)
	t.Cleanup(func() {
		stop()
		select {
		case code := <-ended:
			if code != cli.ExitDone {
				t.Errorf("serve ends with exit code %d", code)
			}
		case <-time.After(patience):
			t.Error("serve does not end")
		}
	})
	return strings.TrimSuffix(first.Address, "/")
}

// form returns a multipart body about a bag, and its content type. The model is the registered one
// or, with upload, a file of the form.
func form(t *testing.T, bag, request string, upload bool) (body *bytes.Buffer, kind string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	file := func(name, path string) {
		data := must.Get(os.ReadFile(path))(t)
		part := must.Get(w.CreateFormFile(name, filepath.Base(path)))(t)
		part.Write(data)
	}
	if upload {
		file("model", exampleModel)
	} else {
		w.WriteField("model", "model")
	}
	file("bag", bag)
	w.WriteField("request", request)
	w.Close()
	return body, w.FormDataContentType()
}

// posted sends a request about a bag and the digits' model, and returns the response.
func posted(t *testing.T, url, bag, request string, upload bool) string {
	t.Helper()
	body, kind := form(t, bag, request, upload)
	response := must.Get(http.Post(url, kind, body))(t)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(t)
	must.Equal(t, response.StatusCode, http.StatusOK, response.Status, text)
	return string(text)
}

// The server returns the bytes that the command line prints.
func TestServeSameBytes(t *testing.T) {
	url := serving(t, "--models", filepath.Dir(exampleModel))
	for _, c := range []struct{ command, args, request string }{
		{"predict", "", ``},
		{"predict", "--index 4 --output logit", `{"index":4,"output":"logit"}`},
		{"explain", "", ``},
		{"explain", "--method all --samples 60 --seed 7 --index 1",
			`{"methods":["all"],"samples":60,"seed":7,"index":1}`},
		{"explain", "--method one-removed,milli --settings mnist --class 1 --alpha .2 --rank " +
			"explained-class",
			`{"methods":["one-removed","milli"],"settings":"mnist","class":"1","alpha":0.2,` +
				`"rank":"explained-class"}`},
		{"explain", "--method guided_shap --efficiency uniform --output logit --paired --index 5",
			`{"methods":["guided_shap"],"efficiency":"uniform","output":"logit","paired":true,` +
				`"index":5}`},
	} {
		t.Run(c.command, func(t *testing.T) {
			args := append([]string{c.command, "--model", exampleModel, "--bag", exampleBags,
				"--json"}, strings.Fields(c.args)...)
			want := succeed(t, args...)
			for _, upload := range []bool{false, true} {
				if got := posted(t, url+"/v1/"+c.command, exampleBags, c.request,
					upload); got != want {
					t.Errorf("%s %s, model uploaded %v: the server says\n%.300s\nand the command "+
						"line\n%.300s", c.command, c.args, upload, got, want)
				}
			}
		})
	}
	response := must.Get(http.Get(url + "/v1/methods"))(t)
	defer response.Body.Close()
	must.Equal(t, string(must.Get(io.ReadAll(response.Body))(t)), succeed(t, "methods", "--json"))
}

// A name of --allow-host reaches the server without a token.
func TestServeAllowsHost(t *testing.T) {
	r := must.Get(http.NewRequestWithContext(t.Context(), "GET", serving(t, "--allow-host",
		"tools.example.org")+"/v1/methods", nil))(t)
	r.Host = "tools.example.org"
	response := must.Get(http.DefaultClient.Do(r))(t)
	response.Body.Close()
	must.Equal(t, response.StatusCode, http.StatusOK, response.Status)
}

// A server that is stopped waits for the time of --drain-delay, which its log states.
func TestServeDrainDelay(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var log bytes.Buffer
	code := program.Run(stopped,
		[]string{"serve", "--listen", "127.0.0.1:0", "--drain-delay", "1ms"}, io.Discard, &log)
	must.Equal(t, code, cli.ExitDone, &log)
	must.Equal(t, strings.Contains(log.String(), `"delay":1000000}`), true, code, &log)
}

// serve rejects unsafe and invalid flags before it listens.
func TestServeUsage(t *testing.T) {
	folder := t.TempDir()
	short := filepath.Join(folder, "tokens")
	must.Do(t, os.WriteFile(short, []byte("# ours\nsecret\n"), 0o600))
	broken := filepath.Join(folder, "broken.onnx")
	must.Do(t, os.WriteFile(broken, []byte("no model"), 0o600))
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--listen 0.0.0.0:0", cli.ExitUsage, "--token-file"},
		{"--listen :0", cli.ExitUsage, "--token-file"},
		{"--listen [::]:0", cli.ExitUsage, "--token-file"},
		{"--listen example.org:0", cli.ExitUsage, "--token-file"},
		{"--listen 8018", cli.ExitUsage, "not of the form HOST:PORT"},
		{"--listen 0.0.0.0:0 --tls-cert c.pem", cli.ExitUsage, "must be given together"},
		{"--listen 0.0.0.0:0 --tls-cert c.pem --tls-key k.pem", cli.ExitUsage, "--tls-client-ca"},
		{"--tls-client-ca c.pem", cli.ExitUsage, "needs --tls-cert"},
		{"--open --token-file t", cli.ExitUsage, "omit --token-file"},
		{"--listen 0.0.0.0:0 --open --models nowhere", cli.ExitFailed, "nowhere"},
		{"--tls-cert c.pem --tls-key k.pem", cli.ExitFailed, "c.pem"},
		{"--listen 0.0.0.0:0 --token-file nowhere", cli.ExitFailed, "nowhere"},
		{"--token-file " + short, cli.ExitFailed, "line 2"},
		{"--models nowhere", cli.ExitFailed, "nowhere"},
		{"--bags nowhere", cli.ExitFailed, "the folder of --bags cannot be opened"},
		{"--bags " + short, cli.ExitFailed, "the folder of --bags cannot be opened"},
		{"--models " + folder, cli.ExitFailed, "broken.onnx"},
		{"--site " + folder, cli.ExitFailed, "make www"},
		{"--share", cli.ExitUsage, "needs --site"},
		{"--share --site " + folder + " --models " + folder, cli.ExitUsage, "omit it or --models"},
		{"--share --site " + folder + " --token-file t", cli.ExitUsage, "omit it or --token-file"},
		{"--share --site " + folder, cli.ExitFailed, "make www"},
		{"--allow-origin example.org/x", cli.ExitUsage, "--allow-origin"},
		{"--allow-host https://tools.example.org", cli.ExitUsage, "--allow-host: "},
		{"--drain-delay -1s", cli.ExitUsage, "--drain-delay"},
		{"--queue -1", cli.ExitUsage, "--queue"},
		{"--max-body 9223372036854775807", cli.ExitUsage, "MB"},
		{"--max-data 9223372036854775807", cli.ExitUsage, "MB"},
		{"--keep -1h", cli.ExitUsage, "--keep"},
		{"--bag-deadline -1s", cli.ExitUsage, "--bag-deadline"},
		{"--data " + broken, cli.ExitFailed, "the job folder cannot be created"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, errors := bagscope(t, append([]string{"serve"},
				strings.Fields(c.args)...)...)
			must.Equal(t, code, c.code, c.args)
			must.Equal(t, out, "", c.args)
			must.Contain(t, errors, c.says)
			must.Equal(t, strings.Count(errors, "\n"), 1, c.args)
		})
	}
}
