// Package montecarlo runs one upgrade many times: over seeds, and with other
// assumptions. It reads no file and prints nothing; its results do not depend on the
// number of workers.
package montecarlo
