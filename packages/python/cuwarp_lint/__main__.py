"""`python -m cuwarp_lint` is the program itself."""

import os
import sys

from cuwarp_lint import find_program

if __name__ == "__main__":
    program = find_program()
    os.execv(program, [program, *sys.argv[1:]])
