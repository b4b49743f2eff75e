"""Who else could write a file or folder: what lies in the store of compiled kernels is executed.

As ssh does with its keys: the owner is the user or root, nobody else may write, and the same holds
for all folders above, or whoever writes there could put another one in its place. A folder above
may be open to all if it is sticky, as /tmp is, where others cannot move what is not theirs.
"""

import os
import stat
from pathlib import Path


def intruder(path: Path) -> str | None:
    """Who but the user could change what is in a folder, in words; None if nobody could.

    Args:
        path: The folder. Those of its parents that exist count, if it does not exist yet.
    """
    if not hasattr(os, "geteuid"):
        return None
    # Links are looked at as well as where they lead.
    named, real = path.absolute(), path.resolve()
    for folder in (real, *real.parents, named, *named.parents):
        try:
            about = folder.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return f"{folder} cannot be looked at: {error.strerror}"
        if not is_ours(about, sticky=folder not in (real, named)):
            return f"{folder} belongs to user {about.st_uid}, mode {stat.S_IMODE(about.st_mode):o}"
    return None


def is_ours(about: os.stat_result, *, sticky: bool = False) -> bool:
    """Whether only the user and root can write a file or folder; a link has no mode of its own.

    Args:
        about: What the system says of it.
        sticky: Whether it may be open to others if it is sticky.
    """
    if not hasattr(os, "geteuid"):
        return True
    if about.st_uid not in (os.geteuid(), 0):
        return False
    if stat.S_ISLNK(about.st_mode) or (sticky and about.st_mode & stat.S_ISVTX):
        return True
    if about.st_mode & stat.S_IWOTH:
        return False
    return not about.st_mode & stat.S_IWGRP or _is_of_user_alone(about.st_gid)


def _is_of_user_alone(group: int) -> bool:
    """Whether a group is the one that many systems give each user, with nobody else in it."""
    import grp
    import pwd

    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    own = user.pw_gid == group and members.gr_name == user.pw_name
    return own and set(members.gr_mem) <= {user.pw_name}


def make_private(path: Path) -> None:
    """Make a folder, and those of its parents that are missing, for the user alone.

    Raises:
        OSError: It cannot be made.
    """
    for folder in reversed((path, *path.parents)):
        folder.mkdir(mode=0o700, exist_ok=True)
