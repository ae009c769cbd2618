package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"upsim/model"
)

func (sh *shell) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of upsim and of what it knows",
		Example: "  upsim version",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			_, err := fmt.Fprintf(sh.stdout, `upsim                 %s
built with            %s for %s/%s
scenarios, results    %s
Kubernetes releases   as of %s
`, buildVersion(info), runtime.Version(), runtime.GOOS, runtime.GOARCH, model.APIVersion, model.ReleasesDate)
			return err
		},
	}
}

// buildVersion is the module's version, or else the commit, as the build stamped it.
func buildVersion(info *debug.BuildInfo) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	if commit := setting["vcs.revision"]; version == "devel" && commit != "" {
		version += " " + commit[:min(12, len(commit))] + ", " + setting["vcs.time"]
		if setting["vcs.modified"] == "true" {
			version += ", modified"
		}
	}
	return version
}
