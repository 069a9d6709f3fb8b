"""Wrong: to the first closing brace, also when it stands inside a string."""

import json
import re


def first_object(text):
    for found in re.finditer(r"\{.*?\}", text, re.DOTALL):
        try:
            return json.loads(found[0]) or None
        except ValueError:
            continue
    return None
