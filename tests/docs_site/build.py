#!/usr/bin/env python3
"""Builds the documentation's site with MkDocs in an environment of its own, every warning an error, and checks that each rule
has its page, in the search and in the index by generation too, and that no page links to nothing.

    build.py --bin CUWARP_LINT --dir WORK_DIR

Needs pip and an index (or PIP_FIND_LINKS)."""

import argparse
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]


def environment(folder):
    """Kept between runs; pip looks whether the pinned versions are there. The present pip fills it, so that it needs none."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder)
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check",
                    "-r", ROOT / "docs" / "requirements.txt"], check=True)
    return folder / "bin" / "mkdocs"


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if (tag, name) in (("a", "href"), ("img", "src"), ("link", "href"), ("script", "src")) and value:
                self.links.append(value)


def broken_links(site):
    pages = {p: Page(p.read_text()) for p in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc or path.name == "404.html":
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield "%s: %s leads nowhere" % (path.relative_to(site), link)
            elif url.fragment and target in pages and url.fragment not in pages[target].ids:
                yield "%s: %s names no part of its page" % (path.relative_to(site), link)


def missing_from_indexes(site, rules):
    """Each rule is found by the search and stands in the index by hardware generation; so are the pages of a new user."""
    found = {d["location"].split("#")[0] for d in json.loads((site / "search/search_index.json").read_text())["docs"]}
    generations = Page((site / "rules/by-generation/index.html").read_text()).links
    for rule in rules:
        if "rules/%s/" % rule not in found:
            yield "%s is not found by the search" % rule
        if "../%s/" % rule not in generations:
            yield "%s is not in the index by generation" % rule
    for page in ("usage/editors/", "usage/tutorial/", "usage/what-it-finds/"):
        if page not in found:
            yield "%s is not found by the search" % page
    if not list(site.glob("assets/javascripts/workers/search.*.js")):
        yield "the script that searches is missing"
    if 'data-md-component="search-query"' not in (site / "index.html").read_text():
        yield "no page has a field to search in"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--dir", type=lambda p: pathlib.Path(p).resolve(), required=True)
    options = parser.parse_args()
    mkdocs, site = environment(options.dir / "venv"), options.dir / "site"
    env = dict(os.environ, CUWARP_LINT=str(options.bin), NO_MKDOCS_2_WARNING="1")
    subprocess.run([mkdocs, "build", "--strict", "--quiet", "--config-file", ROOT / "mkdocs.yml", "--site-dir", site], env=env,
                   check=True)
    rules = json.loads(subprocess.run([options.bin, "rules", "--output", "json"], stdout=subprocess.PIPE, check=True).stdout)
    bad = ["%s has no page" % r["rule"] for r in rules if not (site / "rules" / r["rule"] / "index.html").exists()]
    bad += list(broken_links(site)) + list(missing_from_indexes(site, [r["rule"] for r in rules]))
    print("\n".join(bad + ["%d rules, %d pages, %d faults" % (len(rules), len(list(site.rglob("*.html"))), len(bad))]))
    sys.exit(1 if bad or not rules else 0)


if __name__ == "__main__":
    main()
