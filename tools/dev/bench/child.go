package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// A child is a process with one or more engines. It reads a JSON request from each line of its
// input and writes a reply.
type child struct {
	name     string
	cmd      *exec.Cmd
	in       io.WriteCloser
	requests *json.Encoder
	replies  *json.Decoder
}

// start starts a program with additional environment variables.
func start(name string, env []string, program string, args ...string) (*child, error) {
	cmd := exec.Command(program, args...)
	// Messages of the process appear in the terminal; its output carries only replies.
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot start: %w", name, err)
	}
	return &child{name, cmd, in, json.NewEncoder(in), json.NewDecoder(out)}, nil
}

// call sends a request and waits for the reply. An error in the reply is returned as an error.
func (c *child) call(r Request) (Reply, error) {
	var reply Reply
	if err := c.requests.Encode(r); err != nil {
		return reply, fmt.Errorf("%s: %w", c.name, err)
	}
	if err := c.replies.Decode(&reply); err != nil {
		return reply, fmt.Errorf("%s ended: %w", c.name, err)
	}
	if reply.Error != "" {
		return reply, fmt.Errorf("%s: %w", c.name, errors.New(reply.Error))
	}
	return reply, nil
}

// close closes the input of the process, which then ends, and waits for it.
func (c *child) close() {
	c.in.Close()
	c.cmd.Wait()
}
