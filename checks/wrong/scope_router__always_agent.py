"""Wrong: everything takes the dear way."""


def choose_path(understanding, named):
    return "agent"
