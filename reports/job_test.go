package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"upsim/model"
)

// The manifest is YAML of a Job that Kubernetes takes: the rules are those of
// its API reference for batch/v1 (JobSpec, PodFailurePolicy) and core/v1 (Container).
func TestKubernetesJob(t *testing.T) {
	var text bytes.Buffer
	job := Job{Image: "registry.example.com:5000/upsim:v1@sha256:00", Shards: 16, Flags: []string{"--seeds", "20"}}
	if err := KubernetesJob(&text, job); err != nil {
		t.Fatal(err)
	}
	data, err := model.YAMLToJSON(text.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"apiVersion":                           "batch/v1",
		"kind":                                 "Job",
		"spec.completionMode":                  "Indexed", // without which there is no JOB_COMPLETION_INDEX, nor may backoffLimitPerIndex be
		"spec.completions":                     16.0,
		"spec.parallelism":                     8.0,
		"spec.podFailurePolicy.rules.0.action": "Ignore",
		"spec.podFailurePolicy.rules.0.onPodConditions.0.type":                   "DisruptionTarget",
		"spec.podFailurePolicy.rules.1.action":                                   "FailIndex",
		"spec.podFailurePolicy.rules.1.onExitCodes.values":                       []any{2.0},
		"spec.podFailurePolicy.rules.1.onExitCodes.operator":                     "In",
		"spec.podFailurePolicy.rules.1.onExitCodes.containerName":                "upsim",
		"spec.template.spec.restartPolicy":                                       "Never", // with a podFailurePolicy nothing else may be
		"spec.template.spec.containers.0.name":                                   "upsim",
		"spec.template.spec.containers.0.image":                                  job.Image,
		"spec.template.spec.containers.0.resources.requests.cpu":                 "2",
		"spec.template.spec.containers.0.resources.limits.memory":                "2Gi",
		"spec.template.spec.containers.0.volumeMounts.0.name":                    "scenarios",
		"spec.template.spec.containers.0.volumeMounts.0.readOnly":                true,
		"spec.template.spec.containers.0.volumeMounts.1.mountPath":               "/results",
		"spec.template.spec.containers.0.securityContext.readOnlyRootFilesystem": true,
		"spec.template.spec.volumes.0.name":                                      "scenarios",
		"spec.template.spec.volumes.0.persistentVolumeClaim.claimName":           "upsim-scenarios",
		"spec.template.spec.volumes.1.name":                                      "results",
		"spec.template.spec.securityContext.runAsUser":                           65532.0, // runAsNonRoot wants a number where the image has no user
		"spec.template.spec.containers.0.args": []any{"batch", "/scenarios", "--shard", "$(JOB_COMPLETION_INDEX)/16",
			"-o", "jsonl=/results/part-$(JOB_COMPLETION_INDEX).jsonl", "--resume", "--exit-zero", "--seeds", "20"},
	} {
		if got := valueAt(doc, path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// valueAt is the value at a dotted path.
func valueAt(doc any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

// The script gives upsim just these words, whatever stands in the names of the paths.
func TestSlurmJob(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	var text bytes.Buffer
	paths := []string{"fleet/a.yaml", "it's; a $HOME `x`", "*"}
	if err := SlurmJob(&text, Job{Shards: 4, Paths: paths, Flags: []string{"--seed", "7"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\n#SBATCH --job-name=upsim --array=0-3 ") {
		t.Errorf("it is no array of four:\n%s", text.String())
	}
	script := strings.Replace(text.String(), "exec upsim", `printf '%s\n'`, 1)
	cmd := exec.Command(bash, "-c", script)
	cmd.Env = []string{"SLURM_ARRAY_TASK_ID=3"}
	out, err := cmd.CombinedOutput()
	want := strings.Join([]string{"batch", paths[0], paths[1], paths[2], "--shard", "3/4", "-o", "jsonl=part-3.jsonl", "--resume", "--exit-zero", "--seed", "7", ""}, "\n")
	if err != nil || string(out) != want {
		t.Errorf("upsim gets\n%s\nand not\n%s%v", out, want, err)
	}
}
