package kube

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"upsim/model"
)

// quantities are amounts by resource name, as text.
type quantities map[string]quantity

// quantity is the text of an amount; people also write bare numbers.
type quantity string

// UnmarshalJSON takes a string or a number.
func (q *quantity) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(q))
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("%s is no quantity", b)
	}
	*q = quantity(n)
	return nil
}

// quantityForm bounds what is given to apimachinery's parser: an exponent of nine digits would keep it busy for ever.
var quantityForm = regexp.MustCompile(`^[+-]?[0-9.]{1,30}([eE][+-]?[0-9]{1,2}|[a-zA-Z]{0,2})$`)

// largest bounds every amount, so that a sum over all pods of a cluster cannot overflow.
const largest = 1 << 52

func (q quantity) parse(name string) (int64, error) {
	if !quantityForm.MatchString(string(q)) {
		return 0, fmt.Errorf("%q is no quantity of %s", string(q), name)
	}
	v, err := resource.ParseQuantity(string(q))
	if err != nil {
		return 0, fmt.Errorf("%q is no quantity of %s", string(q), name)
	}
	if v.Sign() < 0 {
		return 0, fmt.Errorf("%s is negative: %q", name, string(q))
	}
	amount := v.AsApproximateFloat64()
	if name == "cpu" {
		amount *= 1000
	}
	if math.Ceil(amount) > largest {
		return 0, fmt.Errorf("%s is larger than any machine: %q", name, string(q))
	}
	if name == "cpu" {
		return v.MilliValue(), nil
	}
	return v.Value(), nil
}

// amounts are resources in model's units: cpu in millicores, the others in their own.
type amounts map[string]int64

func (q quantities) parse() (amounts, error) {
	names := make([]string, 0, len(q))
	for name := range q {
		names = append(names, name)
	}
	sort.Strings(names)
	out := make(amounts, len(q))
	for _, name := range names {
		v, err := q[name].parse(name)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

func (a amounts) add(o amounts) {
	for name, v := range o {
		a[name] = min(a[name]+v, largest)
	}
}

func (a amounts) raise(o amounts) {
	for name, v := range o {
		a[name] = max(a[name], v)
	}
}

func (a amounts) resources() model.Resources {
	var r model.Resources
	for name, v := range a {
		switch {
		case name == "cpu":
			r.CPU = v
		case name == "memory":
			r.Memory = v
		case name == "pods":
			r.Pods = v
		case v == 0 || strings.HasPrefix(name, "attachable-volumes-"):
		default:
			if r.Other == nil {
				r.Other = map[string]int64{}
			}
			r.Other[name] = v
		}
	}
	return r
}

// effectiveRequests are what the scheduler counts for a pod: the containers
// together, or the largest moment of its start, whichever is more, and the
// overhead. Init containers with restartPolicy Always keep running. The rule is
// that of k8s.io/component-helpers/resource.PodRequests. Where only a limit is
// given it is the request too, as the API server fills it in.
func (p *podSpec) effectiveRequests() (model.Resources, error) {
	running, start := amounts{}, amounts{}
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		req, err := c.Resources.effective()
		if err != nil {
			return model.Resources{}, fmt.Errorf("init container %s: %w", c.Name, err)
		}
		if c.RestartPolicy == "Always" {
			running.add(req)
			start.raise(running)
			continue
		}
		req.add(running)
		start.raise(req)
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		req, err := c.Resources.effective()
		if err != nil {
			return model.Resources{}, fmt.Errorf("container %s: %w", c.Name, err)
		}
		running.add(req)
	}
	running.raise(start)
	whole, err := p.Resources.effective()
	if err != nil {
		return model.Resources{}, err
	}
	for name, v := range whole {
		running[name] = v
	}
	overhead, err := p.Overhead.parse()
	if err != nil {
		return model.Resources{}, fmt.Errorf("overhead: %w", err)
	}
	running.add(overhead)
	delete(running, "pods")
	return running.resources(), nil
}

func (r resources) effective() (amounts, error) {
	out, err := r.Limits.parse()
	if err != nil {
		return nil, err
	}
	req, err := r.Requests.parse()
	if err != nil {
		return nil, err
	}
	for name, v := range req {
		out[name] = v
	}
	return out, nil
}
