// Package msg formats messages that quote what others wrote: names, tokens and values of files,
// requests and responses. A message is short and visible, whatever it quotes.
package msg
