"""Only pronouns are seen, not the elliptical follow-up."""


def needs_rewrite(history, question):
    return bool(history) and any(word in question for word in ("他", "她", "它", "这个"))
