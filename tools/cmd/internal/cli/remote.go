package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// RemoteFlags configure requests to the server of a model.
type RemoteFlags struct {
	tokenFile string
	requests  int
	timeout   time.Duration
}

// Register adds the flags to a command.
func (f *RemoteFlags) Register(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.tokenFile, "model-token-file", "", "file with the token for the server of an "+
		"oip model (default the value of the environment variable "+oip.TokenVariable+")")
	s.IntVar(&f.requests, "model-requests", 0,
		"concurrent requests to the server of an oip model (default 4)")
	s.DurationVar(&f.timeout, "model-timeout", 0,
		"longest time for one response from the server of an oip model (default 1m)")
}

// Options returns the options that the flags give. No error contains the token.
func (f *RemoteFlags) Options(ctx context.Context) (oip.Options, error) {
	o := oip.Options{Requests: f.requests, Timeout: f.timeout, Token: os.Getenv(oip.TokenVariable)}
	if f.requests < 0 || f.timeout < 0 {
		return o, Usagef("--model-requests and --model-timeout must not be negative; omit them " +
			"to use the defaults")
	}
	if f.tokenFile != "" {
		data, err := ReadFile(ctx, f.tokenFile)
		if err != nil {
			return o, err
		}
		// A token with a line break would split the header of a request.
		if o.Token = strings.TrimSpace(string(data)); o.Token == "" ||
			strings.ContainsAny(o.Token, " \t\r\n") {
			return o, msg.Errorf("%s must contain exactly one token without blanks", f.tokenFile)
		}
	}
	return o, nil
}

// OpenRemote opens a model on a server.
func (f *ModelFlags) OpenRemote(ctx context.Context) (*oip.Model, error) {
	if f.plain || f.work != 0 || f.device.device == "gpu" || len(f.inputs) > 0 || len(f.via) > 0 ||
		f.target.given() {
		return nil, Usagef("--plain, --max-work, --input, --via, --target and --device gpu need "+
			"a model file; %s runs on a server", f.Path)
	}
	o, err := f.Options(ctx)
	if err != nil {
		return nil, err
	}
	if o.Card, err = f.ReadCard(ctx); err != nil {
		return nil, err
	}
	return oip.Open(ctx, f.Path, o)
}
