# Stands in for the real package while sources are fetched; see build_meta.py.
