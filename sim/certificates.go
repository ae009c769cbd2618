package sim

import (
	"fmt"

	"upsim/model"
)

// A kubelet speaks to the API server with a client certificate. Some time before its end it asks for a new one, which a
// controller-manager signs; so that one, an API server and the node must be there, and else it asks as soon as they are.
// Past the end nobody answers it any more: the node is lost until someone gives it a certificate by hand.
// Source: kubernetes.io, "Configure Certificate Rotation for the Kubelet"; k8s.io/client-go/util/certificate.

// rotateAt is after which share of a certificate's validity, in percent, the kubelet asks for a new one. client-go
// draws it between 70 and 90.
const rotateAt = 75

// certificate is that of one node's kubelet.
type certificate struct {
	fault   int32
	expires int64
	due     int64 // when the kubelet asks for the next one
}

// beginCertificates gives the nodes that the fault means their certificates, as old as it says. Of several such faults of
// one node the first counts.
func (r *run) beginCertificates(i int32, f *model.Fault) {
	age := newSampler(f.Age)
	for n := range int32(len(r.nodes)) {
		if r.nodes[n].flags&nodeRemoved == 0 && r.certificates[n] == nil && r.w.meansNode(f, n) {
			r.certify(n, i, r.now-r.drawExact(&age, forCertificate, uint64(n), uint64(i)))
		}
	}
}

// certify gives a node's kubelet a certificate that was issued at that time.
func (r *run) certify(n, fault int32, from int64) {
	validity := r.w.scenario.Faults[fault].Validity.Microseconds()
	c := &certificate{fault: fault, expires: max(from+validity, r.now), due: max(from+validity/100*rotateAt, r.now)}
	r.certificates[n] = c
	r.later(c.due, evRotate, n)
	r.later(c.expires, evExpire, n)
}

// later plans an event that would come without the upgrade as well.
func (r *run) later(at int64, k kind, n int32) {
	if at < horizon {
		r.background++
		r.push(at, k, 0, n)
	}
}

// rotates is a kubelet that asks for its next certificate (evRotate).
func (r *run) rotates(n int32) bool {
	r.background--
	c, nd := r.certificates[n], &r.nodes[n]
	if c == nil || c.due != r.now || r.endedAt >= 0 {
		return false
	}
	if nd.flags&nodeMute != 0 || nd.flags&(nodeBusy|nodeReady) == nodeBusy {
		return false // it asks when it is back
	}
	if until := r.controllersDown(); until > r.now {
		c.due = until
		r.later(until, evRotate, n)
		return false
	}
	r.hit[c.fault] = true
	r.sayNode(n, "rotated its certificate")
	r.certify(n, c.fault, r.now)
	return true
}

// asksAgain has the kubelet of a node that is back ask for the certificate that it could not ask for while it was away.
func (r *run) asksAgain(n int32) {
	if c := r.certificates[n]; c != nil && c.due <= r.now {
		c.due = r.now
		r.later(r.now, evRotate, n)
	}
}

// renew gives a node a fresh certificate: it is new, or kubeadm has made one.
func (r *run) renew(n int32) {
	if n == none || r.nodes[n].flags&nodeExpired != 0 {
		return
	}
	for i := range r.w.scenario.Faults {
		if f := &r.w.scenario.Faults[i]; f.Kind == model.KubeletCertificates && r.w.meansNode(f, n) {
			r.certify(n, int32(i), r.now)
			return
		}
	}
}

// expires is the end of a certificate (evExpire): the kubelet is silent from now on.
func (r *run) expires(n int32) bool {
	r.background--
	c := r.certificates[n]
	if c == nil || c.expires != r.now || r.endedAt >= 0 {
		return false
	}
	r.hit[c.fault] = true
	delete(r.certificates, n)
	r.expired = append(r.expired, n)
	r.sayNode(n, "lost its certificate")
	r.fallSilent(n, nodeExpired)
	return true
}

// neverBack is a node whose certificate has expired when its upgrade is done. What
// runs without the kubelet, such as the API server on a node of the control plane, goes on.
func (r *run) neverBack(n int32) {
	r.endAway(n)
	r.nodeDown(n, true)
	if r.absent[n] == nil {
		r.absent[n] = &absence{since: r.now, unknown: true}
		r.unreachable(n)
	}
}

// certificateReasons names the nodes that an expired certificate has lost.
func (r *run) certificateReasons() {
	for i, n := range r.expired {
		if i == mostAlike {
			more := len(r.expired) - mostAlike
			r.reason(model.KubeletCertificateExpired, "Scenario/"+r.w.scenario.Name, "so it is on "+plural(more, "more node", "more nodes"))
			return
		}
		node := r.w.nodeSubject(n)
		r.reason(model.KubeletCertificateExpired, node, fmt.Sprintf("the certificate of the kubelet on %s expired before a new one was signed: the node is lost", node))
	}
}
