// Package kube reads what kubectl prints about a real cluster and makes a
// model.Cluster of it.
//
// A Reader takes any number of inputs (JSON or YAML, lists or single objects)
// and goes through each one object by object, so that memory follows the
// number of pods and not the size of the files. Only the fields that a
// simulation needs are decoded; everything else, above all Secrets, is passed
// over without being kept. Cluster then puts the pieces together: pods to
// their owners, versions to the control plane.
//
// A TimesReader goes through the same kinds of input for when things happened:
// the conditions of pods and nodes, and events.
//
// ReadPaste reads the short texts that people paste: node tables and the
// output of kubectl version.
package kube
