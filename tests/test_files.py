"""Files that are written whole or not at all."""

import platform

from serpenoid.files import write_text


def test_what_killed_processes_left_is_removed_where_it_can_be(tmp_path):
    """What cannot be, such as another user's in a folder of all, keeps nobody from writing."""
    name = f".other.{platform.node()}-{2**22 + 1}-ab12cd34.part"
    (tmp_path / name).write_text("half")
    stays = tmp_path / name.replace("ab12", "ef56")
    stays.mkdir()
    write_text(tmp_path / "mine.txt", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"mine.txt", stays.name}
