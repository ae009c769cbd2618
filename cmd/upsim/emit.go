package main

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"upsim/reports"
	"upsim/reports/jsonl"
)

// emitFlags print a job for an engine in place of simulating.
type emitFlags struct {
	emit   wordFlag
	shards numberFlag
	image  string
}

const (
	emitKubernetes = "k8s-job"
	emitSlurm      = "slurm"
)

func (e *emitFlags) add(cmd *cobra.Command) {
	e.emit = wordFlag{choices: []string{emitKubernetes, emitSlurm}}
	flags := cmd.Flags()
	flags.Var(&e.emit, "emit", "simulate nothing, but print a job that does: a Kubernetes Indexed Job or a Slurm job array")
	flags.Var(&e.shards, "shards", "with --emit: into how many shards the work is split")
	flags.StringVar(&e.image, "image", "", "with --emit k8s-job: the container `IMAGE` with upsim, as make image builds it")
	complete(cmd, "emit", e.emit.choices...)
}

func (e *emitFlags) validate(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	if e.emit.value == "" {
		for _, name := range []string{"shards", "image"} {
			if changed(name) {
				return usagef("a share of the work is --shard INDEX/SHARDS", "--%s goes with --emit", name)
			}
		}
		return nil
	}
	for _, name := range []string{"output", "shard", "resume", "fail-on", "exit-zero"} {
		if changed(name) {
			return usagef("change the printed job where it should be another", "--%s does not go with --emit: the job sets it", name)
		}
	}
	if _, err := jsonl.NewShard(0, int(min(e.shards, jsonl.MostShards+1))); err != nil {
		return usagef("for example --shards 16", "--emit needs --shards: %v", err)
	}
	switch {
	case slices.Contains(args, "-"):
		return usagef("name a folder", "a list on standard input is not there when the job runs")
	case e.emit.value == emitSlurm && e.image != "":
		return usagef("", "--image goes with --emit k8s-job")
	case e.emit.value == emitSlurm && len(args) == 0:
		return usagef("for example upsim batch scenarios/ --emit slurm --shards 16", "a Slurm job needs the paths of the scenarios")
	case e.emit.value == emitKubernetes && e.image == "":
		return usagef("for example --image registry.example.com/upsim:v1; make image builds one", "--emit k8s-job needs --image")
	case e.emit.value == emitKubernetes && !imageName.MatchString(e.image):
		return usagef("for example registry.example.com/upsim:v1, in lower case up to the tag", "%q is no name of a container image", e.image)
	}
	for _, arg := range args {
		if e.emit.value == emitKubernetes && !underScenarios(arg) {
			return usagef("for example "+reports.JobScenarios+"/team-a", "%s is not in the container, where the scenarios are under %s", arg, reports.JobScenarios)
		}
	}
	return nil
}

// imageName is a host, a path, a tag and a digest as the distribution project's grammar has them, of which a container
// runtime refuses all else: https://pkg.go.dev/github.com/distribution/reference
var imageName = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]+)?/)?[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*` +
	`(:[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`)

// slurmTasks is how many tasks an array that counts from 0 may have where a site has left MaxArraySize as it is:
// https://slurm.schedmd.com/slurm.conf.html#OPT_MaxArraySize
const slurmTasks = 1001

func underScenarios(arg string) bool {
	clean := path.Clean(arg)
	return clean == reports.JobScenarios || strings.HasPrefix(clean, reports.JobScenarios+"/")
}

// emitJob prints the job.
func (sh *shell) emitJob(c *batchFlags, args []string) error {
	job := reports.Job{Image: c.image, Shards: int(c.shards), Paths: args}
	if flags := c.rowFlags(); flags != nil {
		job.Flags = strings.Fields(flags.String())
	}
	write := reports.KubernetesJob
	if c.emit.value == emitSlurm {
		write = reports.SlurmJob
		if job.Shards > slurmTasks {
			sh.note("note: Slurm takes arrays of at most %d tasks unless the site has raised MaxArraySize; `scontrol show config | grep MaxArraySize` tells", slurmTasks)
		}
	}
	var b strings.Builder
	if err := write(&b, job); err != nil {
		return fmt.Errorf("cannot print the job: %w", err)
	}
	_, err := io.WriteString(sh.stdout, b.String())
	return err
}
