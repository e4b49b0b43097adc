"""Where the program of this package lies, for tools that want to call it."""

import os
import sys
import sysconfig

__all__ = ["find_program"]


def find_program() -> str:
    """The path of the native `cuwarp-lint`, in the scripts folder of this installation.

    Raises FileNotFoundError when the package was installed without it.
    """
    candidates = [sysconfig.get_path("scripts")]
    user_scheme = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else os.name + "_user"
    candidates.append(sysconfig.get_path("scripts", scheme=user_scheme))
    # `pip install --target DIR` puts scripts into DIR/bin.
    candidates.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"))
    for folder in candidates:
        program = os.path.join(folder, "cuwarp-lint")
        if os.path.isfile(program):
            return program
    raise FileNotFoundError("cuwarp-lint is not in any of " + ", ".join(candidates))
