package scenarios

import (
	"upsim/model"
	"upsim/model/kube"
)

// Paste reads the input as what people paste: a table of `kubectl get nodes`,
// lines of node name and version, what `kubectl version` prints, or several of
// these. A server version, where one is given, counts instead of what the input
// tells of the API server.
func (in *Input) Paste(server model.Version) (*model.Cluster, error) {
	return kube.ReadPaste(in.Name, in.reader, server)
}
