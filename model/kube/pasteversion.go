package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"upsim/model"
)

// versionKey begins the parts of what `kubectl version -o yaml` prints.
var versionKey = regexp.MustCompile(`^[a-zA-Z]*Version:`)

// versions is what `kubectl version -o json` and `-o yaml` print.
type versions struct {
	Client *buildInfo `json:"clientVersion"`
	Server *buildInfo `json:"serverVersion"`
}

type buildInfo struct {
	GitVersion string `json:"gitVersion"`
}

// versionObject takes what kubectl version prints as JSON or YAML, if that
// begins with the first line, and returns how many lines it has.
func (p *paste) versionObject(lines []string) (n int, err error) {
	first := strings.TrimSpace(lines[0])
	var raw []byte
	switch {
	case strings.HasPrefix(first, "apiVersion:"), strings.HasPrefix(first, "- apiVersion:"), first == "items:":
		err = errors.New("here begin objects of a cluster, which are no pasted text; give them in a file of their own")
	case strings.HasPrefix(first, "{"):
		n, raw, err = jsonLines(lines)
	case versionKey.MatchString(lines[0]):
		for n = 1; n < len(lines) && (strings.HasPrefix(lines[n], " ") || versionKey.MatchString(lines[n])); n++ {
		}
		raw, err = model.YAMLToJSON([]byte(strings.Join(lines[:n], "\n")))
	}
	if n == 0 || err != nil {
		return n, err
	}
	var v versions
	if err := json.Unmarshal(raw, &v); err != nil || v.Client == nil && v.Server == nil {
		return n, fmt.Errorf("this is not what `kubectl version` prints as JSON or YAML; %s; objects of a cluster belong in a file of their own", pasteForms)
	}
	for _, c := range []struct {
		which string
		info  *buildInfo
	}{{clientVersion, v.Client}, {serverVersion, v.Server}} {
		if c.info == nil {
			continue
		}
		if err := p.component(c.which, c.info.GitVersion); err != nil {
			return n, err
		}
	}
	return n, nil
}

// jsonLines finds the lines of the JSON object that begins in the first, and no line beside it.
func jsonLines(lines []string) (n int, raw []byte, err error) {
	var sc scan
	for i, line := range lines {
		end, done := sc.step([]byte(line + "\n"))
		if !done {
			continue
		}
		if rest := strings.TrimSpace((line + "\n")[end:]); rest != "" {
			return 0, nil, fmt.Errorf("found %q behind the end of a JSON object", cut([]byte(rest)))
		}
		return i + 1, []byte(strings.Join(lines[:i+1], "\n")), nil
	}
	return 0, nil, errors.New("the JSON object that begins here does not end; paste it again")
}
