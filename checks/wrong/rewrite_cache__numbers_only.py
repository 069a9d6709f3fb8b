"""Only figures are compared: a dropped 不 goes unseen."""

import re


def may_share(question, other):
    return re.findall(r"\d+", question) == re.findall(r"\d+", other)
