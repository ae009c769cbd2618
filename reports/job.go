package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Job is a batch that an engine runs, a shard a task.
type Job struct {
	// Image is the container image; only a Kubernetes job has one.
	Image  string
	Shards int
	// Paths are the scenarios, where the job sees them; Flags are more flags for upsim batch.
	Paths, Flags []string
}

// Where a Kubernetes job mounts its two volumes.
const (
	JobScenarios = "/scenarios"
	JobResults   = "/results"
)

// jobKind and what is in it are as much of Kubernetes' batch/v1 Job, in its order, as the manifest has.
// https://kubernetes.io/docs/concepts/workloads/controllers/job/ tells what each does.
type (
	k8sJob struct {
		APIVersion string  `json:"apiVersion"`
		Kind       string  `json:"kind"`
		Metadata   k8sMeta `json:"metadata"`
		Spec       jobSpec `json:"spec"`
	}
	k8sMeta struct {
		Name   string            `json:"name,omitempty"`
		Labels map[string]string `json:"labels"`
	}
	jobSpec struct {
		CompletionMode          string           `json:"completionMode"`
		Completions             int              `json:"completions"`
		Parallelism             int              `json:"parallelism"`
		BackoffLimitPerIndex    int              `json:"backoffLimitPerIndex"`
		TTLSecondsAfterFinished int              `json:"ttlSecondsAfterFinished"`
		PodFailurePolicy        podFailurePolicy `json:"podFailurePolicy"`
		Template                podTemplate      `json:"template"`
	}
	podFailurePolicy struct {
		Rules []podFailureRule `json:"rules"`
	}
	podFailureRule struct {
		Action          string         `json:"action"`
		OnPodConditions []podCondition `json:"onPodConditions,omitempty"`
		OnExitCodes     *podExitCodes  `json:"onExitCodes,omitempty"`
	}
	podCondition struct {
		Type string `json:"type"`
	}
	podExitCodes struct {
		ContainerName string `json:"containerName"`
		Operator      string `json:"operator"`
		Values        []int  `json:"values"`
	}
	podTemplate struct {
		Metadata k8sMeta `json:"metadata"`
		Spec     podSpec `json:"spec"`
	}
	podSpec struct {
		RestartPolicy                string         `json:"restartPolicy"`
		AutomountServiceAccountToken bool           `json:"automountServiceAccountToken"`
		SecurityContext              podSecurity    `json:"securityContext"`
		Containers                   []k8sContainer `json:"containers"`
		Volumes                      []k8sVolume    `json:"volumes"`
	}
	podSecurity struct {
		RunAsNonRoot   bool       `json:"runAsNonRoot"`
		RunAsUser      int        `json:"runAsUser"`
		RunAsGroup     int        `json:"runAsGroup"`
		FSGroup        int        `json:"fsGroup"`
		SeccompProfile k8sProfile `json:"seccompProfile"`
	}
	k8sProfile struct {
		Type string `json:"type"`
	}
	k8sContainer struct {
		Name            string            `json:"name"`
		Image           string            `json:"image"`
		Args            []string          `json:"args"`
		Resources       k8sResources      `json:"resources"`
		SecurityContext containerSecurity `json:"securityContext"`
		VolumeMounts    []volumeMount     `json:"volumeMounts"`
	}
	k8sResources struct {
		Requests map[string]string `json:"requests"`
		Limits   map[string]string `json:"limits"`
	}
	containerSecurity struct {
		ReadOnlyRootFilesystem   bool         `json:"readOnlyRootFilesystem"`
		AllowPrivilegeEscalation bool         `json:"allowPrivilegeEscalation"`
		Capabilities             capabilities `json:"capabilities"`
	}
	capabilities struct {
		Drop []string `json:"drop"`
	}
	volumeMount struct {
		Name      string `json:"name"`
		MountPath string `json:"mountPath"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
	}
	k8sVolume struct {
		Name  string      `json:"name"`
		Claim volumeClaim `json:"persistentVolumeClaim"`
	}
	volumeClaim struct {
		ClaimName string `json:"claimName"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
	}
)

// KubernetesJob writes an Indexed Job, of Kubernetes 1.33 or newer, whose pod
// number i does shard i. A pod that was evicted or lost its node is replaced
// and goes on with what its predecessor wrote; of our exit codes 2 (a wrong
// command line, no scenarios) ends the index at once, since a retry cannot
// help, and 4 (reading or writing) counts as a try. With --exit-zero the
// verdicts are no failures.
func KubernetesJob(w io.Writer, j Job) error {
	labels := map[string]string{"app.kubernetes.io/name": "upsim"}
	paths := j.Paths
	if len(paths) == 0 {
		paths = []string{JobScenarios}
	}
	args := append([]string{"batch"}, paths...)
	args = append(args, "--shard", fmt.Sprintf("$(JOB_COMPLETION_INDEX)/%d", j.Shards),
		"-o", "jsonl="+JobResults+"/part-$(JOB_COMPLETION_INDEX).jsonl", "--resume", "--exit-zero")
	args = append(args, j.Flags...)
	const nobody = 65532
	job := k8sJob{"batch/v1", "Job", k8sMeta{"upsim-batch", labels}, jobSpec{
		CompletionMode: "Indexed", Completions: j.Shards, Parallelism: min(j.Shards, 8),
		BackoffLimitPerIndex: 2, TTLSecondsAfterFinished: 86400,
		PodFailurePolicy: podFailurePolicy{[]podFailureRule{
			{Action: "Ignore", OnPodConditions: []podCondition{{"DisruptionTarget"}}},
			{Action: "FailIndex", OnExitCodes: &podExitCodes{"upsim", "In", []int{2}}},
		}},
		Template: podTemplate{k8sMeta{Labels: labels}, podSpec{
			RestartPolicy:   "Never",
			SecurityContext: podSecurity{true, nobody, nobody, nobody, k8sProfile{"RuntimeDefault"}},
			Containers: []k8sContainer{{
				Name: "upsim", Image: j.Image, Args: args,
				Resources:       k8sResources{map[string]string{"cpu": "2", "memory": "1Gi"}, map[string]string{"memory": "2Gi"}},
				SecurityContext: containerSecurity{true, false, capabilities{[]string{"ALL"}}},
				VolumeMounts:    []volumeMount{{"scenarios", JobScenarios, true}, {"results", JobResults, false}},
			}},
			Volumes: []k8sVolume{{"scenarios", volumeClaim{"upsim-scenarios", true}}, {"results", volumeClaim{"upsim-results", false}}},
		}},
	}}
	var text bytes.Buffer
	fmt.Fprintf(&text, `# Each of the %d pods simulates its share. Two claims must be there: upsim-scenarios with the scenario files, and
# upsim-results, which all pods write (ReadWriteMany). With all parts in one folder: upsim merge part-*.jsonl --exit-zero -o jsonl=results.jsonl
`, j.Shards)
	if err := writeYAML(&text, job); err != nil {
		return err
	}
	_, err := text.WriteTo(w)
	return err
}

// SlurmJob writes the script of a job array whose task number i does shard i,
// in the folder from which it is submitted, which all nodes share. A task that
// lost its node is queued again and goes on with what was written; one task can
// be done again with sbatch --array=NUMBER, since the number of shards stands in the script.
func SlurmJob(w io.Writer, j Job) error {
	words := []string{"exec", "upsim", "batch"}
	for _, p := range j.Paths {
		words = append(words, shellWord(p))
	}
	words = append(words, "--shard", fmt.Sprintf(`"$SLURM_ARRAY_TASK_ID/%d"`, j.Shards),
		"-o", `"jsonl=part-$SLURM_ARRAY_TASK_ID.jsonl"`, "--resume", "--exit-zero")
	words = append(words, j.Flags...)
	_, err := fmt.Fprintf(w, `#!/bin/bash
#SBATCH --job-name=upsim --array=0-%d --cpus-per-task=2 --mem=2G --requeue --open-mode=append --output=part-%%a.log
# Each task simulates its share. In a folder that all nodes share, in which the paths below are right:
#   sbatch THIS-FILE
#   sbatch --dependency=afterok:JOBID --wrap 'upsim merge part-*.jsonl --exit-zero -o jsonl=results.jsonl'
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-2}
%s
`, j.Shards-1, strings.Join(words, " "))
	return err
}

// shellWord quotes a word for a shell.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@:") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
