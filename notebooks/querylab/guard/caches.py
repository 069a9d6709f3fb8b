"""The rewrite cache, all of it from one door: the three levels, the file of the second, the client before the model."""

from querylab.guard.caching import CACHED_TASKS, CachingClient, fingerprint
from querylab.guard.disk import CacheError, DiskCache, Kept
from querylab.guard.levels import LEVELS, Found, Level, RewriteCache, question_of

__all__ = [
    "CACHED_TASKS",
    "LEVELS",
    "CacheError",
    "CachingClient",
    "DiskCache",
    "Found",
    "Kept",
    "Level",
    "RewriteCache",
    "fingerprint",
    "question_of",
]
