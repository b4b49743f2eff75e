"""Fixtures for tests of what is measured."""

from tests.studies.conftest import add_metric, here, inline

__all__ = ["add_metric", "here", "inline"]
