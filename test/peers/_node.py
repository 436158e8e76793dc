"""Owns: running one of the compiled node programs of this folder. Must not know: what the programs do."""

import subprocess
from pathlib import Path


def run_node(program: str, given: Path, result: Path) -> None:
    """Runs build/test/peers/<program>.js from the repository root on two file names."""
    script = Path("build") / "test" / "peers" / f"{program}.js"
    subprocess.run(["node", str(script), str(given), str(result)], check=True)
