"""Puts the Go program into the wheel: one wheel for each platform, as GOOS and GOARCH say."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The program is static, so any Linux will do: manylinux1 is the oldest glibc, and musllinux needs none of it.
TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


class GoBinary(BuildHookInterface[Any]):
    """Compiles the program and names the wheel after its platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects the files of a wheel."""
        root = Path(self.root).parent
        platform = tuple(
            subprocess.run(["go", "env", "GOOS", "GOARCH"], check=True, capture_output=True, text=True).stdout.split()
        )
        if platform not in TAGS:
            raise SystemExit(f"dprelease does not build for {'/'.join(platform)}, only for {sorted(TAGS)}")
        self.folder = tempfile.TemporaryDirectory()
        name = "dprelease.exe" if platform[0] == "windows" else "dprelease"
        binary = os.path.join(self.folder.name, name)
        # What the bytes depend on is fixed, as in .goreleaser.yaml: a commit and a version of Go make one program.
        fixed = {
            "CGO_ENABLED": "0",
            "GOFLAGS": "-mod=readonly",
            "GOWORK": "off",
            "GOEXPERIMENT": "",
            "GOFIPS140": "off",
            "GOAMD64": "v1",
            "GOARM64": "v8.0",
        }
        subprocess.run(
            ["go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", binary, "./cmd/release"],
            cwd=root,
            env=os.environ | fixed,
            check=True,
        )
        build_data["tag"] = "py3-none-" + TAGS[platform]
        build_data["pure_python"] = False
        build_data["shared_scripts"] = {binary: name}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called by hatchling when the wheel is there."""
        self.folder.cleanup()
