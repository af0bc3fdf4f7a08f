package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
	s.StringVar(&f.tokenFile, "model-token-file", "", "file with the token for the server of an oip model (default what the variable "+oip.TokenVariable+" holds)")
	s.IntVar(&f.requests, "model-requests", 0, "requests to the server of an oip model at a time (default 4)")
	s.DurationVar(&f.timeout, "model-timeout", 0, "longest time of one answer of the server of an oip model (default 1m)")
}

// Options returns the options that the flags give. No error contains the token.
func (f *RemoteFlags) Options() (oip.Options, error) {
	o := oip.Options{Requests: f.requests, Timeout: f.timeout, Token: os.Getenv(oip.TokenVariable)}
	if f.requests < 0 || f.timeout < 0 {
		return o, Usagef("--model-requests and --model-timeout cannot be less than nothing; leave them out for the default")
	}
	if f.tokenFile != "" {
		data, err := ReadFile(f.tokenFile)
		if err != nil {
			return o, err
		}
		if o.Token = strings.TrimSpace(string(data)); o.Token == "" || strings.ContainsAny(o.Token, " \t\r\n") {
			return o, errors.New(f.tokenFile + " is to hold one token, and no blanks in it")
		}
	}
	return o, nil
}

// OpenRemote opens a model that a server has.
func (f *ModelFlags) OpenRemote(ctx context.Context) (*oip.Model, error) {
	if f.plain || f.work != 0 || f.device.device == "gpu" {
		return nil, Usagef("--plain, --max-work and --device gpu are for model files; %s runs elsewhere", f.Path)
	}
	o, err := f.Options()
	if err != nil {
		return nil, err
	}
	if o.Card, err = f.ReadCard(); err != nil {
		return nil, err
	}
	return oip.Open(ctx, f.Path, o)
}
