package model

import (
	"slices"
	"strings"
	"time"
)

var taintEffects = []TaintEffect{NoSchedule, PreferNoSchedule, NoExecute}

func (d *decoder) taints(p *[]Taint) func(*node) {
	return func(n *node) {
		*p = nil
		if d.isKubectlTaint(n, false) {
			return
		}
		d.list(func(item *node) {
			if d.isKubectlTaint(item, false) {
				return
			}
			var t Taint
			d.object(item,
				must("key", d.name(&t.Key, labelKey)),
				may("value", d.name(&t.Value, labelValue)),
				must("effect", oneOf(d, &t.Effect, NoSchedule, PreferNoSchedule, NoExecute)),
			)
			if slices.ContainsFunc(*p, func(o Taint) bool { return o.Key == t.Key && o.Effect == t.Effect && t.Key != "" }) {
				d.fault(item, "there is a taint %s with the effect %s already", quote(t.Key), t.Effect)
			}
			*p = append(*p, t)
		})(n)
	}
}

func (d *decoder) tolerations(p *[]Toleration) func(*node) {
	return func(n *node) {
		*p = nil
		if d.isKubectlTaint(n, true) {
			return
		}
		d.list(func(item *node) {
			if d.isKubectlTaint(item, true) {
				return
			}
			t := Toleration{Operator: "Equal"}
			seconds := 0
			if !d.object(item,
				may("key", d.name(&t.Key, labelKey)),
				may("operator", oneOf(d, &t.Operator, "Equal", "Exists")),
				may("value", d.name(&t.Value, labelValue)),
				may("effect", oneOf(d, &t.Effect, NoSchedule, PreferNoSchedule, NoExecute)),
				may("tolerationSeconds", d.integer(&seconds, 0, int(longest/time.Second))),
			) {
				return
			}
			if item.get("tolerationSeconds") != nil {
				s := int64(seconds)
				t.Seconds = &s
				if t.Effect != NoExecute {
					d.fault(item.get("tolerationSeconds"), "only a toleration with the effect NoExecute has it")
				}
			}
			if item.get("key") == nil && t.Operator != "Exists" {
				d.fault(item, "a toleration without a key needs the operator Exists")
			}
			if t.Operator == "Exists" && t.Value != "" {
				d.fault(item.get("value"), "a toleration with the operator Exists has no value")
			}
			*p = append(*p, t)
		})(n)
	}
}

// isKubectlTaint refuses a taint or toleration that is written in one word, as
// `kubectl taint` has it (KEY=VALUE:EFFECT), and says what to write.
func (d *decoder) isKubectlTaint(n *node, toleration bool) bool {
	if n.kind != scalarNode || n.isNull() {
		return false
	}
	write := spelledOut(n.value, toleration)
	if n.index < 0 {
		write = "[" + write + "]"
	}
	d.fault(n, "write %s, not %s", write, n.describe())
	return true
}

// spelledOut is the mapping that a taint of kubectl's form means, or an example
// where the text has another form.
func spelledOut(text string, toleration bool) string {
	const example = "{key: role, value: data, effect: NoSchedule}"
	left, effect, hasEffect := strings.Cut(text, ":")
	key, value, hasValue := strings.Cut(left, "=")
	if len(labelKey(key)) > 0 || len(labelValue(value)) > 0 ||
		hasEffect && !slices.Contains(taintEffects, TaintEffect(effect)) || !hasEffect && !toleration {
		return example
	}
	parts := []string{"key: " + yamlWord(key)}
	switch {
	case hasValue && value != "":
		parts = append(parts, "value: "+yamlWord(value))
	case toleration && !hasValue:
		parts = append(parts, "operator: Exists")
	}
	if hasEffect {
		parts = append(parts, "effect: "+effect)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// yamlWord is a label's key or value as YAML reads it as text: in quotes where it would be a number or a truth value.
func yamlWord(s string) string {
	docs, faults := readYAML([]byte(s))
	if len(faults) == 0 && len(docs) == 1 && docs[0].kind == scalarNode && docs[0].typ == textScalar {
		return s
	}
	return `"` + s + `"`
}
