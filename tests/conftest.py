"""What all tests share."""

from hypothesis import settings

# A first call may compile, so no deadline; the same examples every time, so that a failure stays.
settings.register_profile("serpenoid", deadline=None, derandomize=True, database=None)
settings.load_profile("serpenoid")
