"""Wrong: the whole reply has to be JSON, and anything else is an exception."""

import json


def first_object(text):
    return json.loads(text)
