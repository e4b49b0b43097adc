"""A build backend that builds nothing.

`pip download` asks the build backend of a source archive for its metadata. The project wants the C files inside and
nothing else, so this module is put before the real setuptools on PYTHONPATH: it answers with the name and version the
archive says of itself, no code of the archive runs, and python3-pip alone is enough to fetch it.
"""

import os


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        header = file.read().split("\n\n", 1)[0]
    fields = dict(line.split(": ", 1) for line in header.splitlines() if line.startswith(("Name: ", "Version: ")))
    folder = "{}-{}.dist-info".format(fields["Name"].replace("-", "_"), fields["Version"])
    os.makedirs(os.path.join(metadata_directory, folder))
    with open(os.path.join(metadata_directory, folder, "METADATA"), "w", encoding="utf-8") as file:
        file.write("Metadata-Version: 2.1\nName: {Name}\nVersion: {Version}\n".format(**fields))
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    raise RuntimeError("source archives are fetched for their C files, not built")
