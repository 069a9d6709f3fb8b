"""Never shares: safe, and saves nothing."""


def may_share(question, other):
    return False
