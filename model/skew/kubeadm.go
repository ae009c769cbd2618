package skew

import "upsim/model"

// KubeadmRule is one of the rules by which `kubeadm upgrade apply` refuses a target.
type KubeadmRule string

// The rules, in the order in which kubeadm looks at them.
const (
	KubeadmBelowMinimum    KubeadmRule = "belowMinimum"       // the target is older than this kubeadm runs: the minor before its own
	KubeadmSkipsMinor      KubeadmRule = "skipsMinor"         // the target is more than one minor newer than the cluster
	KubeadmDowngradeTooFar KubeadmRule = "downgradeTooFar"    // the target is more than one minor older than the cluster
	KubeadmMinorTooOld     KubeadmRule = "kubeadmMinorTooOld" // the target's minor is newer than kubeadm's
	KubeadmPatchTooOld     KubeadmRule = "kubeadmPatchTooOld" // the target is a newer release of kubeadm's own minor
	KubeadmMinorTooNew     KubeadmRule = "kubeadmMinorTooNew" // kubeadm's minor is newer than the target's
	KubeadmUnstableTarget  KubeadmRule = "unstableTarget"     // the target is a pre-release
	KubeadmKubeletTooOld   KubeadmRule = "kubeletTooOld"      // a kubelet is too many minors older than the target
)

// kubeadm lets a kubelet be three minors older than the target since 1.29 (kubernetes/kubernetes#120825), one before.
const (
	kubeadmWideLag   = 29
	kubeadmLag       = 3
	kubeadmLagBefore = 1
)

// KubeadmKubeletLag is how many minors a kubelet may be older than the target for this kubeadm.
func KubeadmKubeletLag(kubeadm model.Version) int {
	if kubeadm.Minor < kubeadmWideLag {
		return kubeadmLagBefore
	}
	return kubeadmLag
}

// Kubeadm is what a kubeadm of this version answers to `kubeadm upgrade apply
// TARGET`, run without flags on a cluster with API servers of this version and
// these kubelets: the rules that nothing overrides, and those that --force
// does (for a pre-release also --allow-experimental-upgrades or, for a release
// candidate, --allow-release-candidate-upgrades). With neither it goes ahead.
//
// The rules are those of cmd/kubeadm/app/phases/upgrade/policy.go in
// kubernetes/kubernetes; testdata/kubeadm-policy.csv is what kubeadm 1.34.4
// itself answered. They are kubeadm's, not the skew policy's: going back one
// minor passes, and until 1.28 kubelets had to be closer.
func Kubeadm(cluster, kubeadm model.Version, kubelets []model.Version, target model.Version) (mandatory, skippable []KubeadmRule) {
	// Whoever asks for a pre-release is taken to know what it is: some rules can then be forced.
	far := &mandatory
	if target.PreRelease() != "" {
		far = &skippable
	}
	add := func(to *[]KubeadmRule, broken bool, r KubeadmRule) {
		if broken {
			*to = append(*to, r)
		}
	}
	minimum := model.Version{Major: kubeadm.Major, Minor: max(0, kubeadm.Minor-1)}
	add(&mandatory, target.Compare(minimum) < 0, KubeadmBelowMinimum)
	add(far, target.Minor > cluster.Minor+1, KubeadmSkipsMinor)
	add(far, target.Minor < cluster.Minor-1, KubeadmDowngradeTooFar)
	add(far, target.Minor > kubeadm.Minor, KubeadmMinorTooOld)
	add(&skippable, target.Minor == kubeadm.Minor && target.Compare(kubeadm) > 0, KubeadmPatchTooOld)
	add(&skippable, target.Minor < kubeadm.Minor, KubeadmMinorTooNew)
	add(&skippable, target.PreRelease() != "", KubeadmUnstableTarget)
	old := false
	for _, k := range kubelets {
		old = old || target.Minor > k.Minor+KubeadmKubeletLag(kubeadm)
	}
	add(&skippable, old, KubeadmKubeletTooOld)
	return mandatory, skippable
}
