package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestRemote: a model of our own server, and one of a server that has it from that one, are
// explained as the file is by the plain way, every coalition a run of the whole graph, and so
// for every command that takes a model. The fast way is as near, where no order of instances
// hangs on the last digits.
func TestRemote(t *testing.T) {
	first := serving(t, "--models", filepath.Dir(exampleModel))
	near := "oip+" + first + "/model"
	far := "oip+" + serving(t, "--model", near) + "/model"
	for _, c := range []struct{ command, args string }{
		{"predict", "--index 2"},
		{"explain", "--index 5 --method " +
			"single,one_removed,inherent,random_shap,guided_lime,milli --samples 40"},
		{"explain", "--method random_shap --output logit --samples 60 --seed 9 --class an_8"},
		{"evaluate", "--method single,inherent --limit 1 --metrics ndcg"},
	} {
		t.Run(c.command, func(t *testing.T) {
			bags := "--bags"
			if c.command == "predict" || c.command == "explain" {
				bags = "--bag"
			}
			args := append([]string{c.command, bags, exampleBags, "--json"},
				strings.Fields(c.args)...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "an_8", "an 8")
			}
			want := succeed(t, append(args, "--model", exampleModel, "--plain")...)
			if strings.HasPrefix(c.args, "--index") {
				clitest.Alike(t, "the fast way, "+c.args,
					succeed(t, append(args, "--model", exampleModel)...), want)
			}
			clitest.Alike(t, c.command+" "+c.args, succeed(t, append(args, "--model", near)...),
				want)
			if c.command == "predict" {
				clitest.Alike(t, "by two servers, "+c.args,
					succeed(t, append(args, "--model", far)...), want)
			}
		})
	}
	var seen struct {
		Classes []string
		Output  string
		Notes   []string
	}
	if err := json.Unmarshal([]byte(succeed(t, "inspect", "--model", near, "--json")),
		&seen); err != nil || len(seen.Classes) != 4 || seen.Output != "logits" ||
		!strings.Contains(strings.Join(seen.Notes, " "), "The model runs on a server") {
		t.Errorf("%v: %+v", err, seen)
	}
	must.Contain(t, succeed(t, "inspect", "--model", near), "axis 0 of bag")
}

// Flags that do not apply to a model on a server are errors of usage.
func TestRemoteUsage(t *testing.T) {
	near := "oip+" + serving(t, "--models", filepath.Dir(exampleModel)) + "/model"
	folder := t.TempDir()
	blank := filepath.Join(folder, "token")
	must.Do(t, os.WriteFile(blank, []byte("two words\n"), 0o600))
	token := filepath.Join(folder, "good")
	must.Do(t, os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	secret := serving(t, "--models", filepath.Dir(exampleModel), "--token-file", token)
	succeed(t, "predict", "--model", "oip+"+secret+"/model", "--bag", exampleBags,
		"--model-token-file", token)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"predict --plain --model " + near, cli.ExitUsage, "runs on a server"},
		{"predict --via slide.onnx --model " + near, cli.ExitUsage, "runs on a server"},
		{"predict --max-work 5 --model " + near, cli.ExitUsage, "runs on a server"},
		{"predict --device gpu --model " + near, cli.ExitUsage, "runs on a server"},
		{"predict --model-requests -1 --model " + near, cli.ExitUsage, "--model-requests"},
		{"predict --model " + near + "x", cli.ExitFailed, "404"},
		{"predict --model oip+http://127.0.0.1:1/m --model-token-file " + blank, cli.ExitFailed,
			"without blanks"},
		{"predict --model oip+http://me:pw@127.0.0.1:1/m", cli.ExitFailed,
			"must not contain a user or a password"},
		{"predict --model oip+" + secret + "/model", cli.ExitFailed, "token"},
		{"explain --memory 1 --model " + near, cli.ExitFailed, "MB are allowed"},
		{"inspect --stage plan --model " + near, cli.ExitUsage, "runs on a server"},
		{"serve --model model.onnx", cli.ExitUsage, "oip+http"},
		{"serve --model " + near + " --model " + near, cli.ExitFailed, "two models"},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(c.args)
			if args[0] == "predict" || args[0] == "explain" {
				args = append(args, "--bag", exampleBags)
			}
			code, out, errors := bagscope(t, args...)
			must.Equal(t, code, c.code, c.args)
			must.Equal(t, out, "", c.args)
			must.Contain(t, errors, c.says)
			must.Equal(t, strings.Count(errors, "\n"), 1, c.args)
		})
	}
}

// TestRemoteAnswers: survival, a regression, ordered classes and heads are read from
// the scores of a server as from those of a file. Heads of several outputs are refused.
func TestRemoteAnswers(t *testing.T) {
	const folder = "../../../onnxbackend/testdata/answers"
	address := serving(t, "--models", folder)
	bag := writeTemp(t, "bag.csv",
		[]byte("bag,label,f1,f2,f3,f4\nb,0,1,0,2,-1\nb,0,0,1,.5,2\nb,0,-1,1,0,1\n"))
	for _, name := range []string{"hazards_linear", "hazards_logits", "ordinal", "regression"} {
		for _, command := range []string{"predict", "explain --method single,one_removed"} {
			t.Run(name+" "+command, func(t *testing.T) {
				args := append(strings.Fields(command), "--json", "--bag", bag, "--model")
				clitest.Alike(t, name, succeed(t, append(args, "oip+"+address+"/"+name)...),
					succeed(t, append(args, folder+"/"+name+".onnx", "--plain")...))
			})
		}
	}
	code, _, errors := bagscope(t, "predict", "--bag", bag, "--model", "oip+"+address+"/heads")
	must.Equal(t, code, cli.ExitFailed, errors)
	must.Equal(t, strings.Contains(errors, "export a model that joins them in one output"), true,
		code, errors)
}
