"""The instructor's desk: what a class handed in, judged, counted and shown on one page.

In: a folder with an entry for each student. Out: ``results.csv``, ``results.json`` and ``index.html``. Entries are
found and made into folders of modules by :mod:`~checks.desk.collect`, judged one by one by
:mod:`~checks.desk.marking`, compared by :mod:`~checks.desk.similar`, and shown by :mod:`~checks.desk.page`.
``python -m checks.grade`` is the way in.
"""
