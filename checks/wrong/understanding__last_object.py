"""Wrong: the last object of the reply instead of the first."""

import json
import re


def first_object(text):
    best = None
    end = 0
    for found in re.finditer(r"\{", text):
        if found.start() < end:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(text, found.start())
        except ValueError:
            continue
        best = value or best
    return best
