// Package model says what a scenario is: a cluster, the upgrade that is to
// happen to it, the numbers that a simulator cannot know, and what the plan
// must meet.
//
// The types here are plain values, complete with defaults. Decode turns the
// bytes of a scenario file into them and reports every fault with its place;
// nothing here touches files, and nothing here imports another room of upsim.
package model
