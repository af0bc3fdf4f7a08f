// Package slidetable reads the tables in which laboratories keep what they know of their slides:
// labels, sites, and the parts of a split.
package slidetable
