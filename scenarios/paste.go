package scenarios

import (
	"upsim/model"
	"upsim/model/kube"
)

// Paste reads the input as what people paste: a table of `kubectl get nodes`,
// lines of node name and version, the text of `kubectl version`, or several of these.
func (in *Input) Paste() (*model.Cluster, error) { return kube.ReadPaste(in.Name, in.reader) }
