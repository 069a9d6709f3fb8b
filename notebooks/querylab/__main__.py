"""The lab from the command line: ``python -m querylab ledger | ask | lost | calibrate | record | traffic | …``."""

import argparse
import contextlib
import json
import logging
import sys

from querylab import settings
from querylab.commands import ask, bring, calibrate, index, kernels, ledger, lost, record, replay, traffic
from querylab.commands.place import check_place
from querylab.commands.said import Said
from querylab.corpus.model import CorpusError
from querylab.pipeline.techniques import Unfinished

COMMANDS = {
    "ledger": ledger,
    "ask": ask,
    "calibrate": calibrate,
    "lost": lost,
    "record": record,
    "replay": replay,
    "traffic": traffic,
    "import": bring,
    "index": index,
    "kernels": kernels,
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 on success, 2 when something it was given cannot be used.

    With ``--json`` standard output holds one object and nothing else: what a technique prints goes to standard error.
    """
    options = _parser().parse_args(arguments)
    as_json = getattr(options, "json", False)
    try:
        check_place()
        with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
            said: Said = options.run(options)
    except (CorpusError, settings.SettingError, KeyError, ValueError, Unfinished) as error:
        words = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"querylab: {words}", file=sys.stderr)
        return 2
    print(json.dumps(said.data, ensure_ascii=False, indent=2) if as_json else said.text)
    for line in said.beside:
        print(line, file=sys.stderr)
    return said.code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m querylab", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.HELP, description=command.HELP)
        sub.set_defaults(run=command.run)
        command.add(sub)
    return parser


if __name__ == "__main__":
    logging.getLogger("querylab.corpus").addHandler(logging.StreamHandler())
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")
    sys.exit(main())
