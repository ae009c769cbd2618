// Package jsonl keeps the rows of a batch on disk as JSON Lines, one row a
// line, in the order of the inputs.
//
//	file.go      a file that is appended to, survives a kill at any point, and gets its name when it is whole
//	sums.go      check sums of its lines, until then
//	resume.go    what such a file holds after a kill
//	lock_unix.go, lock_other.go  one writer for each file
//	shard.go     which part of the work is whose
//	part.go      the first and the last line of a shard's file, by which it is known
//	merge.go     the parts of all shards, checked, as one
//
// While it is written, FILE is .FILE.partial in the same folder: whole rows,
// the last perhaps torn, with their check sums in .FILE.partial.sums. A shard's file has two more lines, a head (kind
// BatchPart) and a tail (kind BatchPartEnd), which Merge takes away; without
// them the parts of all shards in the order of their inputs are, byte for byte,
// the file that one machine writes.
package jsonl
