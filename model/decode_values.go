package model

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Each method here that returns a func(*node) reads one kind of value into the
// place it is given, and reports what is wrong with it.

// scalar refuses lists and mappings.
func (d *decoder) scalar(n *node, want string) bool {
	if n.kind != scalarNode || n.isNull() {
		d.fault(n, "must be %s, not %s", want, n.describe())
		return false
	}
	return true
}

// textOf is the value of a text. A number or a truth value is none: YAML would have changed it.
func (d *decoder) textOf(n *node, want string) (string, bool) {
	if !d.scalar(n, want) {
		return "", false
	}
	if n.typ != textScalar {
		d.fault(n, "must be %s, and YAML reads %s as a number or a truth value; put it in quotes: %q", want, n.value, n.value)
		return "", false
	}
	return n.value, true
}

func (d *decoder) prose(p *string) func(*node) {
	return func(n *node) {
		s, ok := d.textOf(n, "text")
		if ok && strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			d.fault(n, "has control characters")
			return
		}
		*p = s
	}
}

// A nameRule says what is wrong with a name; nothing means that it is one.
type nameRule func(string) []string

var (
	dnsSubdomain  nameRule = unlessSimple(validation.IsDNS1123Subdomain)
	dnsLabel      nameRule = unlessSimple(validation.IsDNS1123Label)
	labelKey      nameRule = unlessSimple(validation.IsQualifiedName)
	labelValue    nameRule = unlessSimple(validation.IsValidLabelValue)
	strategyName  nameRule = nonEmptyLabel
	zoneName      nameRule = nonEmptyLabel
	referenceName nameRule = func(s string) []string {
		if s == "" || strings.ContainsFunc(s, unicode.IsControl) {
			return []string{"a name is not empty and has no control characters"}
		}
		return nil
	}
	// ownerKind is the kind of a custom resource. One that has a kind of its own here, or none, is another thing.
	ownerKind nameRule = func(s string) []string {
		switch Kind(s) {
		case Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, BarePod, Static:
			return []string{"upsim knows what this one does; write `kind: " + s + "`"}
		}
		if len(validation.IsDNS1035Label(strings.ToLower(s))) > 0 {
			return []string{"a kind has letters and digits and begins with a letter, for instance StrimziPodSet"}
		}
		return nil
	}
)

func nonEmptyLabel(s string) []string {
	if s == "" {
		return []string{"it must not be empty"}
	}
	return labelValue(s)
}

// unlessSimple is a rule of Kubernetes for what is more than a few small letters and digits with dashes between them, which
// break none and are what most names are made of. The rules are regular expressions.
func unlessSimple(rule nameRule) nameRule {
	return func(s string) []string {
		if isSimpleName(s) {
			return nil
		}
		return rule(s)
	}
}

func isSimpleName(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != "" && len(s) <= validation.DNS1123LabelMaxLength
}

// firstRule is the first rule that a name breaks, without the example and the
// pattern that Kubernetes' own words add.
func firstRule(broken []string) string {
	rule, _, _ := strings.Cut(broken[0], " (e.g. ")
	return rule
}

func (d *decoder) name(p *string, rule nameRule) func(*node) {
	return func(n *node) {
		s, ok := d.textOf(n, "a name")
		if !ok {
			return
		}
		if wrong := rule(s); len(wrong) > 0 {
			d.fault(n, "%s is not a valid name: %s", quote(s), firstRule(wrong))
			return
		}
		*p = s
	}
}

func (d *decoder) names(p *[]string, rule nameRule) func(*node) {
	return func(n *node) {
		*p = nil
		d.list(func(item *node) {
			var s string
			if d.name(&s, rule)(item); s != "" {
				*p = append(*p, s)
			}
		})(n)
	}
}

func (d *decoder) boolean(p *bool) func(*node) {
	return func(n *node) {
		switch {
		case n.kind == scalarNode && n.plain && n.typ == boolScalar:
			*p = strings.EqualFold(n.value, "true")
		default:
			d.fault(n, "must be true or false, not %s", n.describe())
		}
	}
}

// oneOf reads one of the words.
func oneOf[T ~string](d *decoder, p *T, words ...T) func(*node) {
	return func(n *node) {
		if n.kind == scalarNode && !n.isNull() && slices.Contains(words, T(n.value)) {
			*p = T(n.value)
			return
		}
		known := make([]string, len(words))
		for i, w := range words {
			known[i] = string(w)
		}
		hint := ""
		if n.kind == scalarNode {
			hint = didYouMean(n.value, known)
		}
		d.fault(n, "must be %s, not %s%s", alternatives(known), n.describe(), hint)
	}
}

// alternatives joins words as a sentence does: a, b or c.
func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Forms of numbers. They are looked at in every scenario of a batch, where regular expressions would take a fiftieth of the time.

func isWholeNumber(s string) bool {
	s = withoutSign(s)
	return s == "0" || isDigits(s) && s[0] != '0'
}

func isPercentage(s string) bool {
	digits, found := strings.CutSuffix(s, "%")
	return found && isDigits(digits)
}

// isQuantity keeps numbers and exponents short: the parser would compute them in full.
func isQuantity(s string) bool {
	s = withoutSign(s)
	unit := strings.TrimLeft(s, ".0123456789")
	if n := len(s) - len(unit); n < 1 || n > 30 {
		return false
	}
	if unit == "" {
		return true
	}
	if exponent := withoutSign(unit[1:]); (unit[0] == 'e' || unit[0] == 'E') && isDigits(exponent) {
		return len(exponent) <= 2
	}
	return strings.IndexByte("numkKMGTPE", unit[0]) >= 0 && (unit[1:] == "" || unit[1:] == "i")
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func withoutSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// wholeNumber reads a decimal integer within the bounds.
func (d *decoder) wholeNumber(n *node, least, most int64) (int64, bool) {
	if n.kind != scalarNode || !n.plain || n.typ != intScalar && !isWholeNumber(n.value) {
		d.fault(n, "must be a whole number, not %s", n.describe())
		return 0, false
	}
	if !isWholeNumber(n.value) {
		d.fault(n, "write %s as a plain decimal number", quote(n.value))
		return 0, false
	}
	v, err := strconv.ParseInt(n.value, 10, 64)
	if err != nil || v < least || v > most {
		d.fault(n, "must be from %d to %d, not %s", least, most, shorten(n.value))
		return 0, false
	}
	return v, true
}

func (d *decoder) integer(p *int, least, most int) func(*node) {
	return func(n *node) {
		if v, ok := d.wholeNumber(n, int64(least), int64(most)); ok {
			*p = int(v)
		}
	}
}

// number reads a decimal number; above says whether the lower bound itself is allowed.
func (d *decoder) number(p *float64, least, most float64, inclusive bool) func(*node) {
	return func(n *node) {
		want := fmt.Sprintf("a number from %v to %v", least, most)
		if !inclusive {
			want = fmt.Sprintf("a number above %v and up to %v", least, most)
		}
		if n.kind != scalarNode || !n.plain || n.typ != intScalar && n.typ != floatScalar {
			d.fault(n, "must be %s, not %s", want, n.describe())
			return
		}
		v, err := strconv.ParseFloat(n.value, 64)
		if err != nil || math.IsNaN(v) || v < least || v > most || v == least && !inclusive {
			d.fault(n, "must be %s, not %s", want, shorten(n.value))
			return
		}
		*p = v
	}
}

func (d *decoder) version(p *Version) func(*node) { return d.versionWith(p, ParseVersion) }

// versionWith takes the text of the file, so that an unquoted 1.30 is not the number 1.3.
func (d *decoder) versionWith(p *Version, parse func(string) (Version, error)) func(*node) {
	return func(n *node) {
		if !d.scalar(n, "a version such as v1.34.2") {
			return
		}
		v, err := parse(shorten(n.value))
		if err != nil {
			d.fault(n, "%v", err)
			return
		}
		*p = v
	}
}

func (d *decoder) duration(p *time.Duration) func(*node) { return d.durationFrom(p, 0) }

// durationFrom reads a duration of at least so much.
func (d *decoder) durationFrom(p *time.Duration, least time.Duration) func(*node) {
	return func(n *node) {
		if v, ok := d.durationOf(n); ok {
			if v < least {
				d.fault(n, "must be at least %v, not %s", least, n.value)
				return
			}
			*p = v
		}
	}
}

func (d *decoder) optDuration(p **time.Duration) func(*node) {
	return func(n *node) {
		var v time.Duration
		before := len(d.found)
		if d.duration(&v)(n); len(d.found) == before {
			*p = &v
		}
	}
}

// optSecondsOrDuration reads what Kubernetes writes as a bare number of
// seconds, such as kubectl's --grace-period, with a unit or without.
func (d *decoder) optSecondsOrDuration(p **time.Duration) func(*node) {
	return func(n *node) {
		var v time.Duration
		read := d.duration(&v)
		if n.kind == scalarNode && n.plain && isWholeNumber(n.value) {
			read = d.seconds(&v)
		}
		before := len(d.found)
		if read(n); len(d.found) == before {
			*p = &v
		}
	}
}

func (d *decoder) durationOf(n *node) (time.Duration, bool) {
	if !d.scalar(n, "a duration such as 90s") {
		return 0, false
	}
	text := shorten(n.value)
	v, err := time.ParseDuration(text)
	switch {
	case err != nil && (n.typ == intScalar || n.typ == floatScalar):
		d.fault(n, "%s has no unit; write %ss for seconds, or use m or h", text, text)
	case err != nil && daysForm.MatchString(text):
		days, _ := strconv.Atoi(strings.TrimSuffix(text, "d"))
		d.fault(n, "%s is not a duration; write days in hours: %dh", quote(text), 24*days)
	case err != nil:
		d.fault(n, "%s is not a duration; write it like 90s, 5m or 1h30m", quote(text))
	case v < 0:
		d.fault(n, "must not be negative, but it is %s", text)
	case v > longest:
		d.fault(n, "must be at most ten years, but it is %s", text)
	default:
		return v, true
	}
	return 0, false
}

var daysForm = regexp.MustCompile(`^[0-9]{1,5}d$`)

// seconds reads a whole number of seconds, as Kubernetes' …Seconds keys have it.
func (d *decoder) seconds(p *time.Duration) func(*node) {
	return func(n *node) {
		if n.kind == scalarNode && n.typ == textScalar {
			if v, err := time.ParseDuration(n.value); err == nil {
				d.fault(n, "is a whole number of seconds, as in Kubernetes; write %d", int64(v/time.Second))
				return
			}
		}
		if v, ok := d.wholeNumber(n, 0, int64(longest/time.Second)); ok {
			*p = time.Duration(v) * time.Second
		}
	}
}

// intOrPercent reads a count up to most, or a percentage up to 100.
func (d *decoder) intOrPercent(p *intstr.IntOrString, most int) func(*node) {
	return func(n *node) {
		switch {
		case n.kind == scalarNode && n.typ == textScalar && isPercentage(n.value):
			if v, err := strconv.Atoi(strings.TrimSuffix(n.value, "%")); err != nil || v > 100 {
				d.fault(n, "must be at most 100%%, not %s", shorten(n.value))
				return
			}
			*p = intstr.FromString(n.value)
		case n.kind == scalarNode && n.plain && isWholeNumber(n.value):
			if v, ok := d.wholeNumber(n, 0, int64(most)); ok {
				*p = intstr.FromInt32(int32(v))
			}
		default:
			d.fault(n, "must be a whole number or a percentage such as 25%%, not %s", n.describe())
		}
	}
}

// labels reads labels, keys and values as Kubernetes wants them.
func (d *decoder) labels(p *map[string]string) func(*node) {
	return func(n *node) {
		if !d.isMapping(n, "labels with values") {
			return
		}
		m := make(map[string]string, len(n.keys))
		for i, k := range n.keys {
			if wrong := labelKey(k.value); len(wrong) > 0 {
				d.report(k.line, k.col, fmt.Sprintf("%s is not a valid label: %s", quote(k.value), firstRule(wrong)))
			}
			v, ok := d.textOf(n.items[i], "a label's value")
			if !ok {
				continue
			}
			if wrong := labelValue(v); len(wrong) > 0 {
				d.fault(n.items[i], "%s is not a valid label value: %s", quote(v), firstRule(wrong))
			}
			m[k.value] = v
		}
		*p = m
	}
}

// quantityOf reads a quantity as Kubernetes writes it, not negative.
func (d *decoder) quantityOf(n *node) (resource.Quantity, bool) {
	if !d.scalar(n, "a quantity such as 500m or 2Gi") {
		return resource.Quantity{}, false
	}
	var q resource.Quantity
	err := resource.ErrFormatWrong
	if isQuantity(n.value) {
		q, err = resource.ParseQuantity(n.value)
	}
	if err != nil {
		d.fault(n, "%s is not a quantity; write it like 500m, 2 or 4Gi", quote(n.value))
		return q, false
	}
	if q.Sign() < 0 {
		d.fault(n, "must not be negative, but it is %s", n.value)
		return q, false
	}
	return q, true
}

// Bounds of an amount of one resource, so that no sum over a cluster overflows.
const (
	maxCores  = 1_000_000
	maxMemory = 32 << 40
	maxPods   = 100_000
)

var resourceNames = []string{"cpu", "memory", "pods", "ephemeral-storage"}

// resources reads amounts by resource. Pods are only a node's.
func (d *decoder) resources(p *Resources, ofNode bool) func(*node) {
	return func(n *node) {
		if !d.isMapping(n, "resources with quantities") {
			return
		}
		for i, k := range n.keys {
			d.resource(p, k, n.items[i], ofNode)
		}
	}
}

func (d *decoder) resource(p *Resources, k, v *node, ofNode bool) {
	known := k.value == "cpu" || k.value == "memory" || k.value == "ephemeral-storage" || k.value == "pods" && ofNode ||
		strings.HasPrefix(k.value, "hugepages-") || strings.Contains(k.value, "/")
	if !known || len(labelKey(k.value)) > 0 {
		d.report(k.line, k.col, fmt.Sprintf("%s is not a resource; extended ones have a domain, such as nvidia.com/gpu", quote(k.value))+
			didYouMean(k.value, resourceNames))
		return
	}
	q, ok := d.quantityOf(v)
	if !ok {
		return
	}
	most := int64(maxMemory)
	switch k.value {
	case "cpu":
		most = maxCores
	case "pods":
		most = maxPods
	}
	if q.Cmp(*resource.NewQuantity(most, resource.DecimalSI)) > 0 {
		d.fault(v, "must be at most %d, not %s", most, v.value)
		return
	}
	if k.value == "memory" && strings.HasSuffix(v.value, "m") {
		d.fault(v, "%s is a thousandth of so many bytes; did you mean %si?", v.value, strings.TrimSuffix(v.value, "m")+"M")
		return
	}
	switch k.value {
	case "cpu":
		p.CPU = q.MilliValue()
	case "memory":
		p.Memory = q.Value()
	case "pods":
		p.Pods = q.Value()
	default:
		if p.Other == nil {
			p.Other = map[string]int64{}
		}
		p.Other[k.value] = q.Value()
	}
}

// shorten cuts a text off that is too long to be what it should be.
func shorten(s string) string {
	const most = 60
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
