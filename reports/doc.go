// Package reports turns values into something to read: a result, findings, the
// skew policy, the library, as a table for people or as JSON for programs.
//
// Every function here is pure: a value in, bytes out. Nothing reads a clock, a
// locale, the environment or a file, so equal values give equal bytes.
package reports
