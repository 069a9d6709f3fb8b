"""``python -m checks [solution|starter|DIR] [--json]``: the eight acceptance checks on one track.

Exit code 0 only when all pass, 1 otherwise, 2 when they could not run at all.
"""

import argparse
import json
import sys
from collections import Counter

from querylab.commands.place import check_place
from querylab.corpus.model import CorpusError
from querylab.lesson import progress
from querylab.pipeline.lab import Lab
from querylab.settings import CORPUS_DIR, STARTER_DIR, SettingError, track

from checks import Verdict, remember, run_all, run_more


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and print their verdicts."""
    parser = argparse.ArgumentParser(prog="python -m checks", description=__doc__.split("\n")[0])
    parser.add_argument(
        "track", nargs="?", help="solution, starter, or a folder of modules (default: the kernel's track)"
    )
    parser.add_argument("--corpus", default=CORPUS_DIR, metavar="DIR", help="another corpus of the same shape")
    parser.add_argument("--more", action="store_true", help="also the default configuration and the later notebooks")
    parser.add_argument("--json", action="store_true", help="machine-readable verdicts")
    options = parser.parse_args(arguments)
    try:
        check_place()
        chosen = options.track or track()
        lab = Lab.open(options.corpus, chosen)
        lab.corpus.require_gates()
    except (CorpusError, SettingError) as error:
        print(f"checks: {error}", file=sys.stderr)
        return 2
    verdicts = run_all(lab)
    further = run_more(lab) if options.more else []
    notices = remember(lab, [*verdicts, *further])
    if options.json:
        rows = [
            {"id": verdict.id, "state": verdict.state, "message": verdict.message} for verdict in [*verdicts, *further]
        ]
        print(json.dumps({"track": str(chosen), "checks": rows}, ensure_ascii=False, indent=2))
    else:
        for verdict in verdicts:
            print(verdict)
        if lab.techniques.folder == STARTER_DIR:
            print(f"\n{progress.board([*verdicts, *further], 'starter', notices)}")
        print(f"\n{_count(verdicts)}")
        if further:
            print("\n" + "\n".join(map(str, further)) + f"\n\nlater notebooks: {_count(further)}")
    return 0 if all(verdict.state == "passed" for verdict in [*verdicts, *further]) else 1


def _count(verdicts: list[Verdict]) -> str:
    states = Counter(verdict.state for verdict in verdicts)
    return f"{states['passed']} passed, {states['wrong']} wrong, {states['unfinished']} not yet written"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
