// Package msgtest checks messages in tests.
package msgtest

import (
	"testing"

	"github.com/bagscope/bagscope/internal/msg"
)

// Short fails the test if a message has more than [msg.Whole] bytes or a hidden character.
func Short(t testing.TB, message string) {
	t.Helper()
	if len(message) > msg.Whole || msg.Line(message) != message {
		t.Errorf("a message has %d bytes: %.200q", len(message), message)
	}
}
