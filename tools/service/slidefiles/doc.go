// Package slidefiles writes explanations over slides as files, for the command line and for
// cohorts, and opens slides to read their pixels.
package slidefiles
