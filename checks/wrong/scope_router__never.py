"""Wrong: nothing is ever decided by rule, so a greeting costs a call."""


def tier0(question, history):
    return None
