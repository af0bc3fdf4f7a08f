// Package cli holds what bagscope's command-line programs share: exit codes, errors, the flags
// for models, bags and methods, file access, tables and progress lines.
package cli
