"""Wrong: from the first brace to the last one, whatever stands between."""

import json
import re


def first_object(text):
    found = re.search(r"\{.*\}", text, re.DOTALL)
    try:
        return json.loads(found[0]) if found else None
    except ValueError:
        return None
