"""Pages that the tool itself writes: one per rule, their index, the options. A hook of MkDocs; the program is
$CUWARP_LINT, else build/release/cuwarp-lint."""

import json
import os
import pathlib
import re
import subprocess

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE_LINK = re.compile(r"\[([^]]*)\]\((?:\.\./)+((?:rules|tests|cmake|analyzer|fixtures|runtime_check)/[^)]*)\)")


def ask(*arguments):
    program = os.environ.get("CUWARP_LINT", str(ROOT / "build/release/cuwarp-lint"))
    return subprocess.run([program, *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout


def marks(rule):
    state = "preview" if rule["preview"] else "on by default" if rule["default"] else "off by default"
    return "%s · %s · %s" % (rule["severity"], rule["category"], state)


def gpu_table(rule):
    """What runtime_check saw of the rule's hazards, kernel by kernel."""
    seen = [v for v in rule["gpu"] if v["kernel"]]
    lines = ["", "## On a GPU", ""] if rule["gpu"] else []
    for verdict in rule["gpu"]:
        lines += [] if verdict["kernel"] else ["%s: %s." % (verdict["verdict"].capitalize(), verdict["text"]), ""]
    if seen:
        lines += [seen[0]["machine"] + "; \"skewed\": some lanes are held up for a moment, which changes timing only.", "",
                  "| kernel | verdict | runs |", "| --- | --- | --- |"]
        lines += ["| %s | %s | %s |" % (v["kernel"], v["verdict"], v["text"]) for v in seen]
    return "\n".join(lines)


def rule_page(rule):
    # The language of an example also says whether it is the bad or the good one; a highlighter knows neither.
    doc = re.sub(r"^```cuda (bad|good)", lambda m: '```cuda title="%s"' % m.group(1), rule["doc"], flags=re.M)
    return "# %s\n\n%s\n{ .rule-marks }\n\n%s\n\n%s\n%s\n" % (rule["rule"], marks(rule), rule["summary"].capitalize() + ".", doc,
                                                             gpu_table(rule))


def rule_index(rules):
    lines = ["# Rules", "", "`cuwarp-lint explain RULE` shows the same pages in a terminal. [By hardware generation](by-generation.md) "
             "they are listed once more."]
    for category in dict.fromkeys(r["category"] for r in rules):
        lines += ["", "## " + category, "", "| rule | severity | | what it reports |", "| --- | --- | --- | --- |"]
        for r in rules:
            if r["category"] == category:
                state = "preview" if r["preview"] else "" if r["default"] else "off by default"
                lines.append("| [%s](%s.md) | %s | %s | %s |" % (r["rule"], r["rule"], r["severity"], state, r["summary"]))
    return "\n".join(lines) + "\n"


def generation_index(rules):
    """The rules by the hardware on which their hazards show, from rules-by-generation.json."""
    by_name = {r["rule"]: r for r in rules}
    lines = ["# Rules by hardware generation", "",
             "On which GPUs a hazard shows. `--arch` says for which ones the code is built; `--semantics portable` asks for what all of "
             "them promise."]
    for group in json.loads((ROOT / "docs/rules-by-generation.json").read_text()):
        lines += ["", "## " + group["title"], "", "*%s.* %s" % (group["architectures"].capitalize(), group["why"]), "",
                  "| rule | severity | what it reports |", "| --- | --- | --- |"]
        for name in group["rules"]:
            lines.append("| [%s](%s.md) | %s | %s |" % (name, name, by_name[name]["severity"], by_name[name]["summary"]))
    return "\n".join(lines) + "\n"


def options_page():
    commands = re.findall(r"^  ([a-z]+) ", ask("--help"), flags=re.M)
    parts = ["# Commands and options", "", "```text", ask("--help").rstrip(), "```"]
    for command in dict.fromkeys(commands):
        parts += ["", "## " + command, "", "```text", ask(command, "--help").rstrip(), "```"]
    return "\n".join(parts) + "\n"


def on_files(files, config):
    rules = json.loads(ask("explain", "all", "--output", "json"))
    pages = {"rules/%s.md" % r["rule"]: rule_page(r) for r in rules}
    pages["rules/index.md"] = rule_index(rules)
    pages["rules/by-generation.md"] = generation_index(rules)
    pages["options.md"] = options_page()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links into the sources, which are no part of the site, become text."""
    return SOURCE_LINK.sub(r"\1 (`\2`)", markdown)
