"""Mutants of the references: a seeded share is seen; what is known to be no fault is a mutant, and has a reason."""

from collections import Counter

import pytest
from querylab import settings
from querylab.pipeline.techniques import EXERCISES, source_of

from checks.mutants import Mutant, chosen, equal, killed, mutants

FEWEST = 30
SHORT = {"default_config": 15}
"""A configuration and three sentences: there is not more to change."""


def test_every_exercise_has_many_and_what_is_listed_is_one_of_them():
    made = {name: {mutant.name for mutant in mutants(name)} for name in EXERCISES}
    for name, found in made.items():
        assert len(found) >= SHORT.get(name, FEWEST), name
        assert len(found) == len(mutants(name))
    for (name, mutant), why in equal().items():
        assert mutant in made[name], f"{name}: {mutant} is no mutant any more"
        assert len(why) > 20
    assert sum(Counter(name for name, _ in equal()).values()) < 150


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_seeded_share_is_seen(exercise):
    known = equal()
    reference = source_of(settings.SOLUTION_DIR / f"{exercise}.py")
    assert not killed(Mutant(exercise, "unchanged", reference))  # a judge that turns everything down sees nothing
    for mutant in chosen([exercise], seed=1, share=0.05):
        if (exercise, mutant.name) not in known:
            assert killed(mutant), mutant.name
