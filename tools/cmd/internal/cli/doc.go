// Package cli is what the command-line programs of bagscope share: exit codes and errors, flags
// of models, bags and methods, opening of files, tables and progress.
package cli
