package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sumProperty holds a module's line of go.sum. It is a hash of the module's files, and of no file that could be
// downloaded, so that it is none of CycloneDX's hashes.
const sumProperty = "dprelease:go.sum"

// writeMaterials writes what is in the program: every module that Go linked into it, by what the program's file itself
// says, and the standard library. Licences are not listed.
func (b *built) writeMaterials(to string) error {
	content, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(b.materials(sha256.Sum256(content)), cdx.SpecVersion1_6)
	return errors.Join(err, f.Close())
}

func (b *built) materials(sum [sha256.Size]byte) *cdx.BOM {
	program := module(&b.info.Main)
	program.Type = cdx.ComponentTypeApplication
	program.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	program.Properties = &[]cdx.Property{}
	for _, s := range b.info.Settings {
		*program.Properties = append(*program.Properties, cdx.Property{Name: "dprelease:build:" + s.Key, Value: s.Value})
	}
	parts := []cdx.Component{module(&debug.Module{Path: "std", Version: strings.TrimPrefix(b.info.GoVersion, "go")})}
	for _, m := range b.info.Deps {
		parts = append(parts, module(m))
	}
	needs := make([]string, len(parts))
	all := []cdx.Dependency{{Ref: program.BOMRef, Dependencies: &needs}}
	for i := range parts {
		needs[i] = parts[i].BOMRef
		all = append(all, cdx.Dependency{Ref: parts[i].BOMRef})
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = serial(sum)
	bom.Metadata = &cdx.Metadata{
		Timestamp: b.time.UTC().Format(time.RFC3339), Component: &program, Lifecycles: &[]cdx.Lifecycle{{Phase: cdx.LifecyclePhaseBuild}},
	}
	bom.Components, bom.Dependencies = &parts, &all
	return bom
}

// module is a Go module as a component, named by its package URL.
func module(m *debug.Module) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	if m.Sum != "" {
		c.Properties = &[]cdx.Property{{Name: sumProperty, Value: m.Sum}}
	}
	return c
}

// serial is a UUID of the program's hash (RFC 9562, version 8), if others draw one at random.
func serial(sum [sha256.Size]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	h := hex.EncodeToString(u)
	return "urn:uuid:" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
