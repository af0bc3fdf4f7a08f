package query

import "github.com/bagscope/bagscope/internal/msg"

// Visible is [msg.Lines], for what is printed on a terminal.
func Visible(text string) string { return msg.Lines(text) }

// VisibleLine is [msg.Line], for a name or another text that must stay in one line.
func VisibleLine(text string) string { return msg.Line(text) }
