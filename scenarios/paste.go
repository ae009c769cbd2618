package scenarios

import (
	"fmt"
	"io"
	"strings"

	"upsim/model"
	"upsim/model/kube"
)

// Paste reads the input as what people paste: a table of `kubectl get nodes`,
// lines of node name and version, the text of `kubectl version`, or several of
// these. A server version, where one is given, counts instead of what the input
// tells of the API server.
func (in *Input) Paste(server model.Version) (*model.Cluster, error) {
	var text io.Reader = in.reader
	if !server.IsZero() {
		// The last line of this form counts, as if kubectl version had been pasted below.
		text = io.MultiReader(text, strings.NewReader(fmt.Sprintf("\nServer Version: %s\n", server)))
	}
	return kube.ReadPaste(in.Name, text)
}
