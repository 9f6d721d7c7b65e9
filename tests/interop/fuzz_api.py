"""Requests that follow the OpenAPI document, and such that nearly do: no fault, and nothing that it does not say.

usage: fuzz_api.py BASE TOKEN CASE SECONDS
"""

import json
import re
import subprocess
import sys
import tempfile

# Whether a request is good also depends on what is there, such as the channel that it names, which no
# document can say.
EXCLUDED = "positive_data_acceptance"


def main() -> None:
    base, token, case, seconds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/schemathesis.toml", "w", encoding="utf-8") as file:
            file.write(f'[parameters]\n"path.space" = "default"\n"path.case" = "{case}"\n')
        command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()"]
        command += ["run", f"{base}/openapi.json", "--url", base, "--header", f"Authorization: Bearer {token}"]
        command += ["--seed", "1", "--max-time", seconds, "--exclude-checks", EXCLUDED]
        command += ["--phases", "examples,coverage,fuzzing"]
        # It keeps what it finds where it works.
        ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    count = re.search(r"(\d+) generated", ran.stdout)
    if ran.returncode or count is None:
        sys.exit(ran.stdout + ran.stderr)
    print(json.dumps({"requests": int(count[1])}))


main()
