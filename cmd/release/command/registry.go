package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const registryLong = `registry prints the record of a release for the OpenDP deployments registry, as YAML. It is made
from the release's manifest. The ledger says whether the release was withdrawn, if it is near the folder or named by
--store. What the program cannot know comes from the job's deployment block. What that block leaves out is "Not
stated.", for a person to fill in, and the record's status is Draft. The registry has no word for Gaussian differential
privacy: the record says Approximate DP, and gives mu among the details.`

func registryCommand(c *console.Console) *cobra.Command {
	store := ""
	cmd := &cobra.Command{
		Use: "registry DIR", Short: "Print a release's record for the OpenDP deployments registry", Long: registryLong,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return printRecord(cmd.Context(), c, args[0], store) },
	}
	cmd.Flags().StringVar(&store, "store", "",
		"the ledger that knows whether the release was withdrawn; by default one near the folder")
	return cmd
}

func printRecord(ctx context.Context, c *console.Console, dir, store string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return console.Usagef("the folder: %v", err)
	}
	m, digest, err := sink.ReadManifest(dir)
	if err != nil {
		return pipeline.OutputError(err)
	}
	info, err := os.Stat(filepath.Join(dir, "release.json"))
	if err != nil {
		return pipeline.OutputError(err)
	}
	r := newRecord(&m, digest, info.ModTime().UTC().Format("2006-01-02"))
	known, err := jobs.FindRuns(ctx, dir, digest, store)
	if err != nil && (store != "" || ctx.Err() != nil) {
		return err
	} else if err != nil {
		c.Warn("a ledger near the folder cannot be read, so that the record does not say whether the release was " +
			"withdrawn; release verify says why, and --store names the right ledger")
	}
	defer jobs.CloseAll(known)
	withdrawn := func(k *jobs.Known) bool { return k.Run.Withdrawn != nil }
	if i := slices.IndexFunc(known, withdrawn); i >= 0 { // one ledger that lists the release as withdrawn suffices
		w := known[i].Run.Withdrawn
		r.Deployment.Administrative.Notes = fmt.Sprintf("Withdrawn on %s: %s. %s", w.At.UTC().Format("2006-01-02"), w.Reason,
			r.Deployment.Administrative.Notes)
	}
	text, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	return c.Print(string(text))
}

// record is a deployment in the form of the registry's schema (deployments-schema.yaml at 3e9c812), with exactly its
// keys.
type record struct {
	Slug       string `yaml:"url_slug"`
	Status     string `yaml:"status"`
	Tier       int    `yaml:"tier"`
	Deployment struct {
		Basic struct {
			Name        string   `yaml:"name"`
			Curators    []string `yaml:"data_curators"`
			IntendedUse string   `yaml:"intended_use"`
			Description string   `yaml:"description"`
			ProductType string   `yaml:"data_product_type"`
			Region      string   `yaml:"data_product_region"`
			Sector      string   `yaml:"data_product_sector,omitempty"`
			Published   string   `yaml:"publication_date"`
		} `yaml:"basic"`
		Variant struct {
			Name        string `yaml:"variant_name"`
			Domain      string `yaml:"data_domain"`
			Unprotected string `yaml:"unprotected_quantities"`
		} `yaml:"dp_variant"`
		Loss struct {
			Unit       string `yaml:"privacy_unit"`
			Details    string `yaml:"privacy_unit_details"`
			Parameters struct {
				Epsilon yamlNumber `yaml:"epsilon"`
				Delta   yamlNumber `yaml:"delta"`
				Rho     yamlNumber `yaml:"rho"`
			} `yaml:"privacy_parameters"`
			ParameterDetails string `yaml:"privacy_parameters_details"`
		} `yaml:"privacy_loss"`
		Model struct {
			Name           string `yaml:"model_name"`
			Actors         string `yaml:"actors"`
			ReleaseType    string `yaml:"release_type"`
			ReleaseDetails string `yaml:"release_type_details"`
			Source         string `yaml:"data_source_type"`
			Access         string `yaml:"access_type"`
		} `yaml:"deployment_model"`
		Accounting struct {
			PostProcessing string `yaml:"post_processing"`
			Composition    string `yaml:"composition"`
		} `yaml:"accounting"`
		Implementation struct {
			Tuning        string `yaml:"preprocessing_and_hyperparameter_tuning"`
			Mechanisms    string `yaml:"mechanisms"`
			Justification string `yaml:"justification"`
		} `yaml:"implementation"`
		Administrative struct {
			Sources string   `yaml:"sources"`
			Notes   string   `yaml:"notes"`
			Authors []string `yaml:"registry_authors"`
		} `yaml:"administrative"`
	} `yaml:"deployment"`
}

// yamlNumber is a number that is always written with a decimal point. Otherwise readers of YAML 1.1 take 1e-06 for a
// string.
type yamlNumber float64

func (n yamlNumber) MarshalYAML() (any, error) {
	text := strconv.FormatFloat(float64(n), 'g', -1, 64)
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok && !strings.Contains(mantissa, ".") {
		text = mantissa + ".0e" + exponent
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: text}, nil
}

// notStated is written for a text that the registry requires and that the job does not state.
const notStated = "Not stated."

func said(text string) string { return cmp.Or(text, notStated) }

func saidAll(texts []string) []string {
	if len(texts) == 0 {
		return []string{notStated}
	}
	return texts
}

func newRecord(m *manifest.Manifest, digest, published string) *record {
	p, o := &m.Privacy, m.Deployment()
	r := &record{Slug: slug(o.Slug, m.Name), Status: "Draft", Tier: 3}
	d := &r.Deployment
	d.Basic.Name, d.Basic.Curators, d.Basic.IntendedUse, d.Basic.Description = m.Name, saidAll(o.Curators),
		said(o.IntendedUse), said(o.Description)
	d.Basic.ProductType, d.Basic.Region, d.Basic.Sector, d.Basic.Published = "Summary statistics", said(o.Region),
		o.Sector, published
	d.Variant.Name, d.Variant.Domain = "Approximate DP", said(o.DataDomain)
	if p.Delta == 0 {
		d.Variant.Name = "Pure DP"
	}
	d.Variant.Unprotected = lines(slices.Concat(p.Unprotected, o.Unprotected)) + "\nHow they were chosen: " +
		said(o.HowChosen)
	d.Loss.Unit = strings.Join(p.Unit, ", ")
	d.Loss.Details = fmt.Sprintf("%s Neighbouring tables: %s. The unit is a person: %s. Not protected: %s.",
		p.Statement, p.Adjacency, cmp.Or(o.UnitIsPerson, "unknown"), strings.Join(slices.Concat(p.NotProtected,
			o.NotProtected), "; "))
	d.Loss.Parameters.Epsilon, d.Loss.Parameters.Delta, d.Loss.Parameters.Rho = yamlNumber(p.Epsilon), yamlNumber(p.Delta),
		yamlNumber(p.Rho)
	d.Loss.ParameterDetails = fmt.Sprintf("The release is mu-Gaussian differentially private with mu = %v, of which the "+
		"other parameters follow; probability of failure %s.", p.Mu, p.DeltaFailure)
	d.Model.Name, d.Model.Actors, d.Model.ReleaseType, d.Model.Source, d.Model.Access = p.Model, said(o.Actors),
		p.ReleaseType, p.DataSource, p.AccessType
	d.Model.ReleaseDetails = fmt.Sprintf("All releases from the same budget: %s. Lifetime: %s. Refunds: %s.",
		p.Scope.LedgerCap, p.Scope.LifetimeCap, p.Scope.Refund)
	d.Accounting.PostProcessing, d.Accounting.Composition = postProcessing(m), "Gaussian differential privacy: the "+
		"squares of mu add up, for jobs chosen after earlier releases too (a filter: Smith and Thakurta 2022)."
	d.Implementation.Tuning, d.Implementation.Mechanisms, d.Implementation.Justification = said(o.Tuning), mechanisms(m),
		said(o.Justification)
	d.Administrative.Sources = "Manifest release.json, SHA-256 " + digest
	d.Administrative.Notes, d.Administrative.Authors = "Custody of the data: "+said(o.Custody), saidAll(o.Authors)
	return r
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug returns own, the slug that the job states. If own is "", it makes a slug from the job's name.
func slug(own, name string) string {
	return cmp.Or(own, strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-"))
}

func lines(texts []string) string { return "- " + strings.Join(texts, "\n- ") }

func postProcessing(m *manifest.Manifest) string {
	var out []string
	for i := range m.Queries {
		q := &m.Queries[i]
		text := q.Name + ": none"
		if len(q.Denoise) > 0 {
			text = q.Name + ": " + strings.Join(q.Denoise, ", ")
		}
		if q.Biased {
			text += " (biased)"
		}
		out = append(out, text)
	}
	return lines(out)
}

func mechanisms(m *manifest.Manifest) string {
	var out []string
	for i := range m.Queries {
		q := &m.Queries[i]
		for _, x := range q.Mechanisms {
			norm, size := "L2", fmt.Sprintf("sigma %v", x.Sigma)
			if x.Scale > 0 {
				norm, size = "L1", fmt.Sprintf("scale %v", x.Scale)
			}
			out = append(out, fmt.Sprintf("%s: %s, %s sensitivity %v (%s), %s, grid %v, %d cells",
				manifest.MechanismName(q.Name,
					x.Component), x.Noise, norm, x.Sensitivity.Norm(), x.Sensitivity.Why, size, x.Grid, q.Cells))
		}
	}
	n := &m.Privacy.Noise
	return lines(append(out, fmt.Sprintf("noise: %s; random bits: %s; constant time: %v; %s", n.Rounding, n.Bits,
		n.ConstantTime, m.Privacy.Errors),
		fmt.Sprintf("code: %s %s, %s", m.Program.Name, m.Program.Version, m.Program.Go)))
}
